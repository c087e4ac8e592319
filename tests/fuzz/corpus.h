// The corpus of a target that is kept in the repository: a few inputs that fuzzing found to reach different places, in
// one file, tests/fuzz/corpus/NAME.bin: of each its length in four bytes, least first, and its bytes.
// scripts/keep-corpus makes it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/target.h"

namespace cutis::fuzz {

/// Of the file CUTIS_FUZZ_CORPUS; none when there is no such file.
inline std::vector<std::string> kept_corpus() {
  std::ifstream file(CUTIS_FUZZ_CORPUS, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> inputs;
  for (std::size_t at = 0; at < all.size();) {
    if (all.size() - at < 4) std::abort();
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i)
      length |= static_cast<std::size_t>(static_cast<unsigned char>(all[at + i])) << (8 * i);
    if (length > all.size() - at - 4) std::abort();
    inputs.push_back(all.substr(at + 4, length));
    at += 4 + length;
  }
  return inputs;
}

/// What mutations start from.
inline std::vector<std::string> seeds_and_corpus() {
  std::vector<std::string> inputs = seeds();
  for (std::string& input : kept_corpus()) inputs.push_back(std::move(input));
  return inputs;
}

}  // namespace cutis::fuzz
