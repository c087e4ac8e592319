// Load a character, bind it, pose it: the smallest use of the library.
//   example_01_load_and_deform [FILE [CLIP]]
#include <cstdio>
#include <exception>

#include <cutis/cutis.h>

int main(int argc, char** argv) try {
  const cutis::Context context;
  const cutis::Character character = cutis::load_character(argc > 1 ? argv[1] : "builtin:arm", context);
  const cutis::Clip& clip = character.clip(argc > 2 ? argv[2] : "");

  cutis::Solver solver(cutis::bind(character, context), {.method = cutis::Method::dqs}, context);
  for (const double time : cutis::sample_times(clip, 5, 30)) {
    const cutis::Frame& frame = solver.solve(cutis::sample(character.skeleton, clip, time));
    std::printf("%.2f s: vertex 0 is at (%.3f, %.3f, %.3f)\n", time, frame.positions[0].x, frame.positions[0].y,
                frame.positions[0].z);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
