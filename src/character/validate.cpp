#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "character/indices.h"
#include "cutis/character.h"
#include "cutis/error.h"

namespace cutis {
namespace {

// Beyond this, products of coordinates leave the range of float. Of vertices, joints and keys alike, since each becomes
// a coordinate of the other.
constexpr float kLargestCoordinate = 1e15F;
bool is_workable(const Vec3d& p) {
  return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) <= static_cast<double>(kLargestCoordinate);
}
// Sums of float weights are off by rounding only.
constexpr double kWeightSumTolerance = 1e-4;

class Validator {
 public:
  explicit Validator(const Character& character) : character_(character) {}

  void run_indices() const {
    const auto& joints = character_.skeleton.joints;
    for (std::size_t j = 0; j < joints.size(); ++j) check_order(j);
    for (const Mesh& mesh : character_.meshes) {
      check_triangles(mesh);
      if (mesh.weights.empty()) continue;
      check_rows(mesh);
      for (std::size_t v = 0; v < mesh.weights.rows(); ++v) check_row(mesh, v);
    }
  }

  void run() const {
    if (character_.meshes.empty()) fail("", "has no mesh; export at least one triangle mesh");
    check_skeleton();
    for (const Mesh& mesh : character_.meshes) {
      check_mesh(mesh);
      if (!mesh.weights.empty()) check_weights(mesh);
    }
    for (const Clip& clip : character_.clips) check_clip(clip);
  }

 private:
  [[noreturn]] void fail(const std::string& part, const std::string& sentence) const {
    throw Error(ErrorCode::bad_character, part.empty() ? character_.source : character_.source + " › " + part,
                sentence);
  }

  void check_order(std::size_t j) const {
    const auto& joints = character_.skeleton.joints;
    const Joint& joint = joints[j];
    const auto refuse = [&](const char* sentence) { fail(fmt::format("bone '{}'", joint.name), sentence); };
    if (joint.parent >= static_cast<int>(j) || joint.parent < -1)
      refuse("comes before its parent; joints must be ordered from the root to the leaves");
    if (joint.alias_of < -1 || joint.alias_of >= static_cast<int>(joints.size()) ||
        joint.alias_of == static_cast<int>(j))
      refuse("stands in for a bone that does not exist; set alias_of to another joint, or to -1");
  }

  void check_skeleton() const {
    const auto& joints = character_.skeleton.joints;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const std::string part = fmt::format("bone '{}'", joints[j].name);
      check_order(j);
      if (!is_finite(to_affine(joints[j].local)) || !is_finite(joints[j].world_from_rest))
        fail(part, "has a transform that is not a number; re-export the skeleton");
      if (!is_workable(joints[j].local.translation) || !is_workable(joints[j].local.scale) ||
          !is_workable(joints[j].world_from_rest.translation))
        fail(part, fmt::format("is moved or scaled by more than {:g}; scale the character down", kLargestCoordinate));
      if (joints[j].is_bone && !(std::abs(determinant(joints[j].world_from_rest.linear)) > 0))
        fail(part, "is scaled to nothing at the rest pose; give it a scale other than 0");
    }
  }

