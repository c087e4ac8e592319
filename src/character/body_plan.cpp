#include "character/body_plan.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/tree.h"
#include "character/limbs.h"

namespace cutis {
namespace {

// Cosines between trunk and limbs.
constexpr double kUpright = -0.6;   ///< legs of an upright body point away from the chest at least so much
constexpr double kAcross = 0.55;    ///< legs of an animal are at right angles to the trunk up to this
constexpr double kParallel = 0.6;   ///< fore and hind legs
constexpr double kSameAxis = 0.75;  ///< left-right axes of the two pairs
constexpr double kLevel = 0.4;      ///< left-right axis and trunk
/// Shortest trunk, as a share of the skeleton's size.
constexpr double kShortestTrunk = 0.08;
/// Neck, head and tail stay this near to the middle plane, as a share of the size.
constexpr double kMiddle = 0.08;

struct Trunk {
  BodyKind kind = BodyKind::none;
  const LimbPair *legs = nullptr, *arms = nullptr;
  double score = 0;
};

class PlanFinder {
 public:
  explicit PlanFinder(const std::vector<PlacedJoint>& joints) : joints_(joints), tree_(make_skin_tree(joints)) {}

  std::optional<BodyPlan> run() {
    if (tree_.nodes.size() < 7 || !(tree_.size > 0) || !std::isfinite(tree_.size)) return std::nullopt;
    pairs_ = find_limb_pairs(tree_, joints_);
    Trunk best;
    for (const LimbPair& legs : pairs_)
      for (const LimbPair& arms : pairs_) consider(legs, arms, best);
    if (best.kind == BodyKind::none || has_more_legs(best)) return std::nullopt;
    trunk_ = best;
    plan_.kind = best.kind;
    plan_.roles.resize(joints_.size());
    plan_.quality = std::clamp((best.legs->quality + best.arms->quality) / 2, 0.0, 1.0);
    give_trunk();
    give_limbs();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] const std::string& name(int node) const {
    return joints_[static_cast<std::size_t>(tree_.at(node).joint)].name;
  }
  [[nodiscard]] bool is_below(int node, int above) const { return hangs_on(tree_.nodes, node, above); }
  [[nodiscard]] bool in_limbs(int node, const LimbPair& pair) const {
    return is_below(node, pair.a.nodes.front()) || is_below(node, pair.b.nodes.front());
  }

  // ---- which pairs ----

  void consider(const LimbPair& legs, const LimbPair& arms, Trunk& best) const {
    if (&legs == &arms || in_limbs(arms.at, legs) || in_limbs(legs.at, arms)) return;
    if (legs.at == arms.at && (in_limbs(arms.a.nodes.front(), legs) || in_limbs(arms.b.nodes.front(), legs))) return;
    if (legs.a.nodes.size() < 2 || arms.a.nodes.size() < 2) return;
    const Vec3d way = arms.root - legs.root;
    if (length(way) < kShortestTrunk * tree_.size) return;
    const Vec3d along = normalized(way);
    if (std::abs(dot(legs.axis, arms.axis)) < kSameAxis) return;
    if (std::abs(dot(legs.axis, along)) > kLevel || std::abs(dot(arms.axis, along)) > kLevel) return;
    const double down = dot(along, legs.direction), fore = dot(along, arms.direction);
    Trunk trunk{BodyKind::none, &legs, &arms, 0};
    trunk.score = legs.length() + arms.length() + 0.5 * tree_.size * (legs.quality + arms.quality);
    trunk.score += tree_.size * (named(legs, LimbKind::leg) + named(arms, LimbKind::arm));
    if (down < kUpright) {
      trunk.kind = BodyKind::human;
      trunk.score += 0.7 * tree_.size * std::max(along.y, along.z);  // files are Y-up or Z-up
      if (middle_child(trunk, arms.at, arms.root, along, {}) >= 0) trunk.score += 0.5 * tree_.size;  // a head
    } else if (std::abs(down) < kAcross && std::abs(fore) < kAcross &&
               dot(legs.direction, arms.direction) > kParallel) {
      trunk.kind = BodyKind::quadruped;
      trunk.score += tree_.size * faces_forward(legs, arms, along);
    } else {
      return;
    }
    if (best.kind == BodyKind::none || trunk.score > best.score + 1e-9 * tree_.size) best = trunk;
  }

