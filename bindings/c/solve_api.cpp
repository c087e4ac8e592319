// Rigs and solvers.
#include <algorithm>
#include <cmath>
#include <optional>

#include "cutis/bind.h"
#include "cutis/files.h"
#include "cutis/play.h"
#include "cutis/rig_file.h"
#include "cutis/roles.h"
#include "support.h"

using namespace cutis;
using namespace cutis::c;

namespace {

/// A clip that is being played: cutis::play(), one frame a call.
struct Playing {
  std::shared_ptr<const Character> character;
  Motion motion;
  std::size_t next = 0;
};

struct SolverObject : Object {
  static constexpr const char* kName = "solver";
  SolverObject(std::shared_ptr<const RigObject> of, const SolveOptions& given, const ContextObject& context)
      : rig(std::move(of)), options(given), calls(context.calls), solver(rig->rig, given, context.context) {
    vertices = rig->character->get()->vertex_count();
  }

  std::shared_ptr<const RigObject> rig;
  SolveOptions options;
  std::shared_ptr<Calls> calls;
  Solver solver;
  std::size_t vertices = 0;
  FrameReport report;
  std::optional<Playing> playing;

  void show(const Frame& solved, double time, const cutis_frame& checked, cutis_frame* frame) {
    report = solved.report;
    write_frame(solved, time, checked, frame);
  }
};

struct StateObject : Object {
  static constexpr const char* kName = "state";
  explicit StateObject(SolverState given) : state(std::move(given)) {}
  SolverState state;
};

BindOptions bind_options_of(const char* json) {
  BindOptions options;
  Json object = options_object(json, "options");
  if (const auto preset = object.find("preset"); preset != object.end()) {
    const std::string text = preset->dump();
    options.preset = from_caller([&] { return preset_from_json(text, "options › preset"); });
    object.erase(preset);
  }
  read_options(object.dump().c_str(), option_fields(options), "options");
  return options;
}

Json to_json(const BindReport& report) {
  Json parts = Json::array();
  for (const PartReport& p : report.parts)
    parts.push_back({{"joint", p.joint},
                     {"shape", p.shape},
                     {"operator", p.op},
                     {"controller", p.controller},
                     {"vertices", p.vertices},
                     {"radius", number(p.radius)},
                     {"coarse", number(p.coarse)},
                     {"residual_p95", number(p.p95)},
                     {"remarks", p.remarks}});
  return {{"seconds", number(report.seconds)},
          {"vertices", report.vertices},
          {"welded_vertices", report.welded_vertices},
          {"bytes", report.bytes},
          {"unreached_vertices", report.unreached},
          {"stray_islands", report.islands},
          {"parts", std::move(parts)},
          {"preset", Json::parse(to_json(report.preset))}};
}

std::string_view name_of(ContactLimit limit) { return to_string(limit); }

Json to_json(const FrameReport& report, const Skeleton& skeleton) {
  Json states = Json::object(), regions = Json::array(), released = Json::array();
  for (std::size_t s = 0; s < kVertexStates; ++s)
    states[std::string(to_string(static_cast<VertexState>(s)))] = report.states[s];
  const auto name = [&](int joint) {
    return joint < 0 ? std::string() : skeleton.joints[static_cast<std::size_t>(joint)].name;
  };
  const ContactReport& contact = report.contact;
  for (const TouchingRegion& r : contact.regions)
    regions.push_back(
        {{"joint", name(r.joint)}, {"other", name(r.other)}, {"vertices", r.vertices}, {"depth", number(r.depth)}});
  for (const auto& [a, b] : contact.released) released.push_back({name(a), name(b)});
  return {{"milliseconds", number(report.milliseconds)},
          {"nonfinite", report.nonfinite},
          {"out_of_time", report.out_of_time},
          {"states", std::move(states)},
          {"residual_mean", number(report.residual_mean)},
          {"residual_p95", number(report.residual_p95)},
          {"residual_max", number(report.residual_max)},
          {"active", report.active},
          {"substeps", report.substeps},
          {"halvings", report.halvings},
          {"iterations", report.iterations},
          {"contact",
           {{"certified", contact.certified},
            {"limit", name_of(contact.limit)},
            {"substeps", contact.substeps},
            {"touching_vertices", contact.touching_vertices},
            {"truncated", contact.truncated},
            {"milliseconds", number(contact.milliseconds)},
            {"relieved_bones", contact.relief.size()},
            {"regions", std::move(regions)},
            {"released", std::move(released)}}}};
}

}  // namespace

