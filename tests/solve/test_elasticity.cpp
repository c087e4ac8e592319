// Stiff regions, targets and muscles: what a preset paints is what the skin does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/metrics.h"
#include "cutis/skin_field.h"
#include "cutis/solve.h"
#include "kernels/muscle.h"
#include "rig/muscles.h"
#include "rig/rig.h"
#include "solve/poses.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::pose_at;

using testing::HasSubstr;

Preset preset_of(const std::string& json) { return preset_from_json(json, "preset"); }

std::shared_ptr<const Rig> bind_with(const Character& c, const std::string& json, const Context& context) {
  return bind(c, context, {.preset = preset_of(json)});
}

std::vector<Vec3f> play(const std::shared_ptr<const Rig>& rig, const Character& c, const char* clip, double share,
                        const Context& context) {
  Solver solver(rig, {.method = Method::tracking, .contact_pass = false}, context);
  for (int i = 1; i < 10; ++i) (void)solver.solve(pose_at(c, clip, share * i / 10));
  return solver.solve(pose_at(c, clip, share)).positions;
}

// Where each bone alone would carry the vertices, and how far they are from there: mean over the vertices that `chosen`
// accepts.
template <class Chosen>
double off_its_bone(const Rig& rig, const Pose& pose, std::span<const Vec3f> positions, Chosen chosen) {
  const std::vector<Affine3d> world = world_from_joint(rig.skeleton, pose);
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const std::uint32_t v = rig.surface.welded_of[i];
    if (!chosen(v)) continue;
    const RigBone& bone = rig.bones[rig.surface.owner[v]];
    const Affine3d motion = world[static_cast<std::size_t>(bone.joint)] * bone.rest_from_world;
    sum += distance(static_cast<Vec3d>(positions[i]),
                    transform_point(motion, static_cast<Vec3d>(rig.surface.positions[v])));
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : -1;
}

TEST(Elasticity, StiffSkinFollowsItsBone) {
  const Context context;
  const Character c = load_character("builtin:arm", context);
  const Pose pose = pose_at(c, "elbow", 0.1);  // nothing touches yet
  const auto at = [&](const char* stiffness) {
    const auto rig = bind_with(
        c, std::string(R"({"regions": [{"name": "sleeve", "joints": ["forearm"], "stiffness": )") + stiffness + "}]}",
        context);
    const auto forearm = [&](std::uint32_t v) {
      return rig->skeleton.joints[static_cast<std::size_t>(rig->bones[rig->surface.owner[v]].joint)].name == "forearm";
    };
    return off_its_bone(*rig, pose, play(rig, c, "elbow", 0.1, context), forearm);
  };
  const double soft = at("0"), half = at("0.7"), rigid = at("1");
  EXPECT_GT(soft, 2e-4);  // metres, on average over the whole forearm
  EXPECT_LT(half, 0.5 * soft);
  EXPECT_GT(half, 0);
  EXPECT_LT(rigid, 1e-6);
}

TEST(Elasticity, StiffSkinGivesWayToContactOnly) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  const auto rig =
      bind_with(c, R"({"regions": [{"name": "all", "spheres": [{"center": [0, 0.45, 0], "radius": 9}]}]})", context);
  const Pose pose = pose_at(c, "bend", 0.4);
  Solver solver(rig, {.method = Method::tracking, .contact_pass = false}, context);
  const Frame* frame = nullptr;
  for (int i = 1; i <= 12; ++i) frame = &solver.solve(pose_at(c, "bend", 0.4 * i / 12));
  std::size_t held = 0;
  for (std::size_t i = 0; i < frame->positions.size(); ++i) {
    EXPECT_TRUE(frame->states[i] != VertexState::converged && frame->states[i] != VertexState::outside) << i;
    held += frame->states[i] == VertexState::contact ? 1 : 0;
  }
  EXPECT_GT(held, 20U);
  const auto free = [&](std::uint32_t v) { return frame->states[rig->surface.first_of[v]] == VertexState::rigid; };
  EXPECT_LT(off_its_bone(*rig, pose, frame->positions, free), 1e-6);
}

