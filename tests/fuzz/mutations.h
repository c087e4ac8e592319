// Mutations that know how inputs are built: JSON stays JSON, text stays lines of words, numbers become other numbers.
// Whoever mutates mixes them with changes of any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace cutis::fuzz {

/// Cheap to begin: a fuzzer begins one a mutation (splitmix64).
class Random {
 public:
  using result_type = std::uint32_t;
  explicit Random(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] static constexpr result_type min() { return 0; }
  [[nodiscard]] static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<result_type>(z >> 32);
  }

 private:
  std::uint64_t state_;
};

/// How a target's inputs are built.
enum class Shape {
  bytes,      ///< nothing to be known
  text,       ///< lines of words and numbers
  json,       ///< one value
  json_bytes  ///< JSON, a zero byte, and whatever follows
};

/// One to four changes. Inputs that are not of that shape come back as they are.
[[nodiscard]] std::string mutate_structure(Shape shape, std::string_view input, Random& random);

}  // namespace cutis::fuzz
