#include "cutis/second_runs.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cutis/error.h"

namespace cutis {
namespace {

// Edges around what the contact pass holds that may move with it.
constexpr int kHeldEdges = 4;
constexpr std::size_t kFramesAtRest = 3;

// Per input vertex 1: it touches other skin, as the contact pass has it; without one, as the method has it.
std::vector<std::uint8_t> held_vertices(const Frame& frame) {
  std::vector<std::uint8_t> held(frame.positions.size(), 0);
  for (std::size_t v = 0; v < frame.contact.size(); ++v) held[v] = frame.contact[v].touch >= 1 ? 1 : 0;
  if (frame.contact.empty())
    for (std::size_t v = 0; v < frame.states.size(); ++v) held[v] = frame.states[v] == VertexState::contact ? 1 : 0;
  return held;
}

// Nothing is held, and relief moved no bone.
bool is_free(const Frame& frame) {
  return frame.report.contact.relief.empty() &&
         std::ranges::none_of(held_vertices(frame), [](std::uint8_t held) { return held != 0; });
}

}  // namespace

std::vector<std::string> also_names() { return {"untouched", "memory", "settled"}; }

AlsoMeasure parse_also(const std::string& list) {
  AlsoMeasure also;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = list.substr(begin, end - begin);
    begin = end + 1;
    if (name == "untouched")
      also.untouched = true;
    else if (name == "memory")
      also.memory = true;
    else if (name == "settled")
      also.settled = true;
    else
      throw Error(ErrorCode::bad_argument, "--also",
                  fmt::format("there is no '{}'; choose from: {}", name, fmt::join(also_names(), ", ")));
  }
  return also;
}

SecondRuns::SecondRuns(std::shared_ptr<const Rig> rig, const SolveOptions& options, const AlsoMeasure& also,
                       const Context& context) {
  if (also.untouched && with_contact(options)) {
    SolveOptions plain = options;
    plain.contact_pass = false;
    plain_ = std::make_unique<Solver>(rig, plain, context);
  }
  if (also.memory && options.method == Method::tracking && options.tracking.history == History::playback) {
    SolveOptions canonical = options;
    canonical.tracking.history = History::canonical;
    canonical_ = std::make_unique<Solver>(std::move(rig), canonical, context);
  }
}

void SecondRuns::pass(const Pose& pose) {
  if (plain_) (void)plain_->solve(pose);
}

void SecondRuns::solve(const Pose& pose, const Frame& frame, const Metrics& metrics) {
  untouched_.reset();
  memory_.reset();
  if (plain_) {
    const Frame& plain = plain_->solve(pose);
    // Relief changes the pose: then there is nothing to compare with.
    if (frame.report.contact.relief.empty())
      untouched_ =
          metrics.difference(frame.positions, plain.positions, metrics.within_edges(held_vertices(frame), kHeldEdges));
  }
  if (canonical_ && is_free(frame)) {
    const Frame& canonical = canonical_->solve(pose);
    if (is_free(canonical)) memory_ = metrics.difference(frame.positions, canonical.positions);
  }
}

std::vector<ShapeDifference> settle(Solver& solver, std::shared_ptr<const Rig> rig, const SolveOptions& options,
                                    const Skeleton& skeleton, const Pose& pose, const Metrics& metrics,
                                    const Context& context) {
  const std::vector<Pose> way = poses_back_to_rest(skeleton, pose);
  Solver fresh(std::move(rig), options, context);
  const Frame& rest = fresh.solve(way.back());
  std::vector<ShapeDifference> left;
  for (std::size_t i = 0; i < way.size(); ++i) {
    const Frame& frame = solver.solve(way[i]);
    if (i + kFramesAtRest >= way.size()) left.push_back(metrics.difference(frame.positions, rest.positions));
  }
  return left;
}

}  // namespace cutis
