// The composed field against finite differences, against the meshes, and in contact.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bind/skin_support.h"
#include "cutis/skin_field.h"
#include "geometry/closest_point.h"
#include "geometry/disjoint_sets.h"

namespace cutis {
namespace {

using namespace test;
using testing::HasSubstr;

// Parameters of the operators as they were at one point.
struct FrozenController {
  std::map<std::uint32_t, float>* parameters;
  bool record;
  float operator()(const TreeView& tree, std::uint32_t n, const SkinSample& a, const SkinSample& b) const {
    if (record) return (*parameters)[n] = AngleController{}(tree, n, a, b);
    const auto it = parameters->find(n);
    return it == parameters->end() ? AngleController{}(tree, n, a, b) : it->second;
  }
};

// The tree with `p` as the origin: differences are then not lost in the digits of far coordinates.
struct LocalTree {
  std::vector<GridView> leaves;
  TreeView view;

  LocalTree(const TreeView& tree, const Vec3f& p) : leaves(tree.leaves, tree.leaves + tree.leaf_count), view(tree) {
    for (GridView& leaf : leaves) {
      const Affine3f& m = leaf.grid_from_rest;
      const Mat3d linear{{static_cast<Vec3d>(m.linear.col[0]), static_cast<Vec3d>(m.linear.col[1]),
                          static_cast<Vec3d>(m.linear.col[2])}};
      leaf.grid_from_rest.translation =
          static_cast<Vec3f>(linear * static_cast<Vec3d>(p) + static_cast<Vec3d>(m.translation));
    }
    view.leaves = leaves.data();
    view.index.origin -= p;
  }
};

class SkinOfShared : public ::testing::TestWithParam<std::string> {};

// The grids are continuous, and their slopes jump a little from cell to cell: a difference across such a face mixes two
// slopes. So the two one-sided differences and the central one are compared, and the nearest counts.
TEST_P(SkinOfShared, gradient_agrees_with_finite_differences) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  const Bound b = bind_shared(GetParam(), context);
  const Rig& rig = *b.rig;
  PosedField field(rig);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::uniform_int_distribution<std::size_t> any(0, rig.surface.size() - 1);
  std::vector<double> errors;
  for (unsigned pose = 0; pose < 2; ++pose) {
    const std::vector<Affine3d> motions = pose == 0 ? std::vector<Affine3d>(rig.bones.size()) : random_pose(rig, 1, 3);
    field.set_pose(motions);
    std::size_t found = 0;
    while (found < 5000) {
      const std::size_t v = any(random);
      const std::uint32_t owner = rig.surface.owner[v];
      if (rig.fields[owner].empty()) continue;
      const double r = rig.fields[owner].grid.radius;
      const Vec3d offset = Vec3d{unit(random), unit(random), unit(random)} * (0.7 * r);
      const auto p =
          static_cast<Vec3f>(transform_point(motions[owner], static_cast<Vec3d>(rig.surface.positions[v]) + offset));
      std::map<std::uint32_t, float> parameters;
      const LocalTree local(field.view(), p);
      const SkinSample s = eval_tree(local.view, Vec3f{}, FrozenController{&parameters, true});
      if (!(s.value > 0.02F && s.value < 0.98F)) continue;
      ++found;
      double thinnest = rig.fields[s.bone].grid.radius;  // of the parts that are felt
      for (const std::uint32_t bone : rig.tree.leaf_bone)
        if (field.eval_part(bone, p).value > 0)
          thinnest = std::min(thinnest, static_cast<double>(rig.fields[bone].grid.radius));
      const FrozenController frozen{&parameters, false};
      double best = 1e30;
      for (const double share : {1e-3, 5e-4, 2.5e-4, 1.2e-4}) {  // large steps cut corners, small ones show rounding
        const double h = share * thinnest;
        double worst = 0;
        for (int axis = 0; axis < 3; ++axis) {
          Vec3f more, less;
          more[axis] = static_cast<float>(h);
          less[axis] = -static_cast<float>(h);
          const double up = eval_tree(local.view, more, frozen).value, down = eval_tree(local.view, less, frozen).value;
          const double g = s.gradient[axis];
          const double central = std::abs((up - down) / (2 * h) - g);
          const double forward = std::abs((up - s.value) / h - g), backward = std::abs((s.value - down) / h - g);
          worst = std::max(worst, std::min({central, forward, backward}));
        }
        best = std::min(best, worst);
      }
      // In units of a slope from 0 to 1 over the support's radius, or of the gradient where it is steeper (in contact).
      errors.push_back(best / std::max(1 / thinnest, static_cast<double>(length(s.gradient))));
    }
  }
  std::ranges::sort(errors);
  RecordProperty("p99", std::to_string(errors[errors.size() * 99 / 100]));
  RecordProperty("worst", std::to_string(errors.back()));
  EXPECT_EQ(errors.size(), 10000U);
  EXPECT_LT(errors.back(), 1.5e-3);  // two floats near 1, 2.5e-4 apart: rounding alone is 5e-4
}

double height_of(const Character& character) {
  const Vec3d size = character.bounds().hi - character.bounds().lo;
  return std::max({size.x, size.y, size.z});
}

// Of the surface that is extracted from the composed field at rest.
TEST_P(SkinOfShared, surface_at_rest_lies_on_the_mesh_and_has_one_piece) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  const Bound b = bind_shared(GetParam(), context);
  const double height = height_of(b.character);
  const SkinSurface skin = SkinField(b.rig).surface(height / 140, 0.5, context);
  ASSERT_GT(skin.triangles.size(), 1000U);
  const RigSurface& surface = b.rig->surface;
  std::vector<std::uint32_t> all(surface.triangles.size());
  std::iota(all.begin(), all.end(), 0U);
  const TriangleBvh bvh(surface.positions, surface.triangles, all);
  const ClosestPoint mesh(bvh, surface.positions, surface.triangles);
  std::vector<double> off;
  for (const Vec3f& p : skin.positions) off.push_back(mesh.nearest(static_cast<Vec3d>(p)).distance / height);
  std::ranges::sort(off);
  const double p95 = off[off.size() * 95 / 100];
  RecordProperty("median", std::to_string(off[off.size() / 2]));
  RecordProperty("p95", std::to_string(p95));
  RecordProperty("worst", std::to_string(off.back()));
  EXPECT_LT(p95, 0.01);
  EXPECT_LT(off.back(), 0.04);
  // No second sheets: all but specks (a thin tip that the lattice cuts off) hangs together.
  DisjointSets sets(skin.positions.size());
  for (const Triangle& t : skin.triangles) {
    sets.join(t[0], t[1]);
    sets.join(t[1], t[2]);
  }
  std::map<std::uint32_t, std::size_t> pieces;
  for (const Triangle& t : skin.triangles) ++pieces[sets.find(t[0])];
  std::size_t largest = 0;
  for (const auto& [root, triangles] : pieces) largest = std::max(largest, triangles);
  EXPECT_LT((skin.triangles.size() - largest) * 200, skin.triangles.size());
}

