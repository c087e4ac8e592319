// A piece of a shot (.frames): frames that were solved apart from the others and are put together by `cutis join`.
// Holds what an AnimationWriter is given, to the bit, so that the whole is the same whether it was solved in pieces or
// not. Little-endian: header, names, times, frames (positions, normals, contact), and the checksum of all before it.
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/input_file.h"
#include "cutis/error.h"
#include "io/frame_writer.h"
#include "io/writers.h"

namespace cutis {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are written as they lie in memory");
static_assert(sizeof(Vec3f) == 12 && sizeof(SkinContact) == 8);

constexpr std::array<char, 8> kMagic = {'C', 'U', 'T', 'I', 'S', 'F', 'R', 'M'};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kLongestName = 65536;

struct Head {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t has_contact = 0;
  std::uint64_t shot = 0, first = 0, count = 0, total = 0;
  std::uint64_t vertices = 0, character_hash = 0;
  std::uint64_t character_bytes = 0, clip_bytes = 0;  ///< of the names
};
static_assert(sizeof(Head) == 80);

class FramesWriter final : public FrameWriter {
 public:
  FramesWriter(const std::string& path, const AnimationHeader& given) : FrameWriter(path, given), out_(path) {
    const AnimationHeader::Piece& piece = header().piece;
    Head head;
    head.has_contact = has_contact() ? 1 : 0;
    head.shot = piece.shot;
    head.first = piece.first;
    head.count = frame_count();
    head.total = piece.total == 0 ? frame_count() : piece.total;
    head.vertices = vertex_count();
    head.character_hash = shape_hash(character());
    head.character_bytes = character().source.size();
    head.clip_bytes = clip_name().size();
    if (head.first > head.total || head.count > head.total - head.first)
      throw Error(
          ErrorCode::bad_argument, path,
          fmt::format("{} frames from {} on are more than the {} of the shot", head.count, head.first, head.total));
    if (head.character_bytes > kLongestName || head.clip_bytes > kLongestName)
      throw Error(ErrorCode::bad_argument, path, "the name of the character or of the clip is too long; rename it");
    put(&head, sizeof(head));
    put(character().source.data(), character().source.size());
    put(clip_name().data(), clip_name().size());
    put(header().times.data(), header().times.size() * sizeof(double));
  }

 private:
  void put(const void* data, std::size_t bytes) {
    out_.write(data, bytes);
    hash_ = hash_bytes(data, bytes, hash_);
  }
  void write_frame(std::span<const Vec3f> positions, std::span<const Vec3f> normals) override {
    put(positions.data(), positions.size_bytes());
    put(normals.data(), normals.size_bytes());
    if (has_contact()) put(contact().data(), contact().size_bytes());
  }
  void complete() override {
    out_.write(&hash_, sizeof(hash_));
    out_.commit();
  }

  AtomicFile out_;
  std::uint64_t hash_ = kHashSeed;
};

}  // namespace

WriterPtr make_frames_writer(const std::string& file, const AnimationHeader& header, const Context&) {
  return std::make_unique<FramesWriter>(file, header);
}

std::uint64_t shape_hash(const Character& character) {
  std::uint64_t hash = kHashSeed;
  for (const Mesh& mesh : character.meshes) {
    const std::array<std::uint64_t, 2> counts = {mesh.positions.size(), mesh.triangles.size()};
    hash = hash_bytes(counts.data(), sizeof(counts), hash);
    hash = hash_span(std::span<const Vec3f>(mesh.positions), hash);
    hash = hash_span(std::span<const Triangle>(mesh.triangles), hash);
  }
  return hash;
}

