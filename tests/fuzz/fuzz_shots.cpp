// Files of shots (cutis batch) and task files: a plan, or cutis::Error. Patterns find one file that is not there, so
// that no input wanders through the disk.
#include <glob.h>

#include <cstdlib>
#include <cstring>

#include "batch_plan.h"
#include "cutis/error.h"
#include "fuzz/chosen.h"
#include "fuzz/target.h"

extern "C" {
int glob(const char* pattern, int, int (*)(const char*, int), glob_t* found) {
  static char file[] = "/nowhere/a.obj";
  static char* files[] = {file, nullptr};
  *found = {};
  if (std::strlen(pattern) > 300) return GLOB_NOMATCH;
  found->gl_pathv = files;
  found->gl_pathc = 1;
  return 0;
}
void globfree(glob_t*) {}
}

namespace cutis::fuzz {

Shape shape() { return Shape::json_bytes; }

std::vector<std::string> seeds() {
  return {
      chosen(R"({"folder": "out", "defaults": {"method": "tracking", "frames": 4, "measure": 2}, "shots": [
        {"name": "{character}-{clip}", "character": ["builtin:cylinder", "*.obj"], "clip": "bend", "outputs": ["{name}.pc2", "a/{name}.glb"]}]})",
             0),
      chosen(R"({"shots": [{"character": "builtin:cylinder", "outputs": "{name}.pc2", "set": ["tracking.step=0.1"],
        "frames": 4, "history": "canonical", "split": 2, "method": ["dqs", "tracking"]}]})",
             0),
      chosen(
          R"({"shots": [{"name": "x", "character": "a.glb", "bvh": "*.bvh", "outputs": "x.usda", "contact-pass": true, "fps": 24}]})",
          0),
      chosen(R"({"name": "x", "character": "/a.obj", "arguments": ["--clip=bend"], "outputs": ["/b.pc2"], "measure": 10,
        "range": "0:2", "pieces": [], "whole": ""})",
             1)};
}

void read_input(std::string_view bytes) {
  static const Context context(1);
  const auto [text, reader] = text_and_choice(bytes, 2);
  try {
    if (reader == 0) {
      const cli::BatchPlan plan = cli::plan_batch(text, "/nowhere/fuzz.json", context);
      if (plan.tasks.empty()) std::abort();
    } else {
      (void)cli::animate_arguments(cli::read_task(text, "/nowhere/fuzz.task.json"));
    }
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
