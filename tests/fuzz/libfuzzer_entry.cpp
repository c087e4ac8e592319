//   fuzz_NAME --write-seeds=FOLDER   writes the target's seeds and leaves
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "fuzz/corpus.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kFlag = "--write-seeds=";
  if (*argc < 2 || !std::string_view((*argv)[1]).starts_with(kFlag)) return 0;
  const std::filesystem::path folder = std::string((*argv)[1]).substr(kFlag.size());
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : cutis::fuzz::seeds_and_corpus())
    std::ofstream(folder / ("seed" + std::to_string(number++)), std::ios::binary) << seed;
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cutis::fuzz::read_input({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  cutis::fuzz::Random random(seed);
  if (cutis::fuzz::shape() == cutis::fuzz::Shape::bytes || random() % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string made =
      cutis::fuzz::mutate_structure(cutis::fuzz::shape(), {reinterpret_cast<const char*>(data), size}, random);
  if (made.empty() || made.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, made.data(), made.size());
  return made.size();
}
