// Presets, sphere tracks, sphere sets, profiles and controllers from damaged JSON: a value, or cutis::Error.
#include "cutis/compose.h"
#include "cutis/error.h"
#include "cutis/hands.h"
#include "cutis/preset.h"
#include "fuzz/target.h"

namespace cutis::fuzz {

std::vector<std::string> seeds() {
  SphereTrack track;
  track.spheres.push_back({});
  return {
      to_json(Preset{}),
      R"({"all_joints": {"operator": "bulge", "controller": "elbow", "support": 0.1}, "joints": {"a": {"operator": "union"}},
          "regions": [{"name": "r", "joints": ["a"], "stiffness": 1}],
          "muscles": [{"name": "m", "bone": "a", "driver": "b", "curve": [[0, 0], [90, 1]]}]})",
      to_json(track),
      R"({"unit": "m", "fps": 30, "spheres": [{"joint": "wrist", "radius": 0.02}], "frames": [[[0, 0, 0]], [[0, 1, null]]]})",
      R"({"spheres": [{"joint": "wrist", "parent": null, "center": [0, 0, 0], "radius": 0.1},
                      {"joint": "tip", "parent": "wrist", "center": [0, 1, 0], "radius": 0.05}],
          "blocks": [{"bone": "wrist", "spheres": ["wrist", "tip"]}]})"};
}

void read_input(std::string_view bytes) {
  const auto attempt = [](auto&& read) {
    try {
      (void)read();
    } catch (const Error&) {  // what bad files are answered with
    }
  };
  attempt([&] { return preset_from_json(bytes, "fuzz.json"); });
  attempt([&] { return sphere_track_from_json(bytes, "fuzz.json"); });
  attempt([&] { return sphere_model_from_json(bytes, "fuzz.json"); });
  attempt([&] { return profile_from_json(bytes, "fuzz.json"); });
  attempt([&] { return controller_preset_from_json(bytes, "fuzz.json"); });
}

}  // namespace cutis::fuzz
