#include "geometry/weld.h"

#include <gtest/gtest.h>

namespace cutis {
namespace {

TEST(Weld, MergesEqualPositionsInOrderOfAppearance) {
  const std::vector<Vec3f> p{{0, 0, 0}, {1, 0, 0}, {-0.0F, 0, 0}, {1, 0, 0}, {1, 1e-7F, 0}};
  const Weld w = weld(p);
  EXPECT_EQ(w.welded_of, (std::vector<std::uint32_t>{0, 1, 0, 1, 2}));
  EXPECT_EQ(w.first_of, (std::vector<std::uint32_t>{0, 1, 4}));
}

TEST(Weld, KeepsIncompatibleCopiesApart) {
  const std::vector<Vec3f> p(4, Vec3f{1, 2, 3});
  const Weld w = weld(p, [](std::uint32_t a, std::uint32_t b) { return a % 2 == b % 2; });
  EXPECT_EQ(w.welded_of, (std::vector<std::uint32_t>{0, 1, 0, 1}));
}

TEST(Weld, ShowsTrianglesThatCollapse) {
  const std::vector<Vec3f> p{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<Triangle> t{{0, 1, 2}, {0, 2, 3}};
  EXPECT_EQ(weld_triangles(weld(p), t), (std::vector<Triangle>{{0, 1, 1}, {0, 1, 2}}));
}

}  // namespace
}  // namespace cutis
