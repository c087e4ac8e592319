// From a take to targets: which samples to believe, gaps filled, confidences.
//
// Every marker has companions: the markers whose distance to it changes least over the take, in practice those on the
// same bone. Two that suit their companions better in each other's place were swapped, and are swapped back. A sample
// whose distances to its companions are far from usual is a jump and counts as missing. A short gap is filled by
// carrying the marker along with its companions, from both ends; a long one is released, with confidences that fade.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/alive.h"
#include "base/math.h"
#include "cutis/error.h"
#include "cutis/marker_solver.h"
#include "cutis/option_rows.h"
#include "cutis/target_stream.h"
#include "volume/rotation_fit.h"

namespace cutis {
namespace {

constexpr std::size_t kCompanions = 6, kSampled = 300;
/// Deviations from the usual distance that are never suspicious, metres, and in usual deviations.
constexpr double kDeviation = 0.07, kDeviations = 3;

/// The lower one of an even number, so that half of all is no majority. Reorders them.
double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Of swaps: distances are never surer than this, metres; in these units a marker is odd beyond the first, right within
/// the second, and two have to be as much better in each other's place as the third says.
constexpr double kSwapDeviation = 0.01, kOdd = 2, kRight = 1.2, kBetter = 0.4;
constexpr std::size_t kRecent = 6;  // frames

struct Companion {
  std::size_t marker = 0;
  double distance = 0, spread = 0, wide = 0;
};
using Companions = std::vector<std::vector<Companion>>;  // of each marker

class Preparer {
 public:
  Preparer(const MarkerTake& take, const MarkerMap& map, const TargetOptions& options)
      : take_(take), options_(options), n_(map.places.size()), frames_(take.frames), counted_end_(take.frames) {
    for (const MarkerPlace& place : map.places) index_.push_back(take.find(place.marker));
    out_.frames = frames_;
    out_.markers = n_;
    out_.rate = take.rate;
    out_.positions.assign(frames_ * n_, {});
    out_.confidence.assign(frames_ * n_, 0);
    seen_.assign(frames_ * n_, 0);
    for (std::size_t f = 0; f < frames_; ++f)
      for (std::size_t m = 0; m < n_; ++m)
        if (index_[m] >= 0 && take.seen(f, static_cast<std::size_t>(index_[m]))) {
          seen_[f * n_ + m] = 1;
          // In the character's metres from here on: takes of joints come in any unit.
          out_.positions[f * n_ + m] = take.at(f, static_cast<std::size_t>(index_[m])) * map.scale;
          out_.confidence[f * n_ + m] = 1;
        }
  }

  Companions companions() {
    find_companions();
    return std::move(companions_);
  }
  /// Of a piece: as the whole take says, and what happens in frames [begin, end) alone is counted. `goes_on`: there are
  /// frames before it.
  MarkerTargets run(const Companions& known, std::size_t begin, std::size_t end, bool goes_on) {
    companions_ = known;
    goes_on_ = goes_on;
    counted_begin_ = begin;
    counted_end_ = end;
    return prepare();
  }
  MarkerTargets run() {
    find_companions();
    return prepare();
  }

 private:
  MarkerTargets prepare() {
    mend_swaps();
    drop_jumps();
    for (std::size_t m = 0; m < n_; ++m) fill(m);
    bridge_empty();
    return std::move(out_);
  }
  [[nodiscard]] std::size_t counts(std::size_t f) const { return f >= counted_begin_ && f < counted_end_ ? 1 : 0; }

  Vec3d& p(std::size_t f, std::size_t m) { return out_.positions[f * n_ + m]; }
  [[nodiscard]] bool seen(std::size_t f, std::size_t m) const { return seen_[f * n_ + m] != 0; }