  /// How much the names along a pair speak of such a limb; between -1 and 1.
  [[nodiscard]] double named(const LimbPair& pair, LimbKind kind) const {
    double sum = 0;
    for (const Limb* limb : {&pair.a, &pair.b})
      for (const int n : limb->nodes) {
        double arm = 0, leg = 0;
        for (const Part part : {Part::clavicle, Part::upper_arm, Part::forearm, Part::hand})
          arm = std::max(arm, name_fit(name(n), part));
        for (const Part part : {Part::thigh, Part::shin, Part::foot, Part::toes})
          leg = std::max(leg, name_fit(name(n), part));
        sum += kind == LimbKind::arm ? arm - leg : leg - arm;
      }
    return std::clamp(sum / 4, -1.0, 1.0);
  }

  /// Of an animal: the root is at the hips, the head is held higher than the tail.
  [[nodiscard]] double faces_forward(const LimbPair& legs, const LimbPair& arms, const Vec3d& along) const {
    double sum = 0;
    if (is_below(arms.at, legs.at) && arms.at != legs.at) sum += 0.3;
    if (is_below(legs.at, arms.at) && arms.at != legs.at) sum -= 0.3;
    const Vec3d up = -legs.direction;
    double front = 0, back = 0;
    for (const SkinTree::Node& node : tree_.nodes) {
      const double beyond = dot(node.place - arms.root, along), behind = -dot(node.place - legs.root, along);
      if (beyond > 0) front = std::max(front, dot(node.place - arms.root, up));
      if (behind > 0) back = std::max(back, dot(node.place - legs.root, up));
    }
    sum += std::clamp((front - back) / tree_.size, -0.3, 0.3);
    for (std::size_t n = 0; n < tree_.nodes.size(); ++n) {
      const double head = std::max(
          {0.0, name_fit(name(static_cast<int>(n)), Part::head), name_fit(name(static_cast<int>(n)), Part::neck)});
      if (head > 0) sum += dot(tree_.nodes[n].place - (legs.root + arms.root) * 0.5, along) > 0 ? 1 : -1;
    }
    return std::clamp(sum, -1.0, 1.0);
  }

  /// A third pair that stands on the ground beside the two: spiders and beetles.
  [[nodiscard]] bool has_more_legs(const Trunk& trunk) const {
    if (trunk.kind == BodyKind::human && trunk.legs->at != trunk.arms->at) return false;
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const LimbPair& pair) {
      const auto uses = [&](const LimbPair& other) {
        return pair.a.nodes.front() == other.a.nodes.front() || pair.a.nodes.front() == other.b.nodes.front() ||
               pair.b.nodes.front() == other.a.nodes.front() || pair.b.nodes.front() == other.b.nodes.front();
      };
      return !uses(*trunk.legs) && !uses(*trunk.arms) &&
             pair.length() > 0.6 * std::min(trunk.legs->length(), trunk.arms->length()) &&
             dot(pair.direction, trunk.legs->direction) > kParallel;
    });
  }

  // ---- trunk ----

  /// Frames of joints without skin are not to be trusted; hips are, for want of others.
  void give(int node, Role role) {
    const auto joint = static_cast<std::size_t>(tree_.at(node).joint);
    if (joints_[joint].moves_skin || role.part == Part::hips) plan_.roles[joint] = role;
  }

