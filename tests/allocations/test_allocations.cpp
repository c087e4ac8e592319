// Once a solver has seen a clip, playing it again allocates nothing.
#include <gtest/gtest.h>

#include <cstdlib>

#include "allocations/counting_new.h"
#include "cutis/cutis.h"
#include "support/dressed_tube.h"
#include "support/support.h"

namespace cutis {
namespace {

std::vector<Pose> poses_of(const Character& character, const char* clip, int frames) {
  std::vector<Pose> poses;
  for (const double time : sample_times(character.clip(clip), frames, 30))
    poses.push_back(sample(character.skeleton, character.clip(clip), time));
  return poses;
}

// Allocations of the frame that made most.
std::size_t most_allocations(const Character& character, const char* clip, int frames, const SolveOptions& options) {
  const Context context(2);
  const std::vector<Pose> poses = poses_of(character, clip, frames);
  Solver solver(bind(character, context), options, context);
  for (const Pose& pose : poses) (void)solver.solve(pose);
  solver.reset();
  std::size_t most = 0;
  const bool trace = std::getenv("CUTIS_TRACE_ALLOCATIONS") != nullptr;
  for (const Pose& pose : poses) {
    const std::size_t before = test::allocations();
    test::trace_allocations(trace);
    (void)solver.solve(pose);
    test::trace_allocations(false);
    most = std::max(most, test::allocations() - before);
  }
  return most;
}

std::size_t most_allocations(const char* name, const char* clip, int frames, const SolveOptions& options) {
  return most_allocations(load_character(name, Context(2)), clip, frames, options);
}

TEST(Allocations, AreCounted) {
  const std::size_t before = test::allocations();
  std::vector<int> list(100);
  list[3] = 1;
  EXPECT_EQ(test::allocations(), before + 1);
}

TEST(Allocations, AreNoneInFramesOfSkinning) {
  for (const Method method : {Method::lbs, Method::dqs, Method::ddm}) {
    EXPECT_EQ(most_allocations("builtin:human", "walk", 12, {.method = method}), 0U) << to_string(method);
    EXPECT_EQ(most_allocations("builtin:hand", "fist", 12, {.method = method}), 0U) << to_string(method);
  }
}

TEST(Allocations, AreNoneInFramesOfImplicitSkinning) {
  EXPECT_EQ(most_allocations("builtin:hand", "fist", 24, {.method = Method::implicit}), 0U);
  EXPECT_EQ(most_allocations("builtin:hand", "fist", 24, {.method = Method::implicit, .implicit = {.blend = true}}),
            0U);
}

TEST(Allocations, AreNoneInFramesOfTracking) {
  EXPECT_EQ(most_allocations("builtin:hand", "fist", 24, {.method = Method::tracking, .contact_pass = false}), 0U);
}

TEST(Allocations, AreNoneInFramesWithContact) {
  EXPECT_EQ(most_allocations("builtin:hand", "fist", 24, {.method = Method::tracking, .contact_pass = true}), 0U);
}

// 6.7 MB for a body of 13,380 vertices; the first one of a rig takes three times as much.
TEST(Allocations, OfAFurtherSolverAreItsOwnStateAlone) {
  const Context context(1);
  const Character human = load_character("builtin:human", context);
  const auto rig = bind(human, context);
  std::size_t vertices = 0;
  for (const Mesh& mesh : human.meshes) vertices += mesh.positions.size();
  for (const Method method : {Method::tracking, Method::dqs, Method::implicit}) {
    const SolveOptions options{.method = method, .contact_pass = method != Method::implicit};
    const Solver first(rig, options, context);
    const std::size_t before = test::allocated_bytes();
    const Solver second(rig, options, context);
    EXPECT_LT(test::allocated_bytes() - before, 650 * vertices) << to_string(method);
  }
}

TEST(Allocations, AreNoneInFramesOfWhatRidesOnTheSkin) {
  // No more than the body alone, which goes exactly the same way.
  const Character dressed = test::make_dressed_tube();
  Character bare = dressed;
  bare.meshes.resize(1);
  EXPECT_EQ(most_allocations(dressed, "bend", 12, {.method = Method::tracking}),
            most_allocations(bare, "bend", 12, {.method = Method::tracking}));
}

TEST(AllocationsSlow, AreNoneInFramesWithContactOfOtherMethodsAndBodies) {
  EXPECT_EQ(most_allocations("builtin:human", "walk", 12, {.method = Method::tracking, .contact_pass = true}), 0U);
  EXPECT_EQ(most_allocations("builtin:hand", "fist", 24, {.method = Method::dqs, .contact_pass = true}), 0U);
  EXPECT_EQ(most_allocations("builtin:human", "walk", 12, {.method = Method::tracking, .contact_pass = false}), 0U);
  EXPECT_EQ(most_allocations("builtin:human", "walk", 12, {.method = Method::implicit}), 0U);
}

TEST(AllocationsSlow, AreNoneInFramesOfABodyThatTouchesItself) {
  CUTIS_NEEDS_SHARED_DATA();
  const std::string body = (test::shared_data() / "makehuman_male" / "makehuman_male.glb").string();
  for (const char* clip : {"deep_squat", "arms_crossed"})
    EXPECT_EQ(most_allocations(body.c_str(), clip, 16, {.method = Method::tracking, .contact_pass = true}), 0U) << clip;
}

}  // namespace
}  // namespace cutis