INSTANTIATE_TEST_SUITE_P(all, SkinOfShared, ::testing::ValuesIn(shared_characters()),
                         [](const auto& param_info) { return folder_name(param_info.param); });

// ---- contact ----

using JointPair = std::pair<std::string, std::string>;

/// Pairs of joints between whose parts there is a contact surface: points that belong to both sides.
std::set<JointPair> touching(const Bound& b, const SkinField& field, const Context& context) {
  const Box box = field.bounds();
  std::vector<Vec3f> points;
  const double step = height_of(b.character) / 250;
  for (double x = box.lo.x; x < box.hi.x; x += step)
    for (double y = box.lo.y; y < box.hi.y; y += step)
      for (double z = box.lo.z; z < box.hi.z; z += step) points.push_back(static_cast<Vec3f>(Vec3d{x, y, z}));
  std::vector<SkinFieldSample> samples(points.size());
  field.evaluate(points, samples, context);
  std::set<JointPair> pairs;
  for (const SkinFieldSample& s : samples) {
    if (s.side == 0 || s.across > 0.05F || s.value > 0.55F) continue;
    const auto name = [&](int joint) { return b.character.skeleton.joints[static_cast<std::size_t>(joint)].name; };
    pairs.insert(std::minmax(name(s.joint), name(s.other)));
  }
  return pairs;
}

