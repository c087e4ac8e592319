#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "backends/cuda/track.h"
#include "backends/cuda/track_kernel.h"
#include "backends/cuda/track_rest.h"
#include "backends/engine.h"
#include "backends/joint_shapes.h"
#include "backends/track_control.h"
#include "backends/track_show.h"
#include "backends/track_step.h"
#include "base/math.h"
#include "base/parallel_for.h"
#include "base/timer.h"
#include "rig/wound_skin.h"

namespace cutis::cuda {
namespace {

// Near parts of a vertex that there is room for at first; where one has more, there is soon.
constexpr std::uint32_t kFirstRoom = 8;
// Numbers that a task copies.
constexpr std::size_t kCopyGrain = 32768;

/// Bones are posed on the host; all that is done vertex by vertex, and all that it is done to, is on the device.
class Tracking final : public TrackBackend {
 public:
  Tracking(const Rig& rig, const TrackingOptions& options, const Context& context)
      : rig_(rig),
        options_(options),
        context_(context),
        shared_(track_rest(rig, context)),
        rest_(*shared_),
        alone_(1),
        device_(device_rest(rig, rest_)) {
    alone_.is_cancelled = context.is_cancelled;
    make_room();
    grid_ = substep_grid(arrays().count);
    show_blocks_ = cuda::show_blocks(arrays().count);
    counted_.resize(grid_.blocks);
    arrived_.resize(std::max(grid_.blocks, show_blocks_));
    arrived_.clear(stream_);
    if (arrays().count > grid_.blocks * 256) step_rows_.resize(arrays().count);
    restart();
  }

  void restart() override {
    stream_.wait();
    p_.assign(rig_.surface.positions);
    held_count_.clear(stream_);
    off_.clear(stream_);
    drift_.clear(stream_);
    at_once_.clear(stream_);
    shown_motion_.clear();
    stream_.wait();
  }
  TrackOutcome substep(const TrackWay& way) override;
  void keep() override { keeps_ = true; }
  void go_back() override {
    if (std::exchange(keeps_, false)) return;  // nothing has happened since
    if (kept_room_ != room_) {                 // more near parts than ever before were found since
      TrackState state;
      read_state(kept_p_, kept_held_count_, kept_held_, kept_room_, state);
      return restore(state);
    }
    p_.copy(kept_p_, stream_);
    held_count_.copy(kept_held_count_, stream_);
    held_.copy(kept_held_, stream_);
  }
  void save(TrackState& to) const override { read_state(p_, held_count_, held_, room_, to); }
  void restore(const TrackState& state) override;

  void show(const Affine3d& root, const TrackView& view, std::span<Vec3f> positions) override;
  void show_carried(const Affine3d& root, std::span<const Vec3f> carried, std::span<Vec3f> positions) override;
  void save(TrackShown& to) const override;
  void restore(const TrackShown& shown) override;
  void describe(const Affine3d& root, const PosedBones& pose, Frame& frame, FrameReport& report) override;

  [[nodiscard]] TrackingProfile profile() const override { return profile_; }
  void restart_profile() override { profile_ = {}; }

 private:
  [[nodiscard]] const RestArrays& arrays() const { return device_->arrays(); }
  void make_room();
  void make_room_for_near(std::uint32_t room);
  void forget_tags();
  [[nodiscard]] Tag take_tags();
  void pose_bones(const TrackWay& way);
  [[nodiscard]] StepArrays step_arrays();
  [[nodiscard]] PoseArrays send_pose();
  void count(const SubstepCounts& counts, double milliseconds);
  void bring_to_world(ShowArguments& arguments, const Affine3d& root, std::span<Vec3f> positions);
  template <class T>
  void copy(std::span<const T> from, std::span<T> to) const {
    parallel_for(context_, from.size(), kCopyGrain, [&](std::size_t begin, std::size_t end) {
      std::copy_n(from.data() + begin, end - begin, to.data() + begin);
    });
  }
  void read_state(const Array<Vec3f>& p, const Array<std::uint32_t>& held_count, const Array<TrackHeld>& held,
                  std::uint32_t room, TrackState& to) const;

