#include "bind/elasticity.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/error.h"
#include "rig/muscles.h"

namespace cutis {
namespace {

constexpr float kFarAway = std::numeric_limits<float>::max();
constexpr std::size_t kMostNodes = 8'000'000;  // of a grid that holds its muscles

[[noreturn]] void refuse(const std::string& place, const std::string& sentence) {
  throw Error(ErrorCode::bad_argument, place, sentence);
}

int bone_of(const Rig& rig, const std::string& joint) {
  const int j = rig.skeleton.find(joint);
  for (std::size_t b = 0; b < rig.bones.size(); ++b)
    if (rig.bones[b].joint == j) return static_cast<int>(b);
  return -1;
}

// Lengths of the shortest ways along edges, up to `reach`. `way`: in: 0 at the start, kFarAway elsewhere.
void spread(const RigSurface& s, float reach, std::vector<float>& way) {
  using Item = std::pair<float, std::uint32_t>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  for (std::uint32_t v = 0; v < s.size(); ++v)
    if (way[v] == 0) queue.emplace(0.0F, v);
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (d > way[v]) continue;
    for (const std::uint32_t w : s.neighbours.row(v)) {
      const float next = d + distance(s.positions[v], s.positions[w]);
      if (next >= way[w] || next > reach) continue;
      way[w] = next;
      queue.emplace(next, w);
    }
  }
}

// "COLOR_0.r": how far each welded vertex is painted, 0 to 1.
void select_paint(const Character& character, const Rig& rig, const SkinRegion& region, const std::string& place,
                  std::vector<float>& selected) {
  const std::size_t dot = region.paint.rfind('.');
  const std::string name = region.paint.substr(0, dot),
                    channel = dot == std::string::npos ? "r" : region.paint.substr(dot + 1);
  const std::size_t c = std::string("rgba").find(channel);
  if (channel.size() != 1 || c == std::string::npos)
    refuse(place,
           fmt::format("\"paint\" is \"{}\"; give an attribute and r, g, b or a, as in COLOR_0.r", region.paint));
  bool found = false;
  std::size_t input = 0;
  for (const Mesh& mesh : character.meshes) {
    const auto it = std::ranges::find(mesh.attributes, name, &VertexAttribute::name);
    const bool has = it != mesh.attributes.end() && c < static_cast<std::size_t>(it->components);
    found = found || has;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v, ++input) {
      if (!has) continue;
      const float value = it->values[v * static_cast<std::size_t>(it->components) + c];
      if (rig.layers.rides(input)) continue;
      float& to = selected[rig.surface.welded_of[input]];
      if (std::isfinite(value)) to = std::max(to, std::clamp(value, 0.0F, 1.0F));
    }
  }
  if (!found) refuse(place, fmt::format("no mesh has the colour '{}'", region.paint));
}

// Per welded vertex: how far it belongs to the region's selection.
std::vector<float> select(const Character& character, const Rig& rig, const SkinRegion& region) {
  const RigSurface& s = rig.surface;
  const std::string place = fmt::format("preset › region '{}'", region.name);
  std::vector<float> selected(s.size(), 0.0F);
  for (const std::string& joint : region.joints) {
    const int bone = bone_of(rig, joint);
    std::size_t count = 0;
    for (std::size_t v = 0; v < s.size(); ++v)
      if (bone >= 0 && s.owner[v] == static_cast<std::uint32_t>(bone)) selected[v] = 1, ++count;
    if (count == 0)
      refuse(place, fmt::format("joint '{}' has no skin of its own; 'cutis bind' lists those that do", joint));
  }
  for (const std::string& name : region.meshes) {
    bool found = false;
    std::size_t begin = 0;
    for (const Mesh& mesh : character.meshes) {
      if (mesh.name == name) {
        found = true;
        for (std::size_t v = 0; v < mesh.positions.size(); ++v)
          if (!rig.layers.rides(begin + v)) selected[s.welded_of[begin + v]] = 1;
      }
      begin += mesh.positions.size();
    }
    if (!found) refuse(place, fmt::format("the character has no mesh '{}'; 'cutis info' lists them", name));
  }
  for (const std::uint32_t vertex : region.vertices) {
    if (vertex >= s.welded_of.size())
      refuse(place, fmt::format("there is no vertex {}; the character has {}", vertex, s.welded_of.size()));
    if (!rig.layers.rides(vertex)) selected[s.welded_of[vertex]] = 1;
  }
  for (const RegionSphere& sphere : region.spheres)
    for (std::size_t v = 0; v < s.size(); ++v)
      if (distance(static_cast<Vec3d>(s.positions[v]), sphere.center) <= sphere.radius) selected[v] = 1;
  if (!region.paint.empty()) select_paint(character, rig, region, place, selected);
  // What rides on the skin slides and touches nothing: there is nothing to paint.
  const bool may_ride =
      rig.layers.size() > 0 && !(region.meshes.empty() && region.vertices.empty() && region.paint.empty());
  if (!may_ride && std::ranges::all_of(selected, [](float x) { return x == 0; }))
    refuse(place, "selects no vertex; spheres and paint must reach the skin at rest");
  return selected;
}

