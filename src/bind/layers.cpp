// A rider of a garment stands on the nearest point of the skin, its foot. The vertices of the skin around the foot,
// those that edges reach without leaving a ball, hold it: each would carry it as its own surroundings turn, and their
// mean, with a smooth weight, is where it goes. Where the skin is far, or moved by other bones than the garment, it
// goes with smooth skinning instead.
#include "bind/layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "cutis/error.h"
#include "geometry/closest_point.h"
#include "geometry/normals.h"
#include "geometry/triangle_bvh.h"

namespace cutis {
namespace {

constexpr std::uint32_t kNoRider = RigLayers::kNone;
// Skin holds what is within this part of the figure's size over it, less and less from half of it on: as near as cloth
// is (roles.cpp), and half as much again for what hangs loosely.
constexpr double kSkinReach = 0.0375;
// Weights differ, in [0, 2]: up to the first cloth goes with the skin, from the second on with its own bones.
constexpr double kSameWeights = 0.6, kOtherWeights = 1.2;
// Of what the weights of the skin change along the edges of a piece above, the piece's own change less by: up to the
// first part it is cloth and goes with the skin, from the second on it was made stiff (armour) and goes with its bones.
constexpr double kAsSoft = 0.2, kStiffer = 0.35;
// The ball around a foot, in edges of the skin there: a handful of vertices.
constexpr double kBallEdges = 1.6;
constexpr std::size_t kMostAnchors = 16;
// Passes over the cloth that smooth what changes between skin and smooth skinning.
constexpr int kSharePasses = 4;
// A point is below cloth when the way there is within 45 degrees of the skin's normal.
constexpr double kStraightUp = 0.7;

Vec3d at(std::span<const Vec3f> p, std::uint32_t v) { return static_cast<Vec3d>(p[v]); }

WeightRow row_of(const Character& character, const WeldedCharacter& welded, std::uint32_t input) {
  const auto& begins = welded.mesh_begin;
  const auto mesh =
      static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), input) - begins.begin()) - 1;
  return weight_row(character.meshes[mesh].weights, input - begins[mesh]);
}

// The joint with the most weight on the piece.
std::vector<std::uint32_t> main_joints(const Character& character, const WeldedCharacter& welded, const Roles& roles) {
  std::vector<std::vector<double>> sums(roles.pieces.size(),
                                        std::vector<double>(character.skeleton.joints.size(), 0.0));
  for (const std::uint32_t input : welded.weld.first_of) {
    if (roles.piece[input] >= roles.pieces.size()) continue;
    const WeightRow row = row_of(character, welded, input);
    for (std::size_t k = 0; k < row.joints.size(); ++k) sums[roles.piece[input]][row.joints[k]] += row.weights[k];
  }
  std::vector<std::uint32_t> result;
  for (const auto& sum : sums)
    result.push_back(static_cast<std::uint32_t>(std::ranges::max_element(sum) - sum.begin()));
  return result;
}

struct Foot {
  std::array<std::uint32_t, 3> corners{};
  std::array<double, 3> weight{};
  Vec3d point;
  double distance = 0;
};

class Skin {
 public:
  explicit Skin(const RigSurface& surface) : s_(surface), seen_(surface.size(), kNoRider) {
    std::vector<std::uint32_t> all(s_.triangles.size());
    std::iota(all.begin(), all.end(), 0U);
    tree_ = TriangleBvh(s_.positions, s_.triangles, all);
  }
  [[nodiscard]] bool empty() const { return tree_.empty(); }

  [[nodiscard]] Foot foot_of(const Vec3d& p) const {
    const auto hit = ClosestPoint(tree_, s_.positions, s_.triangles).nearest(p);
    const Triangle& t = s_.triangles[hit.triangle];
    Foot foot{{t[0], t[1], t[2]}, hit.barycentric, {}, hit.distance};
    for (std::size_t k = 0; k < 3; ++k) foot.point += at(s_.positions, t[k]) * foot.weight[k];
    return foot;
  }

