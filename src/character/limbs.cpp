#include "character/limbs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"

namespace cutis {
namespace {

/// Limbs are at least this share of the skeleton's size.
constexpr double kShortestLimb = 0.15;
/// Ratio of the lengths of mirrored limbs.
constexpr double kLikeLength = 0.8;
constexpr double kLeastMirror = 0.8;
/// Children of a joint that are compared with each other, the longest ones.
constexpr std::size_t kMostSiblings = 12;
constexpr std::size_t kLongestLimb = 24;
/// Bones shorter than this share of the limb have no length.
constexpr double kNoLength = 0.01;

Limb limb_from(const SkinTree& tree, int at, int child) {
  Limb limb;
  limb.length = distance(tree.at(at).place, tree.at(child).place) + tree.at(child).reach;
  for (int n = child; n >= 0 && limb.nodes.size() < kLongestLimb; n = tree.at(n).next) {
    limb.nodes.push_back(n);
    limb.tip = tree.at(n).tip;
  }
  return limb;
}

/// Places at equal shares of the way.
std::array<Vec3d, 4> shape_of(const SkinTree& tree, int at, const Limb& limb) {
  std::vector<Vec3d> way{tree.at(at).place};
  for (const int n : limb.nodes) way.push_back(tree.at(n).place);
  if (limb.tip) way.push_back(*limb.tip);
  std::array<Vec3d, 4> shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    double left = limb.length * static_cast<double>(i + 1) / static_cast<double>(shape.size());
    shape[i] = way.back();
    for (std::size_t k = 0; k + 1 < way.size(); ++k) {
      const double step = distance(way[k], way[k + 1]);
      if (left <= step && step > 0) {
        shape[i] = lerp(way[k], way[k + 1], left / step);
        break;
      }
      left -= step;
    }
  }
  return shape;
}

Side side_of_limb(const std::vector<PlacedJoint>& joints, const SkinTree& tree, const Limb& limb) {
  for (const int n : limb.nodes)
    if (const Side side = side_of(joints[static_cast<std::size_t>(tree.at(n).joint)].name); side != Side::none)
      return side;
  return Side::none;
}

std::optional<LimbPair> pair_of(const SkinTree& tree, const std::vector<PlacedJoint>& joints, int at, int a, int b) {
  LimbPair pair{at, limb_from(tree, at, a), limb_from(tree, at, b), {}, 0, {}, {}};
  const double like = std::min(pair.a.length, pair.b.length) / std::max(pair.a.length, pair.b.length);
  const auto shape_a = shape_of(tree, at, pair.a), shape_b = shape_of(tree, at, pair.b);
  Vec3d sum;
  for (std::size_t i = 0; i < shape_a.size(); ++i) sum += shape_a[i] - shape_b[i];
  pair.axis = normalized(sum);
  double along = 0, apart = 0;
  for (std::size_t i = 0; i < shape_a.size(); ++i) {
    along += std::abs(dot(shape_a[i] - shape_b[i], pair.axis));
    apart += distance(shape_a[i], shape_b[i]);
  }
  if (!(apart > 0.05 * pair.length())) return std::nullopt;
  pair.quality = like * along / apart;
  const Side side_a = side_of_limb(joints, tree, pair.a), side_b = side_of_limb(joints, tree, pair.b);
  const bool named = side_a != Side::none && side_b != Side::none && side_a != side_b;
  if (side_a != Side::none && side_a == side_b) return std::nullopt;
  if (!named && (like < kLikeLength || along / apart < kLeastMirror)) return std::nullopt;
  const auto first = [&](const Limb& limb) { return tree.at(limb.nodes.front()).place; };
  const auto last = [&](const Limb& limb) { return tree.at(limb.nodes.back()).place; };
  pair.root = (first(pair.a) + first(pair.b)) * 0.5;
  pair.direction = normalized((last(pair.a) + last(pair.b)) * 0.5 - pair.root);
  return pair;
}

/// One way to call three joints of a limb its two long bones.
struct Reading {
  std::size_t upper = 0, lower = 0, end = 0;
  double score = -1e300;
};

class LimbReader {
 public:
  LimbReader(const SkinTree& tree, const std::vector<PlacedJoint>& joints, int at, const Limb& limb, LimbKind kind)
      : tree_(tree), joints_(joints), limb_(limb), kind_(kind) {
    // Joints at the place of the one before add nothing to the shape.
    Vec3d before = tree.at(at).place;
    for (std::size_t i = 0; i < limb.nodes.size(); ++i) {
      const Vec3d place = tree.at(limb.nodes[i]).place;
      if (distance(before, place) > kNoLength * limb.length || (i == 0 && limb.nodes.size() < 4)) {
        real_.push_back(i);
        places_.push_back(place);
      }
      before = place;
    }
  }

