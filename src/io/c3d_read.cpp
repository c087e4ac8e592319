// A file is a header block of 512 bytes, a section of parameters (groups of named arrays) and the frames. Which machine
// wrote it, hence the byte order and the form of floats, stands in the parameter section. Counts in the 16-bit header
// overflow for long takes; parameters that hold them in full are preferred.
#include "io/c3d_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "io/take_space.h"
#include "io/text_scan.h"

namespace cutis {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint8_t kKey = 0x50;
constexpr int kIntel = 84, kDec = 85, kMips = 86;
/// More would be a damaged file: room for a day at 200 frames a second, and for 65,535 points.
constexpr std::uint64_t kMostValues = 400'000'000;
/// Of points, frames and blocks: what 31 bits hold.
constexpr double kLargestCount = 2147483647;

struct Parameter {
  int type = 0;  ///< -1 characters, 1 bytes, 2 16-bit integers, 4 floats
  std::vector<std::size_t> dims;
  std::size_t data = 0;  ///< place in the file
  [[nodiscard]] std::size_t count() const {
    std::size_t n = 1;
    for (const std::size_t d : dims) n *= d;
    return n;
  }
};

/// What a stream reads before it knows where frames begin: parameters are seldom more than 128 KB.
constexpr std::size_t kHead = 1U << 20U;

class C3dReader {
 public:
  /// `head`: the file's bytes, or those before its frames; `size`: of the file.
  C3dReader(std::string_view head, std::size_t size, const std::string& name, const Context& context,
            const TakeOptions& options)
      : bytes_(head), size_(size), name_(name), context_(context), options_(options) {}

  void read_head() {
    if (bytes_.size() < 2 * kBlock || byte(1) != kKey) fail("is not a C3D file, or ends in its header");
    read_parameters();
    read_layout();
    read_names();
    read_space();
  }

  MarkerTake read() {
    read_head();
    MarkerTake take = take_;
    take.frames = frames_;
    take.positions.resize(frames_ * points_);
    take.residuals.resize(frames_ * points_);
    for (std::size_t f = 0; f < frames_; ++f) {
      if (f % 256 == 0) context_.check_cancelled();
      read_frame(bytes_.substr(data_ + f * frame_bytes_, frame_bytes_), &take.positions[f * points_],
                 &take.residuals[f * points_]);
    }
    return take;
  }

  /// Names, rate and space; without frames.
  [[nodiscard]] const MarkerTake& empty_take() const { return take_; }
  [[nodiscard]] std::size_t frames() const { return frames_; }
  [[nodiscard]] std::size_t points() const { return points_; }
  [[nodiscard]] std::size_t data() const { return data_; }  ///< where frames begin
  [[nodiscard]] std::size_t frame_bytes() const { return frame_bytes_; }

