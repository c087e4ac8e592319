#include "cutis/solve.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/engine.h"
#include "backends/ride.h"
#include "base/alive.h"
#include "base/math.h"
#include "base/timer.h"
#include "base/work_meter.h"
#include "contact/contact_pass.h"
#include "contact/contact_rest.h"
#include "cutis/error.h"
#include "cutis/option_rows.h"
#include "relief/pose_relief.h"
#include "rig/pose_limits.h"
#include "rig/rig.h"
#include "solve/bone_motion.h"
#include "solve/implicit.h"
#include "solve/tracker.h"
#include "solve/unheeded.h"

namespace cutis {
namespace {

struct NamedMethod {
  Method method;
  std::string_view name;
};
constexpr NamedMethod kMethods[] = {{Method::lbs, "lbs"},
                                    {Method::dqs, "dqs"},
                                    {Method::ddm, "ddm"},
                                    {Method::implicit, "implicit"},
                                    {Method::tracking, "tracking"}};

// Operations of a frame with contact: so many, and so many per vertex; some thirty times what a walk takes. Beyond,
// contact lets the frame go.
constexpr std::uint64_t kFrameWork = 40'000'000, kVertexWork = 5'000;
// Coordinates far from the origin are this coarse. Beyond this part of an edge the kept distance cannot be told from
// rounding: nothing is certified there.
constexpr double kUlp = 1.0 / (1 << 24);
constexpr double kCoarseEdges = 0.005;
// Limbs that are in each other in a first frame are opened by so many radii of the thinner parts.
constexpr double kOpenRadii = 1.5;
// Of a frame's work, what closing them may take.
constexpr double kClosingWork = 0.7;

}  // namespace

std::string_view to_string(Method method) {
  for (const NamedMethod& m : kMethods)
    if (m.method == method) return m.name;
  return "?";
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const NamedMethod& m : kMethods) names.emplace_back(m.name);
  return names;
}

Method method_from_string(std::string_view name) {
  for (const NamedMethod& m : kMethods)
    if (m.name == name) return m.method;
  throw Error(ErrorCode::bad_argument, "",
              fmt::format("there is no method '{}'; choose one of: {}", name, fmt::join(method_names(), ", ")));
}

bool needs_skin(Method method) { return method != Method::lbs && method != Method::dqs; }
bool follows_field(Method method) { return method == Method::implicit || method == Method::tracking; }

bool with_contact(const SolveOptions& options) {
  return options.contact_pass.value_or(options.method == Method::tracking &&
                                       options.tracking.contact == ContactModel::own_side);
}

bool needs_skin(const SolveOptions& options) { return needs_skin(options.method) || with_contact(options); }

namespace {

struct NamedHistory {
  History history;
  std::string_view name;
};
constexpr NamedHistory kHistories[] = {
    {History::playback, "playback"}, {History::stateless, "stateless"}, {History::canonical, "canonical"}};
struct NamedContact {
  ContactModel model;
  std::string_view name;
};
constexpr NamedContact kContacts[] = {{ContactModel::own_side, "own-side"}, {ContactModel::composed, "operator"}};

}  // namespace

std::string_view to_string(History history) {
  for (const NamedHistory& h : kHistories)
    if (h.history == history) return h.name;
  return "?";
}

std::string_view to_string(ContactModel model) {
  for (const NamedContact& c : kContacts)
    if (c.model == model) return c.name;
  return "?";
}

History history_from_string(std::string_view name) {
  for (const NamedHistory& h : kHistories)
    if (h.name == name) return h.history;
  throw Error(ErrorCode::bad_argument, "",
              fmt::format("there is no history '{}'; choose playback, stateless or canonical", name));
}

ContactModel contact_model_from_string(std::string_view name) {
  for (const NamedContact& c : kContacts)
    if (c.name == name) return c.model;
  throw Error(ErrorCode::bad_argument, "", fmt::format("there is no contact '{}'; choose own-side or operator", name));
}

std::string_view to_string(ContactLimit limit) {
  constexpr std::string_view kLimitNames[] = {"none", "pose", "work", "time", "far"};
  const auto index = static_cast<std::size_t>(limit);
  return index < std::size(kLimitNames) ? kLimitNames[index] : "?";
}

