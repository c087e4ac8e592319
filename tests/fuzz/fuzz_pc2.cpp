// The PC2 reader on damaged files: whatever the bytes, as many points as it says, or cutis::Error.
#include <cstdlib>

#include "cutis/error.h"
#include "fuzz/target.h"
#include "io/readers.h"

namespace cutis::fuzz {

Shape shape() { return Shape::bytes; }

std::vector<std::string> seeds() {
  const auto file = [](char points, char samples) {
    std::string bytes("POINTCACHE2\0\1\0\0\0", 16);
    bytes += {points, 0, 0, 0, 0, 0, 0, 0, 0, 0, '\x80', '\x3f', samples, 0, 0, 0};
    return bytes + std::string(static_cast<std::size_t>(points) * static_cast<std::size_t>(samples) * 12, '\x3f');
  };
  return {file(1, 1), file(3, 2), file(7, 5)};
}

void read_input(std::string_view bytes) {
  try {
    const PointCache cache = read_pc2_memory(bytes, "fuzz.pc2");
    if (cache.positions.size() != cache.points * cache.samples || cache.positions.empty()) std::abort();
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
