// Bones that scale: every method stretches the skin as linear blending does, and bends it in its own way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/dual_quat.h"
#include "base/polar.h"
#include "cutis/bind.h"
#include "cutis/io.h"
#include "cutis/solve.h"
#include "rig/rig.h"
#include "solve/poses.h"
#include "support/odd_skeletons.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::make_two_bone_tube;

std::vector<Vec3f> skin(const Character& c, Method method, const Pose& pose) {
  const Context context(1);
  Solver solver(bind(c, context, {.implicit_skin = needs_skin(method)}), {method}, context);
  return solver.solve(pose).positions;
}

Pose bent(const Character& c, double angle, const Vec3d& axis, const Vec3d& lower_scale, const Vec3d& upper_scale) {
  Pose pose = default_pose(c.skeleton);
  pose.local[0].scale = lower_scale;
  pose.local[1].rotation = axis_angle(normalized(axis), angle);
  pose.local[1].scale = upper_scale;
  return pose;
}

// From its definition: at each vertex every bone is the rigid motion that turns as it does and carries the vertex where
// it does.
std::vector<Vec3d> reference_dqs(const Character& c, const Pose& pose) {
  const auto world = world_from_joint(c.skeleton, pose);
  std::vector<Affine3d> motion;
  std::vector<Quatd> rotation;
  for (std::size_t j = 0; j < world.size(); ++j) {
    motion.push_back(world[j] * inverse(c.skeleton.joints[j].world_from_rest));
    rotation.push_back(polar_decompose(motion[j].linear).rotation);
    if (j > 0 && dot(rotation[j], rotation[j - 1]) < 0) rotation[j] = negated(rotation[j]);
  }
  std::vector<Vec3d> result;
  const Mesh& m = c.meshes[0];
  for (std::size_t v = 0; v < m.positions.size(); ++v) {
    const auto p = static_cast<Vec3d>(m.positions[v]);
    Quatd real{0, 0, 0, 0}, dual{0, 0, 0, 0};
    for (std::uint32_t i = m.weights.row_begin[v]; i < m.weights.row_begin[v + 1]; ++i) {
      const std::uint32_t j = m.weights.joint[i];
      const auto w = static_cast<double>(m.weights.weight[i]);
      const auto q = make_dual_quat(rotation[j], transform_point(motion[j], p) - rotate(rotation[j], p));
      real = {real.x + w * q.real.x, real.y + w * q.real.y, real.z + w * q.real.z, real.w + w * q.real.w};
      dual = {dual.x + w * q.dual.x, dual.y + w * q.dual.y, dual.z + w * q.dual.z, dual.w + w * q.dual.w};
    }
    const double s = 1 / std::sqrt(dot(real, real));
    result.push_back(transform_point(DualQuat<double>{{real.x * s, real.y * s, real.z * s, real.w * s},
                                                      {dual.x * s, dual.y * s, dual.z * s, dual.w * s}},
                                     p));
  }
  return result;
}

double largest_miss(const std::vector<Vec3f>& a, const std::vector<Vec3d>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, distance(static_cast<Vec3d>(a[i]), b[i]));
  return worst;
}

TEST(ScaledBones, MoveEachVertexByRigidMotionsThatCarryItWhereTheBonesDo) {
  const Character c = make_two_bone_tube();
  for (const double angle : {0.0, 0.7, 2.5}) {
    const Pose pose = bent(c, angle, {0.3, 0.2, 1}, {1.2, 0.8, 1.1}, {0.5, 2, 1.4});
    EXPECT_LT(largest_miss(skin(c, Method::dqs, pose), reference_dqs(c, pose)), 5e-6) << angle;
  }
}

TEST(ScaledBones, ThatAllGrowAlikeMakeDualQuaternionsGrow) {
  const Character c = make_two_bone_tube();
  const std::vector<Vec3f> plain = skin(c, Method::dqs, bent(c, 1.9, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}));
  for (const double s : {0.01, 680.0}) {
    const std::vector<Vec3f> grown = skin(c, Method::dqs, bent(c, 1.9, {0, 1, 1}, {s, s, s}, {1, 1, 1}));
    double worst = 0;
    for (std::size_t v = 0; v < plain.size(); ++v)
      worst = std::max<double>(worst, distance(grown[v], plain[v] * static_cast<float>(s)));
    EXPECT_LT(worst, 5e-6 * s);
  }
}

TEST(ScaledBones, WithoutATurnAreLinear) {
  const Character c = make_two_bone_tube();
  const Pose pose = bent(c, 0, {0, 0, 1}, {1.5, 0.4, 1}, {1, 3, 0.2});
  EXPECT_LT(test::largest_distance(skin(c, Method::dqs, pose), skin(c, Method::lbs, pose)), 3e-6);
}

TEST(ScaledBones, ThatMirrorDoNotJumpAsTheyPassThroughFlat) {
  // The upper bone is squeezed from 1 to -1 along x while it is bent; small steps must move the skin by little.
  const Character c = make_two_bone_tube();
  std::vector<Vec3f> last;
  double worst = 0;
  for (int i = 0; i <= 400; ++i) {
    const double s = 1 - i / 200.0;
    const std::vector<Vec3f> now = skin(c, Method::dqs, bent(c, 0.9, {1, 0.4, 0.8}, {1, 1, 1}, {s, 1, 1}));
    if (!last.empty()) worst = std::max(worst, test::largest_distance(now, last));
    last = now;
  }
  EXPECT_LT(worst, 0.03);  // the mirror's own way is 0.6 in 400 steps
}