  /// One value a point.
  void read_frame(std::string_view frame, Vec3d* positions, float* residuals) const {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::size_t at = 0;
    for (std::size_t i = 0; i < points_; ++i) {
      Vec3d p;
      int fourth = 0;
      if (is_float_) {
        p = {real(frame, at), real(frame, at + 4), real(frame, at + 8)};
        const float mask = real(frame, at + 12);
        fourth = std::isfinite(mask) && std::abs(mask) < 32768 ? static_cast<int>(mask) : -1;
        at += 16;
      } else {
        p = Vec3d{static_cast<double>(integer(frame, at)), static_cast<double>(integer(frame, at + 2)),
                  static_cast<double>(integer(frame, at + 4))} *
            scale_;
        fourth = integer(frame, at + 6);
        at += 8;
      }
      // Not seen: a negative residual, or exactly the origin, which some programs write instead.
      const bool seen = fourth >= 0 && is_finite(p) && length(p) < 1e9 && p != Vec3d{};
      positions[i] = seen ? to_scene(p, take_.up) * unit_ : Vec3d{nan, nan, nan};
      residuals[i] = seen ? static_cast<float>((fourth & 0xff) * std::abs(scale_) * unit_) : 0.0F;
    }
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const { throw Error(ErrorCode::bad_file, name_, sentence); }

  // ---- numbers of the three machines ----

  [[nodiscard]] static std::uint8_t byte(std::string_view from, std::size_t at) {
    return static_cast<std::uint8_t>(from[at]);
  }
  [[nodiscard]] std::uint16_t word(std::string_view from, std::size_t at) const {
    const unsigned a = byte(from, at), b = byte(from, at + 1);
    return static_cast<std::uint16_t>(processor_ == kMips ? (a << 8U) | b : (b << 8U) | a);
  }
  [[nodiscard]] std::int16_t integer(std::string_view from, std::size_t at) const {
    return std::bit_cast<std::int16_t>(word(from, at));
  }
  [[nodiscard]] float real(std::string_view from, std::size_t at) const {
    std::uint32_t bits = 0;
    if (processor_ == kMips) {
      for (std::size_t k = 0; k < 4; ++k) bits = (bits << 8U) | byte(from, at + k);
    } else if (processor_ == kDec) {
      // VAX F: the high word comes first, and the exponent is biased by two more than in IEEE.
      bits = (static_cast<std::uint32_t>(word(from, at)) << 16U) | word(from, at + 2);
      if ((bits & 0x7f800000U) == 0) return 0;  // zero, and the reserved operand
      const float doubled_twice = std::bit_cast<float>(bits);
      return std::isfinite(doubled_twice) ? doubled_twice / 4 : std::numeric_limits<float>::quiet_NaN();
    } else {
      for (std::size_t k = 4; k-- > 0;) bits = (bits << 8U) | byte(from, at + k);
    }
    return std::bit_cast<float>(bits);
  }
  [[nodiscard]] std::uint8_t byte(std::size_t at) const { return byte(bytes_, at); }
  [[nodiscard]] std::uint16_t word(std::size_t at) const { return word(bytes_, at); }
  [[nodiscard]] float real(std::size_t at) const { return real(bytes_, at); }
  void need(std::size_t at, std::size_t size, const char* what) const {
    if (at > bytes_.size() || size > bytes_.size() - at) fail(fmt::format("ends inside {}", what));
  }

  // ---- parameters ----

  void read_parameters() {
    const std::size_t first = byte(0) == 0 ? 2 : byte(0);
    std::size_t at = (first - 1) * kBlock;
    need(at, 4, "its parameters");
    processor_ = byte(at + 3);
    if (processor_ < kIntel || processor_ > kMips) fail(fmt::format("names an unknown processor ({})", processor_));
    const std::size_t blocks = byte(at + 2);
    std::size_t end = at + blocks * kBlock;
    // More than 255 blocks do not fit a byte: then only the records themselves tell the end.
    if (blocks == 0 || end > bytes_.size()) end = bytes_.size();
    at += 4;
    std::map<int, std::string> groups;
    std::vector<std::pair<int, std::pair<std::string, Parameter>>> parameters;
    while (at + 2 <= bytes_.size()) {
      const int length = std::abs(static_cast<int>(static_cast<signed char>(bytes_[at])));
      const int group = static_cast<signed char>(bytes_[at + 1]);
      if (length == 0 || group == 0) break;
      const std::size_t offset_at = at + 2 + static_cast<std::size_t>(length);
      if (offset_at + 2 > bytes_.size()) break;
      const std::string name = upper(bytes_.substr(at + 2, static_cast<std::size_t>(length)));
      if (group < 0) {
        groups[-group] = name;
      } else if (Parameter parameter; parse(offset_at + 2, parameter)) {
        parameters.push_back({group, {name, std::move(parameter)}});
      }
      const std::size_t step = word(offset_at);
      if (step < 2) break;
      at = offset_at + step;
      if (at >= end && blocks != 0 && blocks != 255) break;
    }
    for (auto& [group, named] : parameters)
      if (const auto found = groups.find(group); found != groups.end())
        parameters_[found->second + ":" + named.first] = std::move(named.second);
  }
  bool parse(std::size_t at, Parameter& parameter) const {
    if (at + 2 > bytes_.size()) return false;
    parameter.type = static_cast<signed char>(bytes_[at]);
    const std::size_t dims = byte(at + 1);
    at += 2;
    if (dims > 7 || at + dims > bytes_.size()) return false;
    for (std::size_t d = 0; d < dims; ++d) parameter.dims.push_back(byte(at + d));
    parameter.data = at + dims;
    const int type = parameter.type;
    if (type != -1 && type != 1 && type != 2 && type != 4) return false;
    const std::size_t size = parameter.count() * static_cast<std::size_t>(std::abs(type));
    return parameter.data <= bytes_.size() && size <= bytes_.size() - parameter.data;
  }
  static std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return result;
  }
  [[nodiscard]] const Parameter* find(const std::string& name) const {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::optional<double> number(const std::string& name, std::size_t index = 0) const {
    const Parameter* p = find(name);
    if (p == nullptr || p->type == -1 || index >= p->count()) return std::nullopt;
    if (p->type == 1) return byte(p->data + index);
    if (p->type == 2) return word(p->data + 2 * index);  // counts: 16 bits without a sign
    return real(p->data + 4 * index);
  }
  /// An array of texts: the first dimension is the length of each.
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const {
    const Parameter* p = find(name);
    std::vector<std::string> result;
    if (p == nullptr || p->type != -1 || p->dims.empty() || p->dims[0] == 0) return result;
    const std::size_t width = p->dims[0];
    for (std::size_t k = 0; k < p->count() / width; ++k) {
      std::string_view text = bytes_.substr(p->data + k * width, width);
      if (const auto zero = text.find('\0'); zero != text.npos) text = text.substr(0, zero);
      result.emplace_back(trimmed(text));
    }
    return result;
  }

  // ---- what the frames look like ----

  /// A parameter that counts something, where the file has it.
  [[nodiscard]] std::optional<std::size_t> count(const std::string& name, std::size_t index = 0) const {
    const auto value = number(name, index);
    if (!value) return std::nullopt;
    if (!(*value >= 0 && *value <= kLargestCount))
      fail(fmt::format("is damaged: {} is {:g}, which counts nothing", name, *value));
    return static_cast<std::size_t>(*value);
  }

  void read_layout() {
    points_ = count("POINT:USED").value_or(word(2));
    const std::size_t analogue = word(4);
    const std::size_t first = word(6), last = word(8);
    frames_ = last >= first ? last - first + 1 : 0;
    // 32-bit frame numbers as two words each.
    const auto whole = [&](const std::string& name) -> std::optional<std::size_t> {
      const auto low = count(name, 0), high = count(name, 1);
      if (!low) return std::nullopt;
      return *low + (high.value_or(0) << 16U);
    };
    const auto from = whole("TRIAL:ACTUAL_START_FIELD"), to = whole("TRIAL:ACTUAL_END_FIELD");
    if (from && to && *to >= *from) {
      frames_ = *to - *from + 1;
    } else if (const auto frames = count("POINT:LONG_FRAMES"); frames && *frames > 0) {
      frames_ = *frames;
    } else if (const auto stated = count("POINT:FRAMES"); stated && *stated > frames_) {
      frames_ = *stated;
    }
    scale_ = real(12);
    if (const auto scale = number("POINT:SCALE"); scale && *scale != 0) scale_ = *scale;
    if (!std::isfinite(scale_) || scale_ == 0) fail("has no scale for its points (POINT:SCALE)");
    is_float_ = scale_ < 0;
    std::size_t block = word(16);
    if (block == 0) block = count("POINT:DATA_START").value_or(0);
    if (block < 2) fail("does not say where its frames begin");
    data_ = (block - 1) * kBlock;
    take_.rate = real(20);
    if (const auto rate = number("POINT:RATE"); rate && *rate > 0) take_.rate = *rate;
    if (!std::isfinite(take_.rate) || take_.rate <= 0 || take_.rate > 1e6)
      fail("has no frame rate (POINT:RATE); its times are unknown");
    if (points_ == 0) fail("has no points");
    if (frames_ == 0) fail("has no frames");
    const std::size_t size = is_float_ ? 4 : 2, left = data_ < size_ ? size_ - data_ : 0;
    // Both counts are far below 2^32: no product here leaves 64 bits.
    frame_bytes_ = (4 * points_ + analogue) * size;
    const std::size_t available = left / frame_bytes_;
    if (available == 0)
      fail(
          fmt::format("ends before its first frame: {} points and {} analogue values do not fit its {} bytes of frames",
                      points_, analogue, left));
    if (available < frames_) {
      context_.warn(fmt::format("{}: ends early; {} of {} frames are there", name_, available, frames_));
      frames_ = available;
    }
    if (static_cast<std::uint64_t>(frames_) * points_ > kMostValues) fail("has more points than fit in memory");
  }

  // ---- names ----

  void read_names() {
    std::vector<std::string>& names = take_.names;
    for (int k = 1; names.size() < points_; ++k) {
      const std::vector<std::string> more = texts(k == 1 ? "POINT:LABELS" : fmt::format("POINT:LABELS{}", k));
      if (more.empty() && k > 1) break;
      names.insert(names.end(), more.begin(), more.end());
    }
    names.resize(points_);
    for (std::size_t i = 0; i < points_; ++i)
      if (names[i].empty()) names[i] = fmt::format("*{}", i);

    // Groups of points that are no places: their lists stand beside the labels.
    std::set<std::string> groups{"ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS"}, listed;
    const std::vector<std::string> types = texts("POINT:TYPE_GROUPS");
    for (std::size_t k = 0; k + 1 < types.size(); k += 2) groups.insert(types[k]);
    for (const std::string& group : groups)
      for (int k = 1; k < 100; ++k) {
        const std::vector<std::string> list = texts("POINT:" + group + (k == 1 ? "" : std::to_string(k)));
        if (list.empty()) break;
        listed.insert(list.begin(), list.end());
      }
    for (const std::string& name : names)
      take_.kinds.push_back(name.starts_with('*')                    ? PointKind::unlabelled
                            : listed.contains(name) && !name.empty() ? PointKind::model
                                                                     : PointKind::marker);
  }

  // ---- frames ----

  [[nodiscard]] char vertical_axis() const {
    if (options_.up != 0) return options_.up;
    // The axis that points up on the screen, as "+Z"; laboratories have Z up unless they say otherwise.
    const std::vector<std::string> screen = texts("POINT:Y_SCREEN");
    if (!screen.empty() && !screen[0].empty()) {
      const char axis = lower_case(screen[0]).back();
      if (axis >= 'x' && axis <= 'z') return axis;
    }
    return 'z';
  }

  void read_space() {
    const std::vector<std::string> units = texts("POINT:UNITS");
    take_.unit = units.empty() || units[0].empty() ? "" : units[0];
    unit_ = options_.unit ? *options_.unit : metres_of_unit(take_.unit, name_, context_);
    take_.up = vertical_axis();
    take_.source = name_;
  }

  std::string_view bytes_;
  std::size_t size_;  // of the file
  const std::string& name_;
  const Context& context_;
  const TakeOptions& options_;
  int processor_ = kIntel;
  std::map<std::string, Parameter> parameters_;
  std::size_t points_ = 0, frames_ = 0, data_ = 0, frame_bytes_ = 0;
  double scale_ = 0, unit_ = 1;
  bool is_float_ = false;
  MarkerTake take_;
};

}  // namespace

MarkerTake read_c3d_memory(std::string_view bytes, const std::string& name, const Context& context,
                           const TakeOptions& options) {
  return C3dReader(bytes, bytes.size(), name, context, options).read();
}

MarkerTake read_c3d(const std::string& path, const Context& context, const TakeOptions& options) {
  return read_c3d_memory(read_file(path), path, context, options);
}

struct C3dStream::Impl {
  Impl(const std::string& path, const Context& given_context, const TakeOptions& given_options)
      : name(path), context(given_context), options(given_options), file(path, std::ios::binary) {
    std::error_code error;
    const auto size = static_cast<std::size_t>(std::filesystem::file_size(path, error));
    if (error || !file) throw Error(ErrorCode::io, path, "cannot be read");
    for (std::size_t wanted = kHead;; wanted = reader->data()) {
      head.resize(std::min(size, wanted));
      read(0, head);
      reader.emplace(head, size, name, context, options);
      reader->read_head();
      if (head.size() == size || reader->data() <= head.size()) break;
    }
  }