  void find_companions() {
    companions_.resize(n_);
    const std::size_t step = std::max<std::size_t>(1, frames_ / kSampled);
    for (std::size_t a = 0; a < n_; ++a) {
      for (std::size_t b = 0; b < n_; ++b) {
        if (a == b) continue;
        std::vector<double> distances;
        for (std::size_t f = 0; f < frames_; f += step)
          if (seen(f, a) && seen(f, b)) distances.push_back(distance(p(f, a), p(f, b)));
        if (distances.size() < 2 && frames_ > 1) continue;
        const double usual = median(distances);
        for (double& d : distances) d = std::abs(d - usual);
        const double spread = median(distances);
        // Moments of a strong bend are rare but real: four fifths of the take say what is usual.
        const auto most = distances.begin() + static_cast<std::ptrdiff_t>(4 * (distances.size() - 1) / 5);
        std::nth_element(distances.begin(), most, distances.end());
        companions_[a].push_back({b, usual, spread, *most});
      }
      // Steady and near: a far marker on the other side of the body may be steady by chance.
      std::sort(companions_[a].begin(), companions_[a].end(), [](const Companion& x, const Companion& y) {
        return x.spread + 0.02 * x.distance < y.spread + 0.02 * y.distance;
      });
      if (companions_[a].size() > kCompanions) companions_[a].resize(kCompanions);
    }
  }

  /// How far a marker at `at` is from its usual distances to its companions, in what is usual of them; `but` is in
  /// doubt itself. Negative: too few are seen.
  [[nodiscard]] double misfit(std::size_t f, std::size_t m, const Vec3d& at, std::size_t but) {
    std::vector<double> off;
    for (const Companion& c : companions_[m])
      if (c.marker != but && seen(f, c.marker))
        off.push_back(std::abs(distance(at, p(f, c.marker)) - c.distance) / (kSwapDeviation + 3 * c.spread));
    return off.size() < 3 ? -1 : median(off);
  }

  /// Two neighbours that suit their companions better in each other's place were swapped.
  void mend_swaps() {
    std::vector<double> own(n_);
    std::vector<std::size_t> last(n_, 0);  // seen before this one
    for (std::size_t f = 0; f < frames_; ++f) {
      for (std::size_t m = 0; m < n_; ++m)
        if (f > 0 && seen(f - 1, m)) last[m] = f - 1;
      for (std::size_t m = 0; m < n_; ++m) own[m] = seen(f, m) ? misfit(f, m, p(f, m), n_) : -1;
      for (std::size_t a = 0; a < n_; ++a)
        for (std::size_t b = a + 1; b < n_; ++b) {
          if (own[a] < 0 || own[b] < 0 || std::max(own[a], own[b]) < kOdd) continue;
          const double before = misfit(f, a, p(f, a), b) + misfit(f, b, p(f, b), a), in_a = misfit(f, a, p(f, b), b),
                       in_b = misfit(f, b, p(f, a), a);
          if (in_a < 0 || in_b < 0 || std::max(in_a, in_b) > kRight || in_a + in_b > kBetter * before) continue;
          // Both came from where the other is now; bodies that bend in a rare way go on as they went.
          if (last[a] + kRecent > f && last[b] + kRecent > f) {
            const Vec3d &from_a = p(last[a], a), &from_b = p(last[b], b);
            if (distance(p(f, b), from_a) + distance(p(f, a), from_b) >
                kBetter * (distance(p(f, a), from_a) + distance(p(f, b), from_b)))
              continue;
          } else if (std::min(own[a], own[b]) < 2 * kOdd) {
            continue;
          }
          std::swap(p(f, a), p(f, b));
          own[a] = in_a;
          own[b] = in_b;
          out_.swapped += 2 * counts(f);
        }
    }
  }

