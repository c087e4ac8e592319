// What the pieces of a character are taken for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/roles.h"
#include "support/dressed_tube.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using testing::HasSubstr;

// Of the mesh's pieces, which must agree.
PieceRole role_of(const Roles& roles, const std::string& mesh) {
  const auto it = std::ranges::find(roles.pieces, mesh, &Piece::mesh);
  EXPECT_NE(it, roles.pieces.end());
  for (const Piece& p : roles.pieces) EXPECT_TRUE(p.mesh != mesh || p.role == it->role) << mesh;
  return it->role;
}

TEST(Roles, OfADressedTubeAreFoundWithoutNames) {
  Character c = test::make_dressed_tube();
  Roles roles = find_roles(c);
  EXPECT_EQ(role_of(roles, "tube"), PieceRole::body);
  EXPECT_EQ(role_of(roles, "sleeve"), PieceRole::garment);
  EXPECT_EQ(role_of(roles, "eye"), PieceRole::inner);
  EXPECT_EQ(role_of(roles, "cards"), PieceRole::hair);
  EXPECT_EQ(role_of(roles, "buckle"), PieceRole::rigid);
  EXPECT_EQ(roles.piece.size(), c.vertex_count());
  for (Mesh& mesh : c.meshes) mesh.name = "mesh";
  const Roles nameless = find_roles(c);
  ASSERT_EQ(nameless.pieces.size(), roles.pieces.size());
  for (std::size_t i = 0; i < roles.pieces.size(); ++i) EXPECT_EQ(nameless.pieces[i].role, roles.pieces[i].role);
}

TEST(Roles, DoNotDependOnTheSizeOfTheCharacter) {
  Character c = test::make_dressed_tube();
  for (Mesh& mesh : c.meshes)
    for (Vec3f& p : mesh.positions) p *= 100.0F;
  EXPECT_EQ(role_of(find_roles(c), "sleeve"), PieceRole::garment);
  EXPECT_EQ(role_of(find_roles(c), "eye"), PieceRole::inner);
}

TEST(Roles, WhatIsNotClearIsBody) {
  Character c = test::make_dressed_tube();
  for (Vec3f& p : c.meshes[1].positions) p.x *= 3, p.z *= 3;  // a sleeve as wide as a barrel lies over nothing
  EXPECT_EQ(role_of(find_roles(c), "sleeve"), PieceRole::body);
  c = test::make_dressed_tube();
  c.meshes[4].weights.joint.assign(c.meshes[4].positions.size(), 1);  // bone that moves it is not below it, still rigid
  EXPECT_EQ(role_of(find_roles(c), "buckle"), PieceRole::rigid);
  for (std::size_t v = 0; v < c.meshes[4].positions.size(); v += 2) c.meshes[4].weights.joint[v] = 0;
  EXPECT_EQ(role_of(find_roles(c), "buckle"), PieceRole::body);  // two bones tear it apart
  for (Mesh& mesh : c.meshes) mesh.weights = {};
  for (const Piece& p : find_roles(c).pieces) EXPECT_EQ(p.role, PieceRole::body);
}

TEST(Roles, WhatTheSameBonesMoveAlikeIsRigid) {
  Character c = test::make_dressed_tube();
  for (const std::size_t m : {std::size_t{1}, std::size_t{4}}) test::weigh_alike(c.meshes[m], 0.3F);
  const Roles roles = find_roles(c);
  EXPECT_EQ(role_of(roles, "buckle"), PieceRole::rigid);
  for (const Piece& p : roles.pieces) {
    EXPECT_EQ(p.stiff, p.mesh != "tube") << p.mesh;
    EXPECT_EQ(p.joint >= 0, p.mesh == "eye" || p.mesh == "cards") << p.mesh;
  }
  // A large one is cloth as before.
  EXPECT_EQ(role_of(roles, "sleeve"), PieceRole::garment);
}

TEST(Roles, OrnamentsMayBeSunkIntoWhatTheyLieOn) {
  Character c = test::make_dressed_tube();
  // Half over the tube's side, half inside it, and its weights are those of the skin around.
  for (Vec3f& p : c.meshes[4].positions) p += Vec3f{0, 0.85F, 0};
  Weights& weights = c.meshes[4].weights;
  for (std::size_t v = 0; v < weights.joint.size(); ++v) weights.joint[v] = c.meshes[4].positions[v].y > 1;
  EXPECT_EQ(role_of(find_roles(c), "buckle"), PieceRole::inner);
  for (Vec3f& p : c.meshes[4].positions) p += Vec3f{0, 0, 1};  // nothing is below it
  EXPECT_EQ(role_of(find_roles(c), "buckle"), PieceRole::body);
}

TEST(Roles, OfOnePieceIsBody) {
  const Roles roles = find_roles(load_character("builtin:human", Context(1)));
  for (const Piece& p : roles.pieces) EXPECT_EQ(p.role, PieceRole::body);
}

TEST(Roles, CanBeChosen) {
  const Character c = test::make_dressed_tube();
  const std::vector<RoleChoice> choices{{.name = "all", .role = PieceRole::rigid},
                                        {.name = "skin", .meshes = {"tube", "sleeve"}, .role = PieceRole::body},
                                        {.name = "third", .pieces = {2}, .role = PieceRole::hair}};
  const Roles roles = find_roles(c, choices);
  EXPECT_EQ(role_of(roles, "tube"), PieceRole::body);
  EXPECT_EQ(role_of(roles, "sleeve"), PieceRole::body);
  EXPECT_EQ(role_of(roles, "eye"), PieceRole::hair);
  EXPECT_EQ(role_of(roles, "cards"), PieceRole::rigid);
  EXPECT_TRUE(roles.pieces[0].chosen);
  EXPECT_THAT(error_of([&] { (void)find_roles(c, std::vector<RoleChoice>{{.name = "x", .pieces = {99}}}); }),
              HasSubstr("there is no piece 99"));
  EXPECT_THAT(error_of([&] { (void)find_roles(c, std::vector<RoleChoice>{{.name = "x", .meshes = {"coat"}}}); }),
              HasSubstr("no mesh 'coat'"));
  EXPECT_THAT(error_of([] { (void)piece_role_from_string("cloak"); }), HasSubstr("garment"));
}

TEST(Roles, OfAvatarsAreWhatTheyLookLike) {
  CUTIS_NEEDS_SHARED_DATA();
  const Context context(1);
  const auto roles_of = [&](const char* file) {
    return find_roles(load_character((test::shared_data() / "avatars" / file).string(), context));
  };
  const Roles man = roles_of("rocketbox_male.glb");
  const auto count = [&](PieceRole role) { return std::ranges::count(man.pieces, role, &Piece::role); };
  EXPECT_EQ(man.pieces[0].role, PieceRole::body);
  EXPECT_EQ(count(PieceRole::body), 1);
  EXPECT_EQ(count(PieceRole::inner), 2);  // eyes
  EXPECT_GE(count(PieceRole::hair), 7);   // cards
  EXPECT_EQ(count(PieceRole::garment), 0);
  const Roles rabbit = roles_of("rabbit.vrm");
  EXPECT_EQ(std::ranges::count(rabbit.pieces, PieceRole::rigid, &Piece::role), 3);  // ears, and a mask of a hard face
  EXPECT_EQ(std::ranges::count(rabbit.pieces, PieceRole::body, &Piece::role), 1);
}

}  // namespace
}  // namespace cutis
