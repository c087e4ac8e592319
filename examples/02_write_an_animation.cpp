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
  const cutis::Motion motion{clip, cutis::sample_times(clip, 0, 30)};

  const auto writer = cutis::make_animation_writer(output, {&character, clip.name, motion.times}, context);
  const cutis::PlayReport report =
      cutis::play(character, cutis::bind(character, context), motion, {.method = cutis::Method::tracking}, context,
                  [&](std::size_t, const cutis::Frame& frame) { writer->add_frame(frame.positions, frame.normals); });
  writer->finish();
  std::printf("%s: %zu frames of '%s', %.1f ms each\n", output.c_str(), report.frames, clip.name.c_str(),
              report.median_ms);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
