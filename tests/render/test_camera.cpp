#include "render/camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/render.h"

namespace cutis {
namespace {

// Largest |x| and |y| of the box's corners in the picture; 1 is the border.
struct Fill {
  double x = 0, y = 0;
};
Fill fill_of(const Camera& camera, const Box& box, double aspect) {
  const int height = 1000, width = static_cast<int>(std::lround(1000 * aspect));
  const View view = make_view(camera, width, height);
  Fill fill;
  for (int i = 0; i < 8; ++i) {
    const Vec3d q = view.to_camera(
        {(i & 1) != 0 ? box.hi.x : box.lo.x, (i & 2) != 0 ? box.hi.y : box.lo.y, (i & 4) != 0 ? box.hi.z : box.lo.z});
    EXPECT_LT(q.z, -view.near_distance);
    fill.x = std::max(fill.x, std::abs(q.x / -q.z) / view.tan_x);
    fill.y = std::max(fill.y, std::abs(q.y / -q.z) / view.tan_y);
  }
  return fill;
}

TEST(FrameBounds, KeepsAllCornersInThePictureAndFillsIt) {
  const Box boxes[] = {
      {{-0.5, 0, -0.2}, {0.5, 1.8, 0.2}}, {{10, -3, 4}, {18, -2.5, 5}}, {{-1e-3, 0, 0}, {1e-3, 1e-3, 9e-3}}};
  for (const Box& box : boxes)
    for (const double aspect : {0.5, 1.0, 1.6, 3.0})
      for (const double yaw : {0.0, 0.6, 2.0, -2.7})
        for (const double pitch : {0.0, 0.22, -0.8, 1.5}) {
          const Fill fill = fill_of(frame_bounds(box, {.yaw = yaw, .pitch = pitch}, aspect), box, aspect);
          EXPECT_LE(fill.x, 1.0);
          EXPECT_LE(fill.y, 1.0);
          EXPECT_GT(std::max(fill.x, fill.y), 0.85) << aspect << ' ' << yaw << ' ' << pitch;
        }
}

TEST(FrameBounds, LooksFromTheFrontAndFromTheLeft) {
  const Box box{{-1, -1, -1}, {1, 1, 1}};
  const Camera front = frame_bounds(box, {.yaw = 0, .pitch = 0}, 1);
  EXPECT_GT(front.eye.z, 1);
  EXPECT_NEAR(front.eye.x, 0, 1e-9);
  EXPECT_GT(frame_bounds(box, {.yaw = 0.6, .pitch = 0.2}, 1).eye.x, 1);  // +X is the left of who looks along +Z
  EXPECT_GT(frame_bounds(box, {.yaw = 0.6, .pitch = 0.2}, 1).eye.y, 0.5);
}

TEST(FrontYaw, IsWhereFeetPoint) {
  const auto yaw_of = [](const Vec3d& left_toes, const Vec3d& right_toes) {
    Skeleton skeleton;
    const auto joint = [&](int parent, const Vec3d& offset) {
      Joint& added = skeleton.joints.emplace_back();
      added.parent = parent;
      added.local.translation = offset;
      added.is_bone = true;
      return static_cast<int>(skeleton.joints.size()) - 1;
    };
    const int hips = joint(-1, {0, 1, 0});
    joint(joint(hips, {0, 0.6, 0}), {0, 0.1, 0.3});  // head and a nose, which are not feet
    joint(joint(hips, {0.1, -0.95, 0}), left_toes);
    joint(joint(hips, {-0.1, -0.95, 0}), right_toes);
    return front_yaw(skeleton);
  };
  EXPECT_EQ(yaw_of({0.02, -0.04, 0.15}, {-0.02, -0.04, 0.15}), 0);
  EXPECT_NEAR(yaw_of({0.02, -0.04, -0.15}, {-0.02, -0.04, -0.15}), 3.14159265, 1e-6);
  EXPECT_EQ(yaw_of({0.02, -0.04, -0.15}, {-0.02, -0.04, 0.15}), 0) << "feet that do not agree";
  EXPECT_EQ(yaw_of({0.02, -0.12, -0.08}, {-0.02, -0.12, -0.08}), 0) << "fingers of a hand that points down";
  EXPECT_EQ(yaw_of({0, -0.04, 0}, {0, -0.04, 0}), 0) << "feet without a length";
  EXPECT_EQ(front_yaw({}), 0);
  // A motion may have turned who rests with the back to us.
  Skeleton turned;
  for (const auto& [parent, offset] : {std::pair{-1, Vec3d{0, 1, 0}}, std::pair{0, Vec3d{0.1, -0.95, 0}},
                                       std::pair{1, Vec3d{0, -0.04, -0.15}}, std::pair{0, Vec3d{0, 0.7, 0}}}) {
    Joint& joint = turned.joints.emplace_back();
    joint.parent = parent;
    joint.local.translation = offset;
    joint.is_bone = true;
  }
  Pose pose = default_pose(turned);
  EXPECT_NEAR(front_yaw(turned), 3.14159265, 1e-6);
  pose.local[0].rotation = {0, 1, 0, 0};
  EXPECT_EQ(front_yaw(turned, pose), 0);
  // A runner's foot that is thrown up behind is no sign.
  pose.local[1].rotation = axis_angle(Vec3d{1, 0, 0}, 1.8);
  EXPECT_EQ(front_yaw(turned, pose), 0);
  pose.local[0].rotation = {};
  EXPECT_NEAR(front_yaw(turned, pose), 3.14159265, 1e-6);
}

TEST(FrameBounds, TakesEmptyAndPointLikeBounds) {
  const Box empty, point{{3, 4, 5}, {3, 4, 5}};
  EXPECT_GT(distance(frame_bounds(empty, {}, 1).eye, Vec3d{}), 1);
  const Camera camera = frame_bounds(point, {}, 1);
  EXPECT_TRUE(is_finite(camera.eye));
  EXPECT_GT(distance(camera.eye, camera.target), 0);
}

TEST(FrameBounds, RefusesWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Box box{{-1, -1, -1}, {1, 1, 1}};
  EXPECT_THROW((void)frame_bounds(Box{{-1, -1, -1}, {1, nan, 1}}, {}, 1), Error);
  EXPECT_THROW((void)frame_bounds(box, {}, 0), Error);
  EXPECT_THROW((void)frame_bounds(box, {.yaw = nan}, 1), Error);
  EXPECT_THROW((void)frame_bounds(box, {.margin = 0}, 1), Error);
  EXPECT_THROW((void)frame_region({0, 0, 0}, 0, {}, 1), Error);
}

TEST(FrameRegion, TouchesTheBallFromAnyAspect) {
  for (const double aspect : {0.5, 1.0, 2.0}) {
    const Camera camera = frame_region({1, 2, 3}, 0.25, {.margin = 1}, aspect);
    const double half = std::atan(std::tan(camera.fov_y / 2) * std::min(1.0, aspect));
    EXPECT_NEAR(std::asin(0.25 / distance(camera.eye, Vec3d{1, 2, 3})), half, 1e-12);
  }
}

TEST(View, PutsTheTargetInTheMiddleAndUpAboveIt) {
  const View view = make_view({{3, 4, 5}, {0, 1, 0}, {0, 1, 0}, 0.7}, 200, 100);
  const Vec3d q = view.to_camera({0, 1, 0}), above = view.to_camera({0, 1.1, 0});
  EXPECT_NEAR(view.pixel_x(q.x / -q.z), 100, 1e-9);
  EXPECT_NEAR(view.pixel_y(q.y / -q.z), 50, 1e-9);
  EXPECT_LT(view.pixel_y(above.y / -above.z), 50);
}

TEST(View, SurvivesLookingStraightDown) {
  const View view = make_view({{0, 5, 0}, {0, 0, 0}, {0, 1, 0}, 0.7}, 10, 10);
  EXPECT_NEAR(length(view.right), 1, 1e-12);
  EXPECT_NEAR(dot(view.right, view.back), 0, 1e-12);
}

}  // namespace
}  // namespace cutis
