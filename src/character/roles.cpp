// Pieces are components of the surface welded by position. A piece is held against the large pieces around it: at
// points spread over it, how far the nearest point of another large piece is, on which side of it the point lies, and
// how much weights differ. Thresholds are shares of area, lengths are relative to the character, and what is not clear
// is body.
#include "cutis/roles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/math.h"
#include "character/welded_character.h"
#include "cutis/error.h"
#include "geometry/closest_point.h"
#include "geometry/normals.h"
#include "geometry/triangle_bvh.h"
#include "geometry/winding_number.h"

namespace cutis {
namespace {

constexpr std::array<std::string_view, kRoles> kNames{"body", "garment", "hair", "inner", "rigid"};

// Cloth lies within a fortieth of the size over the skin: 6 cm on a man with his arms out.
constexpr double kNear = 0.025;
// Of the area: what most of a garment is.
constexpr double kMost = 0.75;
// A piece that one bone owns: by so much of the weight of every vertex.
constexpr float kOwned = 0.99F;
// … and one that has the same weights all over: by how much, in [0, 2], those of a vertex may differ.
constexpr double kStiff = 0.1;
// A piece is small up to this share of the whole area …
constexpr double kSmall = 0.15;
// … and can be lain upon from this share on, but no more than so many pieces.
constexpr double kLarge = 0.02;
constexpr std::size_t kMostLarge = 24;
// Points of a piece that are looked at.
constexpr std::size_t kPoints = 256;
// Weights of cloth are those of the skin below: their difference, in [0, 2], over most of the area.
constexpr double kSameWeights = 0.7;
// Winding number, of either sign, from which on a point is inside.
constexpr double kInside = 0.5;
// What is inside a body altogether and this small (of the area) is no limb of it, whoever moves it.
constexpr double kTiny = 0.03, kAll = 0.95;
// An ornament is as small, and may be sunk into what it lies on.
constexpr double kOrnament = 0.01;
// Of the edges: sheets have more borders than cloth.
constexpr double kSheetBorders = 0.15;

struct Surface {
  JoinedMeshes meshes;
  Weld places;                      // of the input vertices, by position alone
  std::vector<Triangle> triangles;  // between places
  std::vector<Vec3f> positions;     // of places
  Topology topology;
  std::vector<Vec3d> normals;
};

struct Shape {
  std::vector<std::uint32_t> triangles;  // of the surface
  std::vector<std::uint32_t> vertices;
  TriangleBvh tree;
  Box box;
  double area = 0;
  std::size_t edges = 0, borders = 0, doubled = 0;  // doubled: triangles that have another on their back
};

Surface make_surface(const Character& character) {
  Surface s;
  s.meshes = join_meshes(character);
  s.places = weld(s.meshes.input_positions);
  s.triangles = weld_triangles(s.places, s.meshes.input_triangles);
  std::erase_if(s.triangles, [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  for (const std::uint32_t v : s.places.first_of) s.positions.push_back(s.meshes.input_positions[v]);
  s.topology = build_topology(s.positions.size(), s.triangles);
  s.normals = area_weighted_normals(s.positions, s.triangles);
  return s;
}

std::vector<Shape> make_shapes(const Surface& s) {
  std::vector<Shape> shapes(s.topology.component_count);
  for (std::uint32_t v = 0; v < s.positions.size(); ++v) {
    if (s.topology.component[v] == Topology::kNoComponent) continue;
    Shape& shape = shapes[s.topology.component[v]];
    shape.vertices.push_back(v);
    shape.box.add(static_cast<Vec3d>(s.positions[v]));
  }
  for (std::uint32_t t = 0; t < s.triangles.size(); ++t) {
    const Triangle& f = s.triangles[t];
    Shape& shape = shapes[s.topology.component[f[0]]];
    shape.triangles.push_back(t);
    shape.area += length(area_vector(s.positions[f[0]], s.positions[f[1]], s.positions[f[2]]));
  }
  for (const Edge& e : s.topology.edges) {
    Shape& shape = shapes[s.topology.component[e.a]];
    ++shape.edges;
    if (e.faces == 1 || (e.faces == 2 && e.forward != 1)) ++shape.borders;
  }
  std::vector<Triangle> corners = s.triangles;  // sorted within and among themselves: doubles are side by side
  for (Triangle& t : corners) std::ranges::sort(t);
  std::ranges::sort(corners);
  for (std::size_t i = 0; i < corners.size(); ++i)
    if ((i > 0 && corners[i - 1] == corners[i]) || (i + 1 < corners.size() && corners[i + 1] == corners[i]))
      ++shapes[s.topology.component[corners[i][0]]].doubled;
  return shapes;
}

// Weights of all copies at a place: of its first.
class WeightsOf {
 public:
  WeightsOf(const Character& character, const Surface& surface) : character_(character), surface_(surface) {}
  [[nodiscard]] WeightRow operator()(std::uint32_t place) const {
    const std::uint32_t input = surface_.places.first_of[place];
    const auto& begins = surface_.meshes.mesh_begin;
    const auto mesh =
        static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), input) - begins.begin()) - 1;
    return weight_row(character_.meshes[mesh].weights, input - begins[mesh]);
  }