  void drop_jumps() {
    const double step = options_.jump_speed / take_.rate;
    std::vector<std::size_t> bad;
    for (std::size_t m = 0; m < n_; ++m) {
      std::size_t last = frames_;  // the last believed frame
      for (std::size_t f = 0; f < frames_; ++f) {
        if (!seen(f, m)) continue;
        std::vector<double> off;
        double usual = 0;
        for (const Companion& c : companions_[m])
          if (seen(f, c.marker)) {
            off.push_back(std::abs(distance(p(f, m), p(f, c.marker)) - c.distance));
            usual = std::max(usual, c.wide);
          }
        bool suspect = off.size() >= 3 && median(off) > kDeviation + kDeviations * usual;
        if (!suspect && last < frames_ && f - last <= 3) {
          // Faster than anything moves, while its companions do not.
          const double speed = distance(p(f, m), p(last, m)) / static_cast<double>(f - last);
          std::vector<double> others;
          for (const Companion& c : companions_[m])
            if (seen(f, c.marker) && seen(last, c.marker))
              others.push_back(distance(p(f, c.marker), p(last, c.marker)) / static_cast<double>(f - last));
          suspect = speed > step && (others.size() < 3 || median(others) < 0.5 * speed) && off.size() >= 3 &&
                    median(off) > 0.5 * kDeviation;
        }
        if (suspect) {
          bad.push_back(f * n_ + m);
        } else {
          last = f;
        }
      }
    }
    // Two that are wrong in the same frame and right in each other's place were swapped.
    std::sort(bad.begin(), bad.end());
    std::vector<char> mended(bad.size(), 0);
    for (std::size_t i = 0; i < bad.size(); ++i)
      for (std::size_t j = i + 1; j < bad.size() && bad[j] / n_ == bad[i] / n_ && !mended[i]; ++j) {
        const std::size_t f = bad[i] / n_, a = bad[i] % n_, b = bad[j] % n_;
        if (mended[j] || !belongs(f, a, p(f, b), b) || !belongs(f, b, p(f, a), a)) continue;
        std::swap(p(f, a), p(f, b));
        mended[i] = mended[j] = 1;
        out_.swapped += 2 * counts(f);
      }
    for (std::size_t i = 0; i < bad.size(); ++i)
      if (!mended[i]) {
        seen_[bad[i]] = 0;
        out_.confidence[bad[i]] = 0;
        out_.jumps += counts(bad[i] / n_);
      }
  }

  /// Whether marker m at `at` is at its usual distances from its companions; `but` is in doubt itself.
  bool belongs(std::size_t f, std::size_t m, const Vec3d& at, std::size_t but) {
    std::vector<double> off;
    double usual = 0;
    for (const Companion& c : companions_[m])
      if (c.marker != but && seen(f, c.marker)) {
        off.push_back(std::abs(distance(at, p(f, c.marker)) - c.distance));
        usual = std::max(usual, c.wide);
      }
    return off.size() >= 2 && median(off) < 0.5 * (kDeviation + kDeviations * usual);
  }

  /// Where marker m is at frame `to` when it moves with its companions from frame `from`; false when too few are seen.
  bool carried(std::size_t m, std::size_t from, std::size_t to, Vec3d& result) {
    std::vector<std::size_t> with;
    for (const Companion& c : companions_[m])
      if (seen(from, c.marker) && seen(to, c.marker) && c.spread < kDeviation && with.size() < 4)
        with.push_back(c.marker);
    if (with.size() < 3) return false;
    Vec3d a, b;
    for (const std::size_t c : with)
      a += p(from, c) / static_cast<double>(with.size()), b += p(to, c) / static_cast<double>(with.size());
    Mat3d s{{Vec3d{}, Vec3d{}, Vec3d{}}};
    double thin = 0;
    for (const std::size_t c : with) {
      const Vec3d e = p(from, c) - a, d = p(to, c) - b;
      s.col[0] += d * e.x;
      s.col[1] += d * e.y;
      s.col[2] += d * e.z;
      for (const std::size_t other : with) thin = std::max(thin, length(cross(e, p(from, other) - a)));
    }
    if (thin < 1e-6) return false;  // on one line: no turn about it is known
    result = b + rotate(fit_rotation(s, {}, 60), p(from, m) - a);
    return true;
  }