cutis_status cutis_rig_bind(cutis_context context, cutis_character character, const char* options, cutis_rig* rig,
                            const char** report) {
  return guarded([&] {
    need(rig, "rig");
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    auto made = std::make_shared<RigObject>();
    made->character = take<CharacterObject>(character);
    made->bound = made->character->get();
    made->options = bind_options_of(options);
    made->rig = bind(*made->bound, object->context, made->options, made->report);
    if (report != nullptr) give_json(report, to_json(made->report));
    give(rig, std::move(made));
  });
}

cutis_status cutis_rig_bind_again(cutis_context context, cutis_rig rig, const char* options, cutis_rig* made,
                                  const char** report) {
  return guarded([&] {
    need(made, "made");
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    const auto before = take<RigObject>(rig);
    auto now = std::make_shared<RigObject>();
    now->character = before->character;
    now->bound = now->character->get();
    now->options = bind_options_of(options);
    now->report = before->report;
    // A character that has changed since, and a rig that was read, are bound from the beginning.
    now->rig = before->bound == now->bound
                   ? bind_again(*now->bound, object->context, now->options, before->rig, before->options, now->report)
                   : bind(*now->bound, object->context, now->options, now->report);
    if (report != nullptr) give_json(report, to_json(now->report));
    give(made, std::move(now));
  });
}

cutis_status cutis_character_roles(cutis_context context, cutis_character character, const char* options,
                                   size_t vertices, uint8_t* roles) {
  return guarded([&] {
    need(roles, "roles");
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    const auto c = take<CharacterObject>(character)->get();
    need_count(vertices, c->vertex_count(), "roles", "vertices");
    const Roles found = find_roles(*c, bind_options_of(options).preset.roles);
    for (std::size_t v = 0; v < vertices; ++v)  // vertices of no triangle are of no piece
      roles[v] = found.piece[v] < found.pieces.size() ? static_cast<uint8_t>(found.pieces[found.piece[v]].role) : 0;
  });
}

cutis_status cutis_rig_from_memory(cutis_character character, const void* bytes, size_t size, cutis_rig* rig) {
  return guarded([&] {
    need(rig, "rig");
    need(bytes, "bytes");
    auto made = std::make_shared<RigObject>();
    made->character = take<CharacterObject>(character);
    made->rig = rig_from_bytes({static_cast<const char*>(bytes), size}, "memory");
    check_rig_of(*made->rig, *made->character->get());
    give(rig, std::move(made));
  });
}

cutis_status cutis_rig_load(cutis_character character, const char* file, cutis_rig* rig) {
  return guarded([&] {
    const std::string bytes = read_file(needed_text(file, "file"));
    const cutis_status status = cutis_rig_from_memory(character, bytes.data(), bytes.size(), rig);
    return status;
  });
}

cutis_status cutis_rig_save(cutis_rig rig, const char* file) {
  return guarded([&] { save_rig(*take<RigObject>(rig)->rig, needed_text(file, "file")); });
}

cutis_status cutis_rig_to_memory(cutis_rig rig, void* bytes, size_t capacity, size_t* size) {
  return guarded([&] {
    need(size, "size");
    const std::string all = rig_to_bytes(*take<RigObject>(rig)->rig);
    if (bytes != nullptr) {
      if (capacity < all.size()) refuse(fmt::format("bytes: there are {}, and room for {}", all.size(), capacity));
      std::memcpy(bytes, all.data(), all.size());
    }
    *size = all.size();
  });
}

cutis_status cutis_rig_destroy(cutis_rig rig) { return destroy<RigObject>(rig); }

cutis_status cutis_solver_create(cutis_context context, cutis_rig rig, const char* options, cutis_solver* solver) {
  return guarded([&] {
    need(solver, "solver");
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    SolveOptions solve;
    if (!text(options).empty()) solve = from_caller([&] { return solve_options_from_json(options, "options"); });
    give(solver, std::make_shared<SolverObject>(take<RigObject>(rig), solve, *object));
  });
}

namespace {

cutis_status show_pose(cutis_solver solver, const cutis_pose* pose, cutis_frame* frame,
                       const Frame& (Solver::*solve)(const Pose&)) {
  return guarded([&] {
    const Use<SolverObject> s(solver);
    const Call call(s->calls);
    const cutis_frame checked = checked_frame(frame, s->vertices);
    const auto character = s->rig->character->get();
    const Pose wanted = pose_of(character->skeleton, structure(pose, "pose"));
    s->show((s->solver.*solve)(wanted), wanted.time, checked, frame);
  });
}

}  // namespace

cutis_status cutis_solver_solve(cutis_solver solver, const cutis_pose* pose, cutis_frame* frame) {
  return show_pose(solver, pose, frame, &Solver::solve);
}