TEST(Elasticity, RegionsSelectByVertexSphereMeshAndPaintAndFadeOut) {
  const Context context;
  Character c = load_character("builtin:cylinder", context);
  const auto stiffness = [&](const std::string& region) {
    const auto rig = bind_with(c, R"({"regions": [{"name": "r", )" + region + "}]}", context);
    std::vector<float> all;
    for (const std::uint32_t v : rig->surface.welded_of) all.push_back(rig->surface.stiffness[v]);
    return all;
  };
  const std::vector<Vec3f>& p = c.meshes[0].positions;
  std::vector<float> s = stiffness(R"("vertices": [7, 11], "stiffness": 0.5)");
  for (std::size_t v = 0; v < s.size(); ++v) EXPECT_EQ(s[v], v == 7 || v == 11 ? 0.5F : 0.0F) << v;
  s = stiffness(R"("spheres": [{"center": [0, 0.2, 0], "radius": 0.15}], "fade": 0.1)");
  std::size_t inside = 0, between = 0;
  for (std::size_t v = 0; v < s.size(); ++v) {
    const float d = distance(p[v], Vec3f{0, 0.2F, 0});
    EXPECT_TRUE(d >= 0.15F || s[v] == 1) << v;
    EXPECT_TRUE(d <= 0.3F || s[v] == 0) << v;
    inside += s[v] == 1 ? 1 : 0;
    between += s[v] > 0.1F && s[v] < 0.9F ? 1 : 0;
  }
  EXPECT_GT(inside, 100U);
  EXPECT_GT(between, 50U);
  for (const float x : stiffness(fmt::format(R"("meshes": ["{}"])", c.meshes[0].name))) EXPECT_EQ(x, 1.0F);
  VertexAttribute color{"COLOR_0", 4, std::vector<float>(4 * p.size(), 0.0F)};
  for (std::size_t v = 0; v < p.size(); ++v) color.values[4 * v + 1] = p[v].y > 0.45F ? 1.0F : 0.25F;
  c.meshes[0].attributes.push_back(color);
  s = stiffness(R"("paint": "COLOR_0.g", "stiffness": 0.8)");
  for (std::size_t v = 0; v < s.size(); ++v) EXPECT_FLOAT_EQ(s[v], p[v].y > 0.45F ? 0.8F : 0.2F) << v;
}

TEST(Elasticity, RefusesRegionsTargetsAndMusclesThatTheCharacterDoesNotHave) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  const auto refusal = [&](const std::string& json) {
    try {
      (void)bind_with(c, json, context);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal(R"({"regions": [{"name": "r", "joints": ["tail"]}]})"), HasSubstr("tail"));
  EXPECT_THAT(refusal(R"({"regions": [{"name": "r"}]})"), HasSubstr("selects nothing"));
  EXPECT_THAT(refusal(R"({"regions": [{"name": "r", "vertices": [999999]}]})"), HasSubstr("999999"));
  EXPECT_THAT(refusal(R"({"regions": [{"name": "r", "paint": "COLOR_7.r"}]})"), HasSubstr("COLOR_7"));
  EXPECT_THAT(refusal(R"({"regions": [{"name": "r", "vertices": [1], "stiffness": 2}]})"), HasSubstr("stiffness"));
  EXPECT_THAT(refusal(R"({"regions": [{"name": "r", "spheres": [{"center": [9,9,9], "radius": 1}]}]})"),
              HasSubstr("no vertex"));
  EXPECT_THAT(refusal(R"({"targets": [{"name": "t", "vertex": 1, "keys": []}]})"), HasSubstr("keys"));
  EXPECT_THAT(refusal(R"({"targets": [{"name": "t", "vertex": 999999, "keys": [{"time": 0, "weight": 1}]}]})"),
              HasSubstr("999999"));
  EXPECT_THAT(refusal(R"({"targets": [{"name": "t", "vertex": 1, "keys": [{"time": 0, "weight": 1},
                          {"time": 0, "weight": 0}]}]})"),
              HasSubstr("rise"));
  const auto muscle = [&](const std::string& more) {
    return refusal(R"({"muscles": [{"name": "m", "from": [0, 0.1, 0], "to": [0, 0.3, 0], "radius": 0.05, )" + more +
                   "}]}");
  };
  const std::string& root = c.skeleton.joints.front().name;
  EXPECT_THAT(muscle(R"("joint": "tail", "driver": "tail", "curve": [[0, 0]])"), HasSubstr("tail"));
  EXPECT_THAT(muscle(fmt::format(R"("joint": "{0}", "driver": "{0}", "curve": [[0, 0]])", root)), HasSubstr("parent"));
  EXPECT_THAT(muscle(fmt::format(R"("joint": "{0}", "driver": "{0}", "curve": [[9, 0], [5, 1]])", root)),
              HasSubstr("rise"));
}

