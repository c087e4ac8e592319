// What all functions of the C interface share: handles, errors, callbacks, buffers of the caller, options.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cutis/bind.h"
#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/cutis_c.h"
#include "cutis/error.h"
#include "cutis/option_rows.h"
#include "cutis/solve.h"

namespace cutis::c {

using Json = nlohmann::ordered_json;

// ---- errors ----

/// Becomes the status of the call, and its sentence.
struct Fault {
  cutis_status status;
  std::string sentence;
};
[[noreturn]] inline void refuse(std::string sentence) { throw Fault{CUTIS_BAD_ARGUMENT, std::move(sentence)}; }

/// The status of the exception that is being handled; keeps its sentence for cutis_last_error().
[[nodiscard]] cutis_status status_of_exception() noexcept;

/// Runs the body of a function of the interface: nothing leaves it but a status.
template <class Body>
cutis_status guarded(const Body& body) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return CUTIS_OK;
    } else {
      return body();
    }
  } catch (...) {
    return status_of_exception();
  }
}

/// Keeps the text for its caller until this thread returns another one.
void give_text(const char** to, std::string text);
void give_json(const char** to, const Json& json);

// ---- callbacks ----

/// What a context's caller wants to hear, and whether its work is to stop. Shared by all that was made with it.
struct Calls {
  std::recursive_mutex mutex;  ///< one callback at a time
  cutis_callbacks callbacks{};
  std::atomic<bool> cancel{false};   ///< cutis_context_cancel()
  std::atomic<bool> stopped{false};  ///< by the callback, until no call is under way
  std::atomic<int> under_way{0};
};

/// While it lives this thread works for `calls`: it is the one that asks whether to stop.
class Call {
 public:
  explicit Call(std::shared_ptr<Calls> calls);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  std::shared_ptr<Calls> calls_;
  const Calls* before_;
};

// ---- handles ----

struct Object {
  virtual ~Object() = default;
  std::atomic<bool> busy{false};
};

struct ContextObject : Object {
  static constexpr const char* kName = "context";
  ContextObject(int threads, Backend backend);
  std::shared_ptr<Calls> calls;
  Context context;
};

/// Readers keep what they have while a writer puts another in its place.
struct CharacterObject : Object {
  static constexpr const char* kName = "character";
  explicit CharacterObject(Character character) : value_(std::make_shared<const Character>(std::move(character))) {}
  [[nodiscard]] std::shared_ptr<const Character> get() const;
  void set(Character character);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Character> value_;
};

struct RigObject : Object {
  static constexpr const char* kName = "rig";
  std::shared_ptr<const Rig> rig;
  std::shared_ptr<CharacterObject> character;
  // How it was bound; nothing of rigs that were read.
  std::shared_ptr<const Character> bound;
  BindOptions options;
  BindReport report;
};

void* add_object(std::shared_ptr<Object> object);
/// Null: there is none.
[[nodiscard]] std::shared_ptr<Object> find_object(const void* handle);
cutis_status destroy_object(const void* handle, const char* name, bool (*is_kind)(const Object&)) noexcept;

template <class Kind, class Handle>
void give(Handle* to, std::shared_ptr<Kind> object) {
  *to = static_cast<Handle>(add_object(std::move(object)));
}

template <class Kind>
[[nodiscard]] std::shared_ptr<Kind> take(const void* handle) {
  const std::shared_ptr<Object> object = find_object(handle);
  if (!object)
    throw Fault{CUTIS_BAD_HANDLE, fmt::format("the {} handle {}; make a new one", Kind::kName,
                                              handle == nullptr ? "is NULL" : "was destroyed, or never was one")};
  std::shared_ptr<Kind> kind = std::dynamic_pointer_cast<Kind>(object);
  if (!kind) throw Fault{CUTIS_BAD_HANDLE, fmt::format("the handle is not a {} handle", Kind::kName)};
  return kind;
}

template <class Kind>
cutis_status destroy(const void* handle) noexcept {
  return destroy_object(handle, Kind::kName,
                        [](const Object& object) { return dynamic_cast<const Kind*>(&object) != nullptr; });
}