  void give_trunk() {
    along_ = normalized(trunk_.arms->root - trunk_.legs->root);
    const int pelvis = trunk_.legs->at, chest = trunk_.arms->at;
    std::vector<int> up;  // from the chest to where it meets the way up from the pelvis
    int meet = chest;
    for (; meet >= 0 && !is_below(pelvis, meet); meet = tree_.at(meet).parent) up.push_back(meet);
    hips_ = meet >= 0 ? meet : pelvis;
    std::vector<int> spine(up.rbegin(), up.rend());
    if (meet == chest) {  // the root is at the chest: the way down
      hips_ = pelvis;
      for (int n = tree_.at(pelvis).parent; pelvis != chest && n >= 0; n = tree_.at(n).parent) {
        spine.push_back(n);
        if (n == chest) break;
      }
    }
    give(hips_, {Part::hips, Side::none, 0});
    // What follows the chest on the middle plane.
    std::vector<int> carriers(spine.rbegin(), spine.rend());
    if (carriers.empty()) carriers.push_back(hips_);
    int top = -1;
    for (const int carrier : carriers) {
      top = middle_child(trunk_, carrier, trunk_.arms->root, along_, spine);
      if (top >= 0) break;
    }
    for (std::size_t i = 0; i < spine.size(); ++i) give(spine[i], {Part::spine, Side::none, static_cast<int>(i)});
    if (top >= 0) give_head(top);
    if (trunk_.kind == BodyKind::quadruped) give_tail(spine);
  }

  /// The longest way from `carrier` that goes on in `direction`, near the middle plane; -1: none.
  [[nodiscard]] int middle_child(const Trunk& trunk, int carrier, const Vec3d& from, const Vec3d& direction,
                                 const std::vector<int>& not_these) const {
    int best = -1;
    double furthest = 0;
    for (const int c : tree_.at(carrier).children) {
      if (std::find(not_these.begin(), not_these.end(), c) != not_these.end()) continue;
      if (in_limbs(c, *trunk.arms) || in_limbs(c, *trunk.legs)) continue;
      Vec3d end = tree_.at(c).place;
      int n = c;
      for (; tree_.at(n).next >= 0; n = tree_.at(n).next) end = tree_.at(tree_.at(n).next).place;
      if (tree_.at(n).tip) end = *tree_.at(n).tip;
      const auto off_middle = [&](const Vec3d& p) { return std::abs(dot(p - from, trunk.legs->axis)); };
      if (off_middle(tree_.at(c).place) > kMiddle * tree_.size) continue;
      const double far = std::max(dot(end - from, direction), dot(tree_.at(c).place - from, direction)) +
                         tree_.size * std::max(0.0, name_fit(name(c), Part::neck));
      if (far > furthest) {
        furthest = far;
        best = c;
      }
    }
    return best;
  }

  void give_head(int top) {
    std::vector<int> way;
    for (int n = top; n >= 0; n = tree_.at(n).next) way.push_back(n);
    std::size_t head = way.size() - 1;
    for (std::size_t i = 0; i < way.size(); ++i) {
      if (name_fit(name(way[i]), Part::head) > 0.5 || tree_.at(way[i]).children.size() > 1) {  // jaw, eyes, ears
        head = i;
        break;
      }
    }
    for (std::size_t i = 0; i < head; ++i) give(way[i], {Part::neck, Side::none, static_cast<int>(i)});
    give(way[head], {Part::head, Side::none, 0});
  }

  void give_tail(const std::vector<int>& spine) {
    const int first = middle_child(trunk_, trunk_.legs->at, trunk_.legs->root, -along_, spine);
    int index = 0;
    for (int n = first; n >= 0; n = tree_.at(n).next) give(n, {Part::tail, Side::none, index++});
  }

  // ---- limbs ----

