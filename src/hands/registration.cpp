// Fits a character's bone lengths and thickness to a tracked person (what Implicit §3.6 tried with scans and left
// unfinished; spheres carry their joints with them, so the correspondence is known).
//
// A similarity a bone: the median over the frames of the distance between neighbouring spheres, over the character's
// own. Then least squares: poses and lengths in turn. With the rotations held, every centre is linear in the lengths,
//   x = root + sum over the bones on the way of s_c R t_c,
// so all lengths come from one small system over all frames, with a weak pull to the first estimate for bones that the
// motion does not tell apart.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/polar.h"
#include "cutis/error.h"
#include "cutis/hands.h"
#include "cutis/option_rows.h"
#include "geometry/closest_point.h"
#include "hands/sphere_pose.h"
#include "numerics/dense_solve.h"

namespace cutis {
namespace {

constexpr std::size_t kMostFrames = 48;  // evenly from the track; more add little
constexpr int kRounds = 4;
constexpr double kLengthSpread = 0.1;  // how far the first estimate may be off, as a standard deviation
constexpr double kSmallestScale = 0.2, kLargestScale = 5;  // what is still the same hand

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double bounded(double scale) { return std::clamp(scale, kSmallestScale, kLargestScale); }

// Translations of joints relative to their parents times `length`; per joint.
Skeleton with_lengths(const Skeleton& skeleton, const std::vector<double>& length_of) {
  Skeleton result = skeleton;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    Joint& joint = result.joints[j];
    const int parent = joint.parent;
    joint.local.translation *= length_of[j];
    if (parent < 0) continue;
    const auto p = static_cast<std::size_t>(parent);
    Affine3d relative = inverse(skeleton.joints[p].world_from_rest) * skeleton.joints[j].world_from_rest;
    relative.translation *= length_of[j];
    joint.world_from_rest = result.joints[p].world_from_rest * relative;
  }
  return result;
}

// Distance from a joint to the skin around it.
double skin_radius(const Character& character, const Vec3d& p) {
  double nearest = std::numeric_limits<double>::max();
  for (const Mesh& mesh : character.meshes)
    for (const Triangle& t : mesh.triangles) {
      const auto a = static_cast<Vec3d>(mesh.positions[t[0]]), b = static_cast<Vec3d>(mesh.positions[t[1]]),
                 c = static_cast<Vec3d>(mesh.positions[t[2]]);
      const std::array<double, 3> w = closest_in_triangle(a, b, c, p);
      const Vec3d q = a * w[0] + b * w[1] + c * w[2];
      nearest = std::min(nearest, dot(p - q, p - q));
    }
  return std::sqrt(nearest);
}

struct Fit {
  std::vector<SphereFitter::Result> frames;
  double miss = 0;
};

Fit fit_frames(const Skeleton& skeleton, const SphereTrack& track, const std::vector<std::size_t>& chosen,
               const SpherePoseOptions& options, const Context& context) {
  const SphereFitter fitter(skeleton, track.spheres, options);
  Fit fit;
  fit.frames.resize(chosen.size());
  parallel_for(context, chosen.size(), 1,
               [&](std::size_t i, std::size_t) { fit.frames[i] = fitter.fit(track.centers[chosen[i]]); });
  double sum = 0, count = 0;
  for (const auto& frame : fit.frames) {
    sum += frame.miss * frame.miss * static_cast<double>(frame.seen);
    count += static_cast<double>(frame.seen);
  }
  fit.miss = count > 0 ? std::sqrt(sum / count) : 0;
  return fit;
}

}  // namespace