  void check_mesh(const Mesh& mesh) const {
    const std::string part = fmt::format("mesh '{}'", mesh.name);
    if (mesh.positions.empty()) fail(part, "has no vertices; remove it or export it with its geometry");
    if (mesh.normals.size() != mesh.positions.size())
      fail(part, fmt::format("has {} normals for {} vertices", mesh.normals.size(), mesh.positions.size()));
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      const Vec3f& p = mesh.positions[v];
      if (!is_finite(p)) fail(part, fmt::format("vertex {} is not a finite point; clean the mesh and export again", v));
      if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > kLargestCoordinate)
        fail(part, fmt::format("vertex {} is farther than {:g} from the origin; scale the character down", v,
                               kLargestCoordinate));
      if (!is_finite(mesh.normals[v])) fail(part, fmt::format("the normal of vertex {} is not a finite vector", v));
    }
    check_triangles(mesh);
    for (const VertexAttribute& a : mesh.attributes)
      if (a.components <= 0 || a.values.size() != mesh.positions.size() * static_cast<std::size_t>(a.components))
        fail(part, fmt::format("attribute {} does not have a value for every vertex", a.name));
  }

  void check_triangles(const Mesh& mesh) const {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
      for (const std::uint32_t v : mesh.triangles[t])
        if (v >= mesh.positions.size())
          fail(fmt::format("mesh '{}'", mesh.name),
               fmt::format("triangle {} uses vertex {}, but there are only {}", t, v, mesh.positions.size()));
  }

  void check_rows(const Mesh& mesh) const {
    const std::string part = fmt::format("mesh '{}'", mesh.name);
    const Weights& w = mesh.weights;
    if (w.rows() != mesh.positions.size() || w.row_begin.front() != 0 || w.row_begin.back() != w.joint.size() ||
        w.weight.size() != w.joint.size())
      fail(part, fmt::format("has weights for {} of its {} vertices", w.rows(), mesh.positions.size()));
  }

  void check_row(const Mesh& mesh, std::size_t v) const {
    const auto refuse = [&](const std::string& sentence) { fail(fmt::format("mesh '{}'", mesh.name), sentence); };
    const Weights& w = mesh.weights;
    if (w.row_begin[v] > w.row_begin[v + 1] || w.row_begin[v + 1] > w.joint.size())
      refuse(fmt::format("the weights of vertex {} are out of order", v));
    for (std::uint32_t i = w.row_begin[v]; i < w.row_begin[v + 1]; ++i)
      if (w.joint[i] >= character_.skeleton.joints.size())
        refuse(fmt::format("vertex {} is bound to bone {}, but there are only {}", v, w.joint[i],
                           character_.skeleton.joints.size()));
  }

  void check_weights(const Mesh& mesh) const {
    const std::string part = fmt::format("mesh '{}'", mesh.name);
    const Weights& w = mesh.weights;
    check_rows(mesh);
    for (std::size_t v = 0; v < w.rows(); ++v) {
      check_row(mesh, v);
      double sum = 0;
      for (std::uint32_t i = w.row_begin[v]; i < w.row_begin[v + 1]; ++i) {
        if (!(w.weight[i] >= 0)) fail(part, fmt::format("vertex {} has a weight that is negative or not a number", v));
        sum += static_cast<double>(w.weight[i]);
      }
      if (!(sum > 0))
        fail(part, fmt::format("the weights of vertex {} sum to 0; bind it to a bone, or make new weights with "
                               "'cutis weights'",
                               v));
      if (std::abs(sum - 1) > kWeightSumTolerance)
        fail(part, fmt::format("the weights of vertex {} sum to {:g} instead of 1", v, sum));
    }
  }

  void check_clip(const Clip& clip) const {
    for (const Channel& c : clip.channels) {
      if (c.joint < 0 || c.joint >= static_cast<int>(character_.skeleton.joints.size()))
        fail(fmt::format("clip '{}'", clip.name), fmt::format("moves bone {}, which does not exist", c.joint));
      const std::string part = fmt::format("clip '{}' › bone '{}'", clip.name,
                                           character_.skeleton.joints[static_cast<std::size_t>(c.joint)].name);
      const std::size_t per_key =
          (c.path == ChannelPath::rotation ? 4U : 3U) * (c.interpolation == Interpolation::cubic_spline ? 3U : 1U);
      if (c.times.empty()) fail(part, "has a channel without keys");
      if (c.values.size() != c.times.size() * per_key)
        fail(part,
             fmt::format("has {} numbers for {} keys; {} a key are needed", c.values.size(), c.times.size(), per_key));
      for (std::size_t k = 0; k < c.times.size(); ++k)
        if (!std::isfinite(c.times[k]) || (k > 0 && !(c.times[k] > c.times[k - 1])))
          fail(part, fmt::format("key {} is not later than the one before it", k));
      for (const float value : c.values) {
        if (!std::isfinite(value)) fail(part, "has a key that is not a finite number");
        if (c.path != ChannelPath::rotation && std::abs(value) > kLargestCoordinate)
          fail(part,
               fmt::format("has a key of {:g}, beyond {:g}; scale the character down", value, kLargestCoordinate));
      }
    }
  }

  const Character& character_;
};

}  // namespace

void validate(const Character& character) { Validator(character).run(); }
void check_indices(const Character& character) { Validator(character).run_indices(); }

}  // namespace cutis
