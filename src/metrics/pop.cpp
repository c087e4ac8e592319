// The percentile of a stream: with the number of values known in advance, the values above the 99.9th percentile are
// among a known number of largest ones, and a heap of that many is enough.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/metrics.h"
#include "metrics/percentile.h"

namespace cutis {
namespace {

constexpr double kPopShare = 0.999;
// Rounding of float positions makes second differences of up to 4 * 2^-24 of the size.
constexpr double kNoise = 1e-6;

// How many of the largest of `count` values the percentile is computed from.
std::size_t values_above(std::size_t count) {
  return count - static_cast<std::size_t>(percentile_rank(count, kPopShare));
}

}  // namespace

PopAccumulator::PopAccumulator(const Metrics& metrics, std::size_t frames)
    : first_of_welded_(metrics.first_of_welded().begin(), metrics.first_of_welded().end()),
      input_vertices_(metrics.vertex_count()),
      size_(metrics.size()),
      expected_frames_(frames) {
  if (frames > 2) keep_ = values_above(first_of_welded_.size() * (frames - 2));
}

void PopAccumulator::add(std::span<const Vec3f> positions) {
  if (positions.size() != input_vertices_)
    throw Error(ErrorCode::bad_argument, "pop",
                fmt::format("got {} positions for a character of {} vertices.", positions.size(), input_vertices_));
  if (expected_frames_ > 0 && frames_ == expected_frames_)
    throw Error(ErrorCode::bad_argument, "pop",
                fmt::format("a frame more than the {} that were announced.", expected_frames_));
  std::vector<Vec3f> now;
  now.reserve(first_of_welded_.size());
  for (const std::uint32_t v : first_of_welded_) now.push_back(positions[v]);
  if (frames_ >= 2) {
    for (std::size_t w = 0; w < now.size(); ++w) {
      const Vec3d second =
          static_cast<Vec3d>(before_[w]) - static_cast<Vec3d>(last_[w]) * 2.0 + static_cast<Vec3d>(now[w]);
      if (!is_finite(second)) continue;
      const auto difference = static_cast<float>(std::min<double>(length(second), std::numeric_limits<float>::max()));
      ++count_;
      if (keep_ == 0) {
        largest_.push_back(difference);
      } else if (largest_.size() < keep_) {
        largest_.push_back(difference);
        std::push_heap(largest_.begin(), largest_.end(), std::greater<>{});
      } else if (difference > largest_.front()) {
        std::pop_heap(largest_.begin(), largest_.end(), std::greater<>{});
        largest_.back() = difference;
        std::push_heap(largest_.begin(), largest_.end(), std::greater<>{});
      }
    }
  }
  before_ = std::move(last_);
  last_ = std::move(now);
  ++frames_;
}

std::optional<double> PopAccumulator::percentile() const {
  if (count_ == 0) return std::nullopt;
  const double rank = percentile_rank(count_, kPopShare);
  const auto below = static_cast<std::size_t>(rank);
  // The largest `values_above(count_)`, of which the smallest two are interpolated.
  std::vector<float> top = largest_;
  std::sort(top.begin(), top.end());
  const std::size_t at = top.size() - (count_ - below);
  if (at + 1 == top.size()) return top[at];
  return top[at] + (static_cast<double>(top[at + 1]) - top[at]) * (rank - static_cast<double>(below));
}

std::optional<double> pop(const PopAccumulator& method, const PopAccumulator& lbs) {
  const std::optional<double> a = method.percentile(), b = lbs.percentile();
  if (!a || !b) return std::nullopt;
  const double noise = std::max(kNoise * lbs.size(), 1e-30);
  return std::max(*a, noise) / std::max(*b, noise);
}

}  // namespace cutis
