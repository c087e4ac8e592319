// A scene of the demo: one built-in character, one clip, every method solved and measured at the same times.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cutis/cutis.h"
#include "cutis/metrics.h"
#include "pipeline.h"

namespace cutis::cli {

/// What is played, and how it is looked at.
struct DemoScene {
  const char *character, *clip;
  const char *title, *text;
  double yaw, pitch;              ///< degrees
  Vec3d focus;                    ///< what the camera looks at, metres
  double radius;                  ///< around it, in the picture
  double close_yaw, close_pitch;  ///< of the close-up
  int frames;
  [[nodiscard]] std::string name() const { return std::string(character) + "_" + clip; }
};

/// One method over the scene.
struct DemoTake {
  Method method = Method::lbs;
  std::vector<std::vector<Vec3f>> positions, normals;  ///< per frame
  std::vector<FrameMetrics> metrics;                   ///< per frame
  std::vector<MetricSummary> summary;
  double median_ms = 0;
  std::size_t nonfinite = 0;

  [[nodiscard]] std::size_t pairs(std::size_t frame) const { return metrics[frame].intersecting_pairs.value_or(0); }
  /// Of the worst frame; 0 when no frame has it.
  [[nodiscard]] double worst(std::string_view metric) const;
};

struct DemoResult {
  DemoScene scene;
  std::shared_ptr<const Character> character;
  Motion motion;
  std::vector<DemoTake> takes;  ///< all methods, in the order of method_names()
  double size = 0;              ///< of the character, metres
  std::size_t moment = 0;       ///< the frame at which dqs has most intersecting pairs

  [[nodiscard]] const DemoTake& take(Method method) const;
};

/// Character and rig are made once for all scenes of that character.
class DemoStage {
 public:
  explicit DemoStage(const Context& context) : context_(context) {}
  [[nodiscard]] DemoResult play(const DemoScene& scene);

 private:
  struct Actor {
    std::string name;
    std::shared_ptr<const Character> character;
    std::shared_ptr<const Rig> rig;
    std::shared_ptr<const Metrics> metrics;
  };
  const Actor& actor(const std::string& name);

  const Context& context_;
  std::vector<Actor> actors_;
};

}  // namespace cutis::cli
