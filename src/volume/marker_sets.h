// Names of markers: which anatomical site (marker_sites.h) a name means, set by set.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cutis {

struct MarkerSet {
  /// A name and its site. `?` in both is the side: L or R (LEFT, RIGHT too). Upper case, without separators.
  struct Entry {
    std::string_view name, site;
  };
  std::string_view title;
  std::span<const Entry> entries;

  /// Names of the whole set: sided entries count twice.
  [[nodiscard]] std::size_t size() const;
  /// Empty when the name is none of the set.
  [[nodiscard]] std::string site_of(std::string_view name) const;
};

/// All that are built in. The first of sets that suit as well is meant.
[[nodiscard]] std::span<const MarkerSet> marker_sets();

/// "r_knee.Medial" is "RKNEEMEDIAL", "Knee_L" is "LKNEE": upper case, no separators, a side at the end moved to the
/// front.
[[nodiscard]] std::string normalised_marker(std::string_view name);

/// How well a set suits names (normalised): twice the names it knows over the names there are and those it has, in [0,
/// 1].
[[nodiscard]] double set_score(const MarkerSet& set, std::span<const std::string> names);

}  // namespace cutis