TEST(Elasticity, ATargetDrawsItsVertexAlongTheSkinAndLetsItGoAgain) {
  const Context context;
  const Character c = load_character("builtin:cylinder", context);
  const std::vector<Vec3f>& p = c.meshes[0].positions;
  std::uint32_t vertex = 0;  // on the side, a quarter up
  for (std::uint32_t v = 0; v < p.size(); ++v)
    if (distance(p[v], Vec3f{0.1F, 0.25F, 0}) < distance(p[vertex], Vec3f{0.1F, 0.25F, 0})) vertex = v;
  const Vec3f start = p[vertex], aim = start + Vec3f{0, 0.05F, 0};
  const auto rig = bind_with(
      c,
      fmt::format(R"({{"targets": [{{"name": "t", "vertex": {}, "radius": 0.08, "keys": [{{"time": 1, "weight": 0}},
                      {{"time": 2, "weight": 1, "point": [{}, {}, {}]}}, {{"time": 3, "weight": 0}}]}}]}})",
                  vertex, aim.x, aim.y, aim.z),
      context);
  Solver solver(rig, {.method = Method::tracking, .contact_pass = false}, context);
  Pose pose = default_pose(c.skeleton);
  const auto at = [&](double time) {
    pose.time = time;
    return solver.solve(pose).positions;
  };
  EXPECT_EQ(at(0.5), p);
  std::vector<Vec3f> drawn;
  for (int i = 1; i <= 20; ++i) drawn = at(1 + i / 20.0);
  EXPECT_LT(distance(drawn[vertex], aim), 0.1F * distance(start, aim));
  EXPECT_NEAR(std::hypot(drawn[vertex].x, drawn[vertex].z), std::hypot(start.x, start.z), 0.002);  // still on the skin
  const Metrics metrics(c, context);
  EXPECT_EQ(metrics.measure(drawn).intersecting_pairs.value_or(9), 0U);
  double dragged = 0;
  for (std::size_t v = 0; v < p.size(); ++v) {
    if (v != vertex) dragged = std::max(dragged, static_cast<double>(distance(drawn[v], p[v])));
    EXPECT_TRUE(distance(p[v], start) < 0.3F || drawn[v] == p[v]) << "far away: " << v;
  }
  EXPECT_GT(dragged, 0.02);  // neighbours come along
  std::vector<Vec3f> back;
  for (int i = 1; i <= 21; ++i) back = at(2 + i / 20.0);
  EXPECT_LT(metrics.distance_to_rest(back).max, 1e-5);
}

TEST(Elasticity, AMuscleHasTheGradientOfItsField) {
  for (const bool capsule : {false, true}) {
    RigMuscle m;
    m.capsule = capsule;
    m.half_length = 0.1;
    m.radius = 0.03;
    m.muscle_from_rest =
        inverse(Affine3d{to_matrix(axis_angle(normalized(Vec3d{1, 2, 3}), 0.7)), Vec3d{0.1, -0.2, 0.3}});
    const MuscleView view = posed_muscle(m, 0.4, Affine3d{});
    const auto f = [&](const Vec3d& p) { return eval_muscle(view, CompactMap::quintic, 0.05F, static_cast<Vec3f>(p)); };
    int felt = 0;
    for (int i = 0; i < 2000; ++i) {
      const Vec3d q{0.2 * std::sin(1.7 * i), 0.09 * std::sin(2.9 * i + 1), 0.09 * std::cos(4.1 * i)};
      const Vec3d p = transform_point(inverse(m.muscle_from_rest), q);
      const FieldSample<float> s = f(p);
      if (!(s.value > 0.02F && s.value < 0.98F) || length(q) < 0.02) continue;
      ++felt;
      for (int a = 0; a < 3; ++a) {
        Vec3d step;
        step[a] = 2e-4;
        const double slope = (static_cast<double>(f(p + step).value) - f(p - step).value) / 4e-4;
        EXPECT_NEAR(s.gradient[a], slope, 0.25) << "capsule " << capsule << " at " << q.x << " " << q.y << " " << q.z;
      }
    }
    EXPECT_GT(felt, 50);
    // 0.5 on its surface: the middle, and the tips of the ellipsoid.
    const auto at = [&](double x, double y) {
      return f(transform_point(inverse(m.muscle_from_rest), Vec3d{x, y, 0})).value;
    };
    EXPECT_NEAR(at(0, 0.042), 0.5, 1e-4);
    EXPECT_NEAR(at(capsule ? 0.142 : 0.1, 0), 0.5, 1e-4);
    EXPECT_EQ(at(0.4, 0), 0.0F);
  }
}

