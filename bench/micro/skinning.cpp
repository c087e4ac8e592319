// LBS and DQS, one core, positions alone and with normals: 13.4k vertices with four influences each, and a body as it
// comes: half of its vertices follow one bone, and its bind matrices are rounded.
#include <array>
#include <random>

#include "backends/engine.h"
#include "base/hash.h"
#include "bench/harness.h"
#include "cutis/bind.h"
#include "cutis/device.h"
#include "cutis/io.h"
#include "rig/rig.h"
#include "solve/bone_motion.h"

namespace cutis::bench {
namespace {

constexpr std::size_t kBodyVertices = 13400;
constexpr std::size_t kBones = 53;
constexpr int kSkinningRuns = 41;

// A chain of bones and points around it; every vertex follows four neighbouring bones.
Rig make_rig() {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> unit(0.0F, 1.0F);
  Rig rig;
  for (std::size_t b = 0; b < kBones; ++b) {
    Joint joint;
    joint.name = "bone" + std::to_string(b);
    joint.parent = static_cast<int>(b) - 1;
    joint.local.translation = {0, b == 0 ? 0.0 : 0.03, 0};
    joint.world_from_rest.translation = {0, 0.03 * static_cast<double>(b), 0};
    joint.is_bone = true;
    rig.skeleton.joints.push_back(joint);
    rig.bones.push_back({static_cast<int>(b), joint.parent, inverse(joint.world_from_rest),
                         joint.world_from_rest.translation, joint.world_from_rest.translation});
  }
  for (std::size_t v = 0; v < kBodyVertices; ++v) {
    rig.rest_positions.push_back({unit(random) - 0.5F, 1.6F * unit(random), unit(random) - 0.5F});
    rig.rest_normals.push_back(normalized(Vec3f{unit(random) - 0.5F, unit(random) - 0.5F, unit(random) + 0.01F}));
    InfluenceBlock block;
    const auto first = static_cast<std::uint32_t>(v * (kBones - 3) / kBodyVertices);
    float sum = 0;
    for (std::uint32_t k = 0; k < 4; ++k) {
      block.bone[k] = first + k;
      sum += block.weight[k] = unit(random) + 0.01F;
    }
    for (float& w : block.weight) w /= sum;
    rig.blocks.push_back(block);
  }
  return rig;
}

// Every method and back end. `budgets`: LBS, DQS, and both with normals; 0: none.
void measure_skinning(const Bench& bench, const std::string& prefix, const Rig& rig, const BoneMotion& motion,
                      const std::array<double, 4>& budgets) {
  const std::size_t count = rig.vertex_count();
  std::vector<Vec3f> positions(count), normals(count);
  for (const Backend backend : {Backend::scalar, Backend::simd, Backend::cuda}) {
    if (!why_unusable(backend).empty()) continue;
    const Context context(1, backend);
    const auto row = [&](const std::string& name, auto&& skin, bool with_normals, double budget) {
      const std::span<Vec3f> n = with_normals ? std::span<Vec3f>(normals) : std::span<Vec3f>{};
      Row r = measure(prefix + name + "/" + std::string(to_string(backend)), "ns/vertex",
                      1e9 / static_cast<double>(count), kSkinningRuns, [&] {
                        skin(rig, motion.palette(), std::span<Vec3f>(positions), n, context);
                        return hash_bytes(positions.data(), 64 * sizeof(Vec3f));
                      });
      r.hash = hash_span(std::span<const Vec3f>(positions));
      if (with_normals) r.hash = hash_span(std::span<const Vec3f>(normals), r.hash);
      r.budget = backend == Backend::simd ? budget : 0;
      bench.emit(r);
    };
    row("lbs", skin_linear, false, budgets[0]);
    row("dqs", skin_dual_quaternion, false, budgets[1]);
    row("lbs+normals", skin_linear, true, budgets[2]);
    row("dqs+normals", skin_dual_quaternion, true, budgets[3]);
  }
}

// Every joint turned a little, about z.
Pose bent_pose(const Skeleton& skeleton) {
  Pose pose = default_pose(skeleton);
  for (std::size_t j = 0; j < pose.local.size(); ++j)
    pose.local[j].rotation = pose.local[j].rotation * axis_angle(Vec3d{0, 0, 1}, 0.05 * static_cast<double>(j % 7));
  return pose;
}

}  // namespace

void skinning(const Bench& bench) {
  const Rig rig = make_rig();
  const Pose pose = bent_pose(rig.skeleton);
  BoneMotion motion(rig);
  motion.update(rig, pose);
  measure_skinning(bench, "skinning/", rig, motion, {6, 10, 0, 0});

  Row update = measure("skinning/bone_motion_53", "us/frame", 1e6, kSkinningRuns, [&] {
    motion.update(rig, pose);
    return hash_span(motion.palette().rigid);
  });
  bench.emit(update);

  if (!bench.wants("skinning/makehuman")) return;
  const std::string file = bench.data_file("makehuman_male/makehuman_male.glb", "skinning/makehuman is left out");
  if (file.empty()) return;
  const Context context(1);
  const auto body = bind(load_character(file, context), context, {.implicit_skin = false});
  BoneMotion body_motion(*body);
  body_motion.update(*body, bent_pose(body->skeleton));
  measure_skinning(bench, "skinning/makehuman/", *body, body_motion, {1.7, 3, 2.7, 0});
}

}  // namespace cutis::bench
