#include "io/frame_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/error.h"

namespace cutis {
namespace {

// Frames of a clip without length are this far apart.
constexpr double kStillFramesPerSecond = 30;

/// "mesh 'tube' › vertex 7" of a vertex counted over all meshes.
std::string vertex_place(const Character& character, std::size_t vertex) {
  for (const Mesh& mesh : character.meshes) {
    if (vertex < mesh.positions.size()) return fmt::format("mesh '{}' › vertex {}", mesh.name, vertex);
    vertex -= mesh.positions.size();
  }
  return fmt::format("vertex {}", vertex);
}

void check_mesh(const std::string& file, const Mesh& mesh) {
  const auto fail = [&](const std::string& sentence) {
    throw Error(ErrorCode::bad_character, fmt::format("{} › mesh '{}'", file, mesh.name), sentence);
  };
  const std::size_t n = mesh.positions.size();
  if (n == 0) fail("has no vertices and cannot be written; remove it");
  if (mesh.normals.size() != n) fail(fmt::format("has {} vertices but {} normals", n, mesh.normals.size()));
  if (const std::size_t i = first_nonfinite(mesh.positions); i < n)
    fail(fmt::format("vertex {} has a rest position that is not finite", i));
  if (const std::size_t i = first_nonfinite(mesh.normals); i < n)
    fail(fmt::format("vertex {} has a rest normal that is not finite", i));
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t v : t)
      if (v >= n) fail(fmt::format("a triangle uses vertex {}, but there are {}", v, n));
  for (const VertexAttribute& a : mesh.attributes) {
    if (a.components < 1 || a.values.size() != n * static_cast<std::size_t>(a.components))
      fail(fmt::format("attribute {} has {} numbers for {} vertices of {} components", a.name, a.values.size(), n,
                       a.components));
    for (const float v : a.values)
      if (!std::isfinite(v)) fail(fmt::format("attribute {} has a number that is not finite", a.name));
  }
}

}  // namespace

std::size_t first_nonfinite(std::span<const Vec3f> vectors) {
  // The exponent is all ones exactly for infinities and NaNs. Blocks of a fixed size, without a branch per number,
  // become vector code; this runs over every number that is written.
  static_assert(sizeof(Vec3f) == 3 * sizeof(std::uint32_t));
  constexpr std::size_t kVectorsAtOnce = 512;
  std::array<std::uint32_t, 3 * kVectorsAtOnce> bits{};
  for (std::size_t begin = 0; begin < vectors.size(); begin += kVectorsAtOnce) {
    const auto block = vectors.subspan(begin, std::min(kVectorsAtOnce, vectors.size() - begin));
    if (block.size() < kVectorsAtOnce) bits.fill(0);
    std::memcpy(bits.data(), block.data(), block.size_bytes());
    std::uint32_t bad = 0;
    for (const std::uint32_t b : bits) bad |= static_cast<std::uint32_t>((b & 0x7f800000U) == 0x7f800000U);
    if (bad == 0) continue;
    for (std::size_t i = 0; i < block.size(); ++i)
      if (!is_finite(block[i])) return begin + i;
  }
  return vectors.size();
}

FrameWriter::FrameWriter(std::string file, AnimationHeader header)
    : file_(std::move(file)), header_(std::move(header)), vertex_count_(0) {
  for (const Mesh& mesh : header_.character->meshes) vertex_count_ += mesh.positions.size();
}

void FrameWriter::require_open() const {
  if (state_ == State::failed)
    throw Error(ErrorCode::bad_argument, file_, "an earlier frame failed, so this file cannot be completed");
  if (state_ == State::finished) throw Error(ErrorCode::bad_argument, file_, "is finished and takes no more frames");
}

