#include "io/gltf_read_clips.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "io/gltf_read_fail.h"
#include "io/gltf_read_scene.h"

namespace cutis::gltf {
namespace {

void check_times(const std::vector<float>& times, const std::string& place) {
  if (times.empty()) fail(place, "the channel has no keys");
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (!std::isfinite(times[k])) fail(place, fmt::format("the time of key {} is not finite", k));
    if (k > 0 && !(times[k] > times[k - 1]))
      fail(place, fmt::format("key {} at {} s is not later than the one before it", k, times[k]));
  }
}

void check_rotations(const Channel& channel, const std::string& place) {
  const bool is_cubic = channel.interpolation == Interpolation::cubic_spline;
  for (std::size_t k = 0; k < channel.times.size(); ++k) {
    const float* q = &channel.values[is_cubic ? 12 * k + 4 : 4 * k];
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
      fail(place, fmt::format("the rotation of key {} is 0 0 0 0, which turns nowhere", k));
  }
}

Channel read_channel(const AnimationChannel& from, int joint, Data& data, const std::string& place) {
  Channel to;
  to.joint = joint;
  to.path = from.path == "rotation"      ? ChannelPath::rotation
            : from.path == "translation" ? ChannelPath::translation
                                         : ChannelPath::scale;
  if (from.interpolation.empty() || from.interpolation == "LINEAR")
    to.interpolation = Interpolation::linear;
  else if (from.interpolation == "STEP")
    to.interpolation = Interpolation::step;
  else if (from.interpolation == "CUBICSPLINE")
    to.interpolation = Interpolation::cubic_spline;
  else
    fail(place, fmt::format("the interpolation '{}' is unknown", from.interpolation.substr(0, 40)));

  to.times = data.floats(from.input, 1, place + " › times");
  check_times(to.times, place);
  const int components = to.path == ChannelPath::rotation ? 4 : 3;
  to.values = data.floats(from.output, components, place + " › values");
  const std::size_t per_key =
      static_cast<std::size_t>(components) * (to.interpolation == Interpolation::cubic_spline ? 3 : 1);
  if (to.values.size() != to.times.size() * per_key)
    fail(place, fmt::format("the channel has {} numbers for {} keys; {} a key are needed", to.values.size(),
                            to.times.size(), per_key));
  for (std::size_t i = 0; i < to.values.size(); ++i)
    if (!std::isfinite(to.values[i])) fail(place, fmt::format("a value of key {} is not finite", i / per_key));
  if (to.path == ChannelPath::rotation) check_rotations(to, place);
  return to;
}

}  // namespace

std::vector<Clip> read_clips(const File& file, std::span<const int> joint_of_node, Data& data, const Context& context) {
  std::vector<Clip> clips;
  UniqueNames names;
  for (std::size_t a = 0; a < file.animations.size(); ++a) {
    const Animation& animation = file.animations[a];
    Clip clip;
    clip.name = names.take(animation.name.empty() ? fmt::format("animation_{}", a) : animation.name);
    std::set<std::pair<int, ChannelPath>> driven;
    bool has_morphs = false;
    for (const AnimationChannel& from : animation.channels) {
      if (from.node < 0) continue;
      const auto node = static_cast<std::size_t>(from.node);
      if (from.path == "weights") {
        has_morphs = true;
        continue;
      }
      const int joint = joint_of_node.empty() ? -1 : joint_of_node[node];
      if (joint < 0) continue;
      const std::string place = file.place(fmt::format("clip '{}' › {}", clip.name, file.node_label(node)));
      if (from.path != "translation" && from.path != "rotation" && from.path != "scale")
        fail(place, fmt::format("the channel's path '{}' is unknown", from.path.substr(0, 40)));
      Channel channel = read_channel(from, joint, data, place);
      if (!driven.emplace(joint, channel.path).second)
        fail(place, fmt::format("two channels drive its {}; keep one of them", from.path));
      clip.channels.push_back(std::move(channel));
    }
    if (has_morphs)
      context.warn(fmt::format("{}: clip '{}' drives morph targets, which are left as they are by default", file.name,
                               clip.name));
    if (clip.channels.empty()) {
      context.warn(fmt::format("{}: clip '{}' moves no joint: left out", file.name, clip.name));
      continue;
    }
    clips.push_back(std::move(clip));
  }
  return clips;
}

}  // namespace cutis::gltf