struct FramesFile::Impl {
  explicit Impl(const std::string& path) : path_(path), file_(path, path, InputFile::any_size) {
    take(&head_, sizeof(head_), "its header");
    if (head_.magic != kMagic) fail("is not a .frames file; name pieces that 'cutis animate --range' wrote");
    if (head_.version != kVersion)
      fail(fmt::format("has version {} of the format; this program reads version {}", head_.version, kVersion));
    check_counts();
    std::string clip(head_.clip_bytes, '\0');
    character_.resize(head_.character_bytes);
    take(character_.data(), character_.size(), "its names");
    take(clip.data(), clip.size(), "its names");
    header_.clip_name = clip;
    header_.times.resize(head_.count);
    take(header_.times.data(), head_.count * sizeof(double), "its times");
    for (const double time : header_.times)
      if (!std::isfinite(time)) fail("is damaged: a time is not finite; make the piece again");
    header_.contact = head_.has_contact != 0;
    header_.piece = {head_.shot, static_cast<std::size_t>(head_.first), static_cast<std::size_t>(head_.total)};
    check_sum();
  }

  void read(std::size_t i, Frame& frame) {
    if (i >= head_.count)
      throw Error(ErrorCode::bad_argument, path_, fmt::format("has {} frames; there is no frame {}", head_.count, i));
    file_.seek(data_begin_ + i * frame_bytes_);
    frame.positions.resize(head_.vertices);
    frame.normals.resize(head_.vertices);
    frame.contact.resize(header_.contact ? head_.vertices : 0);
    take(frame.positions.data(), head_.vertices * sizeof(Vec3f), "a frame");
    take(frame.normals.data(), head_.vertices * sizeof(Vec3f), "a frame");
    take(frame.contact.data(), frame.contact.size() * sizeof(SkinContact), "a frame");
  }

  std::string path_, character_;
  InputFile file_;
  Head head_;
  AnimationHeader header_;
  std::uint64_t data_begin_ = 0, frame_bytes_ = 0;

 private:
  [[noreturn]] void fail(const std::string& sentence) const { throw Error(ErrorCode::bad_file, path_, sentence); }

  void take(void* to, std::size_t bytes, const char* what) {
    if (!file_.read_next(to, bytes)) fail(fmt::format("ends inside {}; make the piece again", what));
  }

  // Before anything is made for them, and so that no product overflows: one after the other against the size.
  void check_counts() {
    const std::uint64_t size = file_.size();
    const auto refuse = [&] { fail("is damaged: its counts do not fit its size; make the piece again"); };
    if (head_.character_bytes > kLongestName || head_.clip_bytes > kLongestName || head_.has_contact > 1) refuse();
    if (head_.vertices == 0 || head_.vertices > size / sizeof(Vec3f) || head_.count == 0 ||
        head_.count > size / sizeof(double))
      refuse();
    frame_bytes_ = head_.vertices * (2 * sizeof(Vec3f) + (head_.has_contact != 0 ? sizeof(SkinContact) : 0));
    data_begin_ = sizeof(Head) + head_.character_bytes + head_.clip_bytes + head_.count * sizeof(double);
    if (head_.count > size / frame_bytes_ || data_begin_ + head_.count * frame_bytes_ + sizeof(std::uint64_t) != size)
      refuse();
    if (head_.first > head_.total || head_.count > head_.total - head_.first) refuse();
  }

  void check_sum() {
    file_.seek(0);
    std::uint64_t left = file_.size() - sizeof(std::uint64_t), hash = kHashSeed, expected = 0;
    std::vector<char> block(std::size_t{1} << 20U);
    while (left > 0) {
      const std::size_t bytes = std::min<std::uint64_t>(left, block.size());
      take(block.data(), bytes, "its frames");
      hash = hash_bytes(block.data(), bytes, hash);
      left -= bytes;
    }
    take(&expected, sizeof(expected), "its checksum");
    if (hash != expected) fail("is damaged: its checksum does not fit; make the piece again");
  }
};

FramesFile::FramesFile(const std::string& file) : impl_(std::make_unique<Impl>(file)) {}
FramesFile::~FramesFile() = default;
FramesFile::FramesFile(FramesFile&&) noexcept = default;
const std::string& FramesFile::character() const { return impl_->character_; }
std::uint64_t FramesFile::character_hash() const { return impl_->head_.character_hash; }
const AnimationHeader& FramesFile::header() const { return impl_->header_; }
std::size_t FramesFile::vertex_count() const { return impl_->head_.vertices; }
void FramesFile::read(std::size_t i, Frame& frame) { impl_->read(i, frame); }

}  // namespace cutis