std::set<JointPair> touching_at(const std::string& file, const std::string& clip_name, double time) {
  const Context context(2);
  const Bound b = bind_shared(file, context);
  SkinField field(b.rig);
  field.set_pose(sample(b.character.skeleton, b.character.clip(clip_name), time));
  return touching(b, field, context);
}

TEST(Contact, arises_between_forearm_and_belly_when_they_meet) {
  CUTIS_NEEDS_SHARED_DATA();
  const std::string file = "makehuman_male/makehuman_male.glb";
  const auto belly = [](const std::set<JointPair>& pairs) {
    return std::ranges::count_if(pairs, [](const JointPair& p) {
      return (p.first == "lowerarm_l" || p.first == "hand_l") &&
             (p.second.starts_with("spine") || p.second == "pelvis");
    });
  };
  EXPECT_EQ(belly(touching_at(file, "arm_l_across_belly", 0)), 0);
  EXPECT_GT(belly(touching_at(file, "arm_l_across_belly", 1.5)), 0);
}

TEST(Contact, arises_between_finger_and_palm_in_a_fist) {
  CUTIS_NEEDS_SHARED_DATA();
  const std::string file = "hand_webxr/hand_left_poses.glb";
  const auto palm = [](const std::set<JointPair>& pairs) {
    return std::ranges::count_if(pairs, [](const JointPair& p) {
      const auto tip = [](const std::string& n) {
        return n.find("-finger-") != std::string::npos && (n.ends_with("-distal") || n.ends_with("-tip"));
      };
      const auto base = [](const std::string& n) { return n == "wrist" || n.ends_with("-metacarpal"); };
      return (tip(p.first) && base(p.second)) || (tip(p.second) && base(p.first));
    });
  };
  EXPECT_EQ(palm(touching_at(file, "fist", 0)), 0);
  EXPECT_GT(palm(touching_at(file, "fist", 1.5)), 0);
}

double contact_length(const FieldSlice& slice) {
  double sum = 0;
  for (const FieldSlice::Line& l : slice.contacts) sum += std::hypot(l.x1 - l.x0, l.y1 - l.y0);
  return sum;
}

TEST(Contact, line_grows_towards_the_joint_as_the_elbow_bends) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  const Bound b = bind_shared("makehuman_male/makehuman_male.glb", context);
  SkinField field(b.rig);
  const int elbow = field.joint("lowerarm_l");
  const Clip& clip = b.character.clip("elbow_l_0_150");
  field.set_pose(sample(b.character.skeleton, clip, 1.5));
  const JointBend most = field.bend(elbow);
  EXPECT_NEAR(most.angle, 150 * kPi / 180, 0.01);
  std::vector<double> lengths, reach;
  for (const double time : {0.0, 0.45, 0.9, 1.2, 1.35, 1.5}) {
    field.set_pose(sample(b.character.skeleton, clip, time));
    SlicePlane plane = field.plane_through(elbow, most.axis);
    const FieldSlice slice = field.slice(plane, 700, context);
    lengths.push_back(contact_length(slice));
    double nearest = 1e9, farthest = 0;
    for (const FieldSlice::Line& l : slice.contacts) {
      nearest = std::min(nearest, std::hypot(l.x0, l.y0));
      farthest = std::max(farthest, std::hypot(l.x0, l.y0));
    }
    reach.push_back(farthest - nearest);
  }
  // Up to 90 degrees the skin does not crease (Tracking 4.1).
  EXPECT_EQ(lengths[0], 0);
  EXPECT_EQ(lengths[1], 0);
  EXPECT_LT(lengths[2], 0.003);
  EXPECT_GT(lengths[3], lengths[2]);
  EXPECT_GT(lengths[4], lengths[3]);
  EXPECT_GT(lengths[5], lengths[4]);
  EXPECT_GT(lengths[5], 0.02);            // of an arm 0.09 thick
  EXPECT_GT(reach[5], 0.9 * lengths[5]);  // straight towards the joint
}

