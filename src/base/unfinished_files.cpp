#include "base/unfinished_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/hash.h"
#include "cutis/files.h"

namespace cutis {

struct UnfinishedFile::Entry {
  enum State { unused, changing, listed, removing };
  std::atomic<int> state{changing};
  std::string name;
  pid_t process = 0;  ///< a forked child inherits the list, but not the files
  Entry* next = nullptr;
};

namespace {

std::atomic<UnfinishedFile::Entry*> first_entry{nullptr};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<UnfinishedFile::Entry*>::is_always_lock_free);

constexpr std::string_view kTemporaryMark = ".tmp";

/// Tells machines, and containers of one machine, apart: a process number means nothing elsewhere.
const std::string& host_mark() {
  static const std::string mark = [] {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    struct stat space{};
    const bool known = ::stat("/proc/self/ns/pid", &space) == 0;
    const std::string text = fmt::format("{}/{}", host.data(), known ? space.st_ino : 0);
    return fmt::format("{:08x}", static_cast<std::uint32_t>(hash_text(text)));
  }();
  return mark;
}

/// The process in a name that unfinished_name() made on this machine.
std::optional<pid_t> maker_of(std::string_view name) {
  const std::string end = "-" + host_mark();
  const std::size_t mark = name.rfind(kTemporaryMark);
  if (mark == std::string_view::npos || mark == 0 || !name.ends_with(end)) return std::nullopt;
  name.remove_suffix(end.size());
  if (mark + kTemporaryMark.size() >= name.size()) return std::nullopt;
  name.remove_prefix(mark + kTemporaryMark.size());
  pid_t process = 0;
  unsigned number = 0;
  const char* const last = name.data() + name.size();
  const auto [dash, fault] = std::from_chars(name.data(), last, process);
  if (fault != std::errc() || dash == last || *dash != '-' || process <= 0) return std::nullopt;
  const auto [stop, other_fault] = std::from_chars(dash + 1, last, number);
  if (other_fault != std::errc() || stop != last) return std::nullopt;
  return process;
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& name) {
  for (Entry* entry = first_entry.load(); entry != nullptr && entry_ == nullptr; entry = entry->next) {
    int expected = Entry::unused;
    if (entry->state.compare_exchange_strong(expected, Entry::changing)) entry_ = entry;
  }
  if (entry_ == nullptr) {
    entry_ = new Entry;
    entry_->next = first_entry.load();
    while (!first_entry.compare_exchange_weak(entry_->next, entry_)) {
    }
  }
  entry_->name = name;
  entry_->process = ::getpid();
  entry_->state.store(Entry::listed);
}

void UnfinishedFile::forget() noexcept {
  if (entry_ == nullptr) return;
  int expected = Entry::listed;
  entry_->state.compare_exchange_strong(expected, Entry::unused);  // else a handler has it: the process ends
  entry_ = nullptr;
}

void remove_unfinished_files() noexcept {
  const pid_t process = ::getpid();
  for (UnfinishedFile::Entry* entry = first_entry.load(); entry != nullptr; entry = entry->next) {
    int expected = UnfinishedFile::Entry::listed;
    if (!entry->state.compare_exchange_strong(expected, UnfinishedFile::Entry::removing)) continue;
    if (entry->process == process) ::unlink(entry->name.c_str());
  }
}

std::string unfinished_name(const std::string& path) {
  static std::atomic<unsigned> counter{0};  // unique names inside one process; the rest keeps processes apart
  return fmt::format("{}{}{}-{}-{}", path, kTemporaryMark, ::getpid(), counter.fetch_add(1), host_mark());
}

void remove_stale_files(const std::string& path) {
  namespace fs = std::filesystem;
  static std::mutex mutex;
  static std::set<std::string> seen;
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  {
    const std::lock_guard lock(mutex);
    if (!seen.insert(folder).second) return;
  }
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::optional<pid_t> maker = maker_of(entry->path().filename().native());
    if (!maker || *maker == ::getpid() || ::kill(*maker, 0) == 0 || errno != ESRCH) continue;
    struct stat status{};
    const char* const name = entry->path().c_str();
    if (::lstat(name, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid()) ::unlink(name);
  }
}

}  // namespace cutis