// Gives the grid more nodes where the box [lo, hi], in node numbers, leaves it: the field is 0 there.
void enlarge(RigField& field, const Vec3d& lo, const Vec3d& hi, const std::string& place) {
  GridView& grid = field.grid;
  const int old[3] = {grid.nx, grid.ny, grid.nz};
  int before[3], size[3];
  double nodes = 1;
  for (int a = 0; a < 3; ++a) {
    const double first = std::min(0.0, std::floor(lo[a])), last = std::max<double>(old[a] - 1, std::ceil(hi[a]));
    nodes *= last - first + 1;
    if (!(nodes <= static_cast<double>(kMostNodes)))
      refuse(place, "is too large for its part; give it a smaller radius or inflation, or move its ends together");
    before[a] = static_cast<int>(-first);
    size[a] = static_cast<int>(last - first) + 1;
  }
  const auto index = [](int i, int j, int k, const int* n) {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(n[1]) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(n[0]) +
           static_cast<std::size_t>(i);
  };
  std::vector<GridNode> more(static_cast<std::size_t>(nodes), GridNode{32767, 0, 0, 0});
  for (int k = 0; k < old[2]; ++k)
    for (int j = 0; j < old[1]; ++j)
      for (int i = 0; i < old[0]; ++i)
        more[index(i + before[0], j + before[1], k + before[2], size)] = field.nodes[index(i, j, k, old)];
  field.nodes = std::move(more);
  grid.nx = size[0];
  grid.ny = size[1];
  grid.nz = size[2];
  grid.grid_from_rest.translation +=
      Vec3f{static_cast<float>(before[0]), static_cast<float>(before[1]), static_cast<float>(before[2])};
}

void hold_muscle(const RigMuscle& muscle, const std::string& place, RigField& field) {
  double inflation = 0;
  for (const MuscleKnot& knot : muscle.curve) inflation = std::max<double>(inflation, knot.inflation);
  const double radius = muscle.radius * (1 + inflation), reach = radius + field.grid.radius;
  const Vec3d half{muscle.half_length + (muscle.capsule ? reach : static_cast<double>(field.grid.radius)), reach,
                   reach};
  const Affine3d grid_from_muscle = convert<double>(field.grid.grid_from_rest) * inverse(muscle.muscle_from_rest);
  Box box;
  for (unsigned c = 0; c < 8; ++c)
    box.add(transform_point(grid_from_muscle, Vec3d{(c & 1U) != 0 ? half.x : -half.x, (c & 2U) != 0 ? half.y : -half.y,
                                                    (c & 4U) != 0 ? half.z : -half.z}));
  enlarge(field, box.lo, box.hi, place);
}

}  // namespace

void paint_regions(const Character& character, const Preset& preset, Rig& rig) {
  RigSurface& s = rig.surface;
  s.stiffness.clear();
  s.no_contact.clear();
  s.blend_share.clear();
  s.blend_weight.clear();
  if (preset.regions.empty()) return;
  s.no_contact.assign(s.size(), 0);
  s.stiffness.assign(s.size(), 0.0F);
  for (const SkinRegion& region : preset.regions) {
    const std::vector<float> selected = select(character, rig, region);
    std::vector<float> share = selected;
    if (region.fade > 0) {
      const auto fade = static_cast<float>(region.fade);
      std::vector<float> way(s.size(), kFarAway);
      for (std::size_t v = 0; v < s.size(); ++v)
        if (selected[v] >= 0.5F) way[v] = 0;
      spread(s, fade, way);
      for (std::size_t v = 0; v < s.size(); ++v)
        if (way[v] <= fade) share[v] = std::max(share[v], 1 - smooth_step(way[v], 0.0F, fade));
    }
    for (std::size_t v = 0; v < s.size(); ++v)
      s.stiffness[v] = std::lerp(s.stiffness[v], static_cast<float>(region.stiffness), share[v]);
    if (region.blend) {
      s.blend_share.resize(s.size(), 0.0F);
      s.blend_weight.resize(s.size(), 0.0F);
      for (std::size_t v = 0; v < s.size(); ++v) {
        s.blend_share[v] = std::lerp(s.blend_share[v], 1.0F, share[v]);
        s.blend_weight[v] =
            std::min(s.blend_share[v], std::lerp(s.blend_weight[v], static_cast<float>(*region.blend), share[v]));
      }
    }
    for (std::size_t v = 0; v < s.size(); ++v)
      if (selected[v] >= 0.5F) s.no_contact[v] = region.contact ? 0 : 1;
  }
  if (std::ranges::all_of(s.no_contact, [](char c) { return c == 0; })) s.no_contact.clear();
}

