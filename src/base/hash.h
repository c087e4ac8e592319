// FNV-1a over bytes: stable across machines, for result hashes in benchmarks and seeds from names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace cutis {

inline constexpr std::uint64_t kHashSeed = 1469598103934665603ULL;

inline std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t hash = kHashSeed) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ULL;
  return hash;
}
inline std::uint64_t hash_text(std::string_view text) { return hash_bytes(text.data(), text.size()); }
template <class T>
std::uint64_t hash_span(std::span<const T> values, std::uint64_t hash = kHashSeed) {
  return hash_bytes(values.data(), values.size_bytes(), hash);
}

}  // namespace cutis
