// PC2 (Point Cache 2): docs/formats.md. Frames of methods that are not ours, to be measured.
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/io.h"
#include "io/readers.h"

namespace cutis {
namespace {

constexpr std::size_t kHeader = 32;
static_assert(std::endian::native == std::endian::little, "numbers are read as they lie in the file");

template <class T>
T at(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

PointCache read_pc2_memory(std::string_view bytes, const std::string& name) {
  const auto fail = [&](const std::string& sentence) { throw Error(ErrorCode::bad_file, name, sentence); };
  if (bytes.size() < kHeader || !bytes.starts_with(std::string_view("POINTCACHE2", 12)))
    fail("is not a PC2 file: it does not start with POINTCACHE2 and its header");
  if (at<std::int32_t>(bytes, 12) != 1)
    fail(fmt::format("is PC2 of version {}; only version 1 is known", at<std::int32_t>(bytes, 12)));
  const std::int32_t points = at<std::int32_t>(bytes, 16), samples = at<std::int32_t>(bytes, 28);
  if (points <= 0 || samples <= 0)
    fail(fmt::format("has {} points and {} samples; write at least one", points, samples));
  PointCache cache;
  cache.points = static_cast<std::size_t>(points);
  cache.samples = static_cast<std::size_t>(samples);
  const std::size_t held = (bytes.size() - kHeader) / sizeof(Vec3f);
  if (cache.samples > held / cache.points || cache.samples * cache.points * sizeof(Vec3f) != bytes.size() - kHeader)
    fail(fmt::format("says {} samples of {} points, and has {} bytes of them; write it again", samples, points,
                     bytes.size() - kHeader));
  cache.positions.resize(cache.points * cache.samples);
  std::memcpy(cache.positions.data(), bytes.data() + kHeader, bytes.size() - kHeader);
  return cache;
}

PointCache load_point_cache(const std::string& file) { return read_pc2_memory(read_file(file), file); }

}  // namespace cutis