  const Rig& rig_;
  TrackingOptions options_;
  const Context& context_;
  std::shared_ptr<const TrackRest> shared_;
  const TrackRest& rest_;
  Context alone_;  // bones are few: threads would wait for each other longer than they work
  std::shared_ptr<const DeviceRest> device_;
  Stream stream_;
  SubstepGrid grid_;
  unsigned show_blocks_ = 0;
  TrackingProfile profile_;

  // Of the host: what is decided bone by bone.
  TrackStep bones_;
  std::vector<GridView> fields_, calm_;
  std::vector<std::uint32_t> bend_begin_;
  std::vector<TrackBend> bends_;
  std::vector<float> twists_;
  std::vector<Mat3f> to_rest_;
  std::vector<Affine3f> shown_motion_;  // per bone, when something was shown last; empty: nothing was
  std::vector<Quatf> rotation_;
  std::vector<float> sizes_;
  std::vector<char> region_;  // per vertex: unwound in this sub-step
  bool stepped_ = false;
  Packet pose_packet_, show_packet_, describe_packet_;
  Answer counts_answer_, position_answer_, normal_answer_, state_answer_, residual_answer_;

  // Of the device: track_kernel.h says what they are.
  Array<Vec3f> p_, kept_p_, blended_, x_, off_, drift_, shown_, next_, previous_, pin_at_;
  Array<std::uint32_t> held_count_, kept_held_count_, active_, live_, other_count_, counted_;
  Array<TrackHeld> held_, kept_held_;
  std::uint32_t room_ = 0, kept_room_ = 0;
  bool keeps_ = false;  // the next sub-step does, before it begins
  Array<TrackOther> others_;
  Array<float> other_field_, away_, level_, hold_, bound_, moved_, stretch_, weight_, beta_, next_beta_, twist_,
      next_twist_, residual_, pin_;
  Array<std::uint8_t> ring_of_;
  Array<char> is_active_, awake_, listed_, unwound_, at_once_;
  Array<Mat3f> turn_;
  Array<ResidualSample> samples_;
  Array<TaggedVector> z0_, z1_;
  Array<Vec3f> further_;  // per neighbour
  Array<TrackRow> step_rows_;
  Array<Post> sums_;
  Array<Time> arrived_;
  Time launches_ = 1;  // of kernels whose blocks tell times
  Tag tag_ = 0;        // the last one
  Array<SubstepCounts> counts_;
  Array<FairRow> rows_;
  Array<Quatf> bend_;
  Array<VertexState> state_, input_states_;
  Array<Vec3f> input_positions_, input_normals_;
  Array<float> input_residuals_;
};

void Tracking::make_room() {
  const std::size_t n = arrays().count, runs = n / 32 + 1, inputs = arrays().input_count;
  for (Array<Vec3f>* array : {&p_, &blended_, &x_, &off_, &drift_, &shown_, &next_, &previous_}) array->resize(n);
  for (Array<std::uint32_t>* array : {&held_count_, &active_, &live_, &other_count_}) array->resize(n);
  for (Array<float>* array :
       {&away_, &level_, &hold_, &bound_, &moved_, &stretch_, &beta_, &next_beta_, &twist_, &next_twist_, &residual_})
    array->resize(n);
  weight_.resize(rig_.surface.neighbours.items.size());
  ring_of_.resize(n);
  for (Array<char>* array : {&is_active_, &awake_, &listed_, &at_once_}) array->resize(n);
  turn_.resize(n);
  samples_.resize(n);
  z0_.resize(n);
  z1_.resize(n);
  further_.resize(rig_.surface.neighbours.items.size());
  sums_.resize(2 * runs);
  forget_tags();
  counts_.resize(1);
  rows_.resize(n);
  bend_.resize(n);
  state_.resize(n);
  input_states_.resize(inputs);
  input_positions_.resize(inputs);
  input_normals_.resize(inputs);
  input_residuals_.resize(inputs);
  is_active_.clear(stream_);
  counts_.clear(stream_);
  make_room_for_near(kFirstRoom);
}

// As if nothing had been exchanged yet.
void Tracking::forget_tags() {
  z0_.clear(stream_);
  z1_.clear(stream_);
  sums_.clear(stream_);
  tag_ = 0;
}

// For a sub-step; those of it are above the one that it gives.
Tag Tracking::take_tags() {
  const std::uint64_t many =
      std::uint64_t{tags_of_relaxation(options_.inner)} * static_cast<unsigned>(options_.relaxations);
  if (tag_ + many > std::numeric_limits<Tag>::max()) forget_tags();
  const Tag first = tag_;
  tag_ += static_cast<Tag>(many);
  return first;
}

// What was held is lost.
void Tracking::make_room_for_near(std::uint32_t room) {
  const std::size_t n = arrays().count;
  others_.resize(n * room);
  other_field_.resize(n * room);
  held_.resize(n * room);
  held_.clear(stream_);
  room_ = room;
}

StepArrays Tracking::step_arrays() {
  StepArrays a;
  a.p = p_.data();
  a.held_count = held_count_.data();
  a.held = held_.data();
  a.ring_of = ring_of_.data();
  a.away = away_.data();
  a.is_active = is_active_.data();
  a.active = active_.data();
  a.live = live_.data();
  a.turn = turn_.data();
  a.blended = blended_.data();
  a.room = room_;
  a.others = others_.data();
  a.other_field = other_field_.data();
  a.other_count = other_count_.data();
  a.level = level_.data();
  a.hold = hold_.data();
  a.bound = bound_.data();
  a.samples = samples_.data();
  a.moved = moved_.data();
  a.awake = awake_.data();
  a.x = x_.data();
  a.z[0] = z0_.data();
  a.z[1] = z1_.data();
  a.further = further_.data();
  a.stretch = stretch_.data();
  a.weight = weight_.data();
  a.rows = step_rows_.data();
  a.sums = sums_.data();
  a.arrived = arrived_.data();
  a.start = (launches_++) * kTimes;
  a.counted = counted_.data();
  a.counts = counts_.data();
  return a;
}

// All that is decided before any vertex is looked at.
void Tracking::pose_bones(const TrackWay& way) {
  aim_at_targets(rig_, way, bones_);
  track_pose(rig_, rest_, way.pose, bones_, alone_);
  track_ways(way.last, way.pose, bones_);
  begin_control(rig_, rest_, way.pose, bones_);
  bend_begin_.assign(1, 0);
  bends_.clear();
  for (const std::vector<TrackBend>& bends : bones_.bends) {
    bends_.insert(bends_.end(), bends.begin(), bends.end());
    bend_begin_.push_back(static_cast<std::uint32_t>(bends_.size()));
  }
}

PoseArrays Tracking::send_pose() {
  const std::size_t bones = rig_.bones.size();
  std::size_t bytes = 0, arrays = 0;
  const auto need = [&](const auto& values) {
    bytes += values.size() * sizeof(values[0]);
    ++arrays;
  };
  const auto each = [&](const auto& what) {  // in the order in which they are added
    what(bones_.boxes);
    what(bones_.rigid);
    what(bones_.stretches);
    what(bones_.gate);
    what(bones_.folds);
    what(bones_.motion);
    what(bones_.delta);
    what(bones_.last_motion);
    what(bones_.steepest);
    what(bones_.wakers.begin);
    what(bones_.wakers.items);
    what(bones_.turns);
    what(bones_.stirred);
    what(bones_.leaps);
    what(bend_begin_);
    what(bends_);
    what(bones_.muscles);
    what(bones_.calm_muscles);
    what(bones_.fields);
    what(bones_.calm);
  };
  each(need);
  pose_packet_.start(bytes, arrays);
  PoseArrays a;
  Packet& packet = pose_packet_;
  a.boxes = packet.add(bones_.boxes);
  a.rigid = packet.add(bones_.rigid);
  const SkinMatrix* const stretches = packet.add(bones_.stretches);
  a.stretches = bones_.stretched ? stretches : nullptr;
  a.gate = packet.add(bones_.gate);
  a.folds = packet.add(bones_.folds);
  a.motion = packet.add(bones_.motion);
  a.delta = packet.add(bones_.delta);
  a.last_motion = packet.add(bones_.last_motion);
  a.steepest = packet.add(bones_.steepest);
  a.waker_begin = packet.add(bones_.wakers.begin);
  a.waker = packet.add(bones_.wakers.items);
  a.turns = packet.add(bones_.turns);
  a.stirred = packet.add(bones_.stirred);
  a.leaps = packet.add(bones_.leaps);
  a.bend_begin = packet.add(bend_begin_);
  a.bends = packet.add(bends_);
  const MuscleView* const muscles = packet.add(bones_.muscles);
  const MuscleView* const calm_muscles = packet.add(bones_.calm_muscles);
  // Fields with the addresses that nodes and muscles have on the device.
  const auto send_fields = [&](const std::vector<GridView>& from, const std::vector<MuscleView>& host,
                               const MuscleView* device, std::vector<GridView>& to) {
    to = from;
    for (std::size_t b = 0; b < bones; ++b) {
      if (to[b].nodes != nullptr) to[b].nodes = device_->nodes(b);
      to[b].muscles = to[b].muscle_count > 0 ? device + (to[b].muscles - host.data()) : nullptr;
    }
    return packet.add(to);
  };
  a.fields = send_fields(bones_.fields, bones_.muscles, muscles, fields_);
  a.calm = bones_.calm.empty() ? a.fields : send_fields(bones_.calm, bones_.calm_muscles, calm_muscles, calm_);
  packet.send(stream_);
  if (!bones_.pin.empty()) {
    pin_.assign(bones_.pin);
    pin_at_.assign(bones_.pin_at);
    a.pin = pin_.data();
    a.pin_at = pin_at_.data();
  }
  return a;
}

TrackOutcome Tracking::substep(const TrackWay& way) {
  context_.check_cancelled();
  {
    const StageTimer timer(profile_.pose);
    pose_bones(way);
  }
  const Timer timer;
  SubstepArguments a;
  a.rest = arrays();
  a.pose = send_pose();
  a.rings = options_.rings;
  a.projections = options_.projections;
  a.relaxations = options_.relaxations;
  a.inner = options_.inner;
  a.from_smooth_skin = way.from_smooth_skin;
  a.bring_back = rig_.targets.empty();
  if (!way.unwound.empty()) {
    region_.assign(arrays().count, 0);
    mark_unwound(rig_, way.unwound, region_);
    unwound_.assign(region_);
    a.unwound = unwound_.data();
    a.at_once = at_once_.data();
  }
  if (std::exchange(keeps_, false)) {
    kept_p_.resize(p_.size());
    kept_held_count_.resize(held_count_.size());
    kept_held_.resize(held_.size());
    if (kept_room_ != room_) kept_held_.clear(stream_);
    kept_room_ = room_;
    a.kept_p = kept_p_.data();
    a.kept_held_count = kept_held_count_.data();
    a.kept_held = kept_held_.data();
  }
  counts_.clear(stream_);
  SubstepCounts counts;
  for (;;) {
    a.step = step_arrays();
    a.step.tag = take_tags();
    launch_substep(a, grid_, stream_);
    const auto answer = counts_answer_.ask(counts_.data(), 1, stream_);
    stream_.wait();
    counts = answer[0];
    if (counts.overflow == 0) break;
    // What held is not touched before there is room for all.
    std::vector<TrackHeld> old(held_.size());
    held_.read(old, stream_);
    const std::uint32_t before = room_;
    make_room_for_near(2 * room_);
    stream_.wait();
    std::vector<TrackHeld> wide(held_.size());
    for (std::size_t v = 0; v < arrays().count; ++v) std::copy_n(&old[v * before], before, &wide[v * room_]);
    held_.assign(wide);
    SubstepCounts again;
    again.active = counts.active;
    std::ranges::copy(counts.cycles, again.cycles);
    counts_.assign(std::span<const SubstepCounts>(&again, 1));
    a.again = true;
  }
  stepped_ = true;
  count(counts, timer.milliseconds());
  TrackOutcome outcome;
  outcome.active = counts.active;
  outcome.inverted = counts.inverted;
  outcome.missed = counts.missed;
  outcome.iterations = counts.iterations;
  return outcome;
}

// The time of the kernel, and of what goes there and comes back, is shared out by the cycles of its stages.
void Tracking::count(const SubstepCounts& counts, double milliseconds) {
  unsigned long long all = 0;
  for (const unsigned long long cycles : counts.cycles) all += cycles;
  const auto share = [&](int stage) {
    return all == 0 ? 0.0 : milliseconds * static_cast<double>(counts.cycles[stage]) / static_cast<double>(all);
  };
  profile_.transport += share(0);
  profile_.control += share(1);
  profile_.project += share(2);
  profile_.relax += share(3);
  profile_.check += share(4);
  profile_.vertex_steps += counts.active;
  profile_.vertex_iterations += counts.vertex_iterations;
  profile_.gradient_steps += counts.gradient_steps;
  profile_.evaluations += counts.evaluations;
  profile_.operations += counts.operations;
}

void Tracking::read_state(const Array<Vec3f>& p, const Array<std::uint32_t>& held_count, const Array<TrackHeld>& held,
                          std::uint32_t room, TrackState& to) const {
  const std::size_t n = arrays().count;
  to.p.resize(n);
  p.read(to.p, stream_);
  std::vector<std::uint32_t> counts(n);
  held_count.read(counts, stream_);
  std::vector<TrackHeld> rows(n * room);
  held.read(rows, stream_);
  to.held.clear();
  to.held_begin.assign(1, 0);
  for (std::size_t v = 0; v < n; ++v) {
    to.held.insert(to.held.end(), &rows[v * room], &rows[v * room] + counts[v]);
    to.held_begin.push_back(static_cast<std::uint32_t>(to.held.size()));
  }
}

void Tracking::restore(const TrackState& state) {
  const std::size_t n = arrays().count;
  stream_.wait();
  p_.assign(state.p);
  std::vector<std::uint32_t> counts(n);
  std::uint32_t most = 0;
  for (std::size_t v = 0; v < n; ++v) {
    counts[v] = state.held_begin[v + 1] - state.held_begin[v];
    most = std::max(most, counts[v]);
  }
  if (most > room_) make_room_for_near(most);
  stream_.wait();
  std::vector<TrackHeld> rows(n * room_);
  for (std::size_t v = 0; v < n; ++v)
    std::copy_n(state.held.begin() + state.held_begin[v], counts[v],
                rows.begin() + static_cast<std::ptrdiff_t>(v * room_));
  held_count_.assign(counts);
  held_.assign(rows);
}

void Tracking::bring_to_world(ShowArguments& a, const Affine3d& root, std::span<Vec3f> positions) {
  a.rest = arrays();
  a.step = step_arrays();
  a.root = root;
  a.shown = shown_.data();
  a.next = next_.data();
  a.previous = previous_.data();
  a.positions = input_positions_.data();
  launch_show(a, show_blocks_, stream_);
  const auto answer = position_answer_.ask(input_positions_.data(), input_positions_.size(), stream_);
  stream_.wait();
  copy(answer, positions);
}

void Tracking::show(const Affine3d& root, const TrackView& view, std::span<Vec3f> positions) {
  const StageTimer timer(profile_.finish);
  ShowArguments a;
  if (!stepped_) {
    shown_.copy(p_, stream_);
    a.carried = true;
    return bring_to_world(a, root, positions);
  }
  const std::size_t bones = rig_.bones.size();
  const bool twisted = find_bone_twists(rig_, rest_, bones_.rigid, twists_);
  to_rest_.resize(bones);
  for (std::size_t b = 0; b < bones; ++b) to_rest_[b] = inverse(bones_.motion[b].linear);
  a.at_once = !(view.frames > 0) || shown_motion_.empty();
  show_packet_.start(bones * (2 * sizeof(Affine3f) + sizeof(Mat3f) + sizeof(float)), 4);
  a.motion = show_packet_.add(bones_.motion);
  a.last_motion = show_packet_.add(shown_motion_);
  a.to_rest = show_packet_.add(to_rest_);
  if (twisted) a.twists = show_packet_.add(twists_);
  show_packet_.send(stream_);
  if (!bones_.pin.empty()) a.pin = pin_.data();
  a.at_once_there = at_once_.data();
  a.off = off_.data();
  a.drift = drift_.data();
  a.beta = beta_.data();
  a.next_beta = next_beta_.data();
  a.twist = twist_.data();
  a.next_twist = next_twist_.data();
  a.listed = listed_.data();
  a.rows = rows_.data();
  a.frames = static_cast<float>(view.frames);
  a.smoothing = options_.smoothing;
  a.guarded = view.guarded;
  bring_to_world(a, root, positions);
  shown_motion_ = bones_.motion;
}

void Tracking::show_carried(const Affine3d& root, std::span<const Vec3f> carried, std::span<Vec3f> positions) {
  shown_.assign(carried);
  ShowArguments a;
  a.carried = true;
  bring_to_world(a, root, positions);
}

void Tracking::save(TrackShown& to) const {
  to.off.resize(off_.size());
  to.drift.resize(drift_.size());
  off_.read(to.off, stream_);
  drift_.read(to.drift, stream_);
  to.motion = shown_motion_;
}

void Tracking::restore(const TrackShown& shown) {
  stream_.wait();
  off_.assign(shown.off);
  drift_.assign(shown.drift);
  shown_motion_ = shown.motion;
}

void Tracking::describe(const Affine3d& root, const PosedBones& pose, Frame& frame, FrameReport& report) {
  const StageTimer timer(profile_.finish);
  DescribeArguments a;
  a.rest = arrays();
  a.step = step_arrays();
  rotation_.clear();
  for (const Quatd& q : pose.rotation)
    rotation_.push_back(
        {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)});
  describe_packet_.start(rotation_.size() * sizeof(Quatf), 1);
  a.rotation = describe_packet_.add(rotation_);
  describe_packet_.send(stream_);
  a.shown = shown_.data();
  a.bend = bend_.data();
  a.state = state_.data();
  a.residual = residual_.data();
  a.stepped = stepped_;
  a.turn_root = convert<float>(cofactor(root.linear) * (determinant(root.linear) < 0 ? -1.0 : 1.0));
  a.normals = input_normals_.data();
  a.states = input_states_.data();
  a.residuals = input_residuals_.data();
  launch_describe(a, stream_);
  const std::size_t count = rig_.vertex_count();
  const auto normals = normal_answer_.ask(a.normals, count, stream_);
  const auto states = state_answer_.ask(a.states, count, stream_);
  const auto residuals = residual_answer_.ask(a.residuals, count, stream_);
  stream_.wait();
  frame.normals.resize(count);
  frame.states.resize(count);
  frame.residuals.resize(count);
  copy<Vec3f>(normals, frame.normals);
  copy<VertexState>(states, frame.states);
  copy<float>(residuals, frame.residuals);
  sizes_.resize(rig_.surface.size());
  std::size_t sized = 0;
  for (const std::uint32_t i : rig_.surface.first_of) {
    ++report.states[static_cast<std::size_t>(states[i])];
    sizes_[sized] = std::abs(residuals[i]);
    sized += std::isfinite(residuals[i]) ? 1 : 0;
  }
  sizes_.resize(sized);
  report_residuals(sizes_, report);
}

}  // namespace

std::string_view missing(const Rig& rig, const TrackingOptions& options, const Context& context) {
  if (options.contact == ContactModel::composed) return "contact by operators";
  if (options.relaxation == Relaxation::jacobi) return "relaxation by Jacobi steps";
  if (!JointShapes(rig).empty()) return "operators that shape the skin beside a contact";
  const auto rest = track_rest(rig, context);
  if (!rest->coarse.empty() || rest->pieces.size() > 0) return "parts that are too coarse for their fields";
  return {};
}

std::unique_ptr<TrackBackend> make_tracking(const Rig& rig, const TrackingOptions& options, const Context& context) {
  need_device();
  return std::make_unique<Tracking>(rig, options, context);
}

}  // namespace cutis::cuda