  /// A value for frame f of the gap (begin, end): from both ends, or the one there is; of a long gap from the near one.
  bool estimate(std::size_t m, std::size_t begin, std::size_t end, std::size_t f, bool is_short, Vec3d& result) {
    Vec3d left, right;
    const bool left_is_near = end >= frames_ || (begin > 0 && f - begin <= end - 1 - f);
    const bool has_left = begin > 0 && (is_short || left_is_near) && carried(m, begin - 1, f, left);
    const bool has_right = end < frames_ && (is_short || !left_is_near) && carried(m, end, f, right);
    if (has_left && has_right) {
      const double t = static_cast<double>(f - begin + 1) / static_cast<double>(end - begin + 1);
      result = lerp(left, right, t * t * (3 - 2 * t));
    } else if (has_left || has_right) {
      result = has_left ? left : right;
    }
    return has_left || has_right;
  }

  void fill(std::size_t m) {
    const auto longest = static_cast<std::size_t>(options_.fill_seconds * take_.rate);
    const auto fade = std::max<std::size_t>(1, static_cast<std::size_t>(options_.blend_seconds * take_.rate));
    for (std::size_t begin = 0; begin < frames_;) {
      if (seen(begin, m)) {
        ++begin;
        continue;
      }
      std::size_t end = begin;
      while (end < frames_ && !seen(end, m)) ++end;
      const bool is_short = end - begin <= longest && (begin > 0 || end < frames_);
      for (std::size_t f = begin; f < end; ++f) {
        Vec3d value;
        const std::size_t inside = std::min(begin > 0 ? f - begin : frames_, end < frames_ ? end - 1 - f : frames_);
        const bool near_end = inside < fade;
        bool found = (is_short || near_end) && estimate(m, begin, end, f, is_short, value);
        if (!found && is_short && begin > 0 && end < frames_ && end - begin <= std::max<std::size_t>(longest / 3, 1)) {
          value = lerp(p(begin - 1, m), p(end, m),
                       static_cast<double>(f - begin + 1) / static_cast<double>(end - begin + 1));
          found = true;
        }
        double confidence = 0;
        if (found) {
          // What is guessed counts less than what is seen, and less the deeper the gap.
          confidence = is_short ? 0.5 : 0.5 * (1 - static_cast<double>(inside + 1) / static_cast<double>(fade + 1));
          p(f, m) = value;
          out_.filled += counts(f);
        } else if (index_[m] >= 0) {
          out_.released += counts(f);
        }
        out_.confidence[f * n_ + m] = confidence;
      }
      if (!is_short)  // a marker comes back as gently as it went
        for (std::size_t k = 0; k < fade && end + k < frames_ && (begin > 0 || goes_on_); ++k)
          if (seen(end + k, m))
            out_.confidence[(end + k) * n_ + m] = std::min(out_.confidence[(end + k) * n_ + m],
                                                           static_cast<double>(k + 1) / static_cast<double>(fade + 1));
      begin = end;
    }
  }

  /// Frames without any marker hold the last pose; before the markers come back they move there in a straight line.
  void bridge_empty() {
    const auto fade = std::max<std::size_t>(1, static_cast<std::size_t>(2 * options_.blend_seconds * take_.rate));
    const auto empty = [&](std::size_t f) {
      for (std::size_t m = 0; m < n_; ++m)
        if (out_.confidence[f * n_ + m] > 0) return false;
      return true;
    };
    for (std::size_t begin = 0; begin < frames_;) {
      if (!empty(begin)) {
        ++begin;
        continue;
      }
      std::size_t end = begin;
      while (end < frames_ && empty(end)) ++end;
      for (std::size_t f = begin; f < end; ++f) out_.empty_frames += counts(f);
      if (begin > 0 && end < frames_) {
        const std::size_t from = end - std::min(fade, end - begin);
        for (std::size_t m = 0; m < n_; ++m) {
          if (!seen(begin - 1, m) || !seen(end, m)) continue;
          for (std::size_t f = from; f < end; ++f) {
            const double t = static_cast<double>(f - from + 1) / static_cast<double>(end - from + 1);
            p(f, m) = lerp(p(begin - 1, m), p(end, m), t * t * (3 - 2 * t));
            out_.confidence[f * n_ + m] = 1;
          }
          // All went and all come back: nothing else to trust meanwhile.
          for (std::size_t f = end; f < frames_ && f < end + fade; ++f)
            if (seen(f, m)) out_.confidence[f * n_ + m] = 1;
        }
      }
      begin = end;
    }
  }

