// Which balls make a block: along the tree of balls, and across it where there is flesh.
#include "field/sphere_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/math.h"
#include "geometry/closest_point.h"
#include "geometry/winding_number.h"

namespace cutis {

namespace {

using Ball = SphereModel::Ball;

// Between balls there is flesh where it is deeper than this, in radii of the hull's sphere at that place.
constexpr double kDeepEnough = 0.5;
// Neighbours around a ball that are farther apart than this have nothing between them.
constexpr double kWidestFan = 150 * kDegree;

std::vector<std::uint32_t> every_index(std::size_t n) {
  std::vector<std::uint32_t> indices(n);
  std::iota(indices.begin(), indices.end(), 0U);
  return indices;
}

bool is_fleshy(const Flesh& flesh, std::initializer_list<std::pair<const Ball*, double>> mean) {
  Vec3d p;
  double radius = 0;
  for (const auto& [ball, share] : mean) {
    p += ball->center * share;
    radius += ball->radius * share;
  }
  return flesh.depth(p) >= kDeepEnough * radius;
}

// Children of a ball around it, in order; pairs of neighbours.
std::vector<std::pair<std::uint32_t, std::uint32_t>> neighbours_around(const SphereModel& model, std::uint32_t ball,
                                                                       std::vector<std::uint32_t> children) {
  std::erase_if(children, [&](std::uint32_t c) { return model.balls[c].center == model.balls[ball].center; });
  if (children.size() < 2) return {};
  const auto way = [&](std::uint32_t c) { return normalized(model.balls[c].center - model.balls[ball].center); };
  // Normal of the plane that they lie in, as far as they do.
  Vec3d normal;
  for (const std::uint32_t a : children)
    for (const std::uint32_t b : children)
      if (const Vec3d n = cross(way(a), way(b)); length(n) > length(normal)) normal = n;
  normal = normalized(normal, any_perpendicular(way(children[0])));
  Vec3d first;
  for (const std::uint32_t c : children) first += way(c);
  first = normalized(first - normal * dot(first, normal), way(children[0]));
  const auto angle = [&](std::uint32_t c) {
    const Vec3d w = way(c);
    return std::atan2(dot(cross(first, w), normal), dot(first, w));
  };
  std::ranges::stable_sort(children, {}, angle);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t i = 0; i < children.size() - (children.size() == 2 ? 1 : 0); ++i) {
    const std::uint32_t a = children[i], b = children[(i + 1) % children.size()];
    double gap = angle(b) - angle(a);
    if (i + 1 == children.size()) gap += 2 * kPi;
    if (gap < kWidestFan) pairs.emplace_back(a, b);
  }
  return pairs;
}

}  // namespace

struct Flesh::Search {
  Search(std::span<const Vec3f> of_positions, std::span<const Triangle> of_triangles)
      : positions(of_positions),
        triangles(of_triangles),
        bvh(positions, triangles, every_index(triangles.size())),
        winding(bvh, positions, triangles),
        closest(bvh, positions, triangles) {}
  std::span<const Vec3f> positions;
  std::span<const Triangle> triangles;
  TriangleBvh bvh;
  WindingNumber winding;
  ClosestPoint closest;
};

Flesh::Flesh(std::span<const Vec3f> positions, std::span<const Triangle> triangles)
    : search_(std::make_unique<Search>(positions, triangles)) {}
Flesh::~Flesh() = default;

Vec3d Flesh::nearest(const Vec3d& p) const {
  if (search_->bvh.empty()) return p;
  const ClosestPoint::Hit hit = search_->closest.nearest(p);
  Vec3d at;
  for (std::size_t k = 0; k < 3; ++k)
    at += static_cast<Vec3d>(search_->positions[search_->triangles[hit.triangle][k]]) * hit.barycentric[k];
  return at;
}

double Flesh::depth(const Vec3d& p) const {
  if (search_->bvh.empty()) return 0;
  const double away = distance(nearest(p), p);
  return search_->winding.exceeds(p, 0.5) ? away : -away;
}

