#include "support.h"

#include <cmath>
#include <new>
#include <unordered_map>

#include "cutis/assemble.h"
#include "cutis/builtin.h"

namespace cutis::c {
namespace {

constexpr std::chrono::milliseconds kBetweenQuestions{10};  // a tenth of what cancelling may take

thread_local std::string last_error;
thread_local std::string last_text;
thread_local const Calls* working_for = nullptr;
thread_local std::chrono::steady_clock::time_point last_asked;

cutis_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_file:
      return CUTIS_BAD_FILE;
    case ErrorCode::bad_character:
      return CUTIS_BAD_CHARACTER;
    case ErrorCode::bad_argument:
      return CUTIS_BAD_ARGUMENT;
    case ErrorCode::io:
      return CUTIS_IO;
    case ErrorCode::cancelled:
      return CUTIS_CANCELLED;
  }
  return CUTIS_INTERNAL;
}

cutis_status keep(cutis_status status, const char* sentence) noexcept {
  try {
    last_error = sentence;
  } catch (...) {
    last_error.clear();
  }
  return status;
}

bool is_to_stop(Calls& calls) {
  if (calls.cancel || calls.stopped) return true;
  if (working_for != &calls) return false;  // a thread of the pool
  const auto now = std::chrono::steady_clock::now();
  if (now - last_asked < kBetweenQuestions) return false;
  const std::scoped_lock lock(calls.mutex);
  if (calls.callbacks.cancelled != nullptr && calls.callbacks.cancelled(calls.callbacks.user) != 0)
    calls.stopped = true;
  last_asked = std::chrono::steady_clock::now();
  return calls.stopped;
}

// Handles are odd numbers that are given once: neither an address nor a handle of old is ever taken for one that lives.
class Registry {
 public:
  void* add(std::shared_ptr<Object> object) {
    const std::scoped_lock lock(mutex_);
    const std::uintptr_t handle = next_;
    live_.emplace(handle, std::move(object));
    next_ += 2;
    return reinterpret_cast<void*>(handle);
  }
  std::shared_ptr<Object> find(const void* handle) {
    const std::scoped_lock lock(mutex_);
    const auto found = live_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == live_.end() ? nullptr : found->second;
  }
  void remove(const void* handle) {
    const std::scoped_lock lock(mutex_);
    live_.erase(reinterpret_cast<std::uintptr_t>(handle));
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> live_;
  std::uintptr_t next_ = 0x10001;
};

// Never destroyed: handles may be given back by whatever ends later than this library.
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

Affine3d matrix_of(const double* m) {
  return {{{Vec3d{m[0], m[4], m[8]}, Vec3d{m[1], m[5], m[9]}, Vec3d{m[2], m[6], m[10]}}}, {m[3], m[7], m[11]}};
}

Pose pose_of_trs(const Skeleton& skeleton, const double* v, std::size_t joints) {
  Pose pose;
  pose.local.reserve(joints);
  for (std::size_t j = 0; j < joints; ++j, v += 10) {
    for (int i = 0; i < 10; ++i)
      if (!std::isfinite(v[i]))
        refuse(fmt::format("pose › joint '{}': has a number that is not finite", skeleton.joints[j].name));
    const double length = std::sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
    if (!(std::abs(length - 1) < 1e-3))
      refuse(fmt::format("pose › joint '{}': its quaternion has length {:g}; it must be 1", skeleton.joints[j].name,
                         length));
    const double scale = std::abs(length - 1) < 1e-9 ? 1 : 1 / length;  // as it is, to the bit, where it is one
    pose.local.push_back(
        {{v[0], v[1], v[2]}, {v[3] * scale, v[4] * scale, v[5] * scale, v[6] * scale}, {v[7], v[8], v[9]}});
  }
  return pose;
}

}  // namespace

