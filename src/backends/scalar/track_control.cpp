// Who is active, which parts are near, and how much they are in contact.
//
// Contact is decided per vertex and other part, from the pose: by how much the other's field has risen at the vertex
// as its bone carries it (docs/algorithms/tracking.md). The angle between gradients at a point, which the paper uses,
// falls towards the sides of a fold and is not 0 at rest.
#include <algorithm>
#include <cmath>

#include "backends/track.h"
#include "base/dual_quat.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "rig/muscles.h"

namespace cutis {
namespace {

constexpr std::size_t kGrain = 256;
constexpr float kRiseFrom = 0.02F, kRiseTo = 0.08F;  // of the other's field: contact begins, is complete
// Swing between joined parts: below, bending is no contact (a spine); above, it is (an elbow).
constexpr float kSwingFrom = 20, kSwingTo = 50;  // degrees
// By how much the other's field must lead on the own bone's axis, more than at rest, for contact to have no answer.
constexpr float kLeadFrom = 0.2F, kLeadTo = 0.4F;
constexpr float kHeld = 0.25F;         // contact that is remembered
constexpr float kStill = 1e-4F;        // local edges
constexpr float kFieldStill = 0.002F;  // change of another field that wakes a vertex up
constexpr float kNear = 3;             // local edges around a field's box
// Smooth skinning is trusted at least so far (in units of the field) at joints that are hardly bent, and altogether
// where it is sound and nothing touches; and the skin need not go deeper than kVoid below it where parts leave a void.
constexpr float kTrust = 0.15F, kVoid = 0.3F;
// How much more firmly smooth skinning holds at joints that are hardly bent: strain dies away over a fifth of the
// length.
constexpr float kFirm = 25;
constexpr float kLooseNear = 2, kLooseFar = 4;  // radii around a bent joint
// Strain of smooth skinning around a vertex: sound below, worthless above.
constexpr float kStrainFrom = 0.1F, kStrainTo = 0.5F;
// Strain below which smooth skinning all but carries the skin rigidly: there it holds this many times the neighbours'
// pull, so that strain from elsewhere does not creep in.
constexpr float kCalmFrom = 0.05F, kCalmTo = 0.4F, kRigid = 20;
// Skin that nothing moves against its bone, so many radii of its part away from skin that something does move, is held
// as firmly whatever the strain: coarse skins have no rigid rest to hang on.
constexpr float kAwayFrom = 1, kAwayTo = 2;

bool inside(const Box& box, const Vec3f& p, float margin) {
  const double m = margin;
  return p.x >= box.lo.x - m && p.y >= box.lo.y - m && p.z >= box.lo.z - m && p.x <= box.hi.x + m &&
         p.y <= box.hi.y + m && p.z <= box.hi.z + m;
}

// Place of `bone` among the others of v at rest, or -1.
std::ptrdiff_t rest_place(const TrackRest& rest, std::size_t v, std::uint32_t bone) {
  const auto row = rest.others.row(v);
  const auto it = std::lower_bound(row.begin(), row.end(), bone);
  return it != row.end() && *it == bone ? &*it - rest.others.items.data() : -1;
}

// A joint at rest, how far it is bent, and the distances up to which and from which on that matters.
struct Bend {
  float gate = 0;
  Vec3f at;
  float near = 0, far = 0;
};

struct Blend {
  const PosedBones& pose;
  std::vector<DualQuat<double>> rigid;
};

void blend_vertex(const Rig& rig, const Blend& blend, std::size_t v, TrackStep& step) {
  const RigSurface& s = rig.surface;
  DualQuat<double> sum{{0, 0, 0, 0}, {0, 0, 0, 0}};
  Mat3d stretch{{Vec3d{}, Vec3d{}, Vec3d{}}};
  Vec3d stretched;
  const auto p = static_cast<Vec3d>(s.positions[v]);
  for (std::uint32_t i = s.turn.begin[v]; i < s.turn.begin[v + 1]; ++i) {
    const std::uint32_t b = s.turn.items[i];
    const auto w = static_cast<double>(s.turn_weight[i]);
    const auto add = [w](Quatd& to, const Quatd& from) {
      to = {to.x + w * from.x, to.y + w * from.y, to.z + w * from.z, to.w + w * from.w};
    };
    add(sum.real, blend.rigid[b].real);
    add(sum.dual, blend.rigid[b].dual);
    stretch = stretch + blend.pose.stretch[b] * w;
    const Vec3d& c = rig.bones[b].rest_origin;
    stretched += (blend.pose.stretch[b] * (p - c) + c) * w;
  }
  double size = std::sqrt(dot(sum.real, sum.real));
  if (!(size > 1e-3) && s.turn.begin[v] < s.turn.begin[v + 1]) {  // opposite rotations: the heaviest bone's
    sum = blend.rigid[s.turn.items[s.turn.begin[v]]];
    size = 1;
  }
  const auto unit = [size](const Quatd& x) { return Quatd{x.x / size, x.y / size, x.z / size, x.w / size}; };
  const DualQuat<double> motion{unit(sum.real), unit(sum.dual)};
  step.turn[v] = convert<float>(to_matrix(motion.real) * stretch);
  step.blended[v] = static_cast<Vec3f>(transform_point(motion, stretched));
}

}  // namespace

void track_pose(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step) {
  const std::size_t bones = rig.bones.size();
  step.fields.resize(bones);
  step.boxes.resize(bones);
  step.gate.resize(bones * bones);
  step.motion.resize(bones);
  pose_muscles(rig, pose.motion, step.muscles);
  for (std::size_t b = 0; b < bones; ++b) {
    step.motion[b] = convert<float>(pose.motion[b]);
    step.fields[b] = rig.fields[b].view();
    if (rig.fields[b].empty() || rest.flat[b] != 0) {
      step.fields[b].nodes = nullptr;
      continue;
    }
    step.fields[b] = posed(step.fields[b], pose.motion[b]);
    attach_muscles(rig, static_cast<std::uint32_t>(b), step.muscles, step.fields[b]);
    const GridView& view = step.fields[b];
    const Affine3f world_from_grid = inverse(view.grid_from_rest);
    Box box;
    for (unsigned c = 0; c < 8; ++c)
      box.add(static_cast<Vec3d>(
          transform_point(world_from_grid, Vec3f{(c & 1U) != 0 ? static_cast<float>(view.nx - 1) : 0.0F,
                                                 (c & 2U) != 0 ? static_cast<float>(view.ny - 1) : 0.0F,
                                                 (c & 4U) != 0 ? static_cast<float>(view.nz - 1) : 0.0F})));
    step.boxes[b] = box;
  }
  if (!rig.muscles.empty()) {
    pose_calm_muscles(rig, pose.motion, step.calm_muscles);
    step.calm = step.fields;
    for (std::uint32_t b = 0; b < bones; ++b) attach_muscles(rig, b, step.calm_muscles, step.calm[b]);
  }
  const auto axis = [&](std::size_t b) {
    return normalized(rig.bones[b].rest_end - rig.bones[b].rest_origin, Vec3d{0, 1, 0});
  };
  // About the child's axis: twist does not count.
  const auto swing = [&](std::size_t a, std::size_t b, const Vec3d& u) {
    const double c = dot(rotate(pose.rotation[a], u), rotate(pose.rotation[b], u));
    return std::acos(std::clamp(c, -1.0, 1.0)) * 180 / kPi;
  };
  // The sharpest bend of a single joint on the way from one part to the other.
  const auto sharpest = [&](std::size_t a, std::size_t b) {
    double most = 0;
    for (auto x = static_cast<int>(a), y = static_cast<int>(b); x != y;) {
      int& deeper = rest.depth[static_cast<std::size_t>(x)] >= rest.depth[static_cast<std::size_t>(y)] ? x : y;
      const int parent = rig.bones[static_cast<std::size_t>(deeper)].parent;
      if (parent < 0) return 180.0;  // no way
      const auto child = static_cast<std::size_t>(deeper);
      most = std::max(most, swing(child, static_cast<std::size_t>(parent), axis(child)));
      deeper = parent;
    }
    return most;
  };
  for (std::size_t a = 0; a < bones; ++a)
    for (std::size_t b = 0; b < bones; ++b) {
      step.gate[a * bones + b] = 1;
      if (a == b || rest.joined[a * bones + b] == 0) continue;
      double angle = 0;
      if (rest.depth[a] >= rest.depth[b]) angle = std::max(angle, swing(a, b, axis(a)));
      if (rest.depth[b] >= rest.depth[a]) angle = std::max(angle, swing(a, b, axis(b)));
      angle = std::min(angle, sharpest(a, b));  // a bend that several joints share is no fold
      step.gate[a * bones + b] = smooth_step(static_cast<float>(angle), kSwingFrom, kSwingTo);
    }
}

void track_transport(const Rig& rig, const TrackRest& rest, const PosedBones& last, const PosedBones& pose,
                     const TrackingOptions& options, TrackStep& step, const Context& context) {
  const RigSurface& s = rig.surface;
  const std::size_t n = s.size(), bones = rig.bones.size();
  step.flags.resize(n);
  step.next_flags.resize(n);
  step.slot.resize(n);
  parallel_for(context, n, 4 * kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      step.flags[v] = 0;
      const std::uint32_t b = s.owner[v];
      if (b == RigSurface::kNoBone) continue;
      const Vec3f q = transform_point(step.motion[b], s.positions[v]);
      bool active = false;
      for (const std::uint32_t k : s.turn.row(v))
        active = active || distance(transform_point(step.motion[k], s.positions[v]), q) > kStill * s.edge[v];
      active = active || (!step.pin.empty() && step.pin[v] > 0) ||
               (step.fields[b].muscle_count > 0 &&
                std::abs(eval_field(step.fields[b], q).value - rest.own[v]) > kFieldStill);
      for (std::uint32_t k = 0; k < bones && !active; ++k) {  // another part that comes near, or one that leaves
        if (k == b || step.fields[k].nodes == nullptr) continue;
        const bool reached = inside(step.boxes[k], q, 0);
        const std::ptrdiff_t place = rest_place(rest, v, k);
        if (!reached && place < 0) continue;
        const float before = place >= 0 ? rest.other_value[static_cast<std::size_t>(place)] : 0.0F;
        active = std::abs((reached ? eval_field(step.fields[k], q).value : 0.0F) - before) > kFieldStill;
      }
      step.flags[v] = active ? 1 : 0;
    }
  });
  step.away.assign(n, 0);
  for (int ring = 0; ring < options.rings; ++ring) {
    parallel_for(context, n, 4 * kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        char on = step.flags[v];
        if (on == 0) {
          float away = 0;
          for (const std::uint32_t w : s.neighbours.row(v)) {
            if (step.flags[w] == 0) continue;
            const float way = step.away[w] + distance(s.positions[v], s.positions[w]);
            away = on == 0 ? way : std::min(away, way);
            on = 1;
          }
          if (on != 0) step.away[v] = away;  // nobody reads it in this ring: the flag of v is off
        }
        step.next_flags[v] = on;
      }
    });
    std::swap(step.flags, step.next_flags);
  }
  step.active.clear();
  for (std::uint32_t v = 0; v < n; ++v) {
    step.slot[v] = -1;
    if (step.flags[v] == 0 || s.owner[v] == RigSurface::kNoBone || s.turn.row(v).empty()) continue;
    step.slot[v] = static_cast<std::int32_t>(step.active.size());
    step.active.push_back(v);
  }
  std::vector<Affine3f> delta(bones);
  for (std::size_t b = 0; b < bones; ++b) delta[b] = convert<float>(pose.motion[b] * inverse(last.motion[b]));
  parallel_for(context, n, 4 * kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t b = s.owner[v];
      if (b == RigSurface::kNoBone) continue;
      const bool carried = step.slot[v] < 0 || rest.is_rigid(v);
      if (!carried) step.p[v] = transform_point(delta[b], step.p[v]);
      if (carried || !is_finite(step.p[v])) step.p[v] = transform_point(step.motion[b], s.positions[v]);
    }
  });
}