void FrameWriter::add_frame(std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                            std::span<const SkinContact> contact) {
  require_open();
  state_ = State::failed;  // until the frame is written
  const auto place = [&] { return fmt::format("{} › frame {}", file_, frame_); };
  if (frame_ >= frame_count())
    throw Error(ErrorCode::bad_argument, place(),
                fmt::format("is one frame too many: the header has {} times", frame_count()));
  if (positions.size() != vertex_count_ || normals.size() != vertex_count_)
    throw Error(ErrorCode::bad_argument, place(),
                fmt::format("has {} positions and {} normals, but the character has {} vertices", positions.size(),
                            normals.size(), vertex_count_));
  for (const auto& [vectors, what] : {std::pair{positions, "position"}, std::pair{normals, "normal"}})
    if (const std::size_t i = first_nonfinite(vectors); i < vectors.size())
      throw Error(ErrorCode::bad_argument, fmt::format("{} › {}", place(), vertex_place(character(), i)),
                  fmt::format("has a {} that is not finite; nothing was written", what));
  if (has_contact() && contact.size() != vertex_count_)
    throw Error(ErrorCode::bad_argument, place(),
                fmt::format("has contact of {} vertices, but the character has {}", contact.size(), vertex_count_));
  for (std::size_t i = 0; has_contact() && i < contact.size(); ++i)
    if (!std::isfinite(contact[i].touch) || !std::isfinite(contact[i].depth))
      throw Error(ErrorCode::bad_argument, fmt::format("{} › {}", place(), vertex_place(character(), i)),
                  "has contact that is not finite; nothing was written");
  contact_ = contact;
  write_frame(positions, normals);
  contact_ = {};
  ++frame_;
  state_ = State::open;
}

void FrameWriter::finish() {
  require_open();
  state_ = State::failed;
  if (frame_ != frame_count())
    throw Error(ErrorCode::bad_argument, file_,
                fmt::format("got {} of {} frames, so nothing was written", frame_, frame_count()));
  complete();
  state_ = State::finished;
}

void check_header(const std::string& file, const AnimationHeader& header) {
  if (header.character == nullptr) throw Error(ErrorCode::bad_argument, file, "no character was given to write");
  if (header.character->meshes.empty())
    throw Error(ErrorCode::bad_character, file, "the character has no mesh, so there is nothing to write");
  for (const Mesh& mesh : header.character->meshes) check_mesh(file, mesh);
  if (header.times.empty())
    throw Error(ErrorCode::bad_argument, file, "the animation has no frames; ask for at least one");
  for (const double t : header.times)
    if (!std::isfinite(t)) throw Error(ErrorCode::bad_argument, file, "a frame has a time that is not finite");
}

std::vector<double> times_from_first(const std::string& file, const AnimationHeader& header, const Context& context) {
  const auto& times = header.times;
  std::vector<double> result(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) result[i] = times[i] - times.front();
  std::size_t steps_forward = 0;
  bool still = true;
  for (std::size_t i = 1; i < result.size(); ++i) {
    if (static_cast<float>(result[i]) > static_cast<float>(result[i - 1])) ++steps_forward;
    still = still && result[i] == 0;
  }
  if (steps_forward + 1 == result.size()) return result;
  if (!still)
    throw Error(ErrorCode::bad_argument, file, "the times of the frames do not increase; give each frame a later time");
  context.warn(fmt::format("{}: all {} frames have the same time; they are written {} to the second", file,
                           result.size(), kStillFramesPerSecond));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<double>(i) / kStillFramesPerSecond;
  return result;
}

std::int32_t int32_count(const std::string& file, std::size_t count, const char* what, const char* format) {
  if (count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw Error(ErrorCode::bad_argument, file,
                fmt::format("{} {} are more than {} can count (2147483647); split the animation", count, what, format));
  return static_cast<std::int32_t>(count);
}

const VertexAttribute* find_attribute(const Mesh& mesh, std::string_view name, int components) {
  for (const VertexAttribute& a : mesh.attributes)
    if (a.name == name && a.components == components) return &a;
  return nullptr;
}

}  // namespace cutis
