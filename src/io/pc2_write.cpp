// PC2 (Point Cache 2), little-endian: "POINTCACHE2\0", int32 version 1, int32 points, float32 start, float32 sample
// rate, int32 samples, then float32 xyz per point per sample. Start 0 and rate 1 mean one sample per frame from frame
// 0 on, as 3ds Max and Blender write it; the format knows no seconds.
#include <array>
#include <bit>
#include <cstring>

#include "base/atomic_file.h"
#include "io/frame_writer.h"
#include "io/writers.h"

namespace cutis {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are written as they lie in memory");

class Pc2Writer final : public FrameWriter {
 public:
  Pc2Writer(const std::string& path, const AnimationHeader& header) : FrameWriter(path, header), out_(path) {
    const std::int32_t version = 1;
    const std::int32_t points = int32_count(path, vertex_count(), "points", "PC2");
    const float start = 0, rate = 1;
    const std::int32_t samples = int32_count(path, frame_count(), "frames", "PC2");
    out_.write("POINTCACHE2", 12);  // with its zero byte
    for (const void* field : std::array<const void*, 5>{&version, &points, &start, &rate, &samples})
      out_.write(field, 4);
  }

 private:
  void write_frame(std::span<const Vec3f> positions, std::span<const Vec3f>) override {
    out_.write(positions.data(), positions.size_bytes());
  }
  void complete() override { out_.commit(); }

  AtomicFile out_;
};

}  // namespace

WriterPtr make_pc2_writer(const std::string& file, const AnimationHeader& header, const Context&) {
  return std::make_unique<Pc2Writer>(file, header);
}

}  // namespace cutis