std::string_view to_string(VertexState state) {
  constexpr std::string_view kNames[kVertexStates] = {"rigid", "converged", "contact", "flat", "outside", "limit"};
  const auto index = static_cast<std::size_t>(state);
  return index < kVertexStates ? kNames[index] : "?";
}

struct Solver::Impl {
  Impl(std::shared_ptr<const Rig> given_rig, const SolveOptions& given_options, const Context& given_context)
      : rig(std::move(given_rig)), options(given_options), context(given_context), motion(*rig) {}

  std::shared_ptr<const Rig> rig;
  SolveOptions options;
  Context context;
  BoneMotion motion;
  Frame frame;
  ContactReport contact;
  std::unique_ptr<ContactPass> contact_pass;
  std::unique_ptr<PoseRelief> relief;
  std::shared_ptr<const MushRest> mush;
  std::unique_ptr<ImplicitSkin> implicit;
  std::unique_ptr<Tracker> tracker;
  std::unique_ptr<PoseOrigin> origin;  // methods that work on fields, and contact
  std::unique_ptr<LayerRide> layers;   // where something rides on the skin
  std::unique_ptr<WorkMeter> meter;
  TrackerState at_rest;  // before a first frame
  double mean_edge = 0;
  bool interrupted = false;  // the last frame was not finished: the stages are in no state to go on from

  // As new: at rest, and nothing is foreseen.
  void make_stages();
  void recover() {
    if (interrupted) make_stages();
    interrupted = false;
  }

  // Frames that depend on their pose alone: the contact pass follows every one from rest …
  [[nodiscard]] bool starts_from_rest() const {
    return with_contact(options) && options.method == Method::tracking &&
           options.tracking.history == History::canonical;
  }
  // … or cannot be had, for it needs a way to follow: bones are relieved, and the fields push the skin apart.
  [[nodiscard]] bool is_stateless() const {
    return options.method == Method::tracking && options.tracking.history == History::stateless;
  }
  void skin(const Pose& pose, std::span<Vec3f> positions, const TrackView& view = {});
  void skin_whole(const Pose& pose);  // with all that the frame says of it
  void touch(const Pose& pose, const Pose& asked, Vec3d& offset);
  void let_go(const Pose& pose);
  bool land(const Pose& pose);
  void come_from_rest();
  void start_meter(double share = 1) {
    const auto work = static_cast<double>(kFrameWork + kVertexWork * rig->surface.size());
    meter->start(contact_pass ? static_cast<std::uint64_t>(share * work) : WorkMeter::kNoLimit,
                 options.frame_budget_ms);
  }
  void report_relief();
};

void Solver::Impl::report_relief() {
  const auto joint = [&](std::uint32_t bone) { return rig->bones[bone].joint; };
  for (const ReliefReport::Bone& b : relief->report().bones)
    frame.report.contact.relief.push_back({joint(b.part), b.offset});
  for (const ReliefReport::Overlap& o : relief->report().overlaps)
    frame.report.contact.overlaps.push_back({joint(o.thin), joint(o.thick), o.depth, o.left});
}

void Solver::Impl::skin(const Pose& pose, std::span<Vec3f> positions, const TrackView& view) {
  motion.update(*rig, pose);
  switch (options.method) {
    case Method::lbs:
      skin_linear(*rig, motion.palette(), positions, frame.normals, context);
      break;
    case Method::dqs:
      skin_dual_quaternion(*rig, motion.palette(), positions, frame.normals, context);
      break;
    case Method::ddm:
      skin_delta_mush(*rig, *mush, motion.motions(), positions, frame.normals, context);
      break;
    case Method::implicit:
      implicit->solve(pose, motion, positions, frame);
      break;
    case Method::tracking:
      tracker->solve(motion.motions(), pose.time, positions, meter.get(), view);
      break;
  }
}

void Solver::Impl::skin_whole(const Pose& pose) {
  skin(pose, frame.positions);
  if (tracker) tracker->describe(frame);
}