  void read(std::size_t at, std::string& bytes) {
    file.clear();
    file.seekg(static_cast<std::streamoff>(at));
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      throw Error(ErrorCode::io, name, "could not be read to its end");
  }

  std::string name;
  Context context;
  TakeOptions options;
  std::ifstream file;
  std::string head, frame;
  std::optional<C3dReader> reader;
};

C3dStream::C3dStream(const std::string& path, const Context& context, const TakeOptions& options)
    : impl_(std::make_unique<Impl>(path, context, options)) {}
C3dStream::~C3dStream() = default;
std::size_t C3dStream::frames() const { return impl_->reader->frames(); }
double C3dStream::rate() const { return impl_->reader->empty_take().rate; }

MarkerTake C3dStream::read(std::size_t first, std::size_t count, std::size_t step) {
  Impl& s = *impl_;
  MarkerTake take = s.reader->empty_take();
  const std::size_t points = s.reader->points();
  s.frame.resize(s.reader->frame_bytes());
  for (std::size_t f = first; f < s.reader->frames() && take.frames < count; f += step, ++take.frames) {
    if (take.frames % 256 == 0) s.context.check_cancelled();
    s.read(s.reader->data() + f * s.reader->frame_bytes(), s.frame);
    take.positions.resize(take.positions.size() + points);
    take.residuals.resize(take.positions.size());
    s.reader->read_frame(s.frame, &take.positions[take.frames * points], &take.residuals[take.frames * points]);
  }
  take.rate /= static_cast<double>(step);
  return take;
}

}  // namespace cutis
