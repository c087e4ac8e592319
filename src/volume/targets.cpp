// From a take to targets: which samples to believe, gaps filled, confidences.
//
// Every marker has companions: the markers whose distance to it changes least over the take, in practice those on the
// same bone. A sample whose distances to its companions are far from usual is a jump and counts as missing, unless two
// of them are right in each other's place: these were swapped, and are swapped back. A short gap is filled by carrying
// the marker along with its companions, from both ends; a long one is released, with confidences that fade.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/marker_solver.h"
#include "cutis/option_rows.h"
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

class Preparer {
 public:
  Preparer(const MarkerTake& take, const MarkerMap& map, const TargetOptions& options)
      : take_(take), options_(options), n_(map.places.size()), frames_(take.frames) {
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

  MarkerTargets run() {
    find_companions();
    drop_jumps();
    for (std::size_t m = 0; m < n_; ++m) fill(m);
    bridge_empty();
    return std::move(out_);
  }

 private:
  Vec3d& p(std::size_t f, std::size_t m) { return out_.positions[f * n_ + m]; }
  [[nodiscard]] bool seen(std::size_t f, std::size_t m) const { return seen_[f * n_ + m] != 0; }

  struct Companion {
    std::size_t marker = 0;
    double distance = 0, spread = 0, wide = 0;
  };

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
        out_.swapped += 2;
      }
    for (std::size_t i = 0; i < bad.size(); ++i)
      if (!mended[i]) {
        seen_[bad[i]] = 0;
        out_.confidence[bad[i]] = 0;
        ++out_.jumps;
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
      thin = std::max(thin, length(cross(e, p(from, with[0]) - a)));
    }
    if (thin < 1e-6) return false;  // on one line: no turn about it is known
    result = b + rotate(fit_rotation(s, {}, 60), p(from, m) - a);
    return true;
  }

  /// A value for frame f of the gap (begin, end): from both ends, or the one there is.
  bool estimate(std::size_t m, std::size_t begin, std::size_t end, std::size_t f, Vec3d& result) {
    Vec3d left, right;
    const bool has_left = begin > 0 && carried(m, begin - 1, f, left);
    const bool has_right = end < frames_ && carried(m, end, f, right);
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
        bool found = (is_short || near_end) && estimate(m, begin, end, f, value);
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
          ++out_.filled;
        } else if (index_[m] >= 0) {
          ++out_.released;
        }
        out_.confidence[f * n_ + m] = confidence;
      }
      if (!is_short)  // a marker comes back as gently as it went
        for (std::size_t k = 0; k < fade && end + k < frames_ && begin > 0; ++k)
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
      out_.empty_frames += end - begin;
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
  std::size_t n_, frames_;
  std::vector<int> index_;
  std::vector<char> seen_;
  std::vector<std::vector<Companion>> companions_;
  MarkerTargets out_;
};

}  // namespace

MarkerTargets prepare_targets(const MarkerTake& take, const MarkerMap& map, const Context& context,
                              const TargetOptions& options) {
  std::vector<std::string> absent;
  for (const MarkerPlace& place : map.places)
    if (take.find(place.marker) < 0) absent.push_back(place.marker);
  if (absent.size() == map.places.size())
    throw Error(ErrorCode::bad_argument, take.source, "has none of the markers of the map");
  if (!absent.empty())
    context.warn(
        fmt::format("{}: does not have {} of the map; the others drive", take.source, fmt::join(absent, ", ")));
  check_options(options, "targets");
  return Preparer(take, map, options).run();
}

MarkerTargets resample(const MarkerTargets& targets, double rate) {
  MarkerTargets result = targets;
  if (!(rate > 0) || targets.frames == 0)
    throw Error(ErrorCode::bad_argument, "rate", "has to be a positive number of frames a second");
  const double seconds = static_cast<double>(targets.frames - 1) / targets.rate;
  result.rate = rate;
  result.frames = static_cast<std::size_t>(std::floor(seconds * rate + 1e-6)) + 1;
  result.positions.assign(result.frames * targets.markers, {});
  result.confidence.assign(result.frames * targets.markers, 0);
  for (std::size_t f = 0; f < result.frames; ++f) {
    const double at = static_cast<double>(f) / rate * targets.rate;
    const auto a = std::min(static_cast<std::size_t>(at + 1e-9), targets.frames - 1);
    const std::size_t b = std::min(a + 1, targets.frames - 1);
    const double t = std::clamp(at - static_cast<double>(a), 0.0, 1.0);
    for (std::size_t m = 0; m < targets.markers; ++m) {
      const double ca = targets.frame_confidence(a)[m], cb = targets.frame_confidence(b)[m];
      const std::size_t i = f * targets.markers + m;
      if (ca > 0 && cb > 0) {
        result.positions[i] = lerp(targets.frame(a)[m], targets.frame(b)[m], t);
        result.confidence[i] = ca * (1 - t) + cb * t;
      } else if (t < 0.5 ? ca > 0 : cb > 0) {
        result.positions[i] = targets.frame(t < 0.5 ? a : b)[m];
        result.confidence[i] = t < 0.5 ? ca : cb;
      }
    }
  }
  return result;
}

}  // namespace cutis