std::vector<std::array<std::uint32_t, 2>> connect_balls(SphereModel& model, const Flesh* flesh) {
  std::set<std::string> listed;
  for (const SphereModel::Block& block : model.blocks) listed.insert(block.joint);
  std::map<std::string, std::uint32_t> index;
  for (std::uint32_t i = 0; i < model.balls.size(); ++i) index.emplace(model.balls[i].name, i);
  const std::size_t count = model.balls.size();
  std::vector<std::vector<std::uint32_t>> children(count);
  for (std::uint32_t i = 0; i < count; ++i)
    if (const auto found = index.find(model.balls[i].parent); found != index.end())
      children[found->second].push_back(i);

  std::map<std::string, std::vector<std::vector<std::uint32_t>>> blocks;  // of joints that list none
  const auto add = [&](std::uint32_t owner, std::vector<std::uint32_t> balls) {
    const std::string& joint = model.balls[owner].joint;
    if (!listed.contains(joint)) blocks[joint].push_back(std::move(balls));
  };
  const auto ball = [&](std::uint32_t i) { return &model.balls[i]; };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> beside;  // siblings with flesh between their bones
  for (std::uint32_t p = 0; p < count; ++p) {
    std::set<std::uint32_t> covered;
    if (flesh != nullptr)
      for (const auto& [a, b] : neighbours_around(model, p, children[p])) {
        const double third = 1.0 / 3;
        if (is_fleshy(*flesh, {{ball(a), 0.5}, {ball(b), 0.5}}) &&
            is_fleshy(*flesh, {{ball(p), third}, {ball(a), third}, {ball(b), third}})) {
          add(p, {p, a, b});
          covered.insert({a, b});
        }
        if (children[a].size() != 1 || children[b].size() != 1 || ball(a)->joint == ball(p)->joint ||
            ball(b)->joint == ball(p)->joint)
          continue;
        const std::uint32_t ea = children[a][0], eb = children[b][0];
        if (is_fleshy(*flesh, {{ball(a), 0.5}, {ball(b), 0.5}}) &&
            is_fleshy(*flesh, {{ball(ea), 0.5}, {ball(eb), 0.5}}) &&
            is_fleshy(*flesh, {{ball(a), 0.25}, {ball(b), 0.25}, {ball(ea), 0.25}, {ball(eb), 0.25}}))
          beside.emplace_back(a, b);
      }
    for (const std::uint32_t c : children[p])
      if (!covered.contains(c)) add(p, {p, c});
  }
  // Bones side by side meet at balls halfway, which both carry.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> halfway;
  std::vector<std::array<std::uint32_t, 2>> ends;
  const auto between = [&](std::uint32_t a, std::uint32_t b) {
    const auto [found, added] = halfway.emplace(std::minmax(a, b), static_cast<std::uint32_t>(model.balls.size()));
    if (added) {
      const Ball first = *ball(a), second = *ball(b);
      std::string name = fmt::format("{} | {}", first.name, second.name);
      while (index.contains(name)) name += "'";
      index.emplace(name, found->second);
      ends.push_back({a, b});
      model.balls.push_back(
          {name, first.joint, {}, lerp(first.center, second.center, 0.5), (first.radius + second.radius) / 2});
    }
    return found->second;
  };
  for (const auto& [a, b] : beside) {
    const std::uint32_t ea = children[a][0], eb = children[b][0];
    const std::uint32_t near = between(a, b), far = between(ea, eb);
    for (const auto& [from, to] : {std::pair{a, ea}, std::pair{b, eb}}) {
      add(from, {from, to, far});
      add(from, {from, near, far});
    }
  }
  for (std::uint32_t i = 0; i < count; ++i)
    if (ball(i)->joint == ball(i)->name && !blocks.contains(ball(i)->joint)) add(i, {i});
  for (auto& [joint, of_joint] : blocks)
    for (auto& balls : of_joint) model.blocks.push_back({joint, std::move(balls)});
  return ends;
}

SphereSet sphere_set(const SphereModel& model, const std::string& joint) {
  SphereSet set;
  for (const SphereModel::Block& block : model.blocks) {
    if (block.joint != joint) continue;
    SphereBlock& made = set.blocks.emplace_back();
    for (const std::uint32_t i : block.balls) made.spheres.push_back({model.balls[i].center, model.balls[i].radius});
  }
  return set;
}

}  // namespace cutis
