#include <gtest/gtest.h>

#include <vector>

#include "base/tree.h"

namespace cutis {
namespace {

struct Node {
  int parent = -1;
};

// 0 carries 1 and 2, 1 carries 3; 4 is a root of its own.
const std::vector<int> kParents{-1, 0, 0, 1, -1};
const std::vector<Node> kNodes{{-1}, {0}, {0}, {1}, {-1}};

TEST(Tree, NodesHangOnThemselvesAndOnAllAbove) {
  for (const int above : {3, 1, 0}) {
    EXPECT_TRUE(hangs_on(kParents, 3, above));
    EXPECT_TRUE(hangs_on(kNodes, 3, above));
  }
  for (const int other : {2, 4}) EXPECT_FALSE(hangs_on(kParents, 3, other));
  EXPECT_FALSE(hangs_on(kNodes, 0, 3));
  EXPECT_TRUE(hangs_on(kParents, 4, -1));
  EXPECT_TRUE(hangs_on(kParents, -1, -1));
  EXPECT_FALSE(hangs_on(kParents, -1, 0));
}

TEST(Tree, IsSearchedUpwards) {
  EXPECT_EQ(first_upwards(kNodes, 3, [](int n) { return n < 3; }), 1);
  EXPECT_EQ(first_upwards(kNodes, 3, [](int n) { return n == 3; }), 3);
  EXPECT_EQ(first_upwards(kParents, 3, [](int n) { return n == 2; }), -1);
  EXPECT_EQ(first_upwards(kParents, -1, [](int) { return true; }), -1);
}

}  // namespace
}  // namespace cutis
