// What solvers derive from a rig's rest pose: made once, when the first of them asks, and shared by all.
//
// A kind is a type with a name: `static constexpr std::string_view kRestName`. Kinds that take long to make and little
// room have a part that rig files hold: see get_kept().
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cutis {

/// Lists of plain numbers, one after the other.
class RestWriter {
 public:
  template <class T>
  void list(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::uint64_t count = values.size();
    bytes_.append(reinterpret_cast<const char*>(&count), sizeof count);
    if (count > 0) bytes_.append(reinterpret_cast<const char*>(values.data()), count * sizeof(T));
  }
  [[nodiscard]] std::string&& take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// The same lists back. What does not fit makes it fail, and all that follow.
class RestReader {
 public:
  explicit RestReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void list(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint64_t count = 0;
    values.clear();
    if (failed_ || bytes_.size() < sizeof count) return fail();
    std::memcpy(&count, bytes_.data(), sizeof count);
    bytes_.remove_prefix(sizeof count);
    if (count > bytes_.size() / sizeof(T)) return fail();
    values.resize(static_cast<std::size_t>(count));
    if (count > 0) std::memcpy(values.data(), bytes_.data(), values.size() * sizeof(T));
    bytes_.remove_prefix(values.size() * sizeof(T));
  }
  /// All was read, and it fitted.
  [[nodiscard]] bool complete() const { return !failed_ && bytes_.empty(); }

 private:
  void fail() { failed_ = true; }

  std::string_view bytes_;
  bool failed_ = false;
};

class RestData {
 public:
  RestData() = default;
  // Copies of a rig may be changed: they start with nothing.
  RestData(const RestData&) {}
  RestData& operator=(const RestData&) {
    clear();
    return *this;
  }
  ~RestData() = default;

  /// The one of this rig; the first call makes it, others wait for it meanwhile. What `make` throws goes to its caller,
  /// and the next call tries again.
  template <class T, class Make>
  [[nodiscard]] std::shared_ptr<const T> get(Make&& make) const {
    const std::shared_ptr<Entry> entry = entry_of(T::kRestName);
    const std::scoped_lock lock(entry->mutex);
    if (!entry->made) entry->made = std::make_shared<const T>(make());
    return std::static_pointer_cast<const T>(entry->made);
  }

  /// The same for a kind that rig files hold, with `void write(RestWriter&) const` and `bool read(RestReader&,
  /// const Rig&)`, which says whether it is one of this rig; what is not is made.
  template <class T, class Owner, class Make>
  [[nodiscard]] std::shared_ptr<const T> get_kept(const Owner& rig, Make&& make) const {
    const std::shared_ptr<Entry> entry = entry_of(T::kRestName);
    const std::scoped_lock lock(entry->mutex);
    if (!entry->made && !entry->bytes.empty()) {
      auto read = std::make_shared<T>();
      RestReader reader(entry->bytes);
      if (read->read(reader, rig) && reader.complete()) entry->made = std::move(read);
      entry->bytes = {};
    }
    if (!entry->made) entry->made = std::make_shared<const T>(make());
    entry->write = [](const void* made) {
      RestWriter writer;
      static_cast<const T*>(made)->write(writer);
      return writer.take();
    };
    return std::static_pointer_cast<const T>(entry->made);
  }

  /// For rig files: what there is of the kinds that they hold, by name.
  [[nodiscard]] std::map<std::string, std::string> write() const;
  void read(std::map<std::string, std::string> sections);
  [[nodiscard]] bool empty() const;

 private:
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<const void> made;
    std::string bytes;  // of a file, not read yet
    std::string (*write)(const void* made) = nullptr;
  };
  [[nodiscard]] std::shared_ptr<Entry> entry_of(std::string_view name) const;
  void clear();

  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<Entry>, std::less<>> entries_;
};

}  // namespace cutis