  const MarkerTake& take_;
  const TargetOptions& options_;
  std::size_t n_, frames_, counted_begin_ = 0, counted_end_;
  bool goes_on_ = false;
  std::vector<int> index_;
  std::vector<char> seen_;
  Companions companions_;
  MarkerTargets out_;
};

/// Of a stream: seconds in a piece, and frames that a jump is judged by.
constexpr double kPieceSeconds = 20;
constexpr std::size_t kLookBack = 8;

std::size_t count_resampled(std::size_t frames, double rate, double output_rate) {
  if (!(output_rate > 0) || frames == 0)
    throw Error(ErrorCode::bad_argument, "rate", "has to be a positive number of frames a second");
  const double seconds = static_cast<double>(frames - 1) / rate;
  return static_cast<std::size_t>(std::floor(seconds * output_rate + 1e-6)) + 1;
}

/// Where an output frame is in the take: `t` of the way from one frame to the next.
struct Between {
  std::size_t frame = 0;
  double t = 0;
};
Between place_of(std::size_t output_frame, double output_rate, double rate, std::size_t frames) {
  const double at = static_cast<double>(output_frame) / output_rate * rate;
  const auto a = std::min(static_cast<std::size_t>(at + 1e-9), frames - 1);
  return {a, std::clamp(at - static_cast<double>(a), 0.0, 1.0)};
}

void mix(const MarkerTargets& targets, const Between& at, Vec3d* positions, double* confidence) {
  const std::size_t a = at.frame, b = std::min(a + 1, targets.frames - 1);
  const double t = at.t;
  for (std::size_t m = 0; m < targets.markers; ++m) {
    const double ca = targets.frame_confidence(a)[m], cb = targets.frame_confidence(b)[m];
    positions[m] = {};
    confidence[m] = 0;
    if (ca > 0 && cb > 0) {
      positions[m] = lerp(targets.frame(a)[m], targets.frame(b)[m], t);
      confidence[m] = ca * (1 - t) + cb * t;
    } else if (t < 0.5 ? ca > 0 : cb > 0) {
      positions[m] = targets.frame(t < 0.5 ? a : b)[m];
      confidence[m] = t < 0.5 ? ca : cb;
    }
  }
}

void check_map(const MarkerTake& take, const MarkerMap& map, const Context& context) {
  std::vector<std::string> absent;
  for (const MarkerPlace& place : map.places)
    if (take.find(place.marker) < 0) absent.push_back(place.marker);
  if (absent.size() == map.places.size())
    throw Error(ErrorCode::bad_argument, take.source, "has none of the markers of the map");
  if (!absent.empty())
    context.warn(
        fmt::format("{}: does not have {} of the map; the others drive", take.source, fmt::join(absent, ", ")));
}

}  // namespace

MarkerTargets prepare_targets(const MarkerTake& take, const MarkerMap& map, const Context& context,
                              const TargetOptions& options) {
  check_map(take, map, context);
  check_options(options, "targets");
  return Preparer(take, map, options).run();
}

MarkerTargets resample(const MarkerTargets& targets, double rate) {
  MarkerTargets result = targets;
  result.rate = rate;
  result.frames = count_resampled(targets.frames, targets.rate, rate);
  result.positions.assign(result.frames * targets.markers, {});
  result.confidence.assign(result.frames * targets.markers, 0);
  for (std::size_t f = 0; f < result.frames; ++f)
    mix(targets, place_of(f, rate, targets.rate, targets.frames), &result.positions[f * targets.markers],
        &result.confidence[f * targets.markers]);
  return result;
}

// A piece is prepared with what is around it: gaps that reach beyond are longer than what is filled or faded, so a
// frame of the piece does not depend on where pieces begin.
struct TargetStream::Impl {
  Impl(const MarkerTake& given_sample, std::size_t given_frames, double given_rate, Read given_read,
       const MarkerMap& given_map, double output_rate, const Context& context, const TargetOptions& given_options)
      : map(given_map), options(given_options), read(std::move(given_read)), frames(given_frames), rate(given_rate) {
    check_map(given_sample, map, context);
    check_options(options, "targets");
    companions = Preparer(given_sample, map, options).companions();
    out.markers = map.places.size();
    out.rate = output_rate;
    out.frames = count_resampled(frames, rate, output_rate);
    positions.resize(out.markers);
    confidence.resize(out.markers);
    const double around = options.fill_seconds + 2 * options.blend_seconds;
    margin = static_cast<std::size_t>(std::ceil(around * rate)) + kLookBack;
    length = std::max(static_cast<std::size_t>(kPieceSeconds * rate), 4 * margin);
  }

