// The unrigged meshes of the shared data have the counts that their tables state.
#include <gtest/gtest.h>

#include "io/readers.h"
#include "support/support.h"

namespace cutis {
namespace {

struct Expected {
  std::string file;
  std::size_t vertices, triangles, components, boundary_edges, boundary_loops, nonmanifold_edges, nonmanifold_vertices;
};

TEST(SharedMeshes, HaveTheCountsOfTheirTables) {
  CUTIS_NEEDS_SHARED_DATA();
  const Expected table[] = {{"nasty_meshes/fan3.obj", 5, 3, 1, 6, 1, 1, 0},
                            {"nasty_meshes/hourglass_ico.obj", 23, 40, 1, 0, 0, 0, 1},
                            {"nasty_meshes/triple_vierbein.obj", 75, 108, 1, 60, 1, 20, 0},
                            {"nasty_meshes/moebius.obj", 280, 448, 1, 112, 1, 0, 0},
                            {"nasty_meshes/platonic_shelf.obj", 50, 80, 5, 0, 0, 0, 0},
                            {"nasty_meshes/cat_head.obj", 131, 248, 1, 12, 1, 0, 0},
                            {"nasty_meshes/lego.ply", 1649, 3072, 1, 224, 1, 0, 0},
                            {"nasty_meshes/hole_capsule.off", 89, 152, 1, 28, 3, 0, 0},
                            {"spot/spot_triangulated.obj", 2930, 5856, 1, 0, 0, 0, 0},
                            {"hand_webxr/hand_left_unrigged.obj", 1159, 2314, 1, 0, 0, 0, 0},
                            {"makehuman_male/makehuman_male_unrigged_quads.obj", 13380, 26756, 1, 0, 0, 0, 0}};
  const Context context(1);
  for (const Expected& e : table) {
    SCOPED_TRACE(e.file);
    const std::string path = (test::shared_data() / e.file).string();
    const Character c = path.ends_with(".ply")   ? read_ply(path, context, {})
                        : path.ends_with(".off") ? read_off(path, context, {})
                                                 : read_obj(path, context, {});
    EXPECT_NO_THROW(validate(c));
    const CharacterInfo info = inspect(c);
    EXPECT_EQ(info.vertices, e.vertices);
    EXPECT_EQ(info.welded_vertices, e.vertices);
    EXPECT_EQ(info.triangles, e.triangles);
    EXPECT_EQ(info.components, e.components);
    EXPECT_EQ(info.boundary_edges, e.boundary_edges);
    EXPECT_EQ(info.boundary_loops, e.boundary_loops);
    EXPECT_EQ(info.nonmanifold_edges, e.nonmanifold_edges);
    EXPECT_EQ(info.nonmanifold_vertices, e.nonmanifold_vertices);
    EXPECT_EQ(info.degenerate_triangles, 0U);
  }
}

}  // namespace
}  // namespace cutis
