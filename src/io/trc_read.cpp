// Five lines of head: the kind of file; names of the properties; their values; the column names (a marker's name, then
// two empty cells); X1 Y1 Z1 and so on. Then a row a frame: number, time, three cells a marker.
#include "io/trc_read.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "io/take_space.h"
#include "io/text_scan.h"

namespace cutis {
namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const auto tab = line.find('\t');
    cells.push_back(trimmed(line.substr(0, tab)));
    if (tab == line.npos) return cells;
    line.remove_prefix(tab + 1);
  }
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) words.push_back(word);
  return words;
}

}  // namespace

MarkerTake read_trc_memory(std::string_view text, const std::string& name, const Context& context,
                           const TakeOptions& options) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  LineReader lines(text);
  const auto fail = [&](const std::string& sentence) {
    throw Error(ErrorCode::bad_file, fmt::format("{} line {}", name, lines.number()), sentence);
  };
  std::string_view line;
  const auto next = [&](const char* what) {
    if (!lines.next(line)) fail(fmt::format("the file ends before {}", what));
  };
  next("its head");
  if (!lower_case(trimmed(line)).starts_with("pathfiletype"))
    fail("does not start with PathFileType; is it a TRC file?");
  next("the names of its properties");
  const std::vector<std::string_view> keys = words_of(line);
  next("the values of its properties");
  const std::vector<std::string_view> values = words_of(line);
  std::map<std::string, std::string_view> head;
  for (std::size_t k = 0; k < std::min(keys.size(), values.size()); ++k) head[lower_case(keys[k])] = values[k];

  MarkerTake take;
  take.source = name;
  const auto rate = parse_number(head["datarate"]);
  if (!rate || !std::isfinite(*rate) || *rate <= 0 || *rate > 1e6) fail("DataRate is not a positive number");
  take.rate = *rate;
  take.unit = std::string(head["units"]);
  const double unit = options.unit ? *options.unit : metres_of_unit(take.unit, name, context);
  take.up = options.up == 0 ? 'y' : options.up;

  next("the names of its markers");
  const std::vector<std::string_view> columns = cells_of(line);
  for (std::size_t k = 2; k < columns.size(); ++k)
    if (!columns[k].empty()) take.names.emplace_back(columns[k]);
  if (take.names.empty()) fail("names no markers");
  take.kinds.assign(take.names.size(), PointKind::marker);
  next("X1 Y1 Z1");

  const std::size_t points = take.names.size();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    context.check_cancelled();
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.size() > 3 * points + 2 && !cells[3 * points + 2].empty())
      fail(fmt::format("has more columns than {} markers need", points));
    for (std::size_t i = 0; i < points; ++i) {
      Vec3d p{nan, nan, nan};
      for (int k = 0; k < 3; ++k) {
        const std::size_t c = 2 + 3 * i + static_cast<std::size_t>(k);
        if (c >= cells.size() || cells[c].empty()) continue;  // not seen
        const auto value = parse_number(cells[c]);
        if (!value) fail(fmt::format("{} is not a number", in_quotes(cells[c])));
        p[k] = *value;
      }
      const bool seen = is_finite(p) && length(p) < 1e9;
      take.positions.push_back(seen ? to_scene(p, take.up) * unit : Vec3d{nan, nan, nan});
    }
    ++take.frames;
    // A row may leave out the markers at its end, so few bytes could mean many points.
    if (!may_unfold(take.positions.size(), 1, text.size()))
      fail(fmt::format("names {} markers that hardly any row has; the file is damaged", points));
  }
  if (take.frames == 0) fail("the file ends before its first frame");
  take.residuals.assign(take.positions.size(), 0.0F);
  const auto stated = parse_integer(head["numframes"]);
  if (stated && *stated != static_cast<std::int64_t>(take.frames))
    context.warn(fmt::format("{}: its head says {} frames, {} are there", name, *stated, take.frames));
  return take;
}

MarkerTake read_trc(const std::string& path, const Context& context, const TakeOptions& options) {
  return read_trc_memory(read_file(path), path, context, options);
}

}  // namespace cutis