 private:
  const Character& character_;
  const Surface& surface_;
};

// The joint that owns every vertex, or -1.
int owner_of(const Character& character, const Shape& shape, const WeightsOf& weights) {
  int owner = -1;
  for (const std::uint32_t v : shape.vertices) {
    const WeightRow row = weights(v);
    if (row.joints.empty() || row.weights[0] < kOwned) return -1;
    const int alias = character.skeleton.joints[row.joints[0]].alias_of;
    const int joint = alias >= 0 ? alias : static_cast<int>(row.joints[0]);
    if (owner >= 0 && joint != owner) return -1;
    owner = joint;
  }
  return owner;
}

bool is_stiff(const Shape& shape, const WeightsOf& weights) {
  if (shape.vertices.empty()) return false;
  const WeightRow first = weights(shape.vertices[0]);
  return !first.joints.empty() && std::ranges::all_of(shape.vertices, [&](std::uint32_t v) {
    return weight_difference(first, weights(v)) <= kStiff;
  });
}

double distance_to(const Box& box, const Vec3d& p) {
  Vec3d out;
  for (int k = 0; k < 3; ++k) out[k] = std::max({box.lo[k] - p[k], 0.0, p[k] - box.hi[k]});
  return length(out);
}

struct Below {
  std::size_t piece = 0;
  double distance = 0, height = 0;  // height: along the normal there
  std::array<std::uint32_t, 3> corners{};
};

// The nearest point of the pieces `large` but `own` within `reach`.
std::optional<Below> find_below(const Surface& s, const std::vector<Shape>& shapes,
                                std::span<const std::uint32_t> large, std::uint32_t own, const Vec3d& p, double reach) {
  std::optional<Below> best;
  for (const std::uint32_t other : large) {
    if (other == own || distance_to(shapes[other].box, p) > (best ? best->distance : reach)) continue;
    const auto hit = ClosestPoint(shapes[other].tree, s.positions, s.triangles).nearest(p);
    if (hit.distance > reach || (best && hit.distance >= best->distance)) continue;
    const Triangle& t = s.triangles[hit.triangle];
    Vec3d q, n;
    for (std::size_t k = 0; k < 3; ++k) {
      q += static_cast<Vec3d>(s.positions[t[k]]) * hit.barycentric[k];
      n += s.normals[t[k]] * hit.barycentric[k];
    }
    best = Below{other, hit.distance, dot(p - q, normalized(n, Vec3d{})), {t[0], t[1], t[2]}};
  }
  return best;
}

struct Standing {
  double over = 0, inside = 0;    // shares of the points
  double either = 0;              // over or inside
  double weight_difference = 2;   // median over the points that lie over something
  std::vector<std::size_t> upon;  // points over each piece
};

Standing stand(const Surface& s, const std::vector<Shape>& shapes, std::span<const std::uint32_t> large,
               std::span<const WindingNumber> windings, std::uint32_t piece, double reach, const WeightsOf& weights) {
  const Shape& shape = shapes[piece];
  Standing result;
  result.upon.assign(shapes.size(), 0);
  std::vector<double> differences;
  const std::size_t step = std::max<std::size_t>(1, shape.vertices.size() / kPoints);
  std::size_t count = 0;
  for (std::size_t i = 0; i < shape.vertices.size(); i += step, ++count) {
    const std::uint32_t v = shape.vertices[i];
    const auto p = static_cast<Vec3d>(s.positions[v]);
    // An outline drawn by a shell that is inside out holds the body as much as a shirt does.
    const auto is_inside = [&](std::size_t k) {
      return large[k] != piece && distance_to(shapes[large[k]].box, p) <= 0 &&
             (windings[k].exceeds(p, kInside) || !windings[k].exceeds(p, -kInside));
    };
    std::vector<char> inside_of(shapes.size(), 0);
    bool inside = false;
    for (std::size_t k = 0; k < large.size(); ++k)
      if (is_inside(k)) inside_of[large[k]] = 1, inside = true;
    result.inside += inside ? 1 : 0;
    result.either += inside ? 1 : 0;
    const auto below = find_below(s, shapes, large, piece, p, reach);
    if (!below || !(below->height > 0) || inside_of[below->piece] != 0) continue;
    result.over += 1;
    result.either += inside ? 0 : 1;
    ++result.upon[below->piece];
    double least = 2;
    for (const std::uint32_t c : below->corners) least = std::min(least, weight_difference(weights(v), weights(c)));
    differences.push_back(least);
  }
  result.over /= static_cast<double>(std::max<std::size_t>(count, 1));
  result.inside /= static_cast<double>(std::max<std::size_t>(count, 1));
  result.either /= static_cast<double>(std::max<std::size_t>(count, 1));
  if (!differences.empty()) {
    const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
    std::nth_element(differences.begin(), middle, differences.end());
    result.weight_difference = *middle;
  }
  return result;
}

// Whether larger pieces have skin of the joint that moves this one most.
bool is_carried(const Character& character, const std::vector<Shape>& shapes, std::uint32_t piece,
                const WeightsOf& weights) {
  const std::uint32_t main = weights(shapes[piece].vertices[0]).joints[0];
  const int alias_of = character.skeleton.joints[main].alias_of;
  const int joint = alias_of >= 0 ? alias_of : static_cast<int>(main);
  for (std::uint32_t p = 0; p < shapes.size(); ++p) {
    if (p == piece || !(shapes[p].area > shapes[piece].area)) continue;
    for (const std::uint32_t v : shapes[p].vertices) {
      const WeightRow row = weights(v);
      if (row.joints.empty()) continue;
      const int alias = character.skeleton.joints[row.joints[0]].alias_of;
      if ((alias >= 0 ? alias : static_cast<int>(row.joints[0])) == joint) return true;
    }
  }
  return false;
}

// Whether what it lies over is not itself lying over it, or is larger.
bool is_above(std::uint32_t piece, const std::vector<Shape>& shapes, const std::vector<Standing>& standing) {
  const std::vector<std::size_t>& upon = standing[piece].upon;
  const auto most = static_cast<std::uint32_t>(std::ranges::max_element(upon) - upon.begin());
  const std::vector<std::size_t>& back = standing[most].upon;
  const std::size_t all = std::accumulate(back.begin(), back.end(), std::size_t{0});
  return 2 * back[piece] < all || shapes[most].area > shapes[piece].area || all == 0;
}

PieceRole decide(const Piece& piece, const Shape& shape, const Standing& standing, double share, bool carried,
                 bool above) {
  const bool small = share <= kSmall, owned = piece.joint >= 0 || piece.stiff;
  // Sheets that lie on each other back to back have no borders, but are sheets.
  const bool sheets = static_cast<double>(shape.borders) > kSheetBorders * static_cast<double>(shape.edges) ||
                      2 * shape.doubled > shape.triangles.size();
  if (small && owned && standing.inside >= kMost) return PieceRole::inner;
  if (share <= kTiny && standing.inside >= kAll) return PieceRole::inner;
  if (small && sheets && standing.over + standing.inside >= kMost) return PieceRole::hair;
  if (small && owned && carried) return PieceRole::rigid;
  if (piece.joint < 0 && above && standing.over >= kMost && standing.weight_difference <= kSameWeights)
    return PieceRole::garment;
  if (share <= kOrnament && standing.either >= kMost) return PieceRole::inner;
  return PieceRole::body;
}

void choose(const Character& character, std::span<const RoleChoice> choices, Roles& roles) {
  for (const RoleChoice& choice : choices) {
    const std::string place = fmt::format("preset › role '{}'", choice.name);
    const auto take = [&](Piece& piece) {
      piece.role = choice.role;
      piece.chosen = true;
    };
    for (const std::uint32_t p : choice.pieces) {
      if (p >= roles.pieces.size())
        throw Error(
            ErrorCode::bad_argument, place,
            fmt::format("there is no piece {}; the character has {}, 'cutis info' lists them", p, roles.pieces.size()));
      take(roles.pieces[p]);
    }
    for (const std::string& name : choice.meshes) {
      bool found = false;
      std::size_t begin = 0;
      for (const Mesh& mesh : character.meshes) {
        found = found || mesh.name == name;
        for (std::size_t v = 0; mesh.name == name && v < mesh.positions.size(); ++v)
          if (roles.piece[begin + v] < roles.pieces.size()) take(roles.pieces[roles.piece[begin + v]]);
        begin += mesh.positions.size();
      }
      if (!found)
        throw Error(ErrorCode::bad_argument, place,
                    fmt::format("the character has no mesh '{}'; 'cutis info' lists them", name));
    }
    if (choice.pieces.empty() && choice.meshes.empty())
      for (Piece& piece : roles.pieces) take(piece);
  }
}

}  // namespace

