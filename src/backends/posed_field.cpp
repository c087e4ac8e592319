#include "backends/posed_field.h"

#include <algorithm>
#include <cmath>

#include "base/parallel_for.h"
#include "rig/motion.h"
#include "rig/muscles.h"

namespace cutis {
namespace {

constexpr int kCellsAlong = 40;  // the longest side of the index
constexpr std::size_t kGrain = 256;
// A map that shrinks volumes by more than this has no useful inverse in float.
constexpr double kLeastDeterminant = 1e-12;

bool usable(const Affine3d& m) { return is_finite(m) && std::abs(determinant(m.linear)) > kLeastDeterminant; }

Box box_of(const GridView& view) {
  const Affine3d posed_from_grid = inverse(convert<double>(view.grid_from_rest));
  Box box;
  for (int corner = 0; corner < 8; ++corner)
    box.add(transform_point(posed_from_grid, Vec3d{corner & 1 ? view.nx - 1.0 : 0.0, corner & 2 ? view.ny - 1.0 : 0.0,
                                                   corner & 4 ? view.nz - 1.0 : 0.0}));
  return box;
}

}  // namespace

PosedField::PosedField(const Rig& rig) : PosedField(rig, std::vector<Affine3d>(rig.bones.size())) {}

PosedField::PosedField(const Rig& rig, std::span<const Affine3d> posed_from_rest)
    : rig_(&rig), leaf_of_(rig.bones.size(), -1) {
  for (const RigOperator& op : rig.tree.operators) operators_.push_back(op.view());
  for (std::size_t i = 0; i < rig.tree.size(); ++i) leaf_of_[rig.tree.leaf_bone[i]] = static_cast<std::int32_t>(i);
  leaves_.resize(rig.tree.size());
  boxes_.resize(rig.tree.size());
  set_pose(posed_from_rest);
}

void PosedField::set_pose(std::span<const Affine3d> posed_from_rest) {
  const RigTree& tree = rig_->tree;
  bounds_ = {};
  pose_muscles(*rig_, posed_from_rest, muscles_);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::uint32_t bone = tree.leaf_bone[i];
    leaves_[i] = {};
    boxes_[i] = {};
    if (!usable(posed_from_rest[bone])) continue;
    GridView view = posed(rig_->fields[bone].view(), posed_from_rest[bone]);
    attach_muscles(*rig_, bone, muscles_, view);
    const Box box = box_of(view);
    if (!is_finite(box.lo) || !is_finite(box.hi)) continue;
    leaves_[i] = view;
    boxes_[i] = box;
    bounds_.add(box.lo);
    bounds_.add(box.hi);
  }
  build_index();
  tree_.leaves = leaves_.data();
  tree_.leaf_bone = tree.leaf_bone.data();
  tree_.nodes = tree.nodes.data();
  tree_.range_nodes = tree.range_nodes.data();
  tree_.operators = operators_.data();
  tree_.knots = tree.knots.data();
  tree_.leaf_count = static_cast<int>(tree.size());
}