/// An object that one thread works with at a time.
template <class Kind>
class Use {
 public:
  explicit Use(const void* handle) : object_(take<Kind>(handle)) {
    if (object_->busy.exchange(true))
      throw Fault{CUTIS_BUSY, fmt::format("the {} is at work in another thread, or in the call that this callback is "
                                          "of; make one for each",
                                          Kind::kName)};
  }
  ~Use() { object_->busy = false; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  Kind* operator->() const { return object_.get(); }

 private:
  std::shared_ptr<Kind> object_;
};

// ---- arguments ----

template <class Type>
void need(const Type* pointer, const char* name) {
  if (pointer == nullptr) refuse(fmt::format("{} is NULL", name));
}

/// A structure of the caller, with members that it does not know of 0.
template <class Structure>
[[nodiscard]] Structure structure(const Structure* given, const char* name) {
  need(given, name);
  // All of the first version has to be there.
  if (given->struct_size < sizeof(Structure))
    refuse(fmt::format("{}: its struct_size is {}; set it to sizeof, {}", name, given->struct_size, sizeof(Structure)));
  Structure copy{};
  std::memcpy(&copy, given, sizeof(Structure));
  return copy;
}

void need_count(std::size_t given, std::size_t wanted, const char* name, const char* things);

/// Items of `Type` in the caller's memory, `stride` bytes apart.
template <class Type>
void read_strided(std::span<Type> to, const void* from, std::size_t stride, const char* name) {
  if (stride != 0 && stride < sizeof(Type))
    refuse(fmt::format("{}: items of {} bytes cannot lie {} bytes apart", name, sizeof(Type), stride));
  const auto* bytes = static_cast<const char*>(from);
  const std::size_t step = stride == 0 ? sizeof(Type) : stride;
  if (step == sizeof(Type) && !to.empty())
    std::memcpy(to.data(), bytes, to.size() * sizeof(Type));
  else
    for (std::size_t i = 0; i < to.size(); ++i) std::memcpy(&to[i], bytes + i * step, sizeof(Type));
}
template <class Type>
void write_strided(std::span<const Type> from, void* to, std::size_t stride) {
  auto* bytes = static_cast<char*>(to);
  const std::size_t step = stride == 0 ? sizeof(Type) : stride;
  if (step == sizeof(Type) && !from.empty())
    std::memcpy(bytes, from.data(), from.size() * sizeof(Type));
  else
    for (std::size_t i = 0; i < from.size(); ++i) std::memcpy(bytes + i * step, &from[i], sizeof(Type));
}
void check_stride(std::size_t stride, std::size_t item, const char* name);

/// The caller's three floats a vertex, as many as `wanted`.
[[nodiscard]] std::vector<Vec3f> points(const float* from, std::size_t stride, std::size_t given, std::size_t wanted,
                                        const char* name);

/// "" for NULL.
[[nodiscard]] inline std::string text(const char* given) { return given == nullptr ? std::string() : given; }
[[nodiscard]] std::string needed_text(const char* given, const char* name);

/// Options as a JSON object of the fields; faults are the argument's.
void read_options(const char* json, std::span<const OptionField> fields, const std::string& place);
/// The object, empty for NULL and "".
[[nodiscard]] Json options_object(const char* json, const std::string& place);
/// Runs what reads a text of the caller: where that says bad_file it is an argument that is bad.
template <class Body>
auto from_caller(const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::bad_file) refuse(error.what());
    throw;
  }
}

/// A finite number, or null: JSON has no others.
[[nodiscard]] inline Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

// ---- poses, clips, frames ----

[[nodiscard]] Pose pose_of(const Skeleton& skeleton, const cutis_pose& pose);
[[nodiscard]] std::vector<Pose> poses_of(const Skeleton& skeleton, const cutis_pose* poses, std::size_t count);
/// Ten numbers a joint.
void write_trs(std::span<const Trsd> local, double* to);
void write_matrix(const Affine3d& m, double* to);
/// The character's own, or one that is made now, into `room`.
[[nodiscard]] const Clip& clip_of(const Character& character, const char* name, Clip& room);

/// The caller's buffers are looked at before anything is solved.
[[nodiscard]] cutis_frame checked_frame(const cutis_frame* frame, std::size_t vertices);
void write_frame(const Frame& frame, double time, const cutis_frame& checked, cutis_frame* to);

/// Tables of options beside those of the core; {"MarkerOptions": [...], ...}. Builds of the core alone have none
/// (core_alone.cpp).
void add_more_tables(Json& tables);

}  // namespace cutis::c