  [[nodiscard]] std::vector<Part> read() const {
    std::vector<Part> parts(limb_.nodes.size(), Part::none);
    const bool arm = kind_ == LimbKind::arm;
    const Part upper = arm ? Part::upper_arm : Part::thigh, lower = arm ? Part::forearm : Part::shin,
               end = arm ? Part::hand : Part::foot;
    Reading best;
    const std::size_t n = real_.size();
    for (std::size_t i = 0; i + 1 < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j)
        for (std::size_t k = j + 1; k <= n; ++k) {
          if (k == n && !(limb_.tip && j + 1 == n)) continue;
          const double score =
              score_of(i, j, k) + names_of(i, upper) + names_of(j, lower) + (k < n ? names_of(k, end) : 0);
          if (score > best.score + 1e-9) best = {i, j, k, score};
        }
    if (best.score < -1e200) {  // too short for two bones
      if (n > 0) parts[real_[0]] = upper;
      if (n > 1) parts[real_[1]] = lower;
      return parts;
    }
    parts[real_[best.upper]] = upper;
    parts[real_[best.lower]] = lower;
    if (best.end < n) parts[real_[best.end]] = end;
    if (arm && real_[best.upper] > 0) parts[real_[best.upper] - 1] = Part::clavicle;
    if (!arm && best.end + 1 < n) parts[real_[best.end + 1]] = Part::toes;
    return parts;
  }

 private:
  [[nodiscard]] double names_of(std::size_t i, Part part) const {
    const auto fit = [&](std::size_t k) {
      return name_fit(joints_[static_cast<std::size_t>(tree_.at(limb_.nodes[real_[k]]).joint)].name, part);
    };
    const double own = fit(i);
    return own > 0 && i > 0 && fit(i - 1) >= own ? 0.3 * own : own;  // the second piece of a bone: upper_arm.001
  }
  [[nodiscard]] Vec3d place(std::size_t i) const { return i < places_.size() ? places_[i] : *limb_.tip; }

  /// Bones of like length that make up much of the limb, with no joints between them other than halves (twists).
  [[nodiscard]] double score_of(std::size_t i, std::size_t j, std::size_t k) const {
    const double a = distance(place(i), place(j)), b = distance(place(j), place(k));
    double score = std::min(a, b) / std::max({a, b, 1e-300}) + (a + b) / limb_.length;
    score -= skipped(i, j) + skipped(j, k);
    const std::size_t before = kind_ == LimbKind::arm && i > 0 ? i - 1 : i;  // a collar is usual
    score -= 0.15 * static_cast<double>(before);
    if (k >= places_.size()) return score - 0.3;
    if (kind_ == LimbKind::arm) {
      const std::size_t fingers = tree_.at(limb_.nodes[real_[k]]).children.size();
      if (fingers > 1) score += fingers > 2 ? 0.6 : 0.3;
    }
    return score;
  }
  [[nodiscard]] double skipped(std::size_t from, std::size_t to) const {
    double cost = 0;
    const auto pieces = static_cast<double>(to - from);
    for (std::size_t s = from + 1; s < to; ++s) {
      const Vec3d even = lerp(place(from), place(to), static_cast<double>(s - from) / pieces);
      const bool twist = distance(even, place(s)) < 0.12 * distance(place(from), place(to));
      cost += twist ? 0.05 : 0.3;
    }
    return cost;
  }

