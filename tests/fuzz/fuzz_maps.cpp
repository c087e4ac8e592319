// What people write beside a motion: maps of markers, maps of joints, takes as JSON, options as JSON; and VRM
// animations. A value, or cutis::Error.
#include <span>

#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/marker_solver.h"
#include "cutis/solve.h"
#include "fuzz/memory_file.h"
#include "fuzz/target.h"
#include "io/joint_map.h"
#include "io/vrma_read.h"

namespace cutis::fuzz {
namespace {

const Character& arm() {
  static const Character character = make_builtin("arm", Context(1));
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

}  // namespace

std::vector<std::string> seeds() {
  const std::string joint = arm().skeleton.joints.back().name;
  return {R"({"scale": 1.5, "markers": {"A": {"bone": ")" + joint +
              R"(", "offset": [0, 0.1, 0]}, "B": {"vertex": 3, "weight": 0.5}}})",
          "{\"" + joint + "\": \"knee\"}",
          R"({"rate": 30, "frames": [{"A": [0, 0, 0], "B": [1, 2, 3]}, {"A": [0, 0, 1]}]})", to_json(SolveOptions{})};
}

void read_input(std::string_view bytes) {
  const MemoryFile memory(bytes);
  const Context context(1);
  const auto attempt = [](auto&& read) {
    try {
      (void)read();
    } catch (const Error&) {  // what bad files are answered with
    }
  };
  attempt([&] { return load_marker_map(memory.path(), arm()); });
  attempt([&] { return read_joint_map(memory.path(), arm(), motion()); });
  attempt([&] { return solve_options_from_json(bytes, "fuzz.json"); });
  attempt([&] { return read_vrma_memory(std::as_bytes(std::span(bytes)), "fuzz.vrma", context); });
}

}  // namespace cutis::fuzz