  // Vertices around the foot, with weights that fade out towards the border of the ball.
  void hold(const Foot& foot, std::uint32_t stamp, RigLayers& layers) {
    double ball = 0;
    for (const std::uint32_t c : foot.corners)
      ball = std::max({ball, kBallEdges * s_.edge[c], 1.01 * distance(at(s_.positions, c), foot.point)});
    found_.clear();
    for (const std::uint32_t c : foot.corners) {
      seen_[c] = stamp;
      found_.push_back(c);
    }
    for (std::size_t i = 0; i < found_.size() && found_.size() < 4 * kMostAnchors; ++i)
      for (const std::uint32_t w : s_.neighbours.row(found_[i])) {
        if (seen_[w] == stamp || distance(at(s_.positions, w), foot.point) >= ball) continue;
        seen_[w] = stamp;
        found_.push_back(w);
      }
    const auto near = [&](std::uint32_t v) { return distance(at(s_.positions, v), foot.point); };
    std::ranges::stable_sort(found_, {}, near);
    if (found_.size() > kMostAnchors) found_.resize(kMostAnchors);
    double sum = 0;
    const std::size_t first = layers.anchor_weight.size();
    std::ranges::sort(found_);
    for (const std::uint32_t v : found_) {
      const double x = std::min(1.0, near(v) / ball), w = (1 - x * x) * (1 - x * x) + 1e-6;
      layers.anchors.items.push_back(v);
      layers.anchor_weight.push_back(static_cast<float>(w));
      sum += w;
    }
    for (std::size_t i = first; i < layers.anchor_weight.size(); ++i)
      layers.anchor_weight[i] = static_cast<float>(layers.anchor_weight[i] / sum);
  }

  [[nodiscard]] const RigSurface& surface() const { return s_; }

 private:
  const RigSurface& s_;
  TriangleBvh tree_;
  std::vector<std::uint32_t> seen_, found_;
};

// How much the weights of a vertex and of the skin at its foot differ, in [0, 2].
double difference(const Character& character, const WeldedCharacter& welded, const RigSurface& s, std::uint32_t input,
                  const Foot& foot, std::vector<double>& scratch) {
  scratch.assign(character.skeleton.joints.size(), 0.0);
  const auto add = [&](std::uint32_t vertex, double factor) {
    const WeightRow row = row_of(character, welded, vertex);
    for (std::size_t k = 0; k < row.joints.size(); ++k) scratch[row.joints[k]] += factor * row.weights[k];
  };
  add(input, 1);
  for (std::size_t k = 0; k < 3; ++k) add(s.first_of[foot.corners[k]], -foot.weight[k]);
  return std::accumulate(scratch.begin(), scratch.end(), 0.0, [](double sum, double w) { return sum + std::abs(w); });
}

// Weights of the skin at a rider's foot: joints in order.
using Mix = std::vector<std::pair<std::uint32_t, double>>;
Mix mix_of(const Character& character, const WeldedCharacter& welded, const RigSurface& s, const Triangle& corners,
           const Vec3f& at) {
  Mix all;
  for (int k = 0; k < 3; ++k) {
    const WeightRow row = row_of(character, welded, s.first_of[corners[static_cast<std::size_t>(k)]]);
    for (std::size_t i = 0; i < row.joints.size(); ++i)
      all.emplace_back(row.joints[i], static_cast<double>(at[k]) * row.weights[i]);
  }
  std::ranges::sort(all);
  Mix sum;
  for (const auto& [joint, weight] : all) {
    if (sum.empty() || sum.back().first != joint) sum.emplace_back(joint, 0.0);
    sum.back().second += weight;
  }
  return sum;
}

double mix_difference(const Mix& a, const Mix& b) {
  double sum = 0;
  for (auto i = a.begin(), k = b.begin(); i != a.end() || k != b.end();) {
    if (k == b.end() || (i != a.end() && i->first < k->first)) {
      sum += (i++)->second;
    } else if (i == a.end() || k->first < i->first) {
      sum += (k++)->second;
    } else {
      sum += std::abs((i++)->second - (k++)->second);
    }
  }
  return sum;
}