  const SkinTree& tree_;
  const std::vector<PlacedJoint>& joints_;
  const Limb& limb_;
  LimbKind kind_;
  std::vector<std::size_t> real_;  ///< places in the limb of the joints that count
  std::vector<Vec3d> places_;
};

}  // namespace

std::vector<LimbPair> find_limb_pairs(const SkinTree& tree, const std::vector<PlacedJoint>& joints) {
  std::vector<LimbPair> pairs;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const SkinTree::Node& node = tree.nodes[n];
    if (node.children.size() < 2) continue;
    const auto length_to = [&](int c) { return distance(node.place, tree.at(c).place) + tree.at(c).reach; };
    std::vector<int> children;
    for (const int c : node.children)
      if (length_to(c) > kShortestLimb * tree.size) children.push_back(c);
    std::stable_sort(children.begin(), children.end(), [&](int a, int b) { return length_to(a) > length_to(b); });
    if (children.size() > kMostSiblings) children.resize(kMostSiblings);
    for (std::size_t i = 0; i < children.size(); ++i)
      for (std::size_t k = i + 1; k < children.size(); ++k)
        if (auto pair = pair_of(tree, joints, static_cast<int>(n), children[i], children[k]))
          pairs.push_back(std::move(*pair));
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const LimbPair& a, const LimbPair& b) { return a.length() > b.length(); });
  constexpr std::size_t kMostPairs = 64;
  if (pairs.size() > kMostPairs) pairs.resize(kMostPairs);
  return pairs;
}

std::vector<Part> limb_parts(const SkinTree& tree, const std::vector<PlacedJoint>& joints, int at, const Limb& limb,
                             LimbKind kind) {
  return LimbReader(tree, joints, at, limb, kind).read();
}

std::vector<std::pair<int, Role>> finger_roles(const SkinTree& tree, int hand, Side side) {
  const Vec3d wrist = tree.at(hand).place;
  std::vector<Limb> fingers;
  Vec3d mean;
  for (const int c : tree.at(hand).children) {
    fingers.push_back(limb_from(tree, hand, c));
    mean += (tree.at(fingers.back().nodes.back()).place - wrist);
  }
  if (fingers.size() < 3 || fingers.size() > 5) return {};
  const Vec3d along = normalized(mean);
  const auto end_of = [&](const Limb& f) { return f.tip ? *f.tip : tree.at(f.nodes.back()).place; };
  const auto thumb = std::min_element(fingers.begin(), fingers.end(), [&](const Limb& a, const Limb& b) {
    return dot(end_of(a) - wrist, along) < dot(end_of(b) - wrist, along);
  });
  std::iter_swap(fingers.begin(), thumb);
  Vec3d others;
  for (std::size_t i = 1; i < fingers.size(); ++i)
    others += (end_of(fingers[i]) - wrist) / static_cast<double>(fingers.size() - 1);
  Vec3d across = end_of(fingers[0]) - wrist - others;
  across -= along * dot(across, along);
  std::sort(fingers.begin() + 1, fingers.end(), [&](const Limb& a, const Limb& b) {
    return dot(end_of(a) - wrist, across) > dot(end_of(b) - wrist, across);
  });
  std::vector<std::pair<int, Role>> roles;
  for (std::size_t f = 0; f < fingers.size(); ++f) {
    const std::vector<int>& nodes = fingers[f].nodes;
    const std::size_t palm = f > 0 && nodes.size() > 3 ? 1 : 0;  // a bone of the palm before the three of the finger
    for (std::size_t i = 0; i < nodes.size() && i + 1 - palm <= 4; ++i)
      roles.emplace_back(nodes[i], Role{Part::finger, side, static_cast<int>(10 * f + i + 1 - palm)});
  }
  return roles;
}

}  // namespace cutis
