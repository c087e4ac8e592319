// Contact after dual quaternion skinning on the MakeHuman body: one joint, a fist, the walk. Milliseconds a frame, all
// cores; the whole clip is one run.

#include "base/hash.h"
#include "bench/harness.h"
#include "cutis/cutis.h"

namespace cutis::bench {

void contact(const Bench& bench) {
  const std::string file = bench.data_file("makehuman_male/makehuman_male.glb", "contact is left out");
  if (file.empty()) return;
  const Context& context = bench.context();
  const Character character = load_character(file, context);
  const auto rig = bind(character, context);
  struct Clips {
    const char* name;
    double budget;
  };
  for (const auto& [name, budget] :
       {Clips{"elbow_l_0_150", 10.0}, Clips{"fist_l", 60.0}, Clips{"cmu_02_01_walk", 250.0}}) {
    if (!bench.wants(std::string("contact/") + name)) continue;
    const Clip& clip = character.clip(name);
    Solver solver(rig, {.method = Method::dqs, .contact_pass = true}, context);
    std::vector<double> ms;
    std::vector<Vec3f> last;
    for (const double t : sample_times(clip, 0, 30)) {
      const Frame& frame = solver.solve(sample(character.skeleton, clip, t));
      ms.push_back(frame.report.contact.milliseconds);
      last = frame.positions;
    }
    Row row;
    row.name = std::string("contact/") + name;
    row.unit = "ms/frame";
    set_values(row, ms);
    row.budget = budget;
    row.hash = hash_bytes(last.data(), last.size() * sizeof(Vec3f));
    bench.emit(row);
  }
}

}  // namespace cutis::bench
