// Rotations of BVH are those of the rest pose's axes: a joint's is parent's motion^-1 * own motion, motions from rest
// in scene space. Channels Z X Y, as most files have: R = Rz Rx Ry.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "base/alive.h"
#include "base/atomic_file.h"
#include "base/math.h"
#include "base/polar.h"
#include "cutis/error.h"
#include "cutis/pose_writer.h"

namespace cutis {
namespace {

/// Degrees about z, x, y with Rz Rx Ry = r. Where x is a right angle, y is 0.
Vec3d euler_zxy(const Mat3d& r) {
  const auto at = [&](int row, int column) { return r.col[column][row]; };
  const double x = std::asin(std::clamp(at(2, 1), -1.0, 1.0));
  double y = 0, z = 0;
  if (std::abs(at(2, 1)) < 1 - 1e-12) {
    y = std::atan2(-at(2, 0), at(2, 2));
    z = std::atan2(-at(0, 1), at(1, 1));
  } else {
    z = std::atan2(at(1, 0), at(0, 0));
  }
  return Vec3d{z, x, y} / kDegree;
}

}  // namespace

struct BvhWriter::Impl {
  Impl(const std::string& path, const Skeleton& s, std::size_t frames, double rate)
      : file(path), skeleton(s), announced(frames) {
    if (skeleton.joints.empty()) throw Error(ErrorCode::bad_argument, path, "the character has no joints to write");
    if (!(rate > 0)) throw Error(ErrorCode::bad_argument, path, "poses need a positive rate");
    const std::size_t n = skeleton.joints.size();
    children.resize(n);
    std::set<std::string> taken;
    for (std::size_t j = 0; j < n; ++j) {
      const Joint& joint = skeleton.joints[j];
      if (joint.parent >= 0) children[static_cast<std::size_t>(joint.parent)].push_back(j);
      rest_rotation.push_back(rotation_of(joint.world_from_rest));
      std::string name = joint.name.empty() ? fmt::format("joint_{}", j) : joint.name;
      for (char& c : name)
        if (static_cast<unsigned char>(c) <= ' ' || c == '{' || c == '}') c = '_';
      const std::string base = name;
      for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{}_{}", base, k);
      names.push_back(name);
    }
    std::string text = "HIERARCHY\n";
    for (std::size_t j = 0; j < n; ++j)
      if (skeleton.joints[j].parent < 0) write_joint(j, 0, text);
    text += fmt::format("MOTION\nFrames: {}\nFrame Time: {:.9g}\n", frames, 1 / rate);
    file.write(text);
  }

  static Mat3d rotation_of(const Affine3d& m) { return to_matrix(nearest_rotation(m.linear)); }

  void write_joint(std::size_t j, int depth, std::string& text) {
    const Joint& joint = skeleton.joints[j];
    const std::string indent(static_cast<std::size_t>(depth), '\t');
    const Vec3d at = joint.world_from_rest.translation;
    const Vec3d offset = joint.parent < 0
                             ? at
                             : at - skeleton.joints[static_cast<std::size_t>(joint.parent)].world_from_rest.translation;
    text += fmt::format("{0}{1} {2}\n{0}{{\n{0}\tOFFSET {3:.6f} {4:.6f} {5:.6f}\n", indent,
                        joint.parent < 0 ? "ROOT" : "JOINT", names[j], offset.x, offset.y, offset.z);
    text += joint.parent < 0 ? indent + "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
                             : indent + "\tCHANNELS 3 Zrotation Xrotation Yrotation\n";
    order.push_back(j);
    for (const std::size_t c : children[j]) write_joint(c, depth + 1, text);
    // Readers want an end: as long as the way to the joint, straight on.
    if (children[j].empty())
      text += fmt::format("{0}\tEnd Site\n{0}\t{{\n{0}\t\tOFFSET {1:.6f} {2:.6f} {3:.6f}\n{0}\t}}\n", indent,
                          0.5 * offset.x, 0.5 * offset.y, 0.5 * offset.z);
    text += indent + "}\n";
  }

  void add(const Pose& pose) {
    const std::vector<Affine3d> world = world_from_joint(skeleton, pose);
    std::vector<Mat3d> motion(world.size());
    for (std::size_t j = 0; j < world.size(); ++j) motion[j] = rotation_of(world[j]) * transpose(rest_rotation[j]);
    line.clear();
    for (const std::size_t j : order) {
      const int p = skeleton.joints[j].parent;
      if (p < 0) {
        const Vec3d& t = world[j].translation;
        line += fmt::format("{:.6f} {:.6f} {:.6f} ", t.x, t.y, t.z);
      }
      const Vec3d e = euler_zxy(p < 0 ? motion[j] : transpose(motion[static_cast<std::size_t>(p)]) * motion[j]);
      line += fmt::format("{:.5f} {:.5f} {:.5f} ", e.x, e.y, e.z);
    }
    line.back() = '\n';
    file.write(line);
    ++written;
  }

  AtomicFile file;
  Skeleton skeleton;
  std::size_t announced = 0, written = 0;
  std::vector<std::vector<std::size_t>> children;
  std::vector<std::size_t> order;
  std::vector<Mat3d> rest_rotation;
  std::vector<std::string> names;
  std::string line;
};

BvhWriter::BvhWriter(const std::string& file, const Skeleton& skeleton, std::size_t frames, double rate)
    : impl_(std::make_unique<Impl>(file, skeleton, frames, rate)) {}
BvhWriter::~BvhWriter() = default;
BvhWriter::BvhWriter(BvhWriter&&) noexcept = default;
BvhWriter& BvhWriter::operator=(BvhWriter&&) noexcept = default;

void BvhWriter::add(const Pose& pose) { alive(impl_, "BVH writer").add(pose); }

void BvhWriter::finish() {
  Impl& s = alive(impl_, "BVH writer");
  if (s.written != s.announced)
    throw Error(ErrorCode::bad_argument, s.file.path(),
                fmt::format("{} poses were announced and {} written", s.announced, s.written));
  s.file.commit();
}

}  // namespace cutis
