#include "io/bvh_read.h"

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "io/text_scan.h"

namespace cutis {
namespace {

constexpr double kShortestFrame = 1e-6;  // seconds; as takes of markers have it

class BvhParser {
 public:
  BvhParser(std::string_view text, const std::string& name, const Context& context) : rest_(text), context_(context) {
    motion_.source = name;
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  }

  BvhMotion read() {
    if (lower_case(word()) != "hierarchy") fail("does not start with HIERARCHY; is it a BVH file?");
    read_hierarchy();
    read_motion();
    return std::move(motion_);
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(ErrorCode::bad_file, fmt::format("{} line {}", motion_.source, line_), sentence);
  }

  std::string_view word() {
    skip_space();
    std::size_t end = 0;
    while (end < rest_.size() && !is_space(rest_[end])) ++end;
    // Braces stand for themselves even when no space is around them.
    for (std::size_t i = 0; i < end; ++i) {
      if (rest_[i] != '{' && rest_[i] != '}') continue;
      end = i == 0 ? 1 : i;
      break;
    }
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return found;
  }
  void skip_space() {
    std::size_t i = 0;
    for (; i < rest_.size() && is_space(rest_[i]); ++i)
      if (rest_[i] == '\n') ++line_;
    rest_.remove_prefix(i);
  }
  double number(std::string_view what) {
    const std::string_view found = word();
    if (found.empty()) fail(fmt::format("the file ends where {} should be.", what));
    const auto value = parse_number(found);
    if (!value || !std::isfinite(*value) || std::abs(*value) > 1e30)
      fail(fmt::format("{} is not a number ({}).", in_quotes(found), what));
    return *value;
  }
  /// The rest of the line: names may have spaces.
  std::string name() {
    skip_space();
    std::size_t end = 0;
    while (end < rest_.size() && rest_[end] != '\n' && rest_[end] != '{') ++end;
    const std::string_view found = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return std::string(found);
  }
  void expect_brace() {
    if (const auto found = word(); found != "{") fail(fmt::format("{} stands where '{{' should be.", in_quotes(found)));
  }
  Vec3d offset() {
    Vec3d v;
    for (int k = 0; k < 3; ++k) v[k] = number("an offset");
    return v;
  }

  void read_hierarchy() {
    std::vector<int> open;  // joints whose brace is not closed yet
    while (true) {
      const std::string_view found = word();
      const std::string key = lower_case(found);
      if (key == "motion") {
        if (!open.empty()) fail("MOTION comes before all braces of the hierarchy are closed.");
        break;
      }
      if (key == "root" || key == "joint") {
        if ((key == "root") != open.empty()) fail("ROOT belongs outside all joints, JOINT inside one.");
        BvhJoint joint;
        joint.name = name();
        joint.parent = open.empty() ? -1 : open.back();
        joint.first_channel = motion_.channels;
        if (joint.name.empty()) joint.name = fmt::format("joint{}", motion_.joints.size());
        expect_brace();
        open.push_back(static_cast<int>(motion_.joints.size()));
        motion_.joints.push_back(std::move(joint));
      } else if (key == "}") {
        if (open.empty()) fail("a brace closes nothing.");
        open.pop_back();
      } else if (found.empty()) {
        fail("the file ends within the hierarchy: there is no MOTION.");
      } else if (open.empty()) {
        fail(fmt::format("{} stands where ROOT or MOTION should be.", in_quotes(found)));
      } else {
        read_item(key, motion_.joints[static_cast<std::size_t>(open.back())]);
      }
    }
    if (motion_.joints.empty()) fail("the hierarchy has no ROOT.");
  }

  void read_item(const std::string& key, BvhJoint& joint) {
    if (key == "offset") {
      joint.offset = offset();
    } else if (key == "channels") {
      if (!joint.channels.empty()) fail(fmt::format("joint '{}' has a second CHANNELS line.", joint.name));
      const double count = number("a number of channels");
      if (count < 0 || count > 64 || count != std::floor(count))
        fail(fmt::format("{} is not a number of channels.", count));
      joint.first_channel = motion_.channels;
      for (int i = 0; i < static_cast<int>(count); ++i) joint.channels.push_back(channel());
      motion_.channels += joint.channels.size();
    } else if (key == "end") {
      (void)name();  // "Site", or a name
      expect_brace();
      if (lower_case(word()) != "offset") fail("an End Site has no OFFSET.");
      joint.end_sites.push_back(offset());
      if (word() != "}") fail("an End Site is not closed.");
    } else {
      fail(fmt::format("{} is not a word of a BVH hierarchy.", in_quotes(key)));
    }
  }

