#include "render/camera.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/math.h"
#include "base/polar.h"
#include "cutis/error.h"
#include "cutis/option_rows.h"
#include "cutis/render.h"

namespace cutis {
namespace {

[[noreturn]] void fail(const char* sentence) { throw Error(ErrorCode::bad_argument, "camera", sentence); }

constexpr double kAnkle = 0.12;  // where feet end, of the skeleton's height
constexpr double kAgree = 0.7;   // of what feet are long: so much of it points to the back of who faces the front

struct CameraFrame {
  Vec3d right, up, back;
};

void check(const ViewOptions& options, double aspect) {
  if (!(aspect > 0) || !std::isfinite(aspect)) fail("the aspect (width / height) must be a positive number");
  check_options(options, "camera");
}

CameraFrame frame_of(const ViewOptions& options) {
  const double cp = std::cos(options.pitch), sp = std::sin(options.pitch);
  const double cy = std::cos(options.yaw), sy = std::sin(options.yaw);
  return {{cy, 0, -sy}, {-sp * sy, cp, -sp * cy}, {cp * sy, sp, cp * cy}};
}

}  // namespace

Vec3d View::to_camera(const Vec3d& p) const {
  const Vec3d d = p - eye;
  return {dot(right, d), dot(up, d), dot(back, d)};
}

View make_view(const Camera& camera, int width, int height) {
  if (!is_finite(camera.eye) || !is_finite(camera.target) || !is_finite(camera.up))
    fail("eye, target and up must be finite");
  if (!(camera.fov_y > 0.001 && camera.fov_y < 3.1)) fail("the field of view must be between 0.001 and 3.1 radians");
  const double range = distance(camera.eye, camera.target);
  if (!(range > 0)) fail("the eye must be apart from the target");
  View view;
  view.eye = camera.eye;
  view.back = (camera.eye - camera.target) / range;
  // Straight up or down there is no horizon: any right hand will do.
  const Vec3d right = cross(camera.up, view.back);
  view.right = length(right) > 1e-9 * length(camera.up) ? normalized(right) : any_perpendicular(view.back);
  view.up = cross(view.back, view.right);
  view.tan_y = std::tan(camera.fov_y / 2);
  view.tan_x = view.tan_y * width / height;
  view.near_distance = 1e-3 * range;
  view.width = width;
  view.height = height;
  return view;
}

double front_yaw(const Skeleton& skeleton) {
  const std::vector<Affine3d> world = world_from_joint(skeleton, default_pose(skeleton));
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t j = 0; j < world.size(); ++j) {
    if (!skeleton.joints[j].is_bone) continue;
    low = std::min(low, world[j].translation.y);
    high = std::max(high, world[j].translation.y);
  }
  const double ankle = low + kAnkle * (high - low);
  double forward = 0, total = 0;
  for (std::size_t j = 0; j < world.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    if (parent < 0 || !skeleton.joints[j].is_bone || !skeleton.joints[static_cast<std::size_t>(parent)].is_bone)
      continue;
    const Vec3d from = world[static_cast<std::size_t>(parent)].translation, to = world[j].translation;
    const double along = std::hypot(to.x - from.x, to.z - from.z);
    if (std::max(from.y, to.y) > ankle || along < std::abs(to.y - from.y)) continue;  // fingers of a hand point down
    forward += to.z - from.z;
    total += along;
  }
  return forward < -kAgree * total ? std::numbers::pi : 0.0;
}

double front_yaw(const Skeleton& skeleton, const Pose& pose) {
  // Feet of a runner say little: as the bones have turned altogether since the default pose.
  const double yaw = front_yaw(skeleton);
  const Vec3d front{0, 0, yaw > 0 ? -1.0 : 1.0};
  const std::vector<Affine3d> rest = world_from_joint(skeleton, default_pose(skeleton));
  const std::vector<Affine3d> world = world_from_joint(skeleton, pose);
  double forward = 0;
  for (std::size_t j = 0; j < world.size(); ++j) {
    if (!skeleton.joints[j].is_bone) continue;
    const Quatd turn = polar_decompose(world[j].linear).rotation * conjugate(polar_decompose(rest[j].linear).rotation);
    const double z = rotate(turn, front).z;
    if (std::isfinite(z)) forward += z;
  }
  return forward < 0 ? std::numbers::pi : 0.0;
}

Camera frame_bounds(const Box& bounds, const ViewOptions& options, double aspect) {
  check(options, aspect);
  Box box = bounds;
  if (box.empty()) box = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  if (!is_finite(box.lo) || !is_finite(box.hi)) fail("the bounds to frame must be finite");
  // A point still needs a distance to be seen from.
  if (!(diagonal(box) > 0)) {
    const double least = 1e-3 * std::max(1e-3, length(box.lo));
    box.lo -= {least, least, least};
    box.hi += {least, least, least};
  }
  const CameraFrame frame = frame_of(options);
  const double tan_y = std::tan(options.fov_y / 2) / options.margin, tan_x = tan_y * aspect;
  // A corner q (camera axes) is inside when |q.x - c.x| <= tan_x (c.z - q.z), and so for y. The supports of the four
  // planes give the nearest centre line and distance for each direction.
  double x_plus = -1e300, x_minus = -1e300, y_plus = -1e300, y_minus = -1e300;
  const Vec3d middle = center(box);
  for (int i = 0; i < 8; ++i) {
    const Vec3d corner{(i & 1) != 0 ? box.hi.x : box.lo.x, (i & 2) != 0 ? box.hi.y : box.lo.y,
                       (i & 4) != 0 ? box.hi.z : box.lo.z};
    const Vec3d d = corner - middle;
    const Vec3d q{dot(d, frame.right), dot(d, frame.up), dot(d, frame.back)};
    x_plus = std::max(x_plus, q.x + tan_x * q.z);
    x_minus = std::max(x_minus, -q.x + tan_x * q.z);
    y_plus = std::max(y_plus, q.y + tan_y * q.z);
    y_minus = std::max(y_minus, -q.y + tan_y * q.z);
  }
  const double range = std::max((x_plus + x_minus) / (2 * tan_x), (y_plus + y_minus) / (2 * tan_y));
  const double cx = (x_plus - x_minus) / 2, cy = (y_plus - y_minus) / 2;
  Camera camera;
  camera.target = middle + frame.right * cx + frame.up * cy;
  camera.eye = camera.target + frame.back * range;
  camera.up = frame.up;
  camera.fov_y = options.fov_y;
  return camera;
}

Camera frame_region(const Vec3d& center, double radius, const ViewOptions& options, double aspect) {
  check(options, aspect);
  if (!is_finite(center) || !(radius > 0) || !std::isfinite(radius))
    fail("the region needs a finite centre and a positive radius");
  const CameraFrame frame = frame_of(options);
  const double half = std::atan(std::tan(options.fov_y / 2) * std::min(1.0, aspect));
  Camera camera;
  camera.target = center;
  camera.eye = center + frame.back * (radius * options.margin / std::sin(half));
  camera.up = frame.up;
  camera.fov_y = options.fov_y;
  return camera;
}

}  // namespace cutis
