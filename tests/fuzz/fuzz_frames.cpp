// Pieces of a shot (.frames): frames, or cutis::Error. The checksum is made right first, so that damage reaches the
// counts.
#include <cstring>

#include "base/hash.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "fuzz/memory_file.h"
#include "fuzz/target.h"

namespace cutis::fuzz {
namespace {

constexpr std::size_t kSum = 8;

template <class T>
void put(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string piece(std::uint32_t contact, std::uint64_t frames, std::uint64_t vertices) {
  std::string bytes = "CUTISFRM";
  put(bytes, std::uint32_t{1});
  put(bytes, contact);
  for (const std::uint64_t value : {std::uint64_t{7}, std::uint64_t{0}, frames, frames, vertices, std::uint64_t{9},
                                    std::uint64_t{3}, std::uint64_t{4}})
    put(bytes, value);
  bytes += "a.gwalk";
  for (std::uint64_t f = 0; f < frames; ++f) put(bytes, static_cast<double>(f));
  bytes.append(frames * vertices * (contact != 0 ? 32 : 24), '\0');
  put(bytes, std::uint64_t{0});
  return bytes;
}

}  // namespace

Shape shape() { return Shape::bytes; }

std::vector<std::string> seeds() { return {piece(0, 2, 3), piece(1, 1, 5), piece(0, 1, 1)}; }

void read_input(std::string_view bytes) {
  std::string whole(bytes);
  if (whole.size() >= kSum) {
    const std::uint64_t sum = hash_bytes(whole.data(), whole.size() - kSum);
    std::memcpy(whole.data() + whole.size() - kSum, &sum, kSum);
  }
  static MemoryFile memory;
  memory.fill(whole);
  try {
    FramesFile file(memory.path());
    FramesFile::Frame frame;
    for (std::size_t i = 0; i < file.header().times.size(); ++i) file.read(i, frame);
  } catch (const Error&) {  // what bad files are answered with
  }
}

}  // namespace cutis::fuzz