void add_targets(const Preset& preset, Rig& rig) {
  const RigSurface& s = rig.surface;
  for (const SkinTarget& target : preset.targets) {
    const std::string place = fmt::format("preset › target '{}'", target.name);
    if (target.vertex >= s.welded_of.size())
      refuse(place, fmt::format("there is no vertex {}; the character has {}", target.vertex, s.welded_of.size()));
    if (rig.layers.rides(target.vertex))
      refuse(place,
             fmt::format("vertex {} is of a piece that rides on the skin; give that piece the role body, or choose "
                         "a vertex of the skin",
                         target.vertex));
    const std::uint32_t v = s.welded_of[target.vertex];
    const int bone = target.joint.empty() ? static_cast<int>(s.owner[v]) : bone_of(rig, target.joint);
    if (s.owner[v] == RigSurface::kNoBone || bone < 0)
      refuse(place, fmt::format("joint '{}' moves no skin; choose one that does", target.joint));
    RigTarget out;
    out.bone = static_cast<std::uint32_t>(bone);
    std::vector<float> way(s.size(), kFarAway);
    way[v] = 0;
    const auto radius = static_cast<float>(target.radius);
    spread(s, radius, way);
    const auto add = [&](std::uint32_t u, float share) {
      out.vertices.push_back(u);
      out.share.push_back(share);
      out.offset.push_back(s.positions[u] - s.positions[v]);
    };
    add(v, 1);
    for (std::uint32_t u = 0; u < s.size(); ++u)
      if (u != v && way[u] < radius) add(u, 1 - smooth_step(way[u], 0.0F, radius));
    for (const SkinTargetKey& key : target.keys)
      out.keys.push_back({key.time, key.weight, key.point.value_or(static_cast<Vec3d>(s.positions[v]))});
    rig.targets.push_back(std::move(out));
  }
}

void add_muscles(const Preset& preset, Rig& rig) {
  for (const Muscle& muscle : preset.muscles) {
    const std::string place = fmt::format("preset › muscle '{}'", muscle.name);
    const int bone = bone_of(rig, muscle.joint), driver = bone_of(rig, muscle.driver);
    if (bone < 0 || rig.fields[static_cast<std::size_t>(bone)].empty())
      refuse(place, fmt::format("joint '{}' has no skin of its own; choose one that has", muscle.joint));
    if (driver < 0 || rig.bones[static_cast<std::size_t>(driver)].parent < 0)
      refuse(place, fmt::format("joint '{}' is no bone, or has no parent bone to make an angle with", muscle.driver));
    RigMuscle out;
    out.bone = static_cast<std::uint32_t>(bone);
    out.driver = static_cast<std::uint32_t>(driver);
    out.half_length = 0.5 * distance(muscle.from, muscle.to);
    out.radius = muscle.radius;
    out.capsule = muscle.form == MuscleForm::capsule;
    const Mat3d rest_from_muscle =
        to_matrix(rotation_between(Vec3d{1, 0, 0}, normalized(muscle.to - muscle.from, Vec3d{1, 0, 0})));
    out.muscle_from_rest = inverse(Affine3d{rest_from_muscle, (muscle.from + muscle.to) * 0.5});
    for (const auto& [degrees, inflation] : muscle.curve)
      out.curve.push_back({static_cast<float>(degrees * kPi / 180), static_cast<float>(inflation)});
    hold_muscle(out, place, rig.fields[out.bone]);
    rig.muscles.push_back(std::move(out));
  }
  std::ranges::stable_sort(rig.muscles, {}, &RigMuscle::bone);
  const std::vector<Affine3d> rest(rig.bones.size());
  std::vector<MuscleView> views;
  pose_muscles(rig, rest, views);
  for (std::size_t i = 0; i < views.size(); ++i) rig.fields[rig.muscles[i].bone].muscles.push_back(views[i]);
}

}  // namespace cutis
