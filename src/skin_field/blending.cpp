// Blending weights of the skin (Implicit, figure 25), as method implicit has them.
#include <algorithm>
#include <cmath>

#include "backends/part_gates.h"
#include "base/alive.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "base/polar.h"
#include "kernels/eval_field.h"
#include "kernels/field_constants.h"
#include "rig/parts.h"
#include "skin_field/skin_field_impl.h"

namespace cutis {
namespace {

constexpr double kHardlyBent = 3 * kDegree;  // the direction of a bend is not known below
constexpr std::size_t kVertices = 256;       // a task

struct BlendJoint {
  std::uint32_t other = 0;
  Fold fold;
  bool bent = false;
};

}  // namespace

std::vector<float> SkinField::blending_weights(const Context& context) const {
  const Impl& s = alive(impl_, "skin field");
  const Rig& rig = *s.rig;
  const RigSurface& surface = rig.surface;
  std::vector<std::vector<BlendJoint>> joints(rig.bones.size());  // per bone: those of its part
  for (std::uint32_t b = 0; b < rig.bones.size(); ++b) {
    const int above = parent_part(rig, b);
    if (rig.fields[b].empty() || above < 0) continue;
    const auto k = static_cast<std::uint32_t>(above);
    const RigBone& bone = rig.bones[b];
    const Vec3d u = normalized(bone.rest_end - bone.rest_origin, {0, 1, 0});
    const Quatd own = polar_decompose(s.motions[b].linear).rotation,
                parent = polar_decompose(s.motions[k].linear).rotation;
    const Vec3d bent = rotate(conjugate(parent), rotate(own, u));
    const Fold fold = fold_between(bone, own, parent);
    const bool is_bent = std::atan2(length(cross(u, bent)), dot(u, bent)) > kHardlyBent;
    joints[b].push_back({k, fold, is_bent});
    joints[k].push_back({b, fold, is_bent});
  }
  std::vector<Affine3d> rest_from_world;
  for (const Affine3d& motion : s.motions) rest_from_world.push_back(inverse(motion));
  std::vector<float> welded(surface.size(), 0.0F);
  parallel_for(context, surface.size(), kVertices, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t b = surface.owner[v];
      if (b == RigSurface::kNoBone) continue;
      const Vec3d p = transform_point(s.motions[b], static_cast<Vec3d>(surface.positions[v]));
      for (const BlendJoint& joint : joints[b]) {
        const GridView grid = rig.fields[joint.other].view();
        const float felt =
            std::max(eval_field(grid, surface.positions[v]).value,
                     eval_field(grid, static_cast<Vec3f>(transform_point(rest_from_world[joint.other], p))).value);
        if (!(felt > field_constants::kRiseFrom)) continue;
        const float side = joint.bent ? std::max(0.0F, joint.fold.side(surface.positions[v])) : 0.0F;
        welded[v] = std::max(welded[v], surface.blend(v, side));
      }
    }
  });
  std::vector<float> weights;
  weights.reserve(surface.welded_of.size());
  for (const std::uint32_t v : surface.welded_of) weights.push_back(welded[v]);
  return weights;
}

}  // namespace cutis