cutis_status status_of_exception() noexcept {
  try {
    throw;
  } catch (const Fault& fault) {
    return keep(fault.status, fault.sentence.c_str());
  } catch (const Error& error) {
    return keep(status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return keep(CUTIS_NO_MEMORY, "there is not enough memory");
  } catch (const std::length_error&) {
    return keep(CUTIS_NO_MEMORY, "there is not enough memory");
  } catch (const std::exception& error) {
    return keep(CUTIS_INTERNAL, error.what());
  } catch (...) {
    return keep(CUTIS_INTERNAL, "something that is no exception was thrown");
  }
}

void give_text(const char** to, std::string given) {
  last_text = std::move(given);
  *to = last_text.c_str();
}

void give_json(const char** to, const Json& json) {
  give_text(to, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Call::Call(std::shared_ptr<Calls> calls) : calls_(std::move(calls)), before_(working_for) {
  ++calls_->under_way;
  working_for = calls_.get();
  last_asked = std::chrono::steady_clock::now();
}

Call::~Call() {
  working_for = before_;
  if (--calls_->under_way == 0) calls_->stopped = false;
}

ContextObject::ContextObject(int threads, Backend backend)
    : calls(std::make_shared<Calls>()), context(threads, backend) {
  const std::shared_ptr<Calls> shared = calls;
  context.on_warning = [shared](std::string_view said) {
    const std::scoped_lock lock(shared->mutex);
    if (shared->callbacks.log != nullptr) shared->callbacks.log(shared->callbacks.user, std::string(said).c_str());
  };
  context.on_progress = [shared](std::string_view stage, double done) {
    const std::scoped_lock lock(shared->mutex);
    if (shared->callbacks.progress != nullptr)
      shared->callbacks.progress(shared->callbacks.user, std::string(stage).c_str(), done);
  };
  context.is_cancelled = [shared] { return is_to_stop(*shared); };
}

std::shared_ptr<const Character> CharacterObject::get() const {
  const std::scoped_lock lock(mutex_);
  return value_;
}

void CharacterObject::set(Character character) {
  auto value = std::make_shared<const Character>(std::move(character));
  const std::scoped_lock lock(mutex_);
  value_.swap(value);
}

void* add_object(std::shared_ptr<Object> object) { return registry().add(std::move(object)); }
std::shared_ptr<Object> find_object(const void* handle) { return registry().find(handle); }

cutis_status destroy_object(const void* handle, const char* name, bool (*is_kind)(const Object&)) noexcept {
  return guarded([&] {
    if (handle == nullptr) return;
    const std::shared_ptr<Object> object = find_object(handle);
    if (!object)
      throw Fault{CUTIS_BAD_HANDLE, fmt::format("the {} handle was destroyed already, or never was one", name)};
    if (!is_kind(*object)) throw Fault{CUTIS_BAD_HANDLE, fmt::format("the handle is not a {} handle", name)};
    registry().remove(handle);
  });
}

void need_count(std::size_t given, std::size_t wanted, const char* name, const char* things) {
  if (given != wanted) refuse(fmt::format("{}: is for {} {}, but there are {}", name, given, things, wanted));
}

void check_stride(std::size_t stride, std::size_t item, const char* name) {
  if (stride != 0 && stride < item)
    refuse(fmt::format("{}: items of {} bytes cannot lie {} bytes apart", name, item, stride));
}

std::vector<Vec3f> points(const float* from, std::size_t stride, std::size_t given, std::size_t wanted,
                          const char* name) {
  need(from, name);
  need_count(given, wanted, name, "vertices");
  std::vector<Vec3f> result(wanted);
  read_strided(std::span<Vec3f>(result), from, stride, name);
  return result;
}

std::string needed_text(const char* given, const char* name) {
  need(given, name);
  return given;
}

void read_options(const char* json, std::span<const OptionField> fields, const std::string& place) {
  if (text(json).empty()) return;
  from_caller([&] { options_from_json(json, fields, place); });
}

Json options_object(const char* json, const std::string& place) {
  if (text(json).empty()) return Json::object();
  const Json parsed = Json::parse(std::string_view(json), nullptr, false);
  if (!parsed.is_object()) refuse(place + ": must be a JSON object {...}");
  return parsed;
}

Pose pose_of(const Skeleton& skeleton, const cutis_pose& given) {
  const std::size_t joints = skeleton.joints.size();
  if (!std::isfinite(given.time)) refuse("pose: its time is not finite");
  Pose pose;
  if (given.values == nullptr) {
    pose = default_pose(skeleton);
  } else {
    need_count(given.joints, joints, "pose", "joints");
    if (given.kind == CUTIS_POSE_TRS) {
      pose = pose_of_trs(skeleton, given.values, joints);
    } else if (given.kind == CUTIS_POSE_LOCAL || given.kind == CUTIS_POSE_WORLD) {
      std::vector<Affine3d> matrices;
      for (std::size_t j = 0; j < joints; ++j) {
        const double* m = given.values + 16 * j;
        matrices.push_back(matrix_of(m));
        if (!(std::abs(m[12]) + std::abs(m[13]) + std::abs(m[14]) + std::abs(m[15] - 1) < 1e-6))
          refuse(fmt::format("pose › joint '{}': the last row of its matrix is not 0 0 0 1; matrices go row by row",
                             skeleton.joints[j].name));
      }
      pose = given.kind == CUTIS_POSE_LOCAL ? pose_from_local(skeleton, matrices) : pose_from_world(skeleton, matrices);
    } else {
      refuse(fmt::format("pose: there is no kind {}", static_cast<int>(given.kind)));
    }
  }
  pose.time = given.time;
  return pose;
}

std::vector<Pose> poses_of(const Skeleton& skeleton, const cutis_pose* given, std::size_t count) {
  std::vector<Pose> poses;
  if (count == 0) return poses;
  const std::size_t size = structure(given, "poses").struct_size;
  const auto* bytes = reinterpret_cast<const char*>(given);
  for (std::size_t i = 0; i < count; ++i) {
    const auto* at = reinterpret_cast<const cutis_pose*>(bytes + i * size);
    if (at->struct_size != size) refuse(fmt::format("poses: the struct_size of pose {} is not that of the first", i));
    poses.push_back(pose_of(skeleton, structure(at, "poses")));
  }
  return poses;
}

void write_trs(std::span<const Trsd> local, double* to) {
  for (const auto& [t, r, s] : local)
    for (const double x : {t.x, t.y, t.z, r.x, r.y, r.z, r.w, s.x, s.y, s.z}) *to++ = x;
}

void write_matrix(const Affine3d& m, double* to) {
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) *to++ = m.linear.col[static_cast<std::size_t>(column)][row];
    *to++ = m.translation[row];
  }
  for (const double x : {0.0, 0.0, 0.0, 1.0}) *to++ = x;
}

const Clip& clip_of(const Character& character, const char* name, Clip& room) {
  const std::string chosen = text(name);
  std::optional<Clip> random = random_motion(character.skeleton, chosen);
  if (!random) return character.clip(chosen);
  room = std::move(*random);
  return room;
}

cutis_frame checked_frame(const cutis_frame* frame, std::size_t vertices) {
  const cutis_frame f = structure(frame, "frame");
  if (f.positions != nullptr || f.normals != nullptr || f.touch != nullptr || f.depth != nullptr ||
      f.residuals != nullptr || f.states != nullptr)
    need_count(f.vertices, vertices, "frame", "vertices");
  check_stride(f.position_stride, sizeof(Vec3f), "positions");
  check_stride(f.normal_stride, sizeof(Vec3f), "normals");
  return f;
}

void write_frame(const Frame& frame, double time, const cutis_frame& f, cutis_frame* to) {
  const std::size_t n = frame.positions.size();
  if (f.positions != nullptr) write_strided(std::span<const Vec3f>(frame.positions), f.positions, f.position_stride);
  if (f.normals != nullptr) write_strided(std::span<const Vec3f>(frame.normals), f.normals, f.normal_stride);
  const bool touched = frame.contact.size() == n, tracked = frame.residuals.size() == n;
  const bool more = f.touch != nullptr || f.depth != nullptr || f.residuals != nullptr || f.states != nullptr;
  for (std::size_t v = 0; more && v < n; ++v) {
    if (f.touch != nullptr) f.touch[v] = touched ? frame.contact[v].touch : 0;
    if (f.depth != nullptr) f.depth[v] = touched ? frame.contact[v].depth : 0;
    if (f.residuals != nullptr) f.residuals[v] = tracked ? frame.residuals[v] : 0;
    if (f.states != nullptr)
      f.states[v] = frame.states.size() == n ? static_cast<std::uint8_t>(frame.states[v]) : std::uint8_t{0};
  }
  to->time = time;
  to->milliseconds = frame.report.milliseconds;
  to->nonfinite = frame.report.nonfinite;
  to->certified = frame.contact.size() == n && frame.report.contact.certified ? 1 : 0;
  to->out_of_time = frame.report.out_of_time ? 1 : 0;
}

}  // namespace cutis::c

extern "C" const char* cutis_last_error(void) { return cutis::c::last_error.c_str(); }
