// What people write beside a motion: maps of markers and of joints, edits, limits of joints, landmarks, takes as JSON.
// A value, or cutis::Error.
#include <cmath>
#include <cstdlib>

#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/marker_editor.h"
#include "cutis/marker_solver.h"
#include "cutis/register.h"
#include "fuzz/chosen.h"
#include "fuzz/target.h"
#include "fuzz/tiny_character.h"
#include "io/joint_map.h"
#include "volume/driven_skeleton.h"
#include "volume/joint_limits.h"

namespace cutis::fuzz {
namespace {

const Character& tube() {
  static const Character character = make_tube();
  return character;
}

const BvhMotion& motion() {
  static const BvhMotion made = read_bvh_memory(
      "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nJOINT knee\n{\nOFFSET 0 1 "
      "0\nCHANNELS 1 "
      "Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 4\n",
      "fuzz.bvh", Context(1));
  return made;
}

const MarkerMap& markers() {
  static const MarkerMap map{{{"A", "lower", {0, 0.1, 0}, -1, 1}, {"B", "", {}, 3, 0.5}}, 1};
  return map;
}

const DrivenSkeleton& driven() {
  static const DrivenSkeleton skeleton = make_driven_skeleton(tube());
  return skeleton;
}

void read_take(std::string_view text) {
  const MarkerTake take = take_from_json(text, "fuzz.json");
  if (take.positions.size() != take.frames * take.names.size() || take.kinds.size() != take.names.size()) std::abort();
  for (const Vec3d& p : take.positions)
    for (int k = 0; k < 3; ++k)
      if (std::isinf(p[k]) || std::isnan(p[k]) != std::isnan(p.x)) std::abort();
}

}  // namespace

Shape shape() { return Shape::json_bytes; }

std::vector<std::string> seeds() {
  EditLayer edits;
  edits.keys = {{0, 0.5, {0, 0.1, 0}}, {1, 1.5, {0.2, 0, 0}}};
  return {
      chosen(to_json(markers()), 0),
      chosen(
          R"({"scale": 1.5, "markers": {"A": {"bone": "upper", "offset": [0, 0.1, 0]}, "B": {"vertex": 3, "weight": 0.5}}})",
          0),
      chosen(R"({"upper": "knee", "lower": "hip"})", 1),
      chosen(R"({"rate": 30, "frames": [{"A": [0, 0, 0], "B": [1, 2, 3]}, {"A": [0, 0, 1], "B": null}]})", 2),
      chosen(to_json(edits, markers()), 3),
      chosen(R"({"upper": {"flexion": [-10, 140], "hinge": [1, 0, 0]}, "lower": {"free": true, "twist": [-1, 1]}})", 4),
      chosen(R"({"nose": [0, 1.6, 0.1], "heel_l": [0.1, 0, 0]})", 5)};
}

void read_input(std::string_view bytes) {
  const auto [text, reader] = text_and_choice(bytes, 6);
  try {
    switch (reader) {
      case 0:
        (void)marker_map_from_json(text, "fuzz.json", tube());
        break;
      case 1:
        (void)joint_map_from_json(text, "fuzz.json", tube(), motion());
        break;
      case 2:
        read_take(text);
        break;
      case 3:
        (void)edits_from_json(text, "fuzz.json", markers());
        break;
      case 4:
        (void)limits_from_json(text, "fuzz.json", JointLimits(driven().bones.size()), tube().skeleton, driven());
        break;
      default:
        (void)landmarks_from_json(text, "fuzz.json");
    }
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