void Solver::Impl::make_stages() {
  motion = BoneMotion(*rig);
  if (with_contact(options)) {
    ContactPassOptions touching;
    if (options.method == Method::tracking) {  // follows the skin by itself; its sub-steps are dear
      touching.max_travel_edges = 4;
      touching.max_substeps = 2;
    }
    if (starts_from_rest()) {  // as fine as the frames of a clip would be
      touching.max_turn_degrees = 3;
      touching.most_substeps = 64;
    }
    touching.swell = options.swell;
    if (!is_stateless()) contact_pass = std::make_unique<ContactPass>(*rig, touching, context);
    if (options.relief_cap > 0)
      relief = std::make_unique<PoseRelief>(*rig, ReliefOptions{.cap = options.relief_cap}, context);
  }
  if (options.method == Method::ddm) {
    check_backend(context);
    if (context.backend() == Backend::cuda)
      context.warn("the back end cuda has no delta mush: it is computed on the host");
    mush = mush_rest(*rig, context);
  }
  if (options.method == Method::implicit && context.backend() == Backend::cuda)
    context.warn("the back end cuda has no implicit skin: all but its initial guess is computed on the host");
  if (options.method == Method::implicit)
    implicit =
        std::make_unique<ImplicitSkin>(*rig, options.implicit, with_contact(options) ? 0 : options.relief_cap, context);
  if (options.method == Method::tracking) {
    TrackingOptions tracking = options.tracking;
    if (starts_from_rest()) tracking.history = History::playback;  // of the contact pass's sub-steps
    tracker = std::make_unique<Tracker>(*rig, tracking, context);
  }
}

void prepare(const Rig& rig, const Context& context) {
  if (!rig.has_skin()) return;
  static_cast<void>(track_rest(rig, context));
  static_cast<void>(contact_rest(rig, context));
}

Solver::Solver(std::shared_ptr<const Rig> rig, const SolveOptions& options, const Context& context) {
  if (!rig) throw Error(ErrorCode::bad_argument, "solve", "there is no rig; bind() or load_rig() makes one");
  check_options(options, "solve");
  check_options(options.implicit, "solve › implicit");
  check_options(options.tracking, "solve › tracking");
  if (needs_skin(options) && !rig->has_skin())
    throw Error(ErrorCode::bad_argument,
                fmt::format("solve › {}{}", to_string(options.method), with_contact(options) ? " with contact" : ""),
                "the rig was bound without its implicit skin; bind it with BindOptions::implicit_skin");
  impl_ = std::make_unique<Impl>(std::move(rig), options, context);
  impl_->frame.positions.resize(impl_->rig->vertex_count());
  impl_->frame.normals.resize(impl_->rig->vertex_count());
  impl_->meter = std::make_unique<WorkMeter>();
  if (needs_skin(options)) {
    if (impl_->rig->layers.size() > 0) impl_->layers = std::make_unique<LayerRide>(*impl_->rig);
    impl_->origin = std::make_unique<PoseOrigin>(*impl_->rig);
    const std::vector<float>& edges = impl_->rig->surface.edge;
    for (const float edge : edges) impl_->mean_edge += static_cast<double>(edge) / static_cast<double>(edges.size());
  }
  if (follows_field(options.method)) {
    impl_->frame.states.resize(impl_->rig->vertex_count());
    impl_->frame.residuals.resize(impl_->rig->vertex_count());
  }
  warn_of_unheeded(*impl_->rig, options, context);
  impl_->make_stages();
}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

void Solver::reset() {
  Impl& s = alive(impl_, "solver");
  s.recover();
  s.motion = BoneMotion(*s.rig);
  if (s.contact_pass) s.contact_pass->restart();
  if (s.relief) s.relief->restart();
  if (s.tracker) s.tracker->reset();
}

const Frame& Solver::seek(const Pose& pose) {
  reset();
  const bool alone = impl_->tracker != nullptr && impl_->contact_pass == nullptr;  // contact has sub-steps of its own
  if (alone) impl_->tracker->set_least_steps(impl_->options.tracking.canonical_steps);
  const Frame& frame = solve(pose);
  if (alone) impl_->tracker->set_least_steps(1);
  return frame;
}