std::string_view to_string(PieceRole role) {
  const auto index = static_cast<std::size_t>(role);
  return index < kRoles ? kNames[index] : "?";
}

PieceRole piece_role_from_string(std::string_view name, const std::string& place) {
  const auto it = std::ranges::find(kNames, name);
  if (it == kNames.end())
    throw Error(ErrorCode::bad_argument, place,
                fmt::format("there is no role '{}'; choose one of: {}", name, fmt::join(kNames, ", ")));
  return static_cast<PieceRole>(it - kNames.begin());
}

Roles find_roles(const Character& character, std::span<const RoleChoice> choices) {
  const Surface s = make_surface(character);
  std::vector<Shape> shapes = make_shapes(s);
  Roles roles;
  roles.pieces.resize(shapes.size());
  double area = 0;
  Box box;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Piece& piece = roles.pieces[i];
    piece.vertices = shapes[i].vertices.size();
    piece.triangles = shapes[i].triangles.size();
    piece.area = shapes[i].area;
    piece.open = shapes[i].borders > 0 || shapes[i].doubled > 0;
    area += piece.area;
    if (!shapes[i].box.empty()) box.add(shapes[i].box.lo), box.add(shapes[i].box.hi);
  }
  for (std::size_t v = 0; v < s.places.welded_of.size(); ++v)
    roles.piece.push_back(s.topology.component[s.places.welded_of[v]]);
  for (std::size_t m = character.meshes.size(); m-- > 0;)
    for (const Triangle& t : character.meshes[m].triangles)
      if (const std::uint32_t p = roles.piece[s.meshes.mesh_begin[m] + t[0]]; p < shapes.size())
        roles.pieces[p].mesh = character.meshes[m].name;

  if (character.has_weights() && shapes.size() > 1) {
    std::vector<std::uint32_t> large(shapes.size());
    std::iota(large.begin(), large.end(), 0U);
    std::ranges::stable_sort(large, std::greater<>(), [&](std::uint32_t p) { return shapes[p].area; });
    std::erase_if(large, [&](std::uint32_t p) { return shapes[p].area < kLarge * area; });
    if (large.size() > kMostLarge) large.resize(kMostLarge);
    for (const std::uint32_t p : large) shapes[p].tree = TriangleBvh(s.positions, s.triangles, shapes[p].triangles);
    std::vector<WindingNumber> windings;
    for (const std::uint32_t p : large) windings.emplace_back(shapes[p].tree, s.positions, s.triangles);
    const WeightsOf weights(character, s);
    const double reach = kNear * diagonal(box);
    std::vector<Standing> standing;
    for (std::uint32_t p = 0; p < shapes.size(); ++p) {
      roles.pieces[p].joint = owner_of(character, shapes[p], weights);
      roles.pieces[p].stiff = is_stiff(shapes[p], weights);
      standing.push_back(stand(s, shapes, large, windings, p, reach, weights));
      roles.pieces[p].over = standing.back().over;
      roles.pieces[p].inside = standing.back().inside;
    }
    for (std::uint32_t p = 0; p < shapes.size(); ++p) {
      Piece& piece = roles.pieces[p];
      const bool carried = (piece.joint >= 0 || piece.stiff) && is_carried(character, shapes, p, weights);
      piece.role = decide(piece, shapes[p], standing[p], piece.area / area, carried, is_above(p, shapes, standing));
    }
  }
  choose(character, choices, roles);
  return roles;
}

}  // namespace cutis
