#include "bench/bench.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/harness.h"

namespace cutis::bench {
namespace {

struct Suite {
  Scene scene;
  void (*run)(const Bench&);
};
constexpr Suite kSuites[] = {
    {{"skinning", "LBS and DQS, 13.4k vertices, one core, every back end"}, skinning},
    {{"body", "methods on whole bodies: all joints, one joint, a fist, a walk"}, body},
    {{"implicit", "method implicit on hands, one core (Implicit, table 1)"}, implicit},
    {{"contact", "the contact pass after DQS: one joint, a fist, a walk"}, contact},
    {{"fields", "fields of the parts: fitted, posed, looked up"}, fields},
    {{"bind", "a rig: made, loaded, its memory"}, binding},
    {{"weights", "automatic weights of whole bodies"}, weights},
    {{"markers", "marker-driven animation"}, markers},
    {{"files", "a GLB read, a PC2 written"}, files},
    {{"growth", "time over vertices, bones and joints that move"}, growth},
    {{"avatars", "every character of the data folder: bind, a vertex and frame of tracking with contact"}, avatars},
    {{"machine", "ceilings: how fast one core copies"}, machine},
};

}  // namespace

std::vector<Scene> scenes() {
  std::vector<Scene> result;
  for (const Suite& suite : kSuites) result.push_back(suite.scene);
  return result;
}

void run(const Options& options, const Context& context, const std::function<void(const Row&)>& emit) {
  for (const std::string& row : options.rows) {
    const std::string_view scene = std::string_view(row).substr(0, row.find('/'));
    if (std::ranges::none_of(kSuites, [&](const Suite& s) { return s.scene.name == scene; })) {
      std::vector<std::string_view> names;
      for (const Suite& s : kSuites) names.push_back(s.scene.name);
      throw Error(ErrorCode::bad_argument, "bench",
                  fmt::format("there is no scene '{}'; choose from: {}", row, fmt::join(names, ", ")));
    }
  }
  const Bench bench(options, context, emit);
  for (const Suite& suite : kSuites)
    if (bench.wants(suite.scene.name)) suite.run(bench);
}

}  // namespace cutis::bench