// A leaf is listed in the cells that its box may touch: a cell's corner-to-centre reach along the box's own axes is
// added to the box. Cells are a little too large rather than too small, for rounding.
void PosedField::build_index() {
  SupportIndexView& index = tree_.index;
  index = {};
  if (bounds_.empty()) return;
  const Vec3d size = bounds_.hi - bounds_.lo;
  const double longest = std::max({size.x, size.y, size.z});
  if (!(longest > 0)) return;
  const double cell = longest / (kCellsAlong - 1);
  index.words = static_cast<int>((leaves_.size() + 63) / 64);
  index.per_cell = static_cast<float>(1 / cell);
  const Vec3d origin = bounds_.lo - Vec3d{cell, cell, cell} * 0.25;
  index.origin = static_cast<Vec3f>(origin);
  index.nx = static_cast<int>(size.x / cell) + 2;
  index.ny = static_cast<int>(size.y / cell) + 2;
  index.nz = static_cast<int>(size.z / cell) + 2;
  masks_.assign(static_cast<std::size_t>(index.nx) * static_cast<std::size_t>(index.ny) *
                    static_cast<std::size_t>(index.nz) * static_cast<std::size_t>(index.words),
                0);
  index.masks = masks_.data();
  for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
    const GridView& view = leaves_[leaf];
    if (view.nodes == nullptr) continue;
    const auto first = [&](double lo, double at) { return std::max(0, static_cast<int>((lo - at) / cell - 1e-3)); };
    const auto last = [&](double hi, double at, int n) {
      return std::min(n - 1, static_cast<int>((hi - at) / cell + 1e-3));
    };
    const int i0 = first(boxes_[leaf].lo.x, origin.x), i1 = last(boxes_[leaf].hi.x, origin.x, index.nx);
    const int j0 = first(boxes_[leaf].lo.y, origin.y), j1 = last(boxes_[leaf].hi.y, origin.y, index.ny);
    const int k0 = first(boxes_[leaf].lo.z, origin.z), k1 = last(boxes_[leaf].hi.z, origin.z, index.nz);
    const Mat3f& a = view.grid_from_rest.linear;
    const auto half = static_cast<float>(0.505 * cell);
    const auto reach = [&](int axis) {
      return half * (std::abs(a.col[0][axis]) + std::abs(a.col[1][axis]) + std::abs(a.col[2][axis]));
    };
    const Vec3f margin{reach(0), reach(1), reach(2)};
    const std::uint64_t bit = std::uint64_t{1} << (leaf % 64);
    // Cells of a row whose centres lie inside the widened box: from one bound per axis, the largest and the smallest.
    const Vec3f step = a.col[0] * static_cast<float>(cell);
    const Vec3f top{static_cast<float>(view.nx - 1) + margin.x, static_cast<float>(view.ny - 1) + margin.y,
                    static_cast<float>(view.nz - 1) + margin.z};
    for (int k = k0; k <= k1; ++k)
      for (int j = j0; j <= j1; ++j) {
        const Vec3d center = origin + Vec3d{i0 + 0.5, j + 0.5, k + 0.5} * cell;
        const Vec3f g = transform_point(view.grid_from_rest, static_cast<Vec3f>(center));
        auto begin = 0.0F, end = static_cast<float>(i1 - i0);
        for (int axis = 0; axis < 3; ++axis) {
          if (std::abs(step[axis]) < 1e-4F * margin[axis]) {  // moves less over the row than the margin has to spare
            if (g[axis] < -margin[axis] || g[axis] > top[axis]) end = -1;
            continue;
          }
          const float from = (-margin[axis] - g[axis]) / step[axis], to = (top[axis] - g[axis]) / step[axis];
          begin = std::max(begin, std::min(from, to));
          end = std::min(end, std::max(from, to));
        }
        const std::size_t row =
            (static_cast<std::size_t>(k) * static_cast<std::size_t>(index.ny) + static_cast<std::size_t>(j)) *
            static_cast<std::size_t>(index.nx);
        for (int i = static_cast<int>(std::ceil(begin - 1e-3F)); static_cast<float>(i) <= end + 1e-3F; ++i)
          masks_[(row + static_cast<std::size_t>(i0 + i)) * static_cast<std::size_t>(index.words) + leaf / 64] |= bit;
      }
  }
}

void PosedField::eval(std::span<const Vec3f> points, std::span<SkinSample> samples, const Context& context) const {
  parallel_for(context, points.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) samples[i] = eval_tree(tree_, points[i]);
  });
}

std::vector<Affine3d> bone_motions(const Rig& rig, std::span<const Affine3d> world_from_joint) {
  std::vector<Affine3d> motions;
  motions.reserve(rig.bones.size());
  for (const RigBone& bone : rig.bones) motions.push_back(motion_of(bone, world_from_joint));
  return motions;
}

}  // namespace cutis