void Solver::foresee(std::span<const Pose> poses) {
  Impl& s = alive(impl_, "solver");
  s.recover();
  if (!s.relief || s.starts_from_rest() || s.is_stateless()) return;
  s.interrupted = true;  // until it is done
  s.relief->foresee(poses);
  s.interrupted = false;
}

struct SolverState::Impl {
  std::shared_ptr<const Rig> rig;
  Method method;
  BoneMotion motion;
  std::optional<ContactPassState> contact_pass;
  std::optional<ReliefState> relief;
  std::optional<TrackerState> tracker;
};

SolverState Solver::save_state() const {
  Impl& s = alive(impl_, "solver");
  s.recover();
  SolverState::Impl state{s.rig, s.options.method, s.motion, {}, {}, {}};
  if (s.contact_pass) state.contact_pass = s.contact_pass->save_state();
  if (s.relief) state.relief = s.relief->save_state();
  if (s.tracker) s.tracker->save_state(state.tracker.emplace());
  SolverState result;
  result.impl_ = std::make_shared<const SolverState::Impl>(std::move(state));
  return result;
}

void Solver::restore_state(const SolverState& state) {
  Impl& s = alive(impl_, "solver");
  s.recover();
  if (!state.impl_) throw Error(ErrorCode::bad_argument, "solve", "the state is empty; save_state() makes one");
  const SolverState::Impl& from = *state.impl_;
  if (from.rig != s.rig || from.method != s.options.method ||
      from.contact_pass.has_value() != (s.contact_pass != nullptr) || from.relief.has_value() != (s.relief != nullptr))
    throw Error(ErrorCode::bad_argument, "solve",
                "the state is of a solver with another rig, method or contact pass; restore it in one like that");
  s.motion = from.motion;
  if (s.contact_pass) s.contact_pass->restore_state(*from.contact_pass);
  if (s.relief) s.relief->restore_state(*from.relief);
  if (s.tracker) s.tracker->restore_state(*from.tracker);
}

// Contact has let go: the skin of the method by itself; where even the pose is beyond all measure that of smooth
// skinning, so that tracking goes on from where it was.
void Solver::Impl::let_go(const Pose& pose) {
  const ContactReport& why = contact;
  if (tracker && why.limit == ContactLimit::time) tracker->describe(frame);
  if (why.limit == ContactLimit::time) {
    motion.update(*rig, pose);
    skin_linear(*rig, motion.palette(), frame.positions, frame.normals, context);
    contact_pass->carry_on(frame.positions, context);
  } else if (why.limit == ContactLimit::pose && options.method == Method::tracking) {
    motion.update(*rig, pose);
    skin_dual_quaternion(*rig, motion.palette(), frame.positions, frame.normals, context);
    std::ranges::fill(frame.states, VertexState::outside);
    std::ranges::fill(frame.residuals, std::numeric_limits<float>::quiet_NaN());
    frame.report.states.fill(0);
    frame.report.states[static_cast<std::size_t>(VertexState::outside)] = rig->surface.size();
    frame.report.residual_mean = frame.report.residual_p95 = frame.report.residual_max = 0;
    frame.report.active = frame.report.substeps = frame.report.halvings = frame.report.iterations = 0;
  } else {
    meter->start(WorkMeter::kNoLimit, options.frame_budget_ms);
    skin_whole(pose);
    contact_pass->mend(frame.positions, context);
    if (contact.limit == ContactLimit::work && contact_pass->land(pose, frame.positions, Landing::let_go, context)) {
      contact.limit = ContactLimit::none;
      contact.certified = true;
    }
  }
}

// The first frame: straight to it, if what intersects there can be pressed apart; else to a pose with the limbs apart,
// from which contact closes on this one. True: to that, and if contact cannot close, it has to come from rest.
bool Solver::Impl::land(const Pose& pose) {
  if (tracker) tracker->save_state(at_rest);
  const auto lands = [&](const Pose& at, Landing how) {
    if (tracker) tracker->go_straight();
    skin(at, frame.positions, {.frames = 0, .guarded = true});
    return !meter->stopped() && contact_pass->land(at, frame.positions, how, context);
  };
  if (lands(pose, Landing::at_pose)) return false;
  const Pose* opened = relief ? relief->open(pose, contact_pass->met(), kOpenRadii) : nullptr;
  if (opened != nullptr) {
    start_meter(kClosingWork);
    if (lands(*opened, Landing::opened)) return true;
  }
  come_from_rest();
  return false;
}

