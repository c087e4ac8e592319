// Load a character, bind it, play a clip: the smallest use of the library.
//   example_01_load_and_deform [FILE [CLIP]]
#include <cstdio>
#include <exception>

#include <cutis/cutis.h>

int main(int argc, char** argv) try {
  const cutis::Context context;
  const cutis::Character character = cutis::load_character(argc > 1 ? argv[1] : "builtin:arm", context);
  const cutis::Clip& clip = character.clip(argc > 2 ? argv[2] : "");
  const cutis::Motion motion{clip, cutis::sample_times(clip, 5, 30)};

  cutis::play(character, cutis::bind(character, context), motion, {}, context,
              [&](std::size_t i, const cutis::Frame& frame) {
                std::printf("%.2f s: vertex 0 is at (%.3f, %.3f, %.3f); %zu vertices touch other skin\n",
                            motion.times[i], frame.positions[0].x, frame.positions[0].y, frame.positions[0].z,
                            frame.report.contact.touching_vertices);
              });
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