// A piece that its weights keep stiffer than the skin below is not bent by it: along its edges, how much more do the
// weights of the skin change than its own?
void keep_stiff(const Character& character, const WeldedCharacter& welded, const Roles& roles, const RigSurface& s,
                std::span<const std::uint32_t> rider_of, RigLayers& l) {
  std::vector<Mix> below(l.size());
  for (std::size_t r = 0; r < l.size(); ++r)
    if (l.share[r] > 0) below[r] = mix_of(character, welded, s, l.ground[r], l.ground_at[r]);
  std::vector<double> skin(roles.pieces.size(), 0.0), more(roles.pieces.size(), 0.0);
  for (std::uint32_t v = 0; v < rider_of.size(); ++v) {
    const std::uint32_t r = rider_of[v];
    if (r == kNoRider || !(l.share[r] > 0)) continue;
    const std::uint32_t p = roles.piece[l.first_of[r]];
    const WeightRow own = row_of(character, welded, l.first_of[r]);
    for (const std::uint32_t w : welded.topology.vertex_neighbours.row(v)) {
      const std::uint32_t q = rider_of[w];
      if (q == kNoRider || !(l.share[q] > 0)) continue;
      const double bends = mix_difference(below[r], below[q]);
      skin[p] += bends;
      if (bends > 0) more[p] += std::max(0.0, bends - weight_difference(own, row_of(character, welded, l.first_of[q])));
    }
  }
  for (std::size_t r = 0; r < l.size(); ++r) {
    const std::uint32_t p = roles.piece[l.first_of[r]];
    if (skin[p] > 0) l.share[r] *= static_cast<float>(1 - smooth_step(more[p] / skin[p], kAsSoft, kStiffer));
  }
}

// What garments cover at rest: of the skin, and of the garments below.
void find_covers(const std::vector<std::vector<Triangle>>& garments, double reach, Rig& rig) {
  const RigSurface& s = rig.surface;
  RigLayers& l = rig.layers;
  std::vector<Vec3f> riders;
  for (const std::uint32_t input : l.first_of) riders.push_back(rig.rest_positions[input]);
  std::vector<std::uint32_t> lower;  // riders of the garments so far
  for (const std::vector<Triangle>& garment : garments) {
    std::vector<std::uint32_t> all(garment.size());
    std::iota(all.begin(), all.end(), 0U);
    const TriangleBvh tree(riders, garment, all);
    const auto begin = static_cast<std::uint32_t>(l.triangles.size());
    l.triangles.insert(l.triangles.end(), garment.begin(), garment.end());
    Boxf box = tree.nodes()[0].box;
    const auto look = [&](std::uint32_t below, const Vec3f& position, const Vec3f& normal) {
      const auto p = static_cast<Vec3d>(position);
      for (int k = 0; k < 3; ++k)
        if (p[k] < box.lo[k] - reach || p[k] > box.hi[k] + reach) return;
      const auto hit = ClosestPoint(tree, riders, garment).nearest(p);
      if (hit.distance > reach || !(hit.distance > 0)) return;
      const Triangle& t = garment[hit.triangle];
      Vec3d above;
      for (std::size_t k = 0; k < 3; ++k) above += at(riders, t[k]) * hit.barycentric[k];
      const double height = dot(above - p, static_cast<Vec3d>(normal));
      if (!(height > kStraightUp * hit.distance)) return;
      RigCover cover{below, begin + hit.triangle, {}, static_cast<float>(height), normal};
      for (std::size_t k = 0; k < 3; ++k) cover.at[k] = std::clamp(static_cast<float>(hit.barycentric[k]), 0.0F, 1.0F);
      l.covers.push_back(cover);
    };
    for (std::uint32_t v = 0; v < s.size(); ++v) look(v, s.positions[v], s.normals[v]);
    for (const std::uint32_t r : lower) {
      const Vec3f away = riders[r] - l.foot[r];
      if (length(away) > 0) look(static_cast<std::uint32_t>(s.size()) + r, riders[r], normalized(away));
    }
    std::vector<char> used(l.size(), 0);
    for (const Triangle& t : garment)
      for (const std::uint32_t r : t) used[r] = 1;
    for (std::uint32_t r = 0; r < used.size(); ++r)
      if (used[r] != 0) lower.push_back(r);
  }
}

}  // namespace

