#include "sheet.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cutis::cli {
namespace {

std::vector<Color> choose_colors(const Character& character, const SheetChoice& choice) {
  if (choice.color == "part") return colors_by_part(character);
  if (choice.color != "weights") return {};
  int joint = -1;
  if (!choice.bone.empty()) {
    joint = character.skeleton.find(choice.bone);
    if (joint < 0) {
      throw Error(ErrorCode::bad_argument, "--bone",
                  fmt::format("{} has no bone '{}'; it has: {}", character.source, choice.bone,
                              fmt::join(inspect(character).bones, ", ")));
    }
  }
  return colors_by_weight(character, joint);
}

struct Shot {
  std::vector<Vec3f> positions, normals;
};

}  // namespace

std::vector<std::string> color_names() { return {"shade", "part", "weights"}; }

Image draw_sheet(const Character& character, const Motion& motion, const SheetChoice& choice, const Context& context) {
  // All frames of all methods first: the camera frames the whole motion and is the same in every cell.
  std::vector<Shot> shots;
  Box bounds;
  for (const Method method : choice.methods) {
    play(character, motion, method, context, [&](std::size_t, const Frame& frame) {
      for (const Vec3f& p : frame.positions) bounds.add(static_cast<Vec3d>(p));
      shots.push_back({frame.positions, frame.normals});
    });
  }
  const std::vector<Color> colors = choose_colors(character, choice);
  const double aspect = static_cast<double>(choice.render.width) / choice.render.height;
  const Camera camera = frame_bounds(bounds, choice.view, aspect);

  std::vector<SheetCell> cells;
  for (std::size_t i = 0; i < shots.size(); ++i) {
    const Drawable drawable{&character, shots[i].positions, shots[i].normals, colors};
    cells.push_back({render_still(drawable, camera, choice.render, context),
                     fmt::format("{:.2f} s", motion.times[i % motion.times.size()])});
    context.progress("rendering", static_cast<double>(i + 1) / static_cast<double>(shots.size()));
  }
  if (cells.size() == 1) return std::move(cells.front().image);

  SheetOptions sheet;
  sheet.title = choice.title;
  // One row a method; a single method wraps after six frames.
  sheet.columns =
      static_cast<int>(choice.methods.size() > 1 ? motion.times.size() : std::min<std::size_t>(motion.times.size(), 6));
  if (choice.methods.size() > 1)
    for (const Method method : choice.methods) sheet.row_labels.emplace_back(to_string(method));
  return contact_sheet(cells, sheet);
}

}  // namespace cutis::cli
