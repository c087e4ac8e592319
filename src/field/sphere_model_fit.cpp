// One model of all parts, by least squares.
//
// The nearest sphere of a block is a mean of its balls, with weights w_i that sum to 1 (BlockSample), so a point that
// is missed by e asks for sum_i w_i (n . c_i + r_i) = e, with c_i and r_i what ball i moves and grows by. By Jensen's
// inequality sum_i w_i (n . c_i + r_i - e)^2 is no smaller than the square of the miss: each ball has four unknowns of
// its own, and solving for all of them at once never makes the (linearised) sum larger. No step length, no large
// system.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/math.h"
#include "field/robust.h"
#include "field/sphere_model.h"
#include "numerics/dense_solve.h"

namespace cutis {

namespace {

constexpr std::size_t kMostPoints = 240;  // of a part, evenly from its vertices and faces
constexpr std::size_t kFewPoints = 4;     // fewer say nothing: a small ball
constexpr double kThinnest = 2e-4;        // radius, in sizes of the character
constexpr int kFirstSteps = 40, kRoundSteps = 12;
// A ball off its joint parts from itself as the joint bends, by at most twice that: half a radius never opens a gap.
constexpr double kOffJoint = 0.5;
// Of the distance to the surface: round balls in parts that are not round may stand out, but no farther.
constexpr double kStandOut = 1.25;
constexpr double kPull = 0.02;   // to where a ball began, for directions that no point speaks of (along a limb)
constexpr double kGain = 0.9;    // a ball that does not better its part by so much was the last
constexpr double kTouch = 0.98;  // of a ball's radius: nearer is touching
constexpr double kWorth = 0.04;  // of a part's points: fewer that stand out are not worth a ball
constexpr std::size_t kTries = 24;

class ModelFit {
 public:
  ModelFit(std::span<const SpherePart> parts, const Flesh& flesh, const SphereModelOptions& options)
      : flesh_(flesh), options_(options) {
    for (const SpherePart& part : parts) take_points(*part.patch);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].parent < 0) continue;
      points_[i].beside.push_back(static_cast<std::size_t>(parts[i].parent));
      points_[static_cast<std::size_t>(parts[i].parent)].beside.push_back(i);
    }
    place_balls(parts);
    const std::size_t placed = model_.balls.size();
    ends_.assign(placed, {kNone, kNone});
    for (const auto& pair : connect_balls(model_, &flesh_)) ends_.push_back(pair);
    for (std::size_t b = placed; b < model_.balls.size(); ++b) joint_.push_back({});
    start_ = model_.balls;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::string& name = parts[part].patch->name;
      for (std::size_t k = 0; k < model_.blocks.size(); ++k)
        if (model_.blocks[k].joint == name) points_[part].blocks.push_back(k);
    }
  }

  SphereModel run() {
    settle(kFirstSteps);
    std::vector<double> best(points_.size());
    std::vector<char> open(points_.size(), 1);
    for (std::size_t part = 0; part < points_.size(); ++part) best[part] = miss(part);
    for (int round = 0; round < options_.rounds; ++round) {
      std::vector<std::size_t> grown;
      for (std::size_t part = 0; part < points_.size(); ++part)
        if (open[part] != 0 && best[part] > options_.tolerance * mean_radius(part) && add_ball(part))
          grown.push_back(part);
        else
          open[part] = 0;
      if (grown.empty()) break;
      settle(kRoundSteps);
      for (const std::size_t part : grown) {
        const double now = miss(part);
        if (now > kGain * best[part]) open[part] = 0;
        best[part] = now;
      }
    }
    return std::move(model_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct PartPoints {
    std::vector<Vec3d> points, normals;
    std::vector<std::size_t> blocks;
    std::vector<std::size_t> beside;  // parts that it is joined to
    double smallest = 0, extent = 0;
    double knee = 1e30;
  };

  void take_points(const PartPatch& patch) {
    PartPoints part;
    std::vector<Vec3d> points, normals;
    for (std::size_t i = 0; i < patch.own_points; ++i) {
      if (!is_finite(patch.points[i])) continue;
      points.push_back(patch.points[i]);
      normals.push_back(patch.normals[i]);
    }
    Box box;
    for (const Vec3d& p : points) box.add(p);
    for (const Triangle& t : patch.triangles) {
      const Vec3d &a = patch.points[t[0]], &b = patch.points[t[1]], &c = patch.points[t[2]];
      const Vec3d middle = (a + b + c) / 3.0, normal = normalized(cross(b - a, c - a));
      if (!is_finite(middle) || !(dot(normal, normal) > 0.5)) continue;
      points.push_back(middle);
      normals.push_back(normal);
    }
    const std::size_t take = std::min(points.size(), kMostPoints);
    for (std::size_t i = 0; i < take; ++i) {
      part.points.push_back(points[i * points.size() / take]);
      part.normals.push_back(normals[i * points.size() / take]);
    }
    part.smallest = kThinnest * (patch.character_size > 0 ? patch.character_size : 1.0);
    part.extent = diagonal(box);
    points_.push_back(std::move(part));
  }

  std::string free_name(const std::string& wanted) {
    std::string name = wanted;
    while (!names_.insert(name).second) name += "'";
    return name;
  }

  // A ball at each joint; parts that nothing hangs on end in one of their own.
  void place_balls(std::span<const SpherePart> parts) {
    std::vector<char> has_child(parts.size(), 0);
    for (const SpherePart& part : parts) names_.insert(part.patch->name);
    const auto radius_at = [&](const Vec3d& p, const PartPoints& own) {
      return std::max(std::abs(flesh_.depth(p)), own.smallest);
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const PartPatch& patch = *parts[i].patch;
      std::string parent;
      if (parts[i].parent >= 0) {
        const PartPatch& above = *parts[static_cast<std::size_t>(parts[i].parent)].patch;
        // A thing that is held far from the bone that moves it is not joined to it by flesh.
        const auto outside = [&](double t) {
          return flesh_.depth(lerp(above.bone_from, patch.bone_from, t)) < -points_[i].extent / 2;
        };
        if (!(outside(0.25) && outside(0.5) && outside(0.75))) {
          parent = above.name;
          has_child[static_cast<std::size_t>(parts[i].parent)] = 1;
        }
      }
      Vec3d at = patch.bone_from;
      if (points_[i].points.size() < kFewPoints && !points_[i].points.empty()) at = points_[i].points[0];
      model_.balls.push_back({patch.name, patch.name, parent, at, radius_at(at, points_[i])});
      joint_.push_back({true, patch.bone_from});
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const PartPoints& own = points_[i];
      if (has_child[i] != 0 || own.points.size() < kFewPoints || !(own.extent > own.smallest)) continue;
      // A radius before where the part's own points end, along the bone.
      const PartPatch& patch = *parts[i].patch;
      Vec3d mean;
      for (const Vec3d& p : own.points) mean += p / static_cast<double>(own.points.size());
      const Vec3d along = normalized(patch.bone_to - patch.bone_from, normalized(mean - patch.bone_from, {1, 0, 0}));
      std::vector<double> reach, away;
      for (const Vec3d& p : own.points) {
        reach.push_back(dot(p - mean, along));
        away.push_back(length(p - mean - along * reach.back()));
      }
      const double end = quantile(reach, 0.98), begin = quantile(reach, 0.02);
      const double inset = std::min(quantile(away, 0.5), (end - begin) / 3);
      const Vec3d at = mean + along * (end - inset);
      model_.balls.push_back({free_name(patch.name + " end"), patch.name, patch.name, at, radius_at(at, own)});
      joint_.push_back({});
    }
  }

  [[nodiscard]] SphereBlock block_of(std::size_t k) const {
    SphereBlock block;
    for (const std::uint32_t i : model_.blocks[k].balls)
      block.spheres.push_back({model_.balls[i].center, model_.balls[i].radius});
    return block;
  }

  struct Hit {
    BlockSample sample;
    std::size_t block = 0;
  };
  [[nodiscard]] Hit nearest(const PartPoints& part, const std::vector<SphereBlock>& blocks, const Vec3d& p) const {
    Hit best{{{1e30, {}}, {}}, 0};
    for (std::size_t k = 0; k < part.blocks.size(); ++k)
      if (const BlockSample s = sample_block(p, blocks[k]); s.distance.value < best.sample.distance.value)
        best = {s, part.blocks[k]};
    return best;
  }
  [[nodiscard]] std::vector<SphereBlock> blocks_of(const PartPoints& part) const {
    std::vector<SphereBlock> blocks;
    for (const std::size_t k : part.blocks) blocks.push_back(block_of(k));
    return blocks;
  }

  [[nodiscard]] double miss(std::size_t index) const {
    const PartPoints& part = points_[index];
    const std::vector<SphereBlock> blocks = blocks_of(part);
    std::vector<double> misses;
    for (const Vec3d& p : part.points) misses.push_back(std::abs(nearest(part, blocks, p).sample.distance.value));
    return quantile(std::move(misses), 0.95);
  }
  [[nodiscard]] double mean_radius(std::size_t index) const {
    double sum = 0, count = 0;
    for (const std::size_t k : points_[index].blocks)
      for (const std::uint32_t i : model_.blocks[k].balls) sum += model_.balls[i].radius, ++count;
    return count > 0 ? sum / count : 0;
  }

  struct Normal {
    double matrix[16] = {}, rhs[4] = {};
    double weight = 0;
    void add(const Vec3d& n, double miss, double w) {
      const double row[4] = {n.x, n.y, n.z, 1};
      for (int i = 0; i < 4; ++i) {
        rhs[i] += w * miss * row[i];
        for (int k = 0; k < 4; ++k) matrix[4 * k + i] += w * row[i] * row[k];
      }
      weight += w;
    }
  };

  void settle(int steps) {
    for (int step = 0; step < steps; ++step) {
      std::vector<Normal> normals(model_.balls.size());
      for (PartPoints& part : points_) {
        if (part.blocks.empty() || part.points.size() < kFewPoints) continue;
        const std::vector<SphereBlock> blocks = blocks_of(part);
        std::vector<double> misses;
        for (const Vec3d& p : part.points) {
          const Hit hit = nearest(part, blocks, p);
          const double e = hit.sample.distance.value;
          const double huber = std::abs(e) <= part.knee ? 1.0 : part.knee / std::abs(e);
          misses.push_back(std::abs(e));
          const std::vector<std::uint32_t>& balls = model_.blocks[hit.block].balls;
          for (std::size_t b = 0; b < balls.size(); ++b) {
            const double w = huber * hit.sample.weight[b];
            if (!(w > 0)) continue;
            if (const auto& [first, second] = ends_[balls[b]]; first != kNone) {
              normals[first].add(hit.sample.distance.gradient, e, w / 2);
              normals[second].add(hit.sample.distance.gradient, e, w / 2);
            } else {
              normals[balls[b]].add(hit.sample.distance.gradient, e, w);
            }
          }
        }
        part.knee = std::max(kHuber * kMadToSigma * quantile(misses, 0.5), part.smallest / 10);
      }
      for (std::size_t i = 0; i < model_.balls.size(); ++i)
        if (ends_[i][0] == kNone && normals[i].weight > 0) move(i, normals[i]);
      for (std::size_t i = 0; i < model_.balls.size(); ++i) {
        if (ends_[i][0] == kNone) continue;
        const SphereModel::Ball &a = model_.balls[ends_[i][0]], &b = model_.balls[ends_[i][1]];
        model_.balls[i].center = lerp(a.center, b.center, 0.5);
        model_.balls[i].radius = (a.radius + b.radius) / 2;
      }
    }
  }

  void move(std::size_t i, Normal& normal) {
    SphereModel::Ball& ball = model_.balls[i];
    const Vec3d back = start_[i].center - ball.center;
    for (int k = 0; k < 3; ++k) {
      normal.matrix[5 * k] += kPull * normal.weight;
      normal.rhs[k] += kPull * normal.weight * back[k];
    }
    normal.matrix[15] += 1e-6 * normal.weight;
    if (!solve_positive(normal.matrix, normal.rhs)) return;
    const double(&x)[4] = normal.rhs;
    // A linearisation holds for steps below a radius.
    Vec3d way{x[0], x[1], x[2]};
    if (const double most = ball.radius / 2, far = length(way); far > most) way = way * (most / far);
    const double smallest = points_[0].smallest;
    ball.center += way;
    ball.radius = std::max(smallest, ball.radius + std::clamp(x[3], -ball.radius / 2, ball.radius / 2));
    if (joint_[i].at_joint) {
      const Vec3d off = ball.center - joint_[i].place;
      if (const double most = kOffJoint * ball.radius, far = length(off); far > most)
        ball.center = joint_[i].place + off * (most / far);
    }
    ball.radius =
        std::clamp(ball.radius, smallest, std::max(smallest, kStandOut * std::abs(flesh_.depth(ball.center))));
  }

  // Radius of the largest ball in the flesh that touches the surface at q from inside, n its normal there; 0: none.
  [[nodiscard]] double inscribed(const Vec3d& q, const Vec3d& n, double most) const {
    double radius = most;
    for (int step = 0; step < 16; ++step) {
      const Vec3d touched = flesh_.nearest(q - n * radius);
      if (distance(touched, q - n * radius) >= kTouch * radius) break;
      const Vec3d to = q - touched;
      const double along = dot(n, to);
      if (!(along > 0)) return 0;
      radius = std::min(kTouch * radius, dot(to, to) / (2 * along));
    }
    return radius;
  }

  // In the flesh behind points that stand out: the ball that holds most of what does. Edges have none.
  bool add_ball(std::size_t index) {
    PartPoints& part = points_[index];
    if (part.points.size() < kFewPoints || part.blocks.empty()) return false;
    const std::vector<SphereBlock> blocks = blocks_of(part);
    const double tolerance = options_.tolerance * mean_radius(index);
    // What a neighbour holds does not stand out.
    std::vector<double> out;
    std::vector<std::vector<SphereBlock>> around;
    for (const std::size_t other : part.beside) around.push_back(blocks_of(points_[other]));
    for (const Vec3d& p : part.points) {
      out.push_back(nearest(part, blocks, p).sample.distance.value);
      for (std::size_t k = 0; k < around.size(); ++k)
        out.back() = std::min(out.back(), nearest(points_[part.beside[k]], around[k], p).sample.distance.value);
    }
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i] > tolerance && length(part.normals[i]) > 0.5) candidates.push_back(i);
    if (static_cast<double>(candidates.size()) < kWorth * static_cast<double>(out.size())) return false;
    double best = 0, radius = 0;
    Vec3d q, n;
    const std::size_t tries = std::min(candidates.size(), kTries);
    for (std::size_t k = 0; k < tries; ++k) {
      const std::size_t i = candidates[k * candidates.size() / tries];
      const double r = inscribed(part.points[i], part.normals[i], part.extent / 2);
      if (!(r > part.smallest)) continue;
      const Vec3d c = part.points[i] - part.normals[i] * r;
      double held = 0;  // what stands out and would not, were the ball there
      for (const std::size_t o : candidates) held += std::max(0.0, out[o] - std::abs(distance(part.points[o], c) - r));
      if (held > best) best = held, radius = r, q = part.points[i], n = part.normals[i];
    }
    if (!(best > kWorth * tolerance * static_cast<double>(out.size()))) return false;
    const Vec3d center = q - n * radius;
    const Hit hit = nearest(part, blocks, center);
    std::vector<std::pair<double, std::uint32_t>> by_weight;
    const std::vector<std::uint32_t> balls = model_.blocks[hit.block].balls;
    for (std::size_t b = 0; b < balls.size(); ++b) by_weight.emplace_back(hit.sample.weight[b], balls[b]);
    std::ranges::stable_sort(by_weight, std::greater{}, &std::pair<double, std::uint32_t>::first);
    const std::string joint = model_.blocks[hit.block].joint;
    const auto added = static_cast<std::uint32_t>(model_.balls.size());
    model_.balls.push_back({free_name(joint + " side"), joint, {}, center, radius});
    start_.push_back(model_.balls.back());
    joint_.push_back({});
    ends_.push_back({kNone, kNone});
    std::vector<std::uint32_t> block{added, by_weight[0].second};
    if (by_weight.size() > 1) {
      const SphereModel::Ball &a = model_.balls[by_weight[0].second], &b = model_.balls[by_weight[1].second];
      const Vec3d middle = (center + a.center + b.center) / 3.0, edge = lerp(center, b.center, 0.5);
      if (flesh_.depth(middle) > (radius + a.radius + b.radius) / 6 && flesh_.depth(edge) > (radius + b.radius) / 4)
        block.push_back(by_weight[1].second);
    }
    part.blocks.push_back(model_.blocks.size());
    model_.blocks.push_back({joint, std::move(block)});
    return true;
  }

  struct AtJoint {
    bool at_joint = false;
    Vec3d place;
  };

  const Flesh& flesh_;
  SphereModelOptions options_;
  SphereModel model_;
  std::set<std::string> names_;
  std::vector<PartPoints> points_;                  // per part
  std::vector<std::array<std::uint32_t, 2>> ends_;  // per ball: what it lies halfway between, or none
  std::vector<AtJoint> joint_;                      // per ball
  std::vector<SphereModel::Ball> start_;            // per ball: where it began
};

}  // namespace

SphereModel fit_sphere_model(std::span<const SpherePart> parts, const Flesh& flesh, const SphereModelOptions& options) {
  if (parts.empty()) return {};
  return ModelFit(parts, flesh, options).run();
}

}  // namespace cutis