BodyCharacter take_body(const Character& character, const Roles& roles) {
  BodyCharacter body;
  body.character = character;
  std::uint32_t begin = 0;
  for (Mesh& mesh : body.character.meshes) {
    const auto count = static_cast<std::uint32_t>(mesh.positions.size());
    std::vector<std::uint32_t> number(count, kNoRider);
    Mesh kept;
    kept.name = mesh.name;
    kept.material = mesh.material;
    kept.had_normals = mesh.had_normals;
    if (!mesh.weights.empty()) kept.weights.row_begin.push_back(0);
    for (std::uint32_t v = 0; v < count; ++v) {
      const std::uint32_t p = roles.piece[begin + v];
      if (p < roles.pieces.size() && roles.pieces[p].role != PieceRole::body) continue;
      number[v] = static_cast<std::uint32_t>(kept.positions.size());
      kept.positions.push_back(mesh.positions[v]);
      kept.normals.push_back(mesh.normals[v]);
      body.kept.push_back(begin + v);
      if (mesh.weights.empty()) continue;
      const WeightRow row = weight_row(mesh.weights, v);
      kept.weights.joint.insert(kept.weights.joint.end(), row.joints.begin(), row.joints.end());
      kept.weights.weight.insert(kept.weights.weight.end(), row.weights.begin(), row.weights.end());
      kept.weights.row_begin.push_back(static_cast<std::uint32_t>(kept.weights.joint.size()));
    }
    for (const Triangle& t : mesh.triangles)
      if (number[t[0]] != kNoRider && number[t[1]] != kNoRider && number[t[2]] != kNoRider)
        kept.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
    begin += count;
    mesh = std::move(kept);
  }
  if (body.character.triangle_count() == 0)
    throw Error(ErrorCode::bad_argument, "preset › roles",
                "no piece is left as body; leave one for the others to ride on");
  return body;
}