void track_control(const Rig& rig, const TrackRest& rest, const PosedBones& pose, TrackStep& step,
                   const Context& context) {
  const RigSurface& s = rig.surface;
  const std::size_t bones = rig.bones.size(), count = step.active.size();

  Blend blend{pose, {}};
  for (std::size_t b = 0; b < bones; ++b) {
    const Vec3d& c = rig.bones[b].rest_origin;
    blend.rigid.push_back(
        make_dual_quat(pose.rotation[b], transform_point(pose.motion[b], c) - rotate(pose.rotation[b], c)));
  }
  step.turn.resize(s.size());
  step.blended.resize(s.size());
  parallel_for(context, s.size(), 2 * kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      bool wanted = step.slot[v] >= 0;
      for (const std::uint32_t w : s.neighbours.row(v)) wanted = wanted || step.slot[w] >= 0;
      if (!wanted) continue;
      blend_vertex(rig, blend, v, step);
      if (rest.stiffness.empty() || !(rest.stiffness[v] > 0)) continue;
      const std::uint32_t b = s.owner[v];
      if (b != RigSurface::kNoBone)
        step.turn[v] = step.turn[v] * (1 - rest.stiffness[v]) + step.motion[b].linear * rest.stiffness[v];
    }
  });

  // The other parts near each vertex.
  step.chunks.resize(std::max(step.chunks.size(), (count + kGrain - 1) / kGrain));
  step.other_begin.assign(count + 1, 0);
  step.held_begin.resize(s.size() + 1, 0);
  parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<TrackOther>& out = step.chunks[begin / kGrain];
    out.clear();
    for (std::size_t a = begin; a < end; ++a) {
      const std::uint32_t v = step.active[a], b = s.owner[v];
      const Vec3f q = transform_point(step.motion[b], s.positions[v]), p = step.p[v];
      const std::size_t before = out.size();
      for (std::uint32_t k = 0; k < bones; ++k) {
        if (k == b || step.fields[k].nodes == nullptr) continue;
        if (!inside(step.boxes[k], p, kNear * s.edge[v]) && !inside(step.boxes[k], q, kNear * s.edge[v])) continue;
        const std::ptrdiff_t place = rest_place(rest, v, k);
        const float at_rest = place >= 0 ? rest.other_value[static_cast<std::size_t>(place)] : 0.0F;
        TrackOther other;
        other.bone = k;
        other.offset = std::min(0.0F, rest.own[v] - at_rest);
        other.level = std::max(at_rest, rest.own[v]);
        other.joined = rest.joined[b * bones + k] != 0;
        float now = eval_field(step.fields[k], q).value;
        // Held before: a thick part may pass, and the carried vertex come out on its far side.
        for (std::uint32_t i = step.held_begin[v]; i < step.held_begin[v + 1]; ++i)
          if (step.held[i] == k) now = std::max(now, eval_field(step.fields[k], p).value);
        other.contact = step.gate[b * bones + k] * smooth_step(now - at_rest, kRiseFrom, kRiseTo);
        if (other.contact > 0 && step.fields[b].nodes != nullptr) {
          // Where the bone's own axis is inside the other part no skin can be on its own side.
          const Vec3f x = transform_point(step.motion[b], rest.core[v]);
          const float lead = eval_field(step.fields[k], x).value - eval_field(step.fields[b], x).value;
          const float before_lead = place >= 0 ? rest.core_lead[static_cast<std::size_t>(place)] : 0.0F;
          other.contact *= 1 - smooth_step(lead - before_lead, kLeadFrom, kLeadTo);
        }
        out.push_back(other);
      }
      step.other_begin[a + 1] = static_cast<std::uint32_t>(out.size() - before);
    }
  });
  step.others.clear();
  for (std::size_t c = 0; c * kGrain < count; ++c)
    step.others.insert(step.others.end(), step.chunks[c].begin(), step.chunks[c].end());
  for (std::size_t a = 0; a < count; ++a) step.other_begin[a + 1] += step.other_begin[a];
  step.held.clear();
  for (std::uint32_t v = 0; v < s.size(); ++v) {
    step.held_begin[v] = static_cast<std::uint32_t>(step.held.size());
    if (step.slot[v] < 0) continue;
    const auto a = static_cast<std::size_t>(step.slot[v]);
    for (std::uint32_t i = step.other_begin[a]; i < step.other_begin[a + 1]; ++i)
      if (step.others[i].contact > kHeld) step.held.push_back(step.others[i].bone);
  }
  step.held_begin[s.size()] = static_cast<std::uint32_t>(step.held.size());

  // The bent joints of every part.
  std::vector<std::vector<Bend>> bends(bones);
  for (std::size_t b = 0; b < bones; ++b)
    for (std::size_t k = 0; k < bones; ++k) {
      if (b == k || rest.joined[b * bones + k] == 0 || step.gate[b * bones + k] <= 0) continue;
      const RigBone& child = rig.bones[rest.depth[b] >= rest.depth[k] ? b : k];
      const float r = std::min(rig.fields[b].grid.radius, rig.fields[k].grid.radius);
      bends[b].push_back(
          {step.gate[b * bones + k], static_cast<Vec3f>(child.rest_origin), kLooseNear * r, kLooseFar * r});
    }

  // Levels: where joints are hardly bent, smooth skinning says where the skin is as long as the fields do not disagree
  // much: fields are fitted to a tolerance, and their unions have edges where bodies have none. And how firmly smooth
  // skinning holds the skin along the surface: not in contact, not where it is strained itself.
  step.level.resize(count);
  step.hold.resize(count);
  step.bound.resize(count);
  const GridView* const calm = step.calm.empty() ? step.fields.data() : step.calm.data();  // smooth skin has no muscles
  parallel_for(context, count, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      const std::uint32_t v = step.active[a], b = s.owner[v];
      TrackOther* const others = step.others.data() + step.other_begin[a];
      const std::size_t near = step.other_begin[a + 1] - step.other_begin[a];
      step.level[a] = rest.own[v];
      float bent = 0, touch = 0;
      for (std::size_t i = 0; i < near; ++i) {
        touch = std::max(touch, others[i].contact);
        if (others[i].joined && eval_field(step.fields[others[i].bone], step.p[v]).value > kRiseFrom)
          bent = std::max(bent, step.gate[b * bones + others[i].bone]);
      }
      float strain = 0;
      for (const std::uint32_t w : s.neighbours.row(v)) {
        const float length_at_rest = distance(s.positions[v], s.positions[w]);
        if (length_at_rest > 0)
          strain = std::max(strain, std::abs(distance(step.blended[v], step.blended[w]) / length_at_rest - 1));
      }
      const float sound = 1 - smooth_step(strain, kStrainFrom, kStrainTo);
      float trusted = 0;
      if (step.fields[b].nodes != nullptr) {
        const float off = track_residual(calm, b, others, near, rest.own[v], rest.gap[v], step.blended[v]).free;
        const float soft = rest.stiffness.empty() ? 1.0F : 1 - rest.stiffness[v];
        const float trust = (1 - bent) * std::max(kTrust, sound * (1 - touch));
        trusted = step.fields[b].muscle_count > 0 ? 0.0F : soft * (1 - bent) * sound * (1 - touch);
        const float shift = soft * (std::clamp(off, -trust, trust) + std::min(0.0F, off + kVoid));
        step.level[a] += shift;
        for (std::size_t i = 0; i < near; ++i) others[i].level += shift;
      }
      float loose = step.pin.empty() ? 0.0F : 1.0F;  // a target draws along what is around it
      for (const Bend& bend : bends[b])
        loose = std::max(loose, bend.gate * (1 - smooth_step(distance(s.positions[v], bend.at), bend.near, bend.far)));
      const float firm = std::lerp(kFirm, 1.0F, loose);
      // Without a field there is nothing but smooth skinning.
      const float painted = rest.stiffness.empty() ? 0.0F : smooth_step(rest.stiffness[v], 0.0F, 0.25F);
      const float rigid = (1 - painted) * (1 - loose) * (1 - smooth_step(strain, kCalmFrom, kCalmTo));
      const float held = std::min(1.0F, rest.hold[v] * firm) + kRigid * rigid;
      step.hold[a] = rest.tracked[v] == 0 ? 1.0F : held * (1 - touch) * sound;
      if (step.pin.empty() && !rig.fields[b].empty()) {
        const float far = smooth_step(step.away[v] / rig.fields[b].grid.radius, kAwayFrom, kAwayTo);
        step.hold[a] = std::max(step.hold[a], kRigid * far * (1 - touch));
      }
      step.bound[a] = rest.tracked[v] == 0 ? 0.0F : 1 - trusted * (1 - loose);
    }
  });
  step.samples.assign(count, {});
}

}  // namespace cutis
