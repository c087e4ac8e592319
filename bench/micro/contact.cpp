// Contact after dual quaternion skinning on the MakeHuman body: one joint, a fist, the walk. Milliseconds a frame, all
// cores; the whole clip is one run.
#include <algorithm>
#include <filesystem>

#include "base/hash.h"
#include "cutis/cutis.h"
#include "harness.h"

namespace cutis::bench {

void contact(const std::function<void(const Row&)>& emit) {
  const std::filesystem::path file =
      std::filesystem::path(CUTIS_SOURCE_DIR) / "../shared/data/makehuman_male/makehuman_male.glb";
  if (!std::filesystem::exists(file)) return;
  const Context context;
  const Character character = load_character(file.string(), context);
  const auto rig = bind(character, context);
  struct Clips {
    const char* name;
    double budget;
  };
  for (const auto& [name, budget] :
       {Clips{"elbow_l_0_150", 10.0}, Clips{"fist_l", 60.0}, Clips{"cmu_02_01_walk", 250.0}}) {
    const Clip& clip = character.clip(name);
    Solver solver(rig, {.method = Method::dqs, .contact_pass = true}, context);
    std::vector<double> ms;
    std::vector<Vec3f> last;
    for (const double t : sample_times(clip, 0, 30)) {
      const Frame& frame = solver.solve(sample(character.skeleton, clip, t));
      ms.push_back(frame.report.contact.milliseconds);
      last = frame.positions;
    }
    std::sort(ms.begin(), ms.end());
    Row row;
    row.name = std::string("contact/") + name;
    row.unit = "ms/frame";
    row.median = ms[ms.size() / 2];
    row.best = ms.front();
    row.worst = ms.back();
    row.runs = static_cast<int>(ms.size());
    row.budget = budget;
    row.hash = hash_bytes(last.data(), last.size() * sizeof(Vec3f));
    emit(row);
  }
}

}  // namespace cutis::bench
