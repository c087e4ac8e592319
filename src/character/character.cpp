#include "cutis/character.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cutis/error.h"

namespace cutis {

int Skeleton::find(std::string_view name) const {
  const auto it = std::find_if(joints.begin(), joints.end(), [&](const Joint& j) { return j.name == name; });
  return it == joints.end() ? -1 : static_cast<int>(it - joints.begin());
}

int Weights::max_influences() const {
  std::uint32_t most = 0;
  for (std::size_t v = 0; v < rows(); ++v) most = std::max(most, row_begin[v + 1] - row_begin[v]);
  return static_cast<int>(most);
}

double Clip::start() const {
  double first = 0;
  bool any = false;
  for (const Channel& c : channels) {
    if (c.times.empty()) continue;
    first = any ? std::min<double>(first, c.times.front()) : c.times.front();
    any = true;
  }
  return first;
}

double Clip::end() const {
  double last = 0;
  bool any = false;
  for (const Channel& c : channels) {
    if (c.times.empty()) continue;
    last = any ? std::max<double>(last, c.times.back()) : c.times.back();
    any = true;
  }
  return last;
}

std::size_t Character::vertex_count() const {
  return std::accumulate(meshes.begin(), meshes.end(), std::size_t{0},
                         [](std::size_t n, const Mesh& m) { return n + m.positions.size(); });
}

std::size_t Character::triangle_count() const {
  return std::accumulate(meshes.begin(), meshes.end(), std::size_t{0},
                         [](std::size_t n, const Mesh& m) { return n + m.triangles.size(); });
}

bool Character::has_weights() const {
  return !meshes.empty() && std::none_of(meshes.begin(), meshes.end(), [](const Mesh& m) { return m.weights.empty(); });
}

Box Character::bounds() const {
  Box box;
  for (const Mesh& m : meshes)
    for (const Vec3f& p : m.positions) box.add(static_cast<Vec3d>(p));
  return box;
}

const Clip& Character::clip(std::string_view name) const {
  if (clips.empty())
    throw Error(ErrorCode::bad_argument, source, "has no clip; give a motion with --bvh FILE, or add an animation");
  if (name.empty()) return clips.front();
  for (const Clip& c : clips)
    if (c.name == name) return c;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc{} && end == name.data() + name.size() && number < clips.size()) return clips[number];
  std::vector<std::string> names;
  for (const Clip& c : clips) names.push_back(c.name);
  throw Error(ErrorCode::bad_argument, source,
              fmt::format("has no clip '{}'; it has: {}", name, fmt::join(names, ", ")));
}

}  // namespace cutis