void make_layers(const Character& character, const WeldedCharacter& welded, const Roles& roles,
                 const BodyCharacter& body, const std::vector<int>& bone_of, Rig& rig) {
  RigSurface& s = rig.surface;
  RigLayers& l = rig.layers;
  std::vector<std::uint32_t> welded_of(rig.vertex_count(), kNoRider);
  for (std::size_t i = 0; i < body.kept.size(); ++i) welded_of[body.kept[i]] = s.welded_of[i];
  s.welded_of = std::move(welded_of);
  for (std::uint32_t& v : s.first_of) v = body.kept[v];

  Skin skin(s);
  Box box;
  for (const Vec3f& p : rig.rest_positions) box.add(static_cast<Vec3d>(p));
  const double reach = kSkinReach * diagonal(box);
  const std::vector<std::uint32_t> main_joint = main_joints(character, welded, roles);
  const auto bone = [&](std::uint32_t joint) {
    const int alias = character.skeleton.joints[joint].alias_of;
    return static_cast<std::uint32_t>(
        bone_of[alias >= 0 && bone_of[joint] < 0 ? static_cast<std::size_t>(alias) : joint]);
  };
  l.rider_of.assign(rig.vertex_count(), kNoRider);
  l.anchors.begin.assign(1, 0);
  std::vector<std::uint32_t> rider_of(welded.positions.size(), kNoRider);  // per welded vertex of the character
  std::vector<double> scratch, height(roles.pieces.size(), 0), count(roles.pieces.size(), 0);
  for (std::uint32_t v = 0; v < welded.positions.size(); ++v) {
    const std::uint32_t input = welded.weld.first_of[v], p = roles.piece[input];
    if (p >= roles.pieces.size() || roles.pieces[p].role == PieceRole::body) continue;
    const Piece& piece = roles.pieces[p];
    rider_of[v] = static_cast<std::uint32_t>(l.size());
    l.first_of.push_back(input);
    // Smooth skinning turns what has the same weights all over as one.
    const bool stiff = piece.stiff && piece.joint < 0 && piece.role != PieceRole::garment;
    const bool one_bone =
        !stiff && (piece.role == PieceRole::rigid || (piece.joint >= 0 && piece.role != PieceRole::garment));
    // Of a piece that one bone owns the vertex names the bone itself, whatever alias it goes by.
    const std::uint32_t joint = piece.joint >= 0 ? row_of(character, welded, input).joints[0] : main_joint[p];
    l.bone.push_back(one_bone ? bone(joint) : kNoRider);
    const Foot foot = skin.foot_of(static_cast<Vec3d>(welded.positions[v]));
    l.foot.push_back(static_cast<Vec3f>(foot.point));
    l.ground.push_back(foot.corners);
    l.ground_at.push_back(static_cast<Vec3f>(Vec3d{foot.weight[0], foot.weight[1], foot.weight[2]}));
    double share = 0;
    if (!one_bone && !stiff && piece.role != PieceRole::inner) {
      const double other = difference(character, welded, s, input, foot, scratch);
      share =
          (1 - smooth_step(foot.distance / reach, 0.5, 1.0)) * (1 - smooth_step(other, kSameWeights, kOtherWeights));
    }
    l.share.push_back(static_cast<float>(share));
    if (!one_bone) skin.hold(foot, rider_of[v], l);
    l.anchors.begin.push_back(static_cast<std::uint32_t>(l.anchors.items.size()));
    height[p] += foot.distance;
    count[p] += 1;
    const auto near = std::ranges::max_element(foot.weight) - foot.weight.begin();
    scratch.clear();
    s.welded_of[input] = foot.corners[static_cast<std::size_t>(near)];
  }
  for (std::uint32_t input = 0; input < rig.vertex_count(); ++input) {
    const std::uint32_t r = l.rider_of[input] = rider_of[welded.weld.welded_of[input]];
    if (r != kNoRider) s.welded_of[input] = s.welded_of[l.first_of[r]];
  }
  keep_stiff(character, welded, roles, s, rider_of, l);
  std::vector<float> next = l.share;
  for (int pass = 0; pass < kSharePasses; ++pass) {
    for (std::uint32_t v = 0; v < rider_of.size(); ++v) {
      const std::uint32_t r = rider_of[v];
      const auto row = welded.topology.vertex_neighbours.row(v);
      if (r == kNoRider || l.bone[r] != kNoRider || row.empty()) continue;
      float sum = 0;
      for (const std::uint32_t w : row) sum += l.share[rider_of[w]];
      next[r] = 0.5F * (l.share[r] + sum / static_cast<float>(row.size()));
    }
    l.share = next;
  }

  std::vector<std::uint32_t> order;
  for (std::uint32_t p = 0; p < roles.pieces.size(); ++p)
    if (roles.pieces[p].role == PieceRole::garment) order.push_back(p);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t p) { return height[p] / std::max(count[p], 1.0); });
  std::vector<std::vector<Triangle>> of_piece(roles.pieces.size()), garments;
  for (const Triangle& t : welded.topology.triangles)
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0] && rider_of[t[0]] != kNoRider)
      of_piece[roles.piece[welded.weld.first_of[t[0]]]].push_back({rider_of[t[0]], rider_of[t[1]], rider_of[t[2]]});
  for (const std::uint32_t p : order)
    if (!of_piece[p].empty()) garments.push_back(std::move(of_piece[p]));
  find_covers(garments, reach, rig);
}

}  // namespace cutis
