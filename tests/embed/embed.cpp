// embed RIG CHARACTER CLIP: an embedder. It links cutis::core alone, loads a rig that bind() made elsewhere, and poses
// it with every method.
#include <cmath>
#include <cstdio>

#include <cutis/builtin.h>
#include <cutis/character.h>
#include <cutis/context.h>
#include <cutis/error.h>
#include <cutis/rig_file.h>
#include <cutis/solve.h>

int main(int argc, char** argv) try {
  if (argc != 4) return 2;
  const cutis::Context context;
  const std::shared_ptr<const cutis::Rig> rig = cutis::load_rig(argv[1]);
  const cutis::Character character = cutis::make_builtin(argv[2], context);
  const cutis::Clip& clip = character.clip(argv[3]);
  const cutis::Pose pose = cutis::sample(character.skeleton, clip, (clip.start() + clip.end()) / 2);
  for (const std::string& name : cutis::method_names()) {
    cutis::Solver solver(rig, {.method = cutis::method_from_string(name)}, context);
    const cutis::Frame& frame = solver.solve(pose);
    std::size_t moved = 0, finite = 0;
    for (std::size_t v = 0; v < frame.positions.size(); ++v) {
      const cutis::Vec3f& p = frame.positions[v];
      moved += p != character.meshes[0].positions[v];
      finite += std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
    }
    std::printf("%s: %zu of %zu vertices moved\n", name.c_str(), moved, frame.positions.size());
    if (moved < 100 || finite != frame.positions.size() || finite != character.vertex_count()) return 1;
  }
  return 0;
} catch (const cutis::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