SphereRegistration register_spheres(const Character& character, const SphereTrack& track,
                                    const SpherePoseOptions& options, const Context& context) {
  const Skeleton& skeleton = character.skeleton;
  check_options(options, "spheres");
  const SphereFitter fitter(skeleton, track.spheres, options);
  const std::size_t joints = skeleton.joints.size();
  std::vector<std::size_t> chosen;
  const std::size_t frames = track.times.size(), take = std::min(frames, kMostFrames);
  for (std::size_t i = 0; i < take; ++i) chosen.push_back(take > 1 ? i * (frames - 1) / (take - 1) : 0);
  std::size_t most = 0;
  for (const std::size_t f : chosen)
    most = std::max(most, static_cast<std::size_t>(
                              std::ranges::count_if(track.centers[f], [](const auto& c) { return c.has_value(); })));
  if (most < 3)
    throw Error(ErrorCode::bad_argument, "spheres", "fewer than three spheres are ever seen together; track more");

  // The sphere at each joint.
  std::vector<int> sphere_of(joints, -1);
  for (std::size_t i = 0; i < track.spheres.size(); ++i)
    if (length(fitter.sphere_offset()[i]) == 0)
      sphere_of[static_cast<std::size_t>(fitter.sphere_joint()[i])] = static_cast<int>(i);
  const std::vector<Affine3d> rest = world_from_joint(skeleton, default_pose(skeleton));

  // A similarity a bone.
  std::vector<double> scale(joints, 1.0);
  std::vector<char> measured(joints, 0), varies(joints, 0);
  std::vector<double> all;
  for (const int joint : fitter.joints()) varies[static_cast<std::size_t>(joint)] = 1;
  for (std::size_t j = 0; j < joints; ++j) {
    const int parent = skeleton.joints[j].parent;
    if (parent < 0 || !varies[static_cast<std::size_t>(parent)] || sphere_of[j] < 0) continue;
    const int above = sphere_of[static_cast<std::size_t>(parent)];
    const double own = distance(rest[j].translation, rest[static_cast<std::size_t>(parent)].translation);
    if (above < 0 || !(own > 0)) continue;
    std::vector<double> ratios;
    for (const std::size_t f : chosen) {
      const auto &a = track.centers[f][static_cast<std::size_t>(above)],
                 &b = track.centers[f][static_cast<std::size_t>(sphere_of[j])];
      if (a && b) ratios.push_back(distance(*a, *b) / own);
    }
    if (ratios.empty()) continue;
    scale[j] = bounded(median_of(ratios));
    measured[j] = 1;
    all.push_back(scale[j]);
  }
  SphereRegistration result;
  result.miss_before = fit_frames(skeleton, track, chosen, options, context).miss;
  result.size = all.empty() ? 1.0 : median_of(all);
  std::vector<std::size_t> unknown;  // joints whose distance to their parent is sought
  for (std::size_t j = 0; j < joints; ++j) {
    const int parent = skeleton.joints[j].parent;
    if (parent < 0 || !varies[static_cast<std::size_t>(parent)]) continue;
    if (!measured[j]) scale[j] = result.size;
    unknown.push_back(j);
  }

  // Least squares over all frames.
  const std::vector<double> first = scale;
  const std::size_t n = unknown.size();
  double noise = options.noise;
  if (!(noise > 0)) {
    Box extent;
    for (std::size_t i = 0; i < track.spheres.size(); ++i)
      extent.add(rest[static_cast<std::size_t>(fitter.sphere_joint()[i])].translation);
    noise = std::max(0.005 * diagonal(extent), 1e-9);
  }
  for (int round = 0; round < kRounds && n > 0; ++round) {
    const Skeleton now = with_lengths(skeleton, scale);
    const Fit fit = fit_frames(now, track, chosen, options, context);
    // Unknowns: the scales, then the root's place in each frame.
    const std::size_t size = n + 3 * chosen.size();
    std::vector<double> matrix(size * size, 0.0), rhs(size, 0.0);
    const auto at = [&](std::size_t row, std::size_t column) -> double& { return matrix[column * size + row]; };
    for (std::size_t u = 0; u < n; ++u) {
      const double w = 1 / (kLengthSpread * kLengthSpread);
      at(u, u) += w;
      rhs[u] += w * first[unknown[u]];
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::size_t root = n + 3 * i;
      for (std::size_t c = 0; c < 3; ++c) at(root + c, root + c) += 1e-9 / (noise * noise);
      if (fit.frames[i].seen < 3) continue;
      const std::vector<Affine3d> world = world_from_joint(now, fit.frames[i].pose);
      for (std::size_t s = 0; s < track.spheres.size(); ++s) {
        const auto& center = track.centers[chosen[i]][s];
        if (!center) continue;
        const auto carrier = static_cast<std::size_t>(fitter.sphere_joint()[s]);
        // x = root + offset + sum s_u d_u
        Vec3d fixed = transform_point(world[carrier], fitter.sphere_offset()[s]) - world[carrier].translation;
        std::vector<std::pair<std::size_t, Vec3d>> ways;
        for (auto j = static_cast<int>(carrier); j >= 0; j = skeleton.joints[static_cast<std::size_t>(j)].parent) {
          const auto found = std::ranges::find(unknown, static_cast<std::size_t>(j));
          if (found == unknown.end()) break;
          const auto p = static_cast<std::size_t>(skeleton.joints[static_cast<std::size_t>(j)].parent);
          const Vec3d way = world[static_cast<std::size_t>(j)].translation - world[p].translation;
          ways.emplace_back(static_cast<std::size_t>(found - unknown.begin()),
                            way / scale[static_cast<std::size_t>(j)]);
        }
        const double w = 1 / (noise * noise);
        for (int c = 0; c < 3; ++c) {
          const std::size_t r = root + static_cast<std::size_t>(c);
          const double target = (*center)[c] - fixed[c];
          at(r, r) += w;
          rhs[r] += w * target;
          for (const auto& [u, d] : ways) {
            rhs[u] += w * d[c] * target;
            at(u, r) += w * d[c];
            at(r, u) += w * d[c];
            for (const auto& [q, e] : ways) at(u, q) += w * d[c] * e[c];
          }
        }
      }
    }
    const DenseSolution solution = solve_dense(size, matrix, rhs);
    if (!solution.ok) break;
    for (std::size_t u = 0; u < n; ++u) scale[unknown[u]] = bounded(solution.x[u]);
  }
  result.miss_after = fit_frames(with_lengths(skeleton, scale), track, chosen, options, context).miss;

  for (const std::size_t j : unknown) {
    SphereRegistration::Bone bone{skeleton.joints[j].name, scale[j], result.size, measured[j] != 0};
    if (sphere_of[j] >= 0) {
      const double tracked = track.spheres[static_cast<std::size_t>(sphere_of[j])].radius;
      const double own = tracked > 0 ? skin_radius(character, skeleton.joints[j].world_from_rest.translation) : 0;
      if (own > 0) bone.thickness = bounded(tracked / own);
    }
    result.bones.push_back(std::move(bone));
  }
  return result;
}

