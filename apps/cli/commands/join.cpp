#include <fmt/format.h>

#include "animating.h"

namespace cutis::cli {
namespace {

struct JoinArguments {
  CommonOptions common;
  std::vector<std::string> pieces, outputs;
  std::string character;
};

void run_join(const JoinArguments& options) {
  Session session(options.common);
  for (const std::string& output : options.outputs)
    for (const std::string& piece : options.pieces) Session::check_output(piece, output);
  const Animated done = join_pieces(options.pieces, options.character, options.outputs, session.context());
  session.say(fmt::format("{}: clip '{}', {} frames of {} pieces, {} vertices", fmt::join(options.outputs, ", "),
                          done.clip, done.frames, options.pieces.size(), done.vertices));
  session.print({{"clip", done.clip},
                 {"outputs", options.outputs},
                 {"pieces", options.pieces.size()},
                 {"frames", done.frames},
                 {"vertices", done.vertices},
                 {"warnings", session.warnings()}});
}

}  // namespace

void add_join(CLI::App& app) {
  auto options = std::make_shared<JoinArguments>();
  CLI::App* verb = app.add_subcommand("join", "Put the pieces of a shot together that 'animate --range' wrote");
  verb->add_option("PIECES", options->pieces, "All pieces of one shot, in any order: .frames")->required();
  verb->add_option("-o,--output", options->outputs, "Result, as of 'cutis animate'; several: -o A -o B")
      ->required()
      ->allow_extra_args(false)
      ->type_name("TEXT");
  verb->add_option("--character", options->character, "The character's file, where it is no more where it was");
  add_common_options(*verb, options->common);
  verb->footer(
      "Example, the same bits as in one go:\n"
      "  cutis animate character.glb --clip walk --history canonical --range 0:60 -o a.frames\n"
      "  cutis animate character.glb --clip walk --history canonical --range 60:120 -o b.frames\n"
      "  cutis join a.frames b.frames -o walk.glb");
  verb->callback([options] { run_join(*options); });
}

}  // namespace cutis::cli
