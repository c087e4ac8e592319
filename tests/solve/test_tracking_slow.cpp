// Tracking over whole clips: the fine cylinder, and every clip of every shared character.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/math.h"
#include "cutis/bind.h"
#include "cutis/io.h"
#include "cutis/metrics.h"
#include "cutis/solve.h"
#include "support/support.h"

namespace cutis {
namespace {

// To 150 degrees and back, 60 frames, every frame measured.
void bend_cylinder(const char* name, std::size_t pairs_up_to_120, std::size_t pairs_beyond, std::size_t folds) {
  const Context context;
  const Character c = load_character(name, context);
  const Metrics metrics(c, context);
  Solver solver(bind(c, context), {.method = Method::tracking, .contact_pass = false}, context);
  const Clip& clip = c.clip("bend");
  double stretch = 0;
  std::vector<Vec3f> last;
  for (const double t : sample_times(clip, 60, 30)) {
    const Pose pose = sample(c.skeleton, clip, t);
    const double angle = 2 * std::acos(std::min(1.0, std::abs(pose.local.back().rotation.w))) * 180 / kPi;
    last = solver.solve(pose).positions;
    const FrameMetrics m = metrics.measure(last);
    EXPECT_LE(m.intersecting_pairs.value_or(999), angle <= 120 ? pairs_up_to_120 : pairs_beyond) << "at " << t;
    EXPECT_LE(m.folds, folds) << "at " << t;
    stretch = std::max(stretch, m.stretch_max.value_or(99));
  }
  EXPECT_LE(stretch, 2.2);
  EXPECT_LT(metrics.distance_to_rest(last).max, 5e-4 * 0.9);
}

TEST(TrackingSlow, ACylinderOfThreeThousandVerticesBendsTo150DegreesAndBack) {
  bend_cylinder("builtin:cylinder", 0, 0, 0);
}

TEST(TrackingSlow, ACylinderOfTwelveThousandVerticesBendsTo150DegreesAndBack) {
  bend_cylinder("builtin:cylinder:12000", 0, 20, 20);
}

struct SharedCharacter {
  const char* file;
  double percent;  ///< of its height: as far as its skin is from that of dual quaternions, and a fifth more
};
class TrackingOfShared : public testing::TestWithParam<SharedCharacter> {};

// A spike is a bug: no vertex far from where dual quaternions put it, nothing that is no number. Every frame at 30 a
// second, as animate plays it.
TEST_P(TrackingOfShared, HasNoSpikeInAnyFrameOfAnyClip) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context;
  const Character c = load_character((test::shared_data() / GetParam().file).string(), context);
  ASSERT_FALSE(c.clips.empty());
  const auto rig = bind(c, context);
  const Vec3d size = c.bounds().hi - c.bounds().lo;
  const double height = std::max({size.x, size.y, size.z});
  for (const Clip& clip : c.clips) {
    Solver tracking(rig, {.method = Method::tracking, .contact_pass = true}, context);
    Solver smooth(rig, {.method = Method::dqs}, context);
    double farthest = 0, when = 0;
    for (const double t : sample_times(clip, 0, 30)) {
      const Pose pose = sample(c.skeleton, clip, t);
      const Frame &a = tracking.solve(pose), &b = smooth.solve(pose);
      EXPECT_EQ(a.report.nonfinite, 0U) << clip.name;
      std::size_t bad = 0;
      for (std::size_t v = 0; v < a.positions.size(); ++v) {
        if (!is_finite(a.positions[v])) ++bad;
        const auto off = static_cast<double>(distance(a.positions[v], b.positions[v]));
        if (off > farthest) farthest = off, when = t;
      }
      EXPECT_EQ(bad, 0U) << clip.name << " at " << t;
    }
    EXPECT_LT(farthest, 0.01 * GetParam().percent * height) << clip.name << " at " << when;
    RecordProperty(clip.name, std::to_string(100 * farthest / height));
    if (std::getenv("CUTIS_SHOW") != nullptr)
      std::cout << clip.name << ": " << 100 * farthest / height << "% of the height, at " << when << " s" << std::endl;
  }
}

INSTANTIATE_TEST_SUITE_P(all, TrackingOfShared,
                         testing::Values(SharedCharacter{"cesium_man/cesium_man.glb", 3.5},
                                         SharedCharacter{"fox/fox.glb", 12},
                                         SharedCharacter{"hand_webxr/hand_left_poses.glb", 8},
                                         SharedCharacter{"makehuman_male/makehuman_male.glb", 10.5},
                                         SharedCharacter{"makehuman_male/makehuman_male_hires.glb", 8.5},
                                         SharedCharacter{"rigged_figure/rigged_figure.glb", 5.5},
                                         SharedCharacter{"rigged_simple/rigged_simple.glb", 0.5},
                                         SharedCharacter{"simple_skin/simple_skin.gltf", 8.5}),
                         [](const auto& p) { return std::filesystem::path(p.param.file).stem().string(); });

}  // namespace
}  // namespace cutis