  BvhChannel channel() {
    const std::string_view found = word();
    const std::string key = lower_case(found);
    if (!key.empty()) {
      const int axis = key[0] - 'x';
      const std::string_view kind = std::string_view(key).substr(1);
      if (axis >= 0 && axis < 3 && (kind == "rotation" || kind == "position")) return {axis, kind == "rotation"};
    }
    fail(fmt::format("{} is not a channel; Xposition … Zrotation are.", in_quotes(found)));
  }

  void read_motion() {
    if (const auto found = word(); lower_case(found) != "frames:") {
      if (lower_case(found) != "frames" || word() != ":")
        fail(fmt::format("{} stands where 'Frames:' should be.", in_quotes(found)));
    }
    const double frames = number("the number of frames");
    if (frames < 1 || frames != std::floor(frames)) fail(fmt::format("{} is not a number of frames.", frames));
    if (lower_case(word()) != "frame") fail("'Frame Time:' is missing.");
    if (const auto found = word(); lower_case(found) != "time:") {
      if (lower_case(found) != "time" || word() != ":") fail("'Frame Time:' is missing.");
    }
    motion_.frame_time = number("the frame time");
    if (!(motion_.frame_time > 0)) fail("the frame time is not above 0.");
    if (motion_.frame_time < kShortestFrame)
      fail(fmt::format("the frame time is {:g} s; frames of less than a millionth of a second mean nothing.",
                       motion_.frame_time));
    if (motion_.channels == 0) fail("the hierarchy has no channels.");
    // A value takes at least a digit and a space.
    const double possible = static_cast<double>(rest_.size()) / 2 + 1;
    if (frames * static_cast<double>(motion_.channels) > possible)
      fail(fmt::format("promises {} frames of {} channels, but the file is too short; it may be cut off.", frames,
                       motion_.channels));
    motion_.frames = static_cast<std::size_t>(frames);
    if (!may_unfold(motion_.frames, motion_.joints.size(), rest_.size()))
      fail(fmt::format("has {} frames of {} joints, nearly all of them without channels; the file is damaged.",
                       motion_.frames, motion_.joints.size()));
    motion_.values.resize(motion_.frames * motion_.channels);
    for (std::size_t i = 0; i < motion_.values.size(); ++i) {
      if (i % 4096 == 0) context_.check_cancelled();
      motion_.values[i] = number("a channel's value");
    }
    skip_space();
    if (!rest_.empty())
      context_.warn(
          fmt::format("{}: what follows frame {} (line {}) is left out", motion_.source, motion_.frames, line_));
  }

  std::string_view rest_;
  const Context& context_;
  std::size_t line_ = 1;
  BvhMotion motion_;
};

}  // namespace

BvhMotion::Pose BvhMotion::pose(std::size_t frame) const {
  constexpr Vec3d kAxes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Pose pose{std::vector<Vec3d>(joints.size()), std::vector<Quatd>(joints.size())};
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const BvhJoint& joint = joints[j];
    Vec3d translation = joint.offset;
    Quatd rotation;
    for (std::size_t k = 0; k < joint.channels.size(); ++k) {
      const double value = values[frame * channels + joint.first_channel + k];
      const auto [axis, is_rotation] = joint.channels[k];
      if (is_rotation) {
        rotation = rotation * axis_angle(kAxes[axis], std::fmod(value, 360.0) * kPi / 180);
      } else {
        translation[axis] = value;  // a position is absolute within the parent: it replaces the offset
      }
    }
    if (joint.parent >= 0) {
      const auto p = static_cast<std::size_t>(joint.parent);
      translation = pose.position[p] + rotate(pose.rotation[p], translation);
      rotation = pose.rotation[p] * rotation;
    }
    pose.position[j] = translation;
    pose.rotation[j] = normalized(rotation);
  }
  return pose;
}

BvhMotion::Pose BvhMotion::rest() const {
  Pose pose{std::vector<Vec3d>(joints.size()), std::vector<Quatd>(joints.size())};
  for (std::size_t j = 0; j < joints.size(); ++j) {
    pose.position[j] = joints[j].offset;
    if (joints[j].parent >= 0) pose.position[j] += pose.position[static_cast<std::size_t>(joints[j].parent)];
  }
  return pose;
}

BvhMotion read_bvh_memory(std::string_view text, const std::string& name, const Context& context) {
  return BvhParser(text, name, context).read();
}

BvhMotion read_bvh(const std::string& path, const Context& context) {
  return read_bvh_memory(read_file(path), path, context);
}

}  // namespace cutis