Character fitted_to(const Character& character, const SphereRegistration& registration) {
  const Skeleton& skeleton = character.skeleton;
  const std::size_t joints = skeleton.joints.size();
  std::vector<double> length_of(joints, 1.0), thickness(joints, 1.0);
  std::vector<char> known(joints, 0);
  for (const auto& bone : registration.bones) {
    const int joint = skeleton.find(bone.joint);
    if (joint < 0)
      throw Error(ErrorCode::bad_argument, "registration", "the character has no joint '" + bone.joint + "'");
    length_of[static_cast<std::size_t>(joint)] = bone.length;
    thickness[static_cast<std::size_t>(joint)] = bone.thickness;
    known[static_cast<std::size_t>(joint)] = 1;
  }
  Character result = character;
  result.skeleton = with_lengths(skeleton, length_of);
  // Each bone stretches its skin: along itself as its children move away, across by the thickness of its joint.
  std::vector<Affine3d> fit(joints);
  for (std::size_t j = 0; j < joints; ++j) {
    Vec3d along;
    double own = 0, fitted = 0, across = known[j] ? thickness[j] : 1.0;
    std::size_t count = 0;
    double across_sum = 0;
    for (std::size_t c = 0; c < joints; ++c) {
      if (skeleton.joints[c].parent != static_cast<int>(j)) continue;
      const Vec3d way = skeleton.joints[c].world_from_rest.translation - skeleton.joints[j].world_from_rest.translation;
      along += way;
      own += length(way);
      fitted += length_of[c] * length(way);
      across_sum += known[c] ? thickness[c] : 1.0;
      ++count;
    }
    const double stretch = own > 0 ? fitted / own : (known[j] ? length_of[j] : 1.0);
    if (!known[j] && count > 0 && registration.bones.size() > 0 && own > 0 && fitted != own)
      across = across_sum / static_cast<double>(count);  // the root of the tracked part
    const Vec3d u = normalized(along);
    // scale = across (I - u u^T) + stretch u u^T about the joint
    Mat3d m = Mat3d{} * across;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) m.col[static_cast<std::size_t>(k)][i] += (stretch - across) * u[i] * u[k];
    if (dot(u, u) == 0) m = Mat3d{} * across;
    const Vec3d from = skeleton.joints[j].world_from_rest.translation;
    const Vec3d to = result.skeleton.joints[j].world_from_rest.translation;
    fit[j] = {m, to - m * from};
  }
  for (Mesh& mesh : result.meshes) {
    if (mesh.weights.empty()) continue;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      Vec3d p, n;
      const auto rest_p = static_cast<Vec3d>(mesh.positions[v]), rest_n = static_cast<Vec3d>(mesh.normals[v]);
      for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i) {
        const Affine3d& m = fit[mesh.weights.joint[i]];
        p += transform_point(m, rest_p) * static_cast<double>(mesh.weights.weight[i]);
        n += cofactor(m.linear) * rest_n * static_cast<double>(mesh.weights.weight[i]);
      }
      mesh.positions[v] = static_cast<Vec3f>(p);
      mesh.normals[v] = static_cast<Vec3f>(normalized(n, rest_n));
    }
  }
  // Clips turn joints as before; keys of places follow the new lengths.
  for (Clip& clip : result.clips)
    for (Channel& channel : clip.channels)
      if (channel.path == ChannelPath::translation)
        for (float& x : channel.values) x *= static_cast<float>(length_of[static_cast<std::size_t>(channel.joint)]);
  return result;
}

}  // namespace cutis
