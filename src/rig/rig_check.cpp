// A file with the right checksum may still have been made by something else: nothing in it is believed.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/error.h"
#include "rig/rig_file.h"
#include "rig/rig_tree.h"

namespace cutis {
namespace {

class Check {
 public:
  explicit Check(const std::string& place) : place_(place) {}

  void require(bool good, const char* what) const {
    if (!good)
      throw Error(ErrorCode::bad_file, place_,
                  fmt::format("is damaged: its {} do not fit together; bind the character again", what));
  }
  template <class T>
  void finite(const std::vector<T>& values, const char* what) const {
    for (const T& value : values) {
      if constexpr (std::is_floating_point_v<T>) {
        require(std::isfinite(value), what);
      } else {
        require(is_finite(value), what);
      }
    }
  }
  void below(const std::vector<std::uint32_t>& values, std::size_t limit, const char* what) const {
    require(std::ranges::all_of(values, [&](std::uint32_t v) { return v < limit; }), what);
  }
  void rows(const std::vector<std::uint32_t>& begin, std::size_t count, std::size_t items, const char* what) const {
    require(begin.size() == count + 1 && begin.front() == 0 && begin.back() == items && std::ranges::is_sorted(begin),
            what);
  }

 private:
  const std::string& place_;
};

void check_skeleton(const Rig& rig, const Check& check) {
  const auto joints = static_cast<int>(rig.skeleton.joints.size());
  for (int j = 0; j < joints; ++j) {
    const Joint& joint = rig.skeleton.joints[static_cast<std::size_t>(j)];
    check.require(joint.parent >= -1 && joint.parent < j && joint.alias_of >= -1 && joint.alias_of < joints, "joints");
    check.require(is_finite(joint.world_from_rest), "joints");
  }
  check.require(!rig.bones.empty(), "bones");
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const RigBone& bone = rig.bones[b];
    check.require(bone.joint >= 0 && bone.joint < joints && bone.parent >= -1 && bone.parent < static_cast<int>(b),
                  "bones");
    check.require(is_finite(bone.rest_from_world) && is_finite(bone.rest_origin) && is_finite(bone.rest_end), "bones");
  }
}

void check_influences(const Rig& rig, const Check& check) {
  const std::size_t n = rig.vertex_count();
  check.require(rig.rest_normals.size() == n, "vertices");
  check.finite(rig.rest_positions, "vertices");
  check.finite(rig.rest_normals, "vertices");
  if (rig.block_begin.empty()) {
    check.require(rig.blocks.size() == n, "influences");
  } else {
    check.rows(rig.block_begin, n, rig.blocks.size(), "influences");
    // Every vertex has a first, heaviest bone.
    check.require(std::ranges::adjacent_find(rig.block_begin, std::ranges::greater_equal()) == rig.block_begin.end(),
                  "influences");
  }
  for (const InfluenceBlock& block : rig.blocks)
    for (std::size_t k = 0; k < 4; ++k)
      check.require(block.bone[k] < rig.bones.size() && std::isfinite(block.weight[k]), "influences");
}

void check_surface(const Rig& rig, const Check& check) {
  const RigSurface& s = rig.surface;
  const std::size_t n = s.size();
  check.require(s.welded_of.size() == rig.vertex_count() && s.first_of.size() == n && s.normals.size() == n &&
                    s.owner.size() == n && s.iso.size() == n && s.edge.size() == n,
                "welded vertices");
  check.below(s.welded_of, n, "welded vertices");
  check.below(s.first_of, rig.vertex_count(), "welded vertices");
  for (const std::uint32_t owner : s.owner)
    check.require(owner < rig.bones.size() || owner == RigSurface::kNoBone, "welded vertices");
  check.finite(s.positions, "welded vertices");
  check.finite(s.normals, "welded vertices");
  check.finite(s.iso, "iso-values");
  check.require(std::ranges::all_of(s.edge, [](float e) { return e > 0 && std::isfinite(e); }), "edge lengths");
  for (const Triangle& t : s.triangles)
    check.require(t[0] < n && t[1] < n && t[2] < n && t[0] != t[1] && t[1] != t[2] && t[2] != t[0], "triangles");
  check.rows(s.neighbours.begin, n, s.neighbours.items.size(), "neighbours");
  check.below(s.neighbours.items, n, "neighbours");
  check.require(s.neighbour_weight.size() == s.neighbours.items.size(), "neighbours");
  check.finite(s.neighbour_weight, "neighbours");
  check.rows(s.turn.begin, n, s.turn.items.size(), "turn weights");
  check.below(s.turn.items, rig.bones.size(), "turn weights");
  check.require(s.turn_weight.size() == s.turn.items.size(), "turn weights");
  check.finite(s.turn_weight, "turn weights");
  check.require(s.no_contact.empty() || s.no_contact.size() == n, "contact");
  check.require(s.stiffness.empty() || s.stiffness.size() == n, "stiffness");
  check.require(std::ranges::all_of(s.stiffness, [](float x) { return x >= 0 && x <= 1; }), "stiffness");
  check.require(s.blend_weight.size() == s.blend_share.size() && (s.blend_share.empty() || s.blend_share.size() == n),
                "blending weights");
  for (std::size_t v = 0; v < s.blend_share.size(); ++v)
    check.require(s.blend_share[v] <= 1 && s.blend_weight[v] >= 0 && s.blend_weight[v] <= s.blend_share[v],
                  "blending weights");
}

void check_fields(const Rig& rig, const Check& check) {
  check.require(rig.fields.size() == rig.bones.size(), "fields");
  for (const RigField& field : rig.fields) {
    if (field.empty()) continue;
    const GridView& g = field.grid;
    const std::size_t nodes = field.nodes.size();
    const auto fits = [&](int n) { return n >= 2 && static_cast<std::size_t>(n) <= nodes; };
    check.require(fits(g.nx) && fits(g.ny) && fits(g.nz), "fields");
    const auto nx = static_cast<std::size_t>(g.nx), ny = static_cast<std::size_t>(g.ny);
    check.require(nodes % (nx * ny) == 0 && nodes / (nx * ny) == static_cast<std::size_t>(g.nz), "fields");
    check.require(is_finite(g.grid_from_rest) && is_finite(g.rest_from_slope.col[0]) &&
                      is_finite(g.rest_from_slope.col[1]) && is_finite(g.rest_from_slope.col[2]) &&
                      std::isfinite(g.value_step) && std::isfinite(g.slope_step) && g.radius > 0 &&
                      std::isfinite(g.radius) && (g.map == CompactMap::quintic || g.map == CompactMap::cubic),
                  "fields");
  }
}

void check_muscles(const Rig& rig, const Check& check) {
  std::vector<std::size_t> count(rig.bones.size(), 0);
  for (const RigMuscle& m : rig.muscles) {
    check.require(m.bone < rig.bones.size() && m.driver < rig.bones.size() && !rig.fields[m.bone].empty(), "muscles");
    check.require(is_finite(m.muscle_from_rest) && std::isfinite(m.half_length) && m.half_length > 0 &&
                      std::isfinite(m.radius) && m.radius > 0 && !m.curve.empty(),
                  "muscles");
    for (const MuscleKnot& knot : m.curve)
      check.require(std::isfinite(knot.angle) && knot.inflation > -1 && std::isfinite(knot.inflation), "muscles");
    ++count[m.bone];
  }
  check.require(std::ranges::is_sorted(rig.muscles, {}, &RigMuscle::bone), "muscles");
  for (std::size_t b = 0; b < rig.fields.size(); ++b) {
    check.require(rig.fields[b].muscles.size() == count[b], "muscles");
    for (const MuscleView& m : rig.fields[b].muscles)
      check.require(is_finite(m.unit_from_posed) && std::isfinite(m.half), "muscles");
  }
}

void check_targets(const Rig& rig, const Check& check) {
  for (const RigTarget& t : rig.targets) {
    const std::size_t n = t.vertices.size();
    check.require(t.bone < rig.bones.size() && n > 0 && t.share.size() == n && t.offset.size() == n && !t.keys.empty(),
                  "targets");
    check.below(t.vertices, rig.surface.size(), "targets");
    check.finite(t.share, "targets");
    check.finite(t.offset, "targets");
    for (const RigTargetKey& key : t.keys)
      check.require(std::isfinite(key.time) && key.weight >= 0 && key.weight <= 1 && is_finite(key.point), "targets");
  }
}

void check_layers(const Rig& rig, const Check& check) {
  const RigLayers& l = rig.layers;
  const std::size_t n = l.size();
  check.require(l.rider_of.empty() ? n == 0 : l.rider_of.size() == rig.vertex_count(), "layers");
  for (const std::uint32_t r : l.rider_of) check.require(r < n || r == RigLayers::kNone, "layers");
  check.require(l.bone.size() == n && l.share.size() == n && l.foot.size() == n && l.ground.size() == n &&
                    l.ground_at.size() == n,
                "layers");
  for (const Triangle& t : l.ground)
    check.require(t[0] < rig.surface.size() && t[1] < rig.surface.size() && t[2] < rig.surface.size(), "layers");
  check.finite(l.ground_at, "layers");
  check.below(l.first_of, rig.vertex_count(), "layers");
  for (const std::uint32_t b : l.bone) check.require(b < rig.bones.size() || b == RigLayers::kNone, "layers");
  check.require(std::ranges::all_of(l.share, [](float x) { return x >= 0 && x <= 1; }), "layers");
  check.finite(l.foot, "layers");
  if (n == 0) {
    check.require(l.anchors.items.empty() && l.triangles.empty() && l.covers.empty(), "layers");
    return;
  }
  check.rows(l.anchors.begin, n, l.anchors.items.size(), "layers");
  check.below(l.anchors.items, rig.surface.size(), "layers");
  check.require(l.anchor_weight.size() == l.anchors.items.size(), "layers");
  check.finite(l.anchor_weight, "layers");
  for (const Triangle& t : l.triangles) check.require(t[0] < n && t[1] < n && t[2] < n, "layers");
  for (const RigCover& c : l.covers) {
    check.require(c.below < rig.surface.size() + n && c.triangle < l.triangles.size() && std::isfinite(c.height) &&
                      is_finite(c.normal),
                  "layers");
    for (const float at : c.at) check.require(at >= 0 && at <= 1, "layers");
  }
}

void check_tree(const Rig& rig, const Check& check) {
  const RigTree& tree = rig.tree;
  std::vector<char> used(rig.bones.size(), 0);
  for (const std::uint32_t bone : tree.leaf_bone) {
    check.require(bone < rig.bones.size() && !rig.fields[bone].empty() && used[bone] == 0, "operators");
    used[bone] = 1;
  }
  for (const RigOperator& op : tree.operators) {
    const bool table = op.form == OperatorForm::table;
    check.require(table || op.form == OperatorForm::unite || op.form == OperatorForm::clean_union ||
                      op.form == OperatorForm::blend,
                  "operators");
    check.require(!table || (op.side >= 2 && op.slices >= 2 && op.side <= 4096 && op.slices <= 4096 &&
                             op.nodes.size() == static_cast<std::size_t>(op.side) * static_cast<std::size_t>(op.side) *
                                                    static_cast<std::size_t>(op.slices)),
                  "operators");
    for (const OperatorNode& node : op.nodes)
      check.require(
          std::isfinite(node.g) && std::isfinite(node.g1) && std::isfinite(node.g2) && std::isfinite(node.g12),
          "operators");
    check.require(std::isfinite(op.crossing) && std::isfinite(op.contact_end), "operators");
  }
  for (const TreeNode& node : tree.nodes)
    check.require(node.op < tree.operators.size() && node.knot_count >= 1 && node.knots <= tree.knots.size() &&
                      node.knot_count <= tree.knots.size() - node.knots && std::isfinite(node.cos_start),
                  "operators");
  for (const ControllerKnot& knot : tree.knots)
    check.require(std::isfinite(knot.x) && std::isfinite(knot.y) && std::isfinite(knot.slope), "controllers");
  const auto expected = make_range_nodes(tree.nodes, tree.size());
  check.require(expected && *expected == tree.range_nodes, "operators");
}

}  // namespace

void check_rig(const Rig& rig, const std::string& place) {
  const Check check(place);
  check_skeleton(rig, check);
  check_influences(rig, check);
  if (!rig.has_skin()) {
    check.require(rig.surface.size() == 0 && rig.tree.size() == 0 && rig.muscles.empty() && rig.targets.empty() &&
                      rig.layers.size() == 0 && rig.layers.rider_of.empty(),
                  "fields");
    return;
  }
  check_surface(rig, check);
  check_fields(rig, check);
  check_muscles(rig, check);
  check_targets(rig, check);
  check_layers(rig, check);
  check_tree(rig, check);
}

bool rows_fit(const RigRows& rows, std::size_t count, std::size_t most) {
  if (rows.begin.size() != count + 1 || rows.begin.front() != 0 || rows.begin.back() != rows.items.size()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (rows.begin[i] > rows.begin[i + 1] || rows.begin[i + 1] > rows.items.size()) return false;
    std::uint64_t least = 0;
    for (const std::uint32_t item : rows.row(i)) {
      if (item < least || item >= most) return false;
      least = static_cast<std::uint64_t>(item) + 1;
    }
  }
  return true;
}

}  // namespace cutis
