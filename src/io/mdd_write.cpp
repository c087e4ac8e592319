// MDD (LightWave point oven), big-endian: int32 frames, int32 points, float32 seconds per frame, then float32 xyz per
// point per frame.
#include <bit>
#include <cstring>

#include "base/atomic_file.h"
#include "io/frame_writer.h"
#include "io/writers.h"

namespace cutis {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are swapped from little-endian");

template <class T>
std::uint32_t big_endian(T value) {
  return __builtin_bswap32(std::bit_cast<std::uint32_t>(value));
}

class MddWriter final : public FrameWriter {
 public:
  MddWriter(const std::string& path, const AnimationHeader& header, const Context& context)
      : FrameWriter(path, header), out_(path), swapped_(vertex_count() * 3) {
    std::vector<std::uint32_t> head = {big_endian(int32_count(path, frame_count(), "frames", "MDD")),
                                       big_endian(int32_count(path, vertex_count(), "points", "MDD"))};
    for (const double t : times_from_first(path, header, context)) head.push_back(big_endian(static_cast<float>(t)));
    out_.write(head.data(), head.size() * sizeof(std::uint32_t));
  }

 private:
  void write_frame(std::span<const Vec3f> positions, std::span<const Vec3f>) override {
    std::memcpy(swapped_.data(), positions.data(), positions.size_bytes());
    for (std::uint32_t& number : swapped_) number = __builtin_bswap32(number);
    out_.write(swapped_.data(), swapped_.size() * sizeof(std::uint32_t));
  }
  void complete() override { out_.commit(); }

  AtomicFile out_;
  std::vector<std::uint32_t> swapped_;
};

}  // namespace

WriterPtr make_mdd_writer(const std::string& file, const AnimationHeader& header, const Context& context) {
  return std::make_unique<MddWriter>(file, header, context);
}

}  // namespace cutis