cutis_status cutis_solver_solve_clip(cutis_solver solver, const char* clip, double time, cutis_frame* frame) {
  return guarded([&] {
    const Use<SolverObject> s(solver);
    const Call call(s->calls);
    const cutis_frame checked = checked_frame(frame, s->vertices);
    const auto character = s->rig->character->get();
    if (!std::isfinite(time)) refuse("time: is not finite");
    Clip room;
    const Pose pose = sample(character->skeleton, clip_of(*character, clip, room), time);
    s->show(s->solver.solve(pose), time, checked, frame);
  });
}

cutis_status cutis_solver_seek(cutis_solver solver, const cutis_pose* pose, cutis_frame* frame) {
  return show_pose(solver, pose, frame, &Solver::seek);
}

cutis_status cutis_solver_reset(cutis_solver solver) {
  return guarded([&] {
    const Use<SolverObject> s(solver);
    const Call call(s->calls);
    s->solver.reset();
  });
}

cutis_status cutis_solver_foresee(cutis_solver solver, const cutis_pose* poses, size_t count) {
  return guarded([&] {
    const Use<SolverObject> s(solver);
    const Call call(s->calls);
    s->solver.foresee(poses_of(s->rig->character->get()->skeleton, poses, count));
  });
}

cutis_status cutis_solver_begin(cutis_solver solver, const char* clip, const double* times, size_t count) {
  return guarded([&] {
    const Use<SolverObject> s(solver);
    const Call call(s->calls);
    Playing playing{s->rig->character->get(), {}, 0};
    Clip room;
    playing.motion.clip = clip_of(*playing.character, clip, room);
    if (times == nullptr)
      playing.motion.times = sample_times(playing.motion.clip, 0, 30);
    else
      playing.motion.times.assign(times, times + count);
    for (std::size_t i = 0; i < playing.motion.times.size(); ++i)
      if (!std::isfinite(playing.motion.times[i]) ||
          (i > 0 && !(playing.motion.times[i] > playing.motion.times[i - 1])))
        refuse(fmt::format("times: number {} is not finite, or not later than the one before it", i));
    s->playing.reset();
    s->solver.reset();
    s->solver.foresee(with_contact(s->options) ? foreseen_poses(*playing.character, playing.motion)
                                               : std::vector<Pose>());
    s->playing = std::move(playing);
  });
}

cutis_status cutis_solver_next(cutis_solver solver, cutis_frame* frame) {
  return guarded([&] {
    const Use<SolverObject> s(solver);
    const Call call(s->calls);
    const cutis_frame checked = checked_frame(frame, s->vertices);
    if (!s->playing)
      refuse("nothing is being played; cutis_solver_begin() comes first, also after a frame that failed");
    if (s->playing->next == s->playing->motion.times.size()) return CUTIS_END;
    Playing playing = std::move(*s->playing);
    s->playing.reset();  // until the frame is done
    const Skeleton& skeleton = playing.character->skeleton;
    for (const Pose& pose : poses_before(*playing.character, playing.motion, playing.next, s->options))
      (void)s->solver.solve(pose);
    const double time = playing.motion.times[playing.next];
    s->show(s->solver.solve(sample(skeleton, playing.motion.clip, time)), time, checked, frame);
    ++playing.next;
    s->playing = std::move(playing);
    return CUTIS_OK;
  });
}

cutis_status cutis_solver_save(cutis_solver solver, cutis_state* state) {
  return guarded([&] {
    need(state, "state");
    const Use<SolverObject> s(solver);
    const Call call(s->calls);
    give(state, std::make_shared<StateObject>(s->solver.save_state()));
  });
}

cutis_status cutis_solver_restore(cutis_solver solver, cutis_state state) {
  return guarded([&] {
    const Use<SolverObject> s(solver);
    const Call call(s->calls);
    s->solver.restore_state(take<StateObject>(state)->state);
  });
}

cutis_status cutis_state_destroy(cutis_state state) { return destroy<StateObject>(state); }

cutis_status cutis_solver_report(cutis_solver solver, const char** json) {
  return guarded([&] {
    need(json, "json");
    const Use<SolverObject> s(solver);
    give_json(json, to_json(s->report, s->rig->character->get()->skeleton));
  });
}

cutis_status cutis_solver_options(cutis_solver solver, const char** json) {
  return guarded([&] {
    need(json, "json");
    const Use<SolverObject> s(solver);
    give_text(json, to_json(s->options));
  });
}

cutis_status cutis_solver_destroy(cutis_solver solver) { return destroy<SolverObject>(solver); }
