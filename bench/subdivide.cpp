#include "bench/subdivide.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "base/math.h"

namespace cutis::bench {
namespace {

constexpr std::size_t kInfluences = 4;

struct Influence {
  std::uint32_t joint;
  float weight;
};

void add_row(Weights& weights, std::vector<Influence> row) {
  std::ranges::sort(row, [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
  });
  if (row.size() > kInfluences) row.resize(kInfluences);
  float sum = 0;
  for (const Influence& i : row) sum += i.weight;
  for (const Influence& i : row) {
    weights.joint.push_back(i.joint);
    weights.weight.push_back(i.weight / sum);
  }
  weights.row_begin.push_back(static_cast<std::uint32_t>(weights.joint.size()));
}

void add_between(Weights& weights, std::uint32_t a, std::uint32_t b) {
  std::vector<Influence> row;
  for (const std::uint32_t v : {a, b})
    for (std::uint32_t i = weights.row_begin[v]; i < weights.row_begin[v + 1]; ++i) {
      const auto found = std::ranges::find(row, weights.joint[i], &Influence::joint);
      if (found != row.end())
        found->weight += weights.weight[i] / 2;
      else
        row.push_back({weights.joint[i], weights.weight[i] / 2});
    }
  add_row(weights, std::move(row));
}

}  // namespace

Character subdivided(const Character& character) {
  Character result = character;
  result.appearance.reset();
  for (Mesh& m : result.meshes) {
    m.attributes.clear();
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [at, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(m.positions.size()));
      if (!is_new) return at->second;
      // In the order of the pair, so that both sides of a seam round alike.
      const auto [low, high] = at->first;
      m.positions.push_back((m.positions[low] + m.positions[high]) * 0.5F);
      m.normals.push_back(normalized(m.normals[low] + m.normals[high], m.normals[low]));
      if (!m.weights.empty()) add_between(m.weights, low, high);
      return at->second;
    };
    std::vector<Triangle> triangles;
    for (const auto& [a, b, c] : m.triangles) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const Triangle& t : {Triangle{a, ab, ca}, Triangle{ab, b, bc}, Triangle{ca, bc, c}, Triangle{ab, bc, ca}})
        triangles.push_back(t);
    }
    m.triangles = std::move(triangles);
  }
  return result;
}

Character make_chain(std::size_t bones, std::size_t vertices) {
  constexpr double kRadius = 0.05, kLength = 6 * kRadius;
  Character c;
  c.source = fmt::format("chain of {} bones", bones);
  for (std::size_t b = 0; b < bones; ++b) {
    Joint joint;
    joint.name = fmt::format("bone{}", b);
    joint.parent = static_cast<int>(b) - 1;
    joint.local.translation = {0, b == 0 ? 0 : kLength, 0};
    joint.world_from_rest.translation = {0, kLength * static_cast<double>(b), 0};
    joint.is_bone = true;
    c.skeleton.joints.push_back(joint);
  }
  // Square cells: rings * sectors = vertices, ring spacing = arc.
  const double length = kLength * static_cast<double>(bones), around = 2 * std::numbers::pi * kRadius;
  const auto sectors =
      static_cast<std::uint32_t>(std::max(8.0, std::round(std::sqrt(static_cast<double>(vertices) * around / length))));
  const auto rings = static_cast<std::uint32_t>(std::max<std::size_t>(vertices / sectors, 2));
  Mesh m;
  m.name = "tube";
  m.weights.row_begin.assign(1, 0);
  const auto add = [&](double y, double radius, double angle, const Vec3d& normal) {
    m.positions.push_back(static_cast<Vec3f>(Vec3d{radius * std::cos(angle), y, radius * std::sin(angle)}));
    m.normals.push_back(static_cast<Vec3f>(normal));
    // Half and half at a joint, alone from half a bone's length on.
    const double at = y / kLength;
    const auto own = static_cast<std::uint32_t>(std::clamp(std::floor(at), 0.0, static_cast<double>(bones - 1)));
    const double off = at - own - 0.5;  // -0.5 to 0.5 along the bone
    const auto other = static_cast<std::uint32_t>(
        std::clamp(static_cast<double>(own) + (off < 0 ? -1.0 : 1.0), 0.0, static_cast<double>(bones - 1)));
    const auto share = static_cast<float>(std::max(0.0, std::abs(off) - 0.25) * 2);
    if (other == own || share <= 0)
      add_row(m.weights, {{own, 1.0F}});
    else
      add_row(m.weights, {{own, 1 - share}, {other, share}});
  };
  for (std::uint32_t r = 0; r < rings; ++r)
    for (std::uint32_t s = 0; s < sectors; ++s) {
      const double angle = 2 * std::numbers::pi * s / sectors;
      add(length * r / (rings - 1), kRadius, angle, {std::cos(angle), 0, std::sin(angle)});
    }
  for (std::uint32_t r = 0; r + 1 < rings; ++r)
    for (std::uint32_t s = 0; s < sectors; ++s) {
      const std::uint32_t a = r * sectors + s, b = r * sectors + (s + 1) % sectors, up = sectors;
      m.triangles.push_back({a, a + up, b});
      m.triangles.push_back({b, a + up, b + up});
    }
  const std::uint32_t low = rings * sectors, high = low + 1, last = (rings - 1) * sectors;
  add(0, 0, 0, {0, -1, 0});
  add(length, 0, 0, {0, 1, 0});
  for (std::uint32_t s = 0; s < sectors; ++s) {
    m.triangles.push_back({low, s, (s + 1) % sectors});
    m.triangles.push_back({high, last + (s + 1) % sectors, last + s});
  }
  c.meshes.push_back(std::move(m));
  return c;
}

}  // namespace cutis::bench