void Solver::Impl::come_from_rest() {
  if (tracker) tracker->restore_state(at_rest);
  contact_pass->restart();
  start_meter();  // it has all the work of a frame
}

// With contact, from the last frame on. `asked`: the pose where it is, `pose`: near the origin.
void Solver::Impl::touch(const Pose& pose, const Pose& asked, Vec3d& offset) {
  double relief_ms = 0;
  const Pose* feasible = &pose;
  const bool followed = contact_pass->follows(pose);
  if (relief && followed) {
    const StageTimer relieving(relief_ms);
    feasible = &relief->apply(pose);
  }
  // Not with a budget: where it fails the frame has to be begun again.
  const bool opened =
      followed && contact_pass->at_rest() && !starts_from_rest() && !(options.frame_budget_ms > 0) && land(*feasible);
  const double away = length(offset);
  const bool coarse = kUlp * away > kCoarseEdges * mean_edge;
  const auto skin_at = [this](const Pose& at, double frames, std::span<Vec3f> positions) {
    skin(at, positions, {.frames = frames, .guarded = true});
    return tracker ? tracker->unwound() : std::span<const std::uint32_t>{};
  };
  const auto advance = [&] {
    return contact_pass->advance(*feasible, skin_at, frame.positions, contact, context, meter.get(), coarse ? 0 : away,
                                 &pose);
  };
  bool arrived = advance();
  if (!arrived && opened) {
    come_from_rest();
    arrived = advance();
  }
  if (!arrived) {
    if (contact.limit == ContactLimit::pose) offset = {};  // parts may be anywhere: where they are
    let_go(contact.limit == ContactLimit::pose ? asked : *feasible);
  } else if (tracker) {
    tracker->describe(frame);  // of the last sub-step alone
  }
  frame.report.contact = contact;  // skin() writes reports of its own
  frame.report.contact.relief_ms = relief_ms;
  if (relief && followed) report_relief();
  frame.report.out_of_time = contact.limit == ContactLimit::time;
  if (!arrived) {
    frame.contact.assign(rig->vertex_count(), {});
    return;
  }
  if (coarse) {
    frame.report.contact.certified = false;
    frame.report.contact.limit = ContactLimit::far;
  }
  const StageTimer bending(frame.report.contact.normals_ms);
  contact_pass->bend_normals(frame.normals, context);
  contact_pass->contact(frame.contact);
}

const Frame& Solver::solve(const Pose& pose) {
  const Timer timer;
  Impl& s = alive(impl_, "solver");
  s.recover();
  const Rig& rig = *s.rig;
  Frame& frame = s.frame;
  if (s.starts_from_rest()) reset();
  s.interrupted = true;  // until it is done
  frame.report.profile = {};
  frame.report.out_of_time = false;
  if (s.tracker) s.tracker->restart_profile();
  Vec3d offset;
  const Pose& near = s.origin ? s.origin->nearby(pose, offset) : pose;
  s.start_meter();
  if (s.contact_pass) {
    s.touch(near, pose, offset);
  } else {
    restart(frame.report.contact);
    if (s.relief) {
      s.relief->restart();
      s.skin_whole(s.relief->apply(near));
      frame.report.contact.certified = false;
      s.report_relief();
    } else {
      s.skin_whole(near);
    }
  }
  if (s.layers) s.layers->ride(s.motion.palette(), frame, s.context);
  if (offset != Vec3d{}) shift_all(frame.positions, offset, s.context);
  frame.report.nonfinite = s.motion.any_kept() ? count_followers(rig, s.motion.kept()) : 0;
  if (s.tracker) frame.report.profile = s.tracker->profile();
  frame.report.milliseconds = timer.milliseconds();
  s.interrupted = false;
  return frame;
}

}  // namespace cutis
