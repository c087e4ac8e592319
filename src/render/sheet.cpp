#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "cutis/error.h"
#include "cutis/option_rows.h"
#include "cutis/render.h"
#include "render/canvas.h"
#include "render/style.h"

namespace cutis {
namespace {

void check(const Image& image, const char* place) {
  if (image.width < 1 || image.height < 1 ||
      image.rgb.size() != static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3)
    throw Error(ErrorCode::bad_argument, place,
                fmt::format("a picture of {} x {} pixels with {} bytes cannot be placed", image.width, image.height,
                            image.rgb.size()));
}

// The text, shortened with "…" until it fits.
std::string fitted(std::string text, double size, double width) {
  if (text_width(size, text) <= width) return text;
  while (!text.empty() && text_width(size, text + "…") > width) {
    // Whole UTF-8 characters.
    do {
      const bool continues = (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U;
      text.pop_back();
      if (!continues) break;
    } while (!text.empty());
  }
  return text + "…";
}

}  // namespace

Image contact_sheet(std::span<const SheetCell> cells, const SheetOptions& options) {
  if (cells.empty()) throw Error(ErrorCode::bad_argument, "contact sheet", "there are no pictures to put on it");
  check_options(options, "contact sheet");
  int cell_width = 0, cell_height = 0;
  bool labelled = false;
  for (const SheetCell& cell : cells) {
    check(cell.image, "contact sheet");
    cell_width = std::max(cell_width, cell.image.width);
    cell_height = std::max(cell_height, cell.image.height);
    labelled = labelled || !cell.label.empty();
  }
  const int columns = std::min(options.columns, static_cast<int>(cells.size()));
  const int rows = (static_cast<int>(cells.size()) + columns - 1) / columns;

  const double text = options.text_size, title_size = 1.5 * text, row_size = 1.1 * text;
  const auto round = [](double v) { return static_cast<int>(std::lround(v)); };
  const int gap = std::max(4, round(0.5 * text)), border = std::max(8, round(1.1 * text));
  const int label_height = labelled ? round(1.55 * text) : 0;
  double row_label_width = 0;
  for (const std::string& label : options.row_labels)
    row_label_width = std::max(row_label_width, text_width(row_size, label));
  const int left = border + (row_label_width > 0 ? round(row_label_width + text) : 0);
  const int top = border + (options.title.empty() ? 0 : round(title_size * 1.35));
  const int grid_width = columns * cell_width + (columns - 1) * gap;
  const int grid_height = rows * (cell_height + label_height) + (rows - 1) * gap;
  Image legend;
  if (options.legend)
    legend = draw_legend(*options.legend, std::clamp(round(18 * text), 60, std::max(60, grid_width)), text * 0.95);
  const int legend_height = options.legend ? legend.height + gap : 0;
  const int title_width = options.title.empty() ? 0 : round(text_width(title_size, options.title));
  // A long title widens the sheet, up to twice the pictures' width; beyond that it is shortened.
  const int inner = std::max(grid_width, std::min(title_width - (left - border), 2 * grid_width));

  Image sheet = make_image(left + inner + border, top + grid_height + legend_height + border, style::paper());
  if (!options.title.empty())
    draw_text(sheet, border, border + title_size * 0.7, title_size,
              fitted(options.title, title_size, sheet.width - 2 * border), style::ink(), true);
  for (int row = 0; row < rows; ++row) {
    const int y = top + row * (cell_height + label_height + gap);
    if (static_cast<std::size_t>(row) < options.row_labels.size())
      draw_text(sheet, border, y + cell_height / 2.0 + row_size * 0.3, row_size,
                options.row_labels[static_cast<std::size_t>(row)], style::ink(), true);
    for (int column = 0; column < columns; ++column) {
      const auto i =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
      if (i >= cells.size()) break;
      const int x = left + column * (cell_width + gap);
      const Image& image = cells[i].image;
      if (image.width < cell_width || image.height < cell_height)
        fill_box(sheet, x, y, x + cell_width, y + cell_height, color_from_srgb(0xf0f1f2));
      paste(sheet, image, x + (cell_width - image.width) / 2, y + (cell_height - image.height) / 2);
      if (cells[i].label.empty()) continue;
      const std::string label = fitted(cells[i].label, text, cell_width);
      draw_text(sheet, x + (cell_width - text_width(text, label)) / 2, y + cell_height + text * 1.08, text, label,
                style::soft_ink());
    }
  }
  if (options.legend) paste(sheet, legend, left + (grid_width - legend.width) / 2, top + grid_height + gap);
  return sheet;
}

Image compose(std::span<const Image> images, const ComposeOptions& options) {
  if (images.empty()) throw Error(ErrorCode::bad_argument, "compose", "there are no pictures to put together");
  check_options(options, "compose");
  long long along = options.gap;
  int across = 0;
  for (const Image& image : images) {
    check(image, "compose");
    along += (options.vertical ? image.height : image.width) + options.gap;
    across = std::max(across, options.vertical ? image.width : image.height);
  }
  const int length = static_cast<int>(std::min(along, 1LL << 30)), breadth = across + 2 * options.gap;
  Image out =
      options.vertical ? make_image(breadth, length, style::paper()) : make_image(length, breadth, style::paper());
  int at = options.gap;
  for (const Image& image : images) {
    const int side = options.gap + (across - (options.vertical ? image.width : image.height)) / 2;
    if (options.vertical)
      paste(out, image, side, at);
    else
      paste(out, image, at, side);
    at += (options.vertical ? image.height : image.width) + options.gap;
  }
  return out;
}

}  // namespace cutis
