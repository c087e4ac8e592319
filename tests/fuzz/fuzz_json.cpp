// Presets, sphere tracks, sphere sets, profiles, controllers and options from damaged JSON: a value, or cutis::Error.
#include "cutis/compose.h"
#include "cutis/error.h"
#include "cutis/hands.h"
#include "cutis/preset.h"
#include "cutis/solve.h"
#include "fuzz/chosen.h"
#include "fuzz/target.h"

namespace cutis::fuzz {

Shape shape() { return Shape::json_bytes; }

std::vector<std::string> seeds() {
  SphereTrack track;
  track.spheres.push_back({});
  return {
      chosen(to_json(Preset{}), 0),
      chosen(
          R"({"all_joints": {"operator": "bulge", "controller": "elbow", "support": 0.1}, "joints": {"a": {"operator": "union"}},
          "regions": [{"name": "r", "joints": ["a"], "stiffness": 1}],
          "muscles": [{"name": "m", "bone": "a", "driver": "b", "curve": [[0, 0], [90, 1]]}]})",
          0),
      chosen(to_json(track), 1),
      chosen(
          R"({"unit": "m", "fps": 30, "spheres": [{"joint": "wrist", "radius": 0.02}], "frames": [[[0, 0, 0]], [[0, 1, null]]]})",
          1),
      chosen(R"({"spheres": [{"joint": "wrist", "parent": null, "center": [0, 0, 0], "radius": 0.1},
                      {"joint": "tip", "parent": "wrist", "center": [0, 1, 0], "radius": 0.05}],
          "blocks": [{"bone": "wrist", "spheres": ["wrist", "tip"]}]})",
             2),
      chosen(to_json(OperatorProfile{}), 3),
      chosen(to_json(ControllerPreset{}), 4),
      chosen(to_json(SolveOptions{}), 5)};
}

void read_input(std::string_view bytes) {
  const auto [text, reader] = text_and_choice(bytes, 6);
  try {
    switch (reader) {
      case 0:
        (void)preset_from_json(text, "fuzz.json");
        break;
      case 1:
        (void)sphere_track_from_json(text, "fuzz.json");
        break;
      case 2:
        (void)sphere_model_from_json(text, "fuzz.json");
        break;
      case 3:
        (void)profile_from_json(text, "fuzz.json");
        break;
      case 4:
        (void)controller_preset_from_json(text, "fuzz.json");
        break;
      default:
        (void)solve_options_from_json(text, "fuzz.json");
    }
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
