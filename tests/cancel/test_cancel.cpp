// Long work asks often whether it is cancelled, stops with Error(cancelled), and leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "cancel/gaps.h"
#include "support/support.h"

namespace cutis {
namespace {

ErrorCode code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.code();
  }
  ADD_FAILURE() << "went on";
  return ErrorCode::io;
}

TEST(Cancel, IsAskedForOftenByEveryStage) {
  const test::TemporaryFolder folder;
  test::expect_small_gaps("builtin:human", "walk", folder.path().string());
}

TEST(Cancel, EndsEveryStageWithItsOwnError) {
  const Context idle(2);
  Context over(2);
  over.is_cancelled = [] { return true; };
  const test::TemporaryFolder folder;
  Character c = load_character("builtin:arm", idle);
  write_character(folder.file("arm.glb"), c, idle);
  const auto rig = bind(c, idle);
  const Clip& clip = c.clip("elbow");
  const Motion motion{clip, sample_times(clip, 4, 30)};
  const auto nothing = [](std::size_t, const Frame&) {};
  EXPECT_EQ(code_of([&] { (void)load_character("builtin:arm", over); }), ErrorCode::cancelled);
  EXPECT_EQ(code_of([&] { (void)load_character(folder.file("arm.glb"), over); }), ErrorCode::cancelled);
  EXPECT_EQ(code_of([&] { (void)bind(c, over); }), ErrorCode::cancelled);
  for (const Method method : {Method::lbs, Method::dqs, Method::implicit, Method::tracking})
    EXPECT_EQ(code_of([&] { play(c, rig, motion, {.method = method}, over, nothing); }), ErrorCode::cancelled);
  EXPECT_EQ(code_of([&] { const Metrics metrics(c, over); }), ErrorCode::cancelled);
  EXPECT_EQ(code_of([&] {
              (void)render_still({&c, c.meshes[0].positions, c.meshes[0].normals, {}}, frame_bounds(c.bounds(), {}, 1),
                                 {}, over);
            }),
            ErrorCode::cancelled);
  Character copy = c;
  EXPECT_EQ(code_of([&] { make_weights(copy, {}, over); }), ErrorCode::cancelled);
  for (const char* file : {"x.glb", "x.usda", "x.pc2", "x.mdd", "x.obj", "x.ply"}) {
    EXPECT_EQ(code_of([&] {
                const auto writer = make_animation_writer(folder.file(file), {&c, "clip", {0.0}}, over);
                writer->add_frame(c.meshes[0].positions, c.meshes[0].normals);
                writer->finish();
              }),
              ErrorCode::cancelled)
        << file;
  }
  std::size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    left += entry.path().filename() != "arm.glb";
  EXPECT_EQ(left, 0U);
}

TEST(Cancel, LeavesASolverThatStartsAsANewOne) {
  const Context idle(2);
  const Character c = load_character("builtin:arm", idle);
  const auto rig = bind(c, idle);
  const Clip& clip = c.clip("elbow");
  const auto pose = [&](double t) { return sample(c.skeleton, clip, clip.start() + t); };
  for (const SolveOptions& options :
       {SolveOptions{}, SolveOptions{.contact_pass = false}, SolveOptions{.method = Method::implicit},
        SolveOptions{.method = Method::dqs, .contact_pass = true}}) {
    // Stopped at the first question of a frame, at the second, …: wherever it was, the solver is as new afterwards.
    Context context(2);
    std::atomic<int> left{1 << 30};
    context.is_cancelled = [&] { return --left < 0; };
    Solver fresh(rig, options, idle), solver(rig, options, context);
    const std::vector<Vec3f> expected = fresh.solve(pose(0.3)).positions;
    int questions = 1;
    for (bool stopped = true; stopped; questions = questions * 3 / 2 + 1) {
      left = 1 << 30;
      solver.reset();
      (void)solver.solve(pose(0.6));
      left = questions;
      stopped = false;
      try {
        (void)solver.solve(pose(0.8));
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::cancelled);
        stopped = true;
      }
      left = 1 << 30;
      if (!stopped) solver.reset();
      ASSERT_EQ(solver.solve(pose(0.3)).positions, expected) << questions;
    }
    EXPECT_GT(questions, 10);
  }
}

}  // namespace
}  // namespace cutis