TEST(ScaledBones, MirrorAWholeCharacterExactly) {
  const Character c = make_two_bone_tube();
  const std::vector<Vec3f> plain = skin(c, Method::dqs, bent(c, 1.4, {0, 0, 1}, {1, 1, 1}, {1, 1, 1}));
  const std::vector<Vec3f> mirrored = skin(c, Method::dqs, bent(c, 1.4, {0, 0, 1}, {-1, 1, 1}, {1, 1, 1}));
  for (std::size_t v = 0; v < plain.size(); ++v)
    EXPECT_LT(distance(mirrored[v], Vec3f{-plain[v].x, plain[v].y, plain[v].z}), 3e-6F);
}

// ---- characters ----

struct Extent {
  double volume = 0;
  std::vector<double> stretch;  // of edges, sorted
};

Extent extent_of(const Character& c, const std::vector<Vec3f>& at) {
  Extent e;
  std::size_t first = 0;
  for (const Mesh& mesh : c.meshes) {
    for (const Triangle& t : mesh.triangles) {
      const auto p = [&](std::size_t k) { return static_cast<Vec3d>(at[first + t[k]]); };
      const auto rest = [&](std::size_t k) { return mesh.positions[t[k]]; };
      e.volume += dot(p(0), cross(p(1), p(2))) / 6;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto before = static_cast<double>(distance(rest(k), rest((k + 1) % 3)));
        if (before > 0) e.stretch.push_back(distance(p(k), p((k + 1) % 3)) / before);
      }
    }
    first += mesh.positions.size();
  }
  std::ranges::sort(e.stretch);
  return e;
}

double percentile(const Extent& e, double share) {
  return e.stretch[static_cast<std::size_t>(share * static_cast<double>(e.stretch.size() - 1))];
}

struct ScaleCase {
  const char* name;
  Vec3d scale;
};
constexpr double kWithin = 1.3, kNothing = 0.02;  // of the rest lengths: bones that are gone leave little

void expect_near_lbs(const Character& c, const Pose& pose, const char* name, std::span<const Method> methods,
                     double implicit_within = kWithin) {
  const Context context(2);
  const auto rig = bind(c, context);
  const Extent rest = extent_of(c, skin(c, Method::lbs, default_pose(c.skeleton)));
  Solver linear(rig, {Method::lbs}, context);
  const Extent lbs = extent_of(c, linear.solve(pose).positions);
  for (const Method method : methods) {
    SCOPED_TRACE(c.source + ", " + name + ", " + std::string(to_string(method)));
    Solver solver(rig, {method}, context);
    const Frame& frame = solver.solve(pose);
    for (const Vec3f& p : frame.positions) ASSERT_TRUE(is_finite(p));
    const Extent e = extent_of(c, frame.positions);
    for (const double share : {0.5, 0.9, 0.99}) {
      const double within = method == Method::implicit ? implicit_within : kWithin;
      EXPECT_LT(percentile(e, share), within * percentile(lbs, share) + kNothing) << share;
      // A mirror tears linear blending at the seam: skin that is torn less is not too short.
      if (std::string_view(name) == "mirrored" && share > 0.9) continue;
      EXPECT_GT(percentile(e, share) + kNothing, percentile(lbs, share) / kWithin) << share;
    }
    EXPECT_LT(std::abs(e.volume - lbs.volume), (kWithin - 1) * std::max(std::abs(lbs.volume), std::abs(rest.volume)));
  }
}

constexpr ScaleCase kCases[] = {{"uniform", {1.5, 1.5, 1.5}},
                                {"along one axis", {1, 1.6, 1}},
                                {"mirrored", {-1, 1, 1}},
                                {"flat", {1, 0, 1}},
                                {"nothing", {0, 0, 0}}};
constexpr Method kAll[] = {Method::dqs, Method::implicit, Method::tracking};

TEST(ScaledBones, KeepEveryMethodNearLbsOnBuiltInCharacters) {
  for (const char* name : {"builtin:arm", "builtin:hand"}) {
    const Character c = load_character(name, Context(2));
    for (const ScaleCase& scale : kCases) {
      const Pose pose =
          sample(c.skeleton, c.clips[0], c.clips[0].start() + 0.3 * (c.clips[0].end() - c.clips[0].start()));
      expect_near_lbs(c, test::scaled(pose, test::some_bones(c), scale.scale), scale.name, kAll);
    }
  }
}

TEST(ScaledBonesSlow, KeepEveryMethodNearLbsOnSharedCharacters) {
  CUTIS_NEEDS_SHARED_DATA();
  for (const char* file : {"hand_webxr/hand_left_poses.glb", "cesium_man/cesium_man.glb", "fox/fox.glb"}) {
    const Character c = load_character((test::shared_data() / file).string(), Context(2));
    for (const ScaleCase& scale : kCases) {
      const Pose pose =
          sample(c.skeleton, c.clips[0], c.clips[0].start() + 0.3 * (c.clips[0].end() - c.clips[0].start()));
      expect_near_lbs(c, test::scaled(pose, test::some_bones(c), scale.scale), scale.name, kAll);
    }
  }
}

TEST(ScaledBones, OfAStretchingRigKeepEveryMethodNearLbsWhileTheyAreAnimated) {
  CUTIS_NEEDS_SHARED_DATA();
  const Character c = load_character((test::shared_data() / "avatars/lumberjack.glb").string(), Context(2));
  // Of the longest edges implicit skinning has 1.43 times LBS's since pieces ride on the skin; 1.3 was held before.
  for (const double share : {0.0, 0.37, 0.8}) expect_near_lbs(c, test::pose_at(c, "Walk", share), "Walk", kAll, 1.5);
}

}  // namespace
}  // namespace cutis