// ---- the interface ----

TEST(SkinField, names_the_joints_there_are_when_asked_for_another) {
  const Context context(1);
  const Bound b = bind_file("builtin:arm", context);
  const SkinField field(b.rig);
  EXPECT_THAT(error_of([&] { (void)field.joint("knee"); }), testing::AllOf(HasSubstr("knee"), HasSubstr("forearm")));
  EXPECT_THAT(error_of([&] { (void)field.surface(1e-9, 0.5, context); }), HasSubstr("larger"));
  EXPECT_THAT(error_of([&] { (void)field.surface(0.01, 1.5, context); }), HasSubstr("level"));
  EXPECT_THAT(error_of([&] { (void)field.slice({}, 1, context); }), HasSubstr("columns"));
  std::vector<SkinFieldSample> few(1);
  const std::vector<Vec3f> many(2);
  EXPECT_THAT(error_of([&] { field.evaluate(many, few, context); }), HasSubstr("2 points and 1 samples"));
}

TEST(SkinField, needs_an_implicit_skin) {
  const Context context(1);
  const Bound b = bind_file("builtin:arm", context, {.implicit_skin = false});
  EXPECT_THAT(error_of([&] { const SkinField field(b.rig); }), HasSubstr("implicit"));
}

TEST(SkinField, of_one_part_alone_is_that_part_and_goes_with_its_bone) {
  const Context context(1);
  const Bound b = bind_file("builtin:arm", context);
  SkinField field(b.rig);
  const int forearm = field.joint("forearm"), upper = field.joint("upper_arm");
  const SlicePlane plane = field.plane_through(forearm, std::nullopt);
  const auto inside = [&](int alone) {
    field.isolate(alone);
    const FieldSlice slice = field.slice(plane, 64, context);
    EXPECT_TRUE(slice.contacts.empty() || alone < 0);
    std::vector<char> in(slice.values.size());
    std::ranges::transform(slice.values, in.begin(), [](float v) { return v > 0.5F ? 1 : 0; });
    return in;
  };
  const auto count = [](const std::vector<char>& in) { return std::accumulate(in.begin(), in.end(), 0); };
  const std::vector<char> both = inside(-1), lower = inside(forearm), rest = inside(upper);
  EXPECT_GT(count(lower), 100);
  EXPECT_LT(count(lower), count(both));
  // The parts overlap at the elbow alone, and make up the arm there.
  EXPECT_GT(count(lower) + count(rest), count(both));
  for (std::size_t i = 0; i < both.size(); ++i) EXPECT_LE(lower[i], both[i]);
  // Bones move it: the upper arm stays, the forearm leaves the plane's far half.
  field.set_pose(sample(b.character.skeleton, b.character.clip("elbow"), 1.0));
  EXPECT_EQ(inside(upper), rest);
  EXPECT_NE(inside(forearm), lower);
  EXPECT_THAT(error_of([&] { field.isolate(1000); }), HasSubstr("moves no vertices"));
}

TEST(SkinField, surface_of_a_posed_arm_is_where_the_field_says) {
  const Context context(2);
  const Bound b = bind_file("builtin:arm", context);
  SkinField field(b.rig);
  field.set_pose(sample(b.character.skeleton, b.character.clip("elbow"), 0.6));
  const SkinSurface skin = field.surface(0.008, 0.5, context);
  ASSERT_GT(skin.positions.size(), 1000U);
  std::vector<SkinFieldSample> samples(skin.positions.size());
  field.evaluate(skin.positions, samples, context);
  std::size_t off = 0;
  for (const SkinFieldSample& s : samples) off += std::abs(s.value - 0.5F) > 0.02F ? 1 : 0;
  EXPECT_LT(off * 50, samples.size());
}

}  // namespace
}  // namespace cutis
