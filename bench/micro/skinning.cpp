// LBS and DQS on 13.4k vertices with four influences each, one core: positions alone, and with normals.
#include <random>

#include "backends/engine.h"
#include "base/hash.h"
#include "bench/harness.h"
#include "cutis/device.h"
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

}  // namespace

void skinning(const Bench& bench) {
  const Rig rig = make_rig();
  Pose pose = default_pose(rig.skeleton);
  for (std::size_t b = 0; b < kBones; ++b)
    pose.local[b].rotation = axis_angle(Vec3d{0, 0, 1}, 0.05 * static_cast<double>(b % 7));
  BoneMotion motion(rig);
  motion.update(rig, pose);
  std::vector<Vec3f> positions(kBodyVertices), normals(kBodyVertices);

  for (const Backend backend : {Backend::scalar, Backend::simd, Backend::cuda}) {
    if (!why_unusable(backend).empty()) continue;
    const Context context(1, backend);
    const auto row = [&](const std::string& name, auto&& skin, bool with_normals, double budget) {
      const std::span<Vec3f> n = with_normals ? std::span<Vec3f>(normals) : std::span<Vec3f>{};
      Row r = measure("skinning/" + name + "/" + std::string(to_string(backend)), "ns/vertex", 1e9 / kBodyVertices,
                      kSkinningRuns, [&] {
                        skin(rig, motion.palette(), std::span<Vec3f>(positions), n, context);
                        return hash_bytes(positions.data(), 64 * sizeof(Vec3f));
                      });
      r.hash = hash_span(std::span<const Vec3f>(positions));
      if (with_normals) r.hash = hash_span(std::span<const Vec3f>(normals), r.hash);
      r.budget = backend == Backend::simd ? budget : 0;
      bench.emit(r);
    };
    row("lbs", skin_linear, false, 6);
    row("dqs", skin_dual_quaternion, false, 10);
    row("lbs+normals", skin_linear, true, 0);
    row("dqs+normals", skin_dual_quaternion, true, 0);
  }

  Row update = measure("skinning/bone_motion_53", "us/frame", 1e6, kSkinningRuns, [&] {
    motion.update(rig, pose);
    return hash_span(motion.palette().rigid);
  });
  bench.emit(update);
}

}  // namespace cutis::bench
