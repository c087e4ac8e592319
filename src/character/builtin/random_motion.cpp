// Motions that nobody has seen: every joint swings about all its axes, smoothly, as far as joints of its kind do.
#include <charconv>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "base/math.h"
#include "base/rotation_vector.h"
#include "character/joint_roles.h"
#include "cutis/builtin.h"
#include "cutis/error.h"

namespace cutis {
namespace {

constexpr double kSeconds = 4, kRate = 30;
constexpr int kWaves = 3;
constexpr double kSlowest = 0.1, kFastest = 0.8;  // Hz at speed 1
constexpr double kMostSpeed = 10;

// Radians off the default pose, at most about each axis: poses stay mostly such as bodies take, some do not.
double reach_of(Part part) {
  switch (part) {
    case Part::hips:
    case Part::spine:
      return 0.25;
    case Part::clavicle:
      return 0.15;
    case Part::neck:
    case Part::head:
    case Part::foot:
    case Part::toes:
      return 0.35;
    case Part::upper_arm:
    case Part::forearm:
      return 1.1;
    case Part::thigh:
    case Part::shin:
      return 0.8;
    case Part::hand:
    case Part::finger:
      return 0.5;
    case Part::tail:
    case Part::none:
      break;
  }
  return 0.35;
}

// Sum of sines with random phases, within [-1, 1].
struct Curve {
  double frequency[kWaves], phase[kWaves], size[kWaves];

  template <class Random>
  Curve(Random& random, double speed) {
    double sum = 0;
    for (int i = 0; i < kWaves; ++i) {
      frequency[i] = speed * (kSlowest + (kFastest - kSlowest) * random());
      phase[i] = 2 * kPi * random();
      size[i] = random();
      sum += size[i];
    }
    for (double& s : size) s /= sum > 0 ? sum : 1;
  }
  [[nodiscard]] double at(double t) const {
    double y = 0;
    for (int i = 0; i < kWaves; ++i) y += size[i] * std::sin(2 * kPi * frequency[i] * t + phase[i]);
    return y;
  }
};

}  // namespace

Clip random_motion(const Skeleton& skeleton, std::uint32_t seed, double speed) {
  if (!(speed > 0 && speed <= kMostSpeed))
    throw Error(ErrorCode::bad_argument, "random motion", fmt::format("speed {} is not in (0, {}]", speed, kMostSpeed));
  std::mt19937 engine(seed);
  const auto random = [&] { return static_cast<double>(engine()) / 4294967296.0; };  // the same on all machines
  std::vector<NamedJoint> named;
  for (const Joint& joint : skeleton.joints) named.push_back({joint.name, joint.parent});
  const std::vector<Role> roles = find_roles(named);
  Clip clip;
  clip.name = speed == 1 ? fmt::format("random:{}", seed) : fmt::format("random:{}:{}", seed, speed);
  const int frames = static_cast<int>(kSeconds * kRate);
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (!joint.is_bone || joint.alias_of >= 0) continue;
    const double reach = reach_of(roles[j].part);
    const Curve curve[3] = {{random, speed}, {random, speed}, {random, speed}};
    Channel channel;
    channel.joint = static_cast<int>(j);
    channel.path = ChannelPath::rotation;
    for (int k = 0; k <= frames; ++k) {
      const double t = k / kRate;
      const Quatd q = joint.local.rotation * from_rotation_vector(Vec3d{reach * curve[0].at(t), reach * curve[1].at(t),
                                                                        reach * curve[2].at(t)});
      channel.times.push_back(static_cast<float>(t));
      for (const double x : {q.x, q.y, q.z, q.w}) channel.values.push_back(static_cast<float>(x));
    }
    clip.channels.push_back(std::move(channel));
  }
  return clip;
}

std::optional<Clip> random_motion(const Skeleton& skeleton, std::string_view name) {
  constexpr std::string_view kPrefix = "random:";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const char *at = name.data() + kPrefix.size(), *const end = name.data() + name.size();
  std::uint32_t seed = 0;
  double speed = 1;
  auto parsed = std::from_chars(at, end, seed);
  if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == ':')
    parsed = std::from_chars(parsed.ptr + 1, end, speed);
  if (parsed.ec != std::errc{} || parsed.ptr != end)
    throw Error(ErrorCode::bad_argument, fmt::format("clip '{}'", name),
                "a random motion is random:NUMBER or random:NUMBER:SPEED, as random:7 or random:7:2.5");
  return random_motion(skeleton, seed, speed);
}

}  // namespace cutis