TEST(Elasticity, ABicepsSwellsAsTheElbowBendsAndIsNotThereAtRest) {
  const Context context;
  const Character c = load_character("builtin:arm", context);
  Preset preset;
  preset.muscles = make_biceps(c);
  ASSERT_EQ(preset.muscles.size(), 1U);
  EXPECT_EQ(preset.muscles[0].joint, "upper_arm");
  EXPECT_EQ(preset.muscles[0].driver, "forearm");
  const auto plain = bind(c, context), strong = bind(c, context, {.preset = preset});
  Solver a(plain, {.method = Method::tracking, .contact_pass = false}, context),
      b(strong, {.method = Method::tracking, .contact_pass = false}, context);
  EXPECT_EQ(b.solve(default_pose(c.skeleton)).positions, a.solve(default_pose(c.skeleton)).positions);
  const RigMuscle& muscle = strong->muscles[0];
  const Vec3d middle = transform_point(inverse(muscle.muscle_from_rest), Vec3d{});
  double last = 0, most = 0;
  for (const double share : {0.1, 0.2, 0.3, 0.4, 0.5}) {
    std::vector<Vec3f> without, with;
    for (int i = 1; i <= 6; ++i) {
      const Pose pose = pose_at(c, "elbow", share - 0.1 + 0.1 * i / 6);
      without = a.solve(pose).positions;
      const Frame& frame = b.solve(pose);
      with = frame.positions;
      EXPECT_LT(frame.report.residual_p95, 1e-3);
    }
    const Metrics metrics(c, context);
    EXPECT_LE(metrics.measure(with).intersecting_pairs.value_or(99), 2U) << share;
    most = 0;  // around the belly of the muscle
    for (std::size_t v = 0; v < with.size(); ++v)
      if (distance(static_cast<Vec3d>(c.meshes[0].positions[v]), middle) < 1.5 * muscle.radius)
        most = std::max(most, static_cast<double>(distance(with[v], without[v])));
    EXPECT_GE(most, last - 1e-4) << share;
    last = most;
  }
  EXPECT_GT(most, 0.2 * muscle.radius);
  EXPECT_LT(most, 1.5 * muscle.radius);
}

TEST(Elasticity, AMuscleIsPartOfTheImplicitSkin) {
  const Context context;
  const Character c = load_character("builtin:arm", context);
  Preset preset;
  preset.muscles = make_biceps(c);
  SkinField field(bind(c, context, {.preset = preset}));
  // In front of the muscle's middle, away from the bone: outside at rest, inside when the elbow is bent.
  const Muscle& m = preset.muscles[0];
  const Affine3d& shoulder = c.skeleton.joints[static_cast<std::size_t>(c.skeleton.find(m.joint))].world_from_rest;
  const Vec3d middle = (m.from + m.to) * 0.5, along = normalized(m.to - m.from);
  const Vec3d off = middle - shoulder.translation, out = normalized(off - along * dot(off, along));
  const Vec3f point = static_cast<Vec3f>(middle + out * (1.5 * m.radius));
  const auto value = [&] {
    SkinFieldSample sample;
    field.evaluate({&point, 1}, {&sample, 1}, context);
    return sample.value;
  };
  EXPECT_LT(value(), 0.5F);
  Pose pose = default_pose(c.skeleton);
  const auto elbow = static_cast<std::size_t>(c.skeleton.find(m.driver));
  pose.local[elbow] = pose_at(c, "elbow", 0.5).local[elbow];
  field.set_pose(pose);
  EXPECT_GT(value(), 0.5F);
}

TEST(Elasticity, ARigWithAllOfItComesBackFromItsFile) {
  const Context context;
  const Character c = load_character("builtin:arm", context);
  Preset preset = preset_of(R"({"regions": [{"name": "hand", "joints": ["hand"], "stiffness": 0.6, "fade": 0.02}],
      "targets": [{"name": "t", "vertex": 40, "radius": 0.02, "keys": [{"time": 0, "weight": 0.5}]}]})");
  preset.muscles = make_biceps(c);
  const Preset back = preset_from_json(to_json(preset), "p");
  EXPECT_EQ(back.regions, preset.regions);
  EXPECT_EQ(back.targets, preset.targets);
  EXPECT_EQ(back.muscles, preset.muscles);
  const auto rig = bind(c, context, {.preset = preset});
  const test::TemporaryFolder folder;
  save_rig(*rig, folder.file("a.rig"));
  const auto loaded = load_rig(folder.file("a.rig"));
  EXPECT_EQ(play(rig, c, "elbow", 0.4, context), play(loaded, c, "elbow", 0.4, context));
  EXPECT_EQ(loaded->surface.stiffness, rig->surface.stiffness);
  EXPECT_EQ(loaded->targets.size(), 1U);
}

}  // namespace
}  // namespace cutis
