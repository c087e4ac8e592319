// Deform a character over a clip and write it for Blender, engines and viewers.
//   example_02_write_an_animation [FILE [OUT]]
#include <cstdio>
#include <exception>

#include <cutis/cutis.h>

int main(int argc, char** argv) try {
  const cutis::Context context;
  const cutis::Character character = cutis::load_character(argc > 1 ? argv[1] : "builtin:hand", context);
  const std::string output = argc > 2 ? argv[2] : "example_02.glb";
  const cutis::Clip& clip = character.clip("");
  const std::vector<double> times = cutis::sample_times(clip, 0, 30);

  cutis::Solver solver(cutis::bind(character, context), {.method = cutis::Method::lbs}, context);
  const auto writer = cutis::make_animation_writer(output, {&character, clip.name, times}, context);
  for (const double time : times) {
    const cutis::Frame& frame = solver.solve(cutis::sample(character.skeleton, clip, time));
    writer->add_frame(frame.positions, frame.normals);
  }
  writer->finish();
  std::printf("%s: %zu frames of '%s'\n", output.c_str(), times.size(), clip.name.c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
