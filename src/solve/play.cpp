#include "cutis/play.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/error.h"

namespace cutis {
namespace {

constexpr double kDenseSpacing = 1.0 / 30;  // seconds between poses that are dense
constexpr double kMostDenseSteps = 10'000;  // between two frames, however far apart
constexpr int kMostUnseen = 60;             // poses solved on the way to a frame: two seconds
constexpr double kTurnBack = kPi / 18;      // of a joint a pose on the way back to rest: no faster than limbs move
constexpr int kFramesHeld = 2;              // at rest, before it is said what is left

// Between the last time and this one, as dense as frames of an animation; before the first: from the clip's beginning
// on. No more than two seconds of them.
std::vector<double> times_before(const Motion& motion, std::size_t i) {
  std::vector<double> times;
  const double to = motion.times[i], from = i > 0 ? motion.times[i - 1] : std::min(motion.clip.start(), to);
  if (!(to > from)) return times;
  const int steps = static_cast<int>(std::round(std::min((to - from) / kDenseSpacing, kMostDenseSteps)));
  for (int k = std::max(i > 0 ? 1 : 0, steps - kMostUnseen); k < steps; ++k)
    times.push_back(std::lerp(from, to, 1.0 * k / steps));
  return times;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

bool depends_on_earlier_frames(const SolveOptions& options) {
  return options.method == Method::tracking ? options.tracking.history == History::playback : with_contact(options);
}

std::vector<Pose> foreseen_poses(const Character& character, const Motion& motion) {
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < motion.times.size(); ++i) {
    for (const double time : times_before(motion, i)) poses.push_back(sample(character.skeleton, motion.clip, time));
    poses.push_back(sample(character.skeleton, motion.clip, motion.times[i]));
  }
  return poses;
}

std::vector<Pose> poses_before(const Character& character, const Motion& motion, std::size_t i,
                               const SolveOptions& options) {
  std::vector<Pose> poses;
  if (!depends_on_earlier_frames(options)) return poses;
  for (const double time : times_before(motion, i)) poses.push_back(sample(character.skeleton, motion.clip, time));
  return poses;
}

std::vector<Pose> poses_back_to_rest(const Skeleton& skeleton, const Pose& from) {
  const Pose rest = default_pose(skeleton);
  double turn = 0;
  for (std::size_t j = 0; j < rest.local.size() && j < from.local.size(); ++j)
    turn = std::max(turn, 2 * std::acos(std::min(1.0, std::abs(dot(from.local[j].rotation, rest.local[j].rotation)))));
  const int frames_back = static_cast<int>(std::ceil(turn / kTurnBack - 1e-6));
  std::vector<Pose> poses;
  for (int k = 1; k <= frames_back; ++k) {
    const double t = 1.0 * k / frames_back;
    Pose pose = rest;
    pose.time = from.time + k * kDenseSpacing;
    for (std::size_t j = 0; j < pose.local.size() && j < from.local.size(); ++j) {
      if (k == frames_back) break;  // at rest to the last bit
      Trsd& local = pose.local[j];
      const Trsd& was = from.local[j];
      local.translation = was.translation + (local.translation - was.translation) * t;
      local.rotation = slerp(was.rotation, local.rotation, t);
      local.scale = was.scale + (local.scale - was.scale) * t;
    }
    poses.push_back(std::move(pose));
  }
  for (int k = 0; k < kFramesHeld; ++k) {
    poses.push_back(rest);
    poses.back().time = from.time + (frames_back + 1 + k) * kDenseSpacing;
  }
  return poses;
}

PlayReport play(const Character& character, std::shared_ptr<const Rig> rig, const Motion& motion,
                const SolveOptions& options, const Context& context,
                const std::function<void(std::size_t, const Frame&)>& take, const FrameRange& range) {
  for (const double time : motion.times)
    if (!std::isfinite(time))
      throw Error(ErrorCode::bad_argument, fmt::format("clip '{}'", motion.clip.name),
                  fmt::format("a frame at {} seconds was asked for; times have to be finite", time));
  const std::size_t end = std::min(range.end, motion.times.size());
  if (range.first >= end && !(range.first == 0 && motion.times.empty()))
    throw Error(ErrorCode::bad_argument, fmt::format("frames {} to {}", range.first, range.end),
                fmt::format("are none of clip '{}', which has {}", motion.clip.name, motion.times.size()));
  if (range.first > 0 && depends_on_earlier_frames(options))
    throw Error(ErrorCode::bad_argument, fmt::format("frames from {} on", range.first),
                "depend on the frames before them; choose --history canonical or stateless, or a method without "
                "history");
  PlayReport report;
  Solver solver(std::move(rig), options, context);
  if (with_contact(options)) solver.foresee(foreseen_poses(character, motion));
  std::vector<double> milliseconds;
  for (std::size_t i = range.first; i < end; ++i) {
    for (const Pose& pose : poses_before(character, motion, i, options)) (void)solver.solve(pose);
    const Frame& frame = solver.solve(sample(character.skeleton, motion.clip, motion.times[i]));
    milliseconds.push_back(frame.report.milliseconds);
    report.nonfinite += frame.report.nonfinite;
    report.out_of_time += frame.report.out_of_time ? 1 : 0;
    const ContactLimit limit = frame.report.contact.limit;
    report.let_go += limit == ContactLimit::pose || limit == ContactLimit::work ? 1 : 0;
    take(i, frame);
    context.progress(to_string(options.method),
                     static_cast<double>(i + 1 - range.first) / static_cast<double>(end - range.first));
  }
  report.frames = milliseconds.size();
  report.median_ms = median_of(std::move(milliseconds));
  if (report.out_of_time > 0)
    context.warn(fmt::format("{}: {} of {} frames ran out of time (--frame-budget) and are the last skin carried on",
                             character.source, report.out_of_time, report.frames));
  if (report.let_go > 0)
    context.warn(
        fmt::format("{}: contact let {} of {} frames go: bones that are flat, mirrored, blown up or far apart, or more "
                    "skin in touch than a frame can settle ('cutis measure --json' says which)",
                    character.source, report.let_go, report.frames));
  if (report.nonfinite > 0)
    context.warn(fmt::format("{}: {} vertex positions were not finite and kept their last good place", character.source,
                             report.nonfinite));
  return report;
}

}  // namespace cutis
