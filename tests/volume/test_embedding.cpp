#include "volume/embedding.h"

#include <gtest/gtest.h>

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
  EXPECT_LT(embedded.outside(), welded.positions.size() / 4);
  const Quatd turn = axis_angle(normalized(Vec3d{1, -2, 0.5}), 1.3);
  for (const auto& [q, scale, shift] :
       {std::tuple{Quatd{}, 1.0, Vec3d{}}, std::tuple{turn, 1.0, Vec3d{1, 2, 3}}, std::tuple{turn, 1.5, Vec3d{}}}) {
    if (scale != 1.0 && GetParam() == Embedding::smooth && embedded.outside() > 0) continue;
    std::vector<Vec3d> positions;
    for (const Vec3d& p : mesh.rest) positions.push_back(rotate(q, p) * scale + shift);
    std::vector<Vec3f> out(welded.positions.size());
    embedded.move(positions, std::vector<Quatd>(mesh.rest.size(), q), out, context);
    double worst = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
      worst = std::max(worst, distance(static_cast<Vec3d>(out[i]),
                                       rotate(q, static_cast<Vec3d>(welded.positions[i])) * scale + shift));
    EXPECT_LT(worst, GetParam() == Embedding::green ? 5e-3 : 1e-4) << scale;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Embeddings, testing::Values(Embedding::tetrahedra, Embedding::smooth, Embedding::green));

TEST(Embedding, NamesRoundTrip) {
  for (const Embedding e : {Embedding::tetrahedra, Embedding::smooth, Embedding::green})
    EXPECT_EQ(embedding_from_string(to_string(e)), e);
  EXPECT_NE(test::error_of([] { (void)embedding_from_string("glue"); }).find("green"), std::string::npos);
}

}  // namespace
}  // namespace cutis
