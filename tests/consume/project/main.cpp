// Loads a built-in character, deforms it, and checks that something moved.
#include <cstdio>

#include <cutis/cutis.h>

int main() {
  const cutis::Context context;
  const cutis::Character character = cutis::load_character("builtin:cylinder", context);
  cutis::Solver solver(cutis::bind(character, context), {.method = cutis::Method::dqs}, context);
  const cutis::Clip& clip = character.clip("bend");
  const cutis::Frame& frame = solver.solve(cutis::sample(character.skeleton, clip, (clip.start() + clip.end()) / 2));
  std::size_t moved = 0;
  for (std::size_t v = 0; v < frame.positions.size(); ++v)
    moved += frame.positions[v] != character.meshes[0].positions[v];
  std::printf("cutis %s: %zu of %zu vertices moved\n", cutis::version().data(), moved, frame.positions.size());
  return moved > 100 ? 0 : 1;
}
