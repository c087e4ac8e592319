#include "rig/rest_data.h"

#include <utility>

namespace cutis {

std::shared_ptr<RestData::Entry> RestData::entry_of(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  auto at = entries_.find(name);
  if (at == entries_.end()) at = entries_.emplace(std::string(name), std::make_shared<Entry>()).first;
  return at->second;
}

void RestData::clear() {
  const std::scoped_lock lock(mutex_);
  entries_.clear();
}

bool RestData::empty() const {
  const std::scoped_lock lock(mutex_);
  return entries_.empty();
}

std::map<std::string, std::string> RestData::write() const {
  decltype(entries_) entries;  // not under the lock: what is being made asks for others
  {
    const std::scoped_lock lock(mutex_);
    entries = entries_;
  }
  std::map<std::string, std::string> sections;
  for (const auto& [name, entry] : entries) {
    const std::scoped_lock lock(entry->mutex);
    if (entry->made && entry->write != nullptr)
      sections[name] = entry->write(entry->made.get());
    else if (!entry->bytes.empty())
      sections[name] = entry->bytes;
  }
  return sections;
}

void RestData::read(std::map<std::string, std::string> sections) {
  const std::scoped_lock lock(mutex_);
  entries_.clear();
  for (auto& [name, bytes] : sections) {
    auto entry = std::make_shared<Entry>();
    entry->bytes = std::move(bytes);
    entries_.emplace(name, std::move(entry));
  }
}

}  // namespace cutis
