#include "volume/embedding.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/math.h"
#include "character/welded_character.h"
#include "support/support.h"

namespace cutis {
namespace {

struct Embeddings : testing::TestWithParam<Embedding> {
  const Context context{2};
  const Character character = test::make_two_bone_tube();
  const WeldedCharacter welded = weld_character(character);
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  const ControlMesh mesh =
      make_control_mesh(welded.positions, welded.topology.triangles, skeleton, {}, {.vertices = 500}, context);
};

TEST_P(Embeddings, ReproduceRestAndRotationsWithUniformScale) {
  Embedded embedded(mesh, welded.positions, GetParam(), context);
  EXPECT_EQ(embedded.outside(), 0U);
  const Quatd turn = axis_angle(normalized(Vec3d{1, -2, 0.5}), 1.3);
  for (const auto& [q, scale, shift] :
       {std::tuple{Quatd{}, 1.0, Vec3d{}}, std::tuple{turn, 1.0, Vec3d{1, 2, 3}}, std::tuple{turn, 1.5, Vec3d{}}}) {
    std::vector<Vec3d> positions;
    for (const Vec3d& p : mesh.rest) positions.push_back(rotate(q, p) * scale + shift);
    std::vector<Vec3f> out(welded.positions.size());
    embedded.move(positions, std::vector<Quatd>(mesh.rest.size(), q), out, context);
    double worst = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
      worst = std::max(worst, distance(static_cast<Vec3d>(out[i]),
                                       rotate(q, static_cast<Vec3d>(welded.positions[i])) * scale + shift));
    EXPECT_LT(worst, 1e-4) << scale;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Embeddings, testing::Values(Embedding::tetrahedra, Embedding::smooth, Embedding::green));

// Bent by 60 degrees, more and more from the middle to the end.
TEST(GreenCoordinates, OfTheNearestFacesFollowTheCageMoreCloselyThanTheWholeSum) {
  const Context context{2};
  const Character character = test::make_two_bone_tube();
  const WeldedCharacter welded = weld_character(character);
  const ControlMesh mesh = make_control_mesh(welded.positions, welded.topology.triangles,
                                             make_driven_skeleton(character), {}, {.vertices = 500}, context);
  Box box;
  for (const Vec3d& p : mesh.rest) box.add(p);
  const Vec3d extent = box.hi - box.lo;
  const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  const Vec3d middle = (box.lo + box.hi) * 0.5;
  Vec3d across;
  across[(axis + 1) % 3] = 1;
  const auto bend = [&](const Vec3d& p) {
    const double t = std::clamp((p[axis] - middle[axis]) / (0.5 * extent[axis]), 0.0, 1.0);
    return middle + rotate(axis_angle(across, t * kPi / 3), p - middle);
  };
  std::vector<Vec3f> bent;
  for (const Vec3d& p : mesh.rest) bent.push_back(static_cast<Vec3f>(bend(p)));
  const std::vector<char> none(welded.positions.size(), 0);
  GreenCoordinates near(mesh, welded.positions, none, context), whole(mesh, welded.positions, none, context, 1U << 30U);
  EXPECT_LT(near.terms(), whole.terms() / 2);
  std::vector<Vec3f> a(welded.positions.size()), b(a);
  near.move(bent, a, context);
  whole.move(bent, b, context);
  double apart = 0, from_near = 0, from_whole = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto wanted = static_cast<Vec3f>(bend(static_cast<Vec3d>(welded.positions[i])));
    apart += static_cast<double>(distance(a[i], b[i])) / static_cast<double>(a.size());
    from_near += static_cast<double>(distance(a[i], wanted)) / static_cast<double>(a.size());
    from_whole += static_cast<double>(distance(b[i], wanted)) / static_cast<double>(a.size());
  }
  // The whole sum lets the far end of the tube push this one about; the nearest faces do not.
  EXPECT_LT(apart, 0.03 * diagonal(box));
  EXPECT_LT(from_near, 0.004 * diagonal(box));
  EXPECT_LT(from_near, 0.5 * from_whole);
}

TEST(Embedding, NamesRoundTrip) {
  for (const Embedding e : {Embedding::tetrahedra, Embedding::smooth, Embedding::green})
    EXPECT_EQ(embedding_from_string(to_string(e)), e);
  EXPECT_NE(test::error_of([] { (void)embedding_from_string("glue"); }).find("green"), std::string::npos);
}

}  // namespace
}  // namespace cutis
