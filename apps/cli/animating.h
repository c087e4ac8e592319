// The work of `cutis animate`, which `cutis batch` does many times: load ► choose motion ► bind ► solve ► write.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline.h"

namespace cutis::cli {

struct AnimateArguments {
  CommonOptions common;
  std::string file;
  std::vector<std::string> outputs;
  ReadOptions reading;
  MotionChoice motion;
  ContactChoice contact;
  bool contact_data = false;
  std::string range;  ///< "FIRST:END"; empty: all frames
};

/// Adds FILE, -o, those of reading, the options of motions and of methods, --contact-data, --range: all but the common
/// ones.
void add_animate_options(CLI::App& verb, AnimateArguments& arguments);

struct Animated {
  std::string clip;
  std::size_t frames = 0;  ///< written
  std::size_t first = 0, total = 0;
  std::size_t vertices = 0;
  MethodTiming timing;
  MotionReport joints;
};

/// Sees every frame that is written.
using FrameWatch = std::function<void(std::size_t index, const Frame&)>;

/// `watch`: optional; given the character, makes what sees the frames. Throws Error; outputs are complete or as before.
Animated animate(const AnimateArguments& arguments, const Context& context,
                 const std::function<FrameWatch(const Character&)>& watch = {});

/// How many frames it would write without --range.
[[nodiscard]] std::size_t count_frames(const AnimateArguments& arguments, const Context& context);

/// Puts the pieces of a shot together: all its frames, each once, into every output. `character`: where the pieces' own
/// is no more; empty: theirs. Returns what was written.
Animated join_pieces(const std::vector<std::string>& pieces, const std::string& character,
                     const std::vector<std::string>& outputs, const Context& context);

}  // namespace cutis::cli