  void give_limbs() {
    struct Read {
      const LimbPair* pair;
      LimbKind kind;
      std::vector<Part> a, b;
    };
    std::vector<Read> reads;
    for (const auto& [pair, kind] : {std::pair{trunk_.legs, LimbKind::leg}, std::pair{trunk_.arms, LimbKind::arm}}) {
      reads.push_back({pair, kind, limb_parts(tree_, joints_, pair->at, pair->a, kind),
                       limb_parts(tree_, joints_, pair->at, pair->b, kind)});
    }
    const Vec3d left = left_of(reads[0].pair->a, reads[0].a, reads[0].pair->b, reads[0].b);
    for (const Read& read : reads) {
      const bool a_is_left = dot(read.pair->axis, left) > 0;
      for (const bool is_a : {true, false}) {
        const Limb& limb = is_a ? read.pair->a : read.pair->b;
        const std::vector<Part>& parts = is_a ? read.a : read.b;
        const Side side = is_a == a_is_left ? Side::left : Side::right;
        for (std::size_t i = 0; i < parts.size(); ++i) {
          if (parts[i] == Part::none) continue;
          give(limb.nodes[i], {parts[i], side, 0});
          if (parts[i] != Part::hand || trunk_.kind != BodyKind::human) continue;
          for (const auto& [node, role] : finger_roles(tree_, limb.nodes[i], side)) give(node, role);
        }
      }
    }
  }

  /// Unit vector to the left: what the names say, else by the way that feet and knees point.
  Vec3d left_of(const Limb& a, const std::vector<Part>& parts_a, const Limb& b, const std::vector<Part>& parts_b) {
    double votes = 0, words = 0;  // positive: a is left
    for (const LimbPair* pair : {trunk_.legs, trunk_.arms}) {
      const double turn = dot(pair->axis, trunk_.legs->axis) > 0 ? 1 : -1;
      for (const bool is_a : {true, false})
        for (const int n : (is_a ? pair->a : pair->b).nodes) {
          const Side side = side_of(name(n));
          if (side == Side::none) continue;
          votes += turn * ((side == Side::left) == is_a ? 1 : -1);
          words += 1;
        }
    }
    const Vec3d axis = trunk_.legs->axis;
    if (words >= 2 && votes != 0) {
      plan_.side_quality = std::abs(votes) / words;
      return axis * (votes > 0 ? 1.0 : -1.0);
    }
    Vec3d up = along_, forward = along_;
    if (trunk_.kind == BodyKind::quadruped) {
      up = -trunk_.legs->direction;
      plan_.side_quality = 0.9;
    } else {
      forward = toes_of(a, parts_a) + toes_of(b, parts_b);
      forward -= up * dot(forward, up);
      forward -= axis * dot(forward, axis);
      const double certainty = length(forward) / (0.04 * tree_.size);
      plan_.side_quality = std::clamp(certainty, 0.3, 0.9);
      if (certainty < 0.2) forward = std::abs(up.z) > 0.8 ? Vec3d{0, -1, 0} : Vec3d{0, 0, 1};  // as files usually face
    }
    return dot(cross(up, forward), axis) > 0 ? axis : -axis;
  }
  /// From the ankle to the toes, and half of how far the knee is before the line from hip to ankle.
  [[nodiscard]] Vec3d toes_of(const Limb& leg, const std::vector<Part>& parts) const {
    std::optional<Vec3d> hip, knee, ankle;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Vec3d place = tree_.at(leg.nodes[i]).place;
      if (parts[i] == Part::thigh) hip = place;
      if (parts[i] == Part::shin) knee = place;
      if (parts[i] == Part::foot) ankle = place;
    }
    Vec3d sum;
    if (ankle) sum += (leg.tip ? *leg.tip : tree_.at(leg.nodes.back()).place) - *ankle;
    if (hip && knee && ankle) {
      const double t = dot(*knee - *hip, *ankle - *hip) / std::max(dot(*ankle - *hip, *ankle - *hip), 1e-300);
      sum += (*knee - lerp(*hip, *ankle, t)) * 0.5;
    }
    return sum;
  }

  const std::vector<PlacedJoint>& joints_;
  SkinTree tree_;
  std::vector<LimbPair> pairs_;
  Trunk trunk_;
  Vec3d along_;
  int hips_ = -1;
  BodyPlan plan_;
};

}  // namespace

std::optional<BodyPlan> find_body_plan(const std::vector<PlacedJoint>& joints) { return PlanFinder(joints).run(); }

}  // namespace cutis
