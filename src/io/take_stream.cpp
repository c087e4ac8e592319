#include "cutis/take_stream.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <variant>

#include "base/alive.h"
#include "base/math.h"
#include "cutis/error.h"
#include "cutis/option_rows.h"
#include "io/c3d_read.h"
#include "io/text_scan.h"
#include "io/trc_read.h"

namespace cutis {
namespace {

/// A take that is held as a whole.
struct WholeTake {
  MarkerTake take;

  [[nodiscard]] std::size_t frames() const { return take.frames; }
  [[nodiscard]] double rate() const { return take.rate; }
  [[nodiscard]] MarkerTake read(std::size_t first, std::size_t count, std::size_t step) const {
    MarkerTake piece;
    piece.source = take.source;
    piece.rate = take.rate / static_cast<double>(step);
    piece.names = take.names;
    piece.kinds = take.kinds;
    piece.unit = take.unit;
    piece.up = take.up;
    for (std::size_t f = first; f < take.frames && piece.frames < count; f += step, ++piece.frames)
      for (std::size_t i = 0; i < take.names.size(); ++i) {
        piece.positions.push_back(take.at(f, i));
        piece.residuals.push_back(take.residuals[f * take.names.size() + i]);
      }
    return piece;
  }
};

/// Lines that end with a carriage return alone are found in memory only.
bool has_newlines(const std::string& file) {
  std::string begin(4096, 0);
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin.find('\n') < static_cast<std::size_t>(in.gcount());
}

}  // namespace

struct TakeStream::Impl {
  template <class Do>
  decltype(auto) visit(Do&& what) {
    return std::visit([&](auto& held) -> decltype(auto) { return what(*held); }, source);
  }
  std::variant<std::unique_ptr<WholeTake>, std::unique_ptr<C3dStream>, std::unique_ptr<TrcStream>> source;
};

TakeStream::TakeStream(const std::string& file, const Context& context, const TakeOptions& options)
    : impl_(std::make_unique<Impl>()) {
  const std::string extension = lower_case(std::filesystem::path(file).extension().string());
  const bool streams =
      std::filesystem::is_regular_file(file) && (options.up == 0 || (options.up >= 'x' && options.up <= 'z'));
  if (streams) check_options(options, "take");
  if (streams && extension == ".c3d")
    impl_->source = std::make_unique<C3dStream>(file, context, options);
  else if (streams && extension == ".trc" && has_newlines(file))
    impl_->source = std::make_unique<TrcStream>(file, context, options);
  else  // and what is wrong with it is said there
    impl_->source = std::make_unique<WholeTake>(WholeTake{load_take(file, context, options)});
}
TakeStream::~TakeStream() = default;
TakeStream::TakeStream(TakeStream&&) noexcept = default;
TakeStream& TakeStream::operator=(TakeStream&&) noexcept = default;

std::size_t TakeStream::frames() const {
  return alive(impl_, "take").visit([](auto& source) { return source.frames(); });
}
double TakeStream::rate() const {
  return alive(impl_, "take").visit([](auto& source) { return source.rate(); });
}
MarkerTake TakeStream::read(std::size_t first, std::size_t count, std::size_t step) {
  if (step == 0) throw Error(ErrorCode::bad_argument, "take", "every 0th frame is none; the step has to be positive");
  return alive(impl_, "take").visit([&](auto& source) { return source.read(first, count, step); });
}
MarkerTake TakeStream::sample(std::size_t most) {
  const std::size_t all = frames(), step = std::max<std::size_t>(1, (all + most - 1) / std::max<std::size_t>(most, 1));
  return read(0, all, step);
}

}  // namespace cutis
