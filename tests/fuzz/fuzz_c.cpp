// The C interface: a sequence of calls, right and wrong, that the bytes of an input choose. What the calls check is in
// tests/c/random_calls.h.
#include "fuzz/c_calls.h"
#include "fuzz/target.h"

namespace cutis::fuzz {

Shape shape() { return Shape::bytes; }

std::vector<std::string> seeds() {
  std::vector<std::string> seeds;
  Random random(7);
  for (std::size_t length = 20; length <= 400; length += 20) {
    std::string bytes(length, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    seeds.push_back(std::move(bytes));
  }
  return seeds;
}

void read_input(std::string_view bytes) {
  cutis_fuzz_calls(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace cutis::fuzz
