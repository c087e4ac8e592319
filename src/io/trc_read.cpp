// Five lines of head: the kind of file; names of the properties; their values; the column names (a marker's name, then
// two empty cells); X1 Y1 Z1 and so on. Then a row a frame: number, time, three cells a marker.
#include "io/trc_read.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <optional>

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

/// The head, and rows one after another.
class TrcReader {
 public:
  /// Fills `line`; false at the end.
  using NextLine = std::function<bool(std::string_view& line)>;

  TrcReader(NextLine next, const std::string& name, const Context& context, const TakeOptions& options)
      : next_(std::move(next)), name_(name), context_(context) {
    std::string_view line;
    const auto need = [&](const char* what) {
      if (!next_line(line)) fail(fmt::format("the file ends before {}", what));
    };
    need("its head");
    if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (!lower_case(trimmed(line)).starts_with("pathfiletype"))
      fail("does not start with PathFileType; is it a TRC file?");
    need("the names of its properties");
    std::vector<std::string> keys;
    for (const std::string_view key : words_of(line)) keys.push_back(lower_case(key));
    need("the values of its properties");
    const std::vector<std::string_view> values = words_of(line);
    std::map<std::string, std::string_view> head;
    for (std::size_t k = 0; k < std::min(keys.size(), values.size()); ++k) head[keys[k]] = values[k];
    take_.source = name;
    const auto rate = parse_number(head["datarate"]);
    if (!rate || !std::isfinite(*rate) || *rate <= 0 || *rate > 1e6) fail("DataRate is not a positive number");
    take_.rate = *rate;
    take_.unit = std::string(head["units"]);
    stated_ = parse_integer(head["numframes"]);
    unit_ = options.unit ? *options.unit : metres_of_unit(take_.unit, name, context);
    take_.up = options.up == 0 ? 'y' : options.up;
    need("the names of its markers");
    const std::vector<std::string_view> columns = cells_of(line);
    for (std::size_t k = 2; k < columns.size(); ++k)
      if (!columns[k].empty()) take_.names.emplace_back(columns[k]);
    if (take_.names.empty()) fail("names no markers");
    take_.kinds.assign(take_.names.size(), PointKind::marker);
    need("X1 Y1 Z1");
  }

  /// Names, rate and space; without frames.
  [[nodiscard]] const MarkerTake& empty_take() const { return take_; }
  /// What the head says.
  [[nodiscard]] std::optional<std::int64_t> stated() const { return stated_; }
  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(ErrorCode::bad_file, fmt::format("{} line {}", name_, number_), sentence);
  }

  /// The next frame's line into `row`; false at the end.
  bool next_row(std::string_view& row) {
    while (next_line(row))
      if (!trimmed(row).empty()) return true;
    return false;
  }
  /// Adds the row's points to the take.
  void add_row(std::string_view row, MarkerTake& take) const {
    const std::size_t points = take_.names.size();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    context_.check_cancelled();
    const std::vector<std::string_view> cells = cells_of(row);
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
      const bool seen = is_finite(p) && length(p) < 1e9 && p != Vec3d{};  // how some programs write what is missing
      take.positions.push_back(seen ? to_scene(p, take.up) * unit_ : Vec3d{nan, nan, nan});
    }
    ++take.frames;
  }

 private:
  bool next_line(std::string_view& line) {
    ++number_;
    return next_(line);
  }

  NextLine next_;
  const std::string& name_;
  const Context& context_;
  std::size_t number_ = 0;  // of the last line, from 1
  double unit_ = 1;
  std::optional<std::int64_t> stated_;
  MarkerTake take_;
};

}  // namespace

MarkerTake read_trc_memory(std::string_view text, const std::string& name, const Context& context,
                           const TakeOptions& options) {
  LineReader lines(text);
  TrcReader reader([&](std::string_view& line) { return lines.next(line); }, name, context, options);
  MarkerTake take = reader.empty_take();
  for (std::string_view row; reader.next_row(row);) {
    reader.add_row(row, take);
    // A row may leave out the markers at its end, so few bytes could mean many points.
    if (!may_unfold(take.positions.size(), 1, text.size()))
      reader.fail(fmt::format("names {} markers that hardly any row has; the file is damaged", take.names.size()));
  }
  if (take.frames == 0) reader.fail("the file ends before its first frame");
  take.residuals.assign(take.positions.size(), 0.0F);
  if (reader.stated() && *reader.stated() != static_cast<std::int64_t>(take.frames))
    context.warn(fmt::format("{}: its head says {} frames, {} are there", name, *reader.stated(), take.frames));
  return take;
}

MarkerTake read_trc(const std::string& path, const Context& context, const TakeOptions& options) {
  return read_trc_memory(read_file(path), path, context, options);
}

struct TrcStream::Impl {
  Impl(const std::string& path, const Context& given_context, const TakeOptions& given_options)
      : name(path), context(given_context), options(given_options) {
    rewind();
    for (std::string_view row; reader->next_row(row);) ++frames;
    if (frames == 0) reader->fail("the file ends before its first frame");
    if (reader->stated() && *reader->stated() != static_cast<std::int64_t>(frames))
      context.warn(fmt::format("{}: its head says {} frames, {} are there", name, *reader->stated(), frames));
    context.on_warning = {};  // said once
  }

  void rewind() {
    file = std::ifstream(name, std::ios::binary);
    if (!file) throw Error(ErrorCode::io, name, "cannot be read");
    at = 0;
    reader.emplace(
        [this](std::string_view& line) {
          if (!std::getline(file, text)) return false;
          if (text.ends_with('\r')) text.pop_back();
          line = text;
          return true;
        },
        name, context, options);
  }

  std::string name;
  Context context;
  TakeOptions options;
  std::ifstream file;
  std::string text;
  std::optional<TrcReader> reader;
  std::size_t frames = 0, at = 0;  // at: the next row's
};

TrcStream::TrcStream(const std::string& path, const Context& context, const TakeOptions& options)
    : impl_(std::make_unique<Impl>(path, context, options)) {}
TrcStream::~TrcStream() = default;
std::size_t TrcStream::frames() const { return impl_->frames; }
double TrcStream::rate() const { return impl_->reader->empty_take().rate; }

MarkerTake TrcStream::read(std::size_t first, std::size_t count, std::size_t step) {
  Impl& s = *impl_;
  if (first < s.at || s.at == 0) s.rewind();
  MarkerTake take = s.reader->empty_take();
  std::size_t wanted = first;
  for (std::string_view row; take.frames < count && s.reader->next_row(row); ++s.at)
    if (s.at == wanted) {
      s.reader->add_row(row, take);
      wanted += step;
    }
  take.residuals.assign(take.positions.size(), 0.0F);
  take.rate /= static_cast<double>(step);
  return take;
}

}  // namespace cutis