  /// Makes `piece` hold the frames from `wanted` on.
  void prepare(std::size_t wanted) {
    begin = wanted;
    const std::size_t end = std::min(frames, begin + length);
    first = begin - std::min(begin, margin);
    const MarkerTake take = read(first, std::min(frames, end + 1 + margin) - first);
    if (take.frames < end - first)
      throw Error(ErrorCode::bad_file, take.source, "has become shorter while it was read");
    piece = Preparer(take, map, options).run(companions, begin - first, end - first, first > 0);
    piece.rate = rate;
    out.filled += piece.filled;
    out.released += piece.released;
    out.jumps += piece.jumps;
    out.swapped += piece.swapped;
    out.empty_frames += piece.empty_frames;
  }

  MarkerMap map;
  TargetOptions options;
  Read read;
  std::size_t frames;
  double rate;
  Companions companions;
  std::size_t margin = 0, length = 0;  // frames of the take
  std::size_t begin = 0, first = 0;    // of the piece: its own first frame, and the one it was prepared from
  MarkerTargets piece, out;            // out: counts alone
  std::vector<Vec3d> positions;
  std::vector<double> confidence;
};

TargetStream::TargetStream(const MarkerTake& sample, std::size_t frames, double rate, Read read, const MarkerMap& map,
                           double output_rate, const Context& context, const TargetOptions& options)
    : impl_(std::make_unique<Impl>(sample, frames, rate, std::move(read), map, output_rate, context, options)) {}
TargetStream::~TargetStream() = default;
TargetStream::TargetStream(TargetStream&&) noexcept = default;
TargetStream& TargetStream::operator=(TargetStream&&) noexcept = default;

const MarkerTargets& TargetStream::counts() const { return alive(impl_, "targets").out; }
std::span<const Vec3d> TargetStream::positions() const { return alive(impl_, "targets").positions; }
std::span<const double> TargetStream::confidence() const { return alive(impl_, "targets").confidence; }

void TargetStream::seek(std::size_t frame) {
  Impl& s = alive(impl_, "targets");
  Between at = place_of(frame, s.out.rate, s.rate, s.frames);
  if (s.piece.frames == 0 || at.frame < s.begin || at.frame >= s.begin + s.length)
    s.prepare(at.frame / s.length * s.length);
  at.frame -= s.first;
  mix(s.piece, at, s.positions.data(), s.confidence.data());
}

}  // namespace cutis
