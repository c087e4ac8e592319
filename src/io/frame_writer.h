// What all animation writers share: every frame is checked before a byte of it is written, frames are counted, and a
// writer that failed once stays failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cutis/context.h"
#include "cutis/io.h"

namespace cutis {

class FrameWriter : public AnimationWriter {
 public:
  FrameWriter(std::string file, AnimationHeader header);

  /// Throws Error(bad_argument) on a wrong number of vertices, a non-finite number, or one frame too many.
  void add_frame(std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                 std::span<const SkinContact> contact) final;
  /// Throws Error(bad_argument) when frames are missing.
  void finish() final;

 protected:
  virtual void write_frame(std::span<const Vec3f> positions, std::span<const Vec3f> normals) = 0;
  virtual void complete() = 0;

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const Character& character() const { return *header_.character; }
  [[nodiscard]] const std::string& clip_name() const { return header_.clip_name; }
  [[nodiscard]] std::size_t frame_count() const { return header_.times.size(); }
  [[nodiscard]] std::size_t vertex_count() const { return vertex_count_; }
  [[nodiscard]] const AnimationHeader& header() const { return header_; }
  [[nodiscard]] bool has_contact() const { return header_.contact; }
  [[nodiscard]] std::span<const SkinContact> contact() const { return contact_; }  ///< of the frame being written
  [[nodiscard]] std::size_t frame() const { return frame_; }                       ///< index of the frame being written

 private:
  enum class State { open, failed, finished };

  void require_open() const;

  std::string file_;
  AnimationHeader header_;
  std::span<const SkinContact> contact_;
  std::size_t vertex_count_ = 0;
  std::size_t frame_ = 0;
  State state_ = State::open;
};

/// Throws Error when the header cannot be written in any format: no character or mesh, arrays of unequal length,
/// triangles out of range, non-finite numbers, no frame.
void check_header(const std::string& file, const AnimationHeader& header);

/// Seconds from the first frame, strictly increasing even as floats. A clip without length (all times equal) gets
/// frames 1/30 s apart, with a warning; any other disorder throws Error(bad_argument).
[[nodiscard]] std::vector<double> times_from_first(const std::string& file, const AnimationHeader& header,
                                                   const Context& context);

/// `count` as the 32-bit number that `format` stores; throws Error(bad_argument) naming `what` when it does not fit.
[[nodiscard]] std::int32_t int32_count(const std::string& file, std::size_t count, const char* what,
                                       const char* format);

/// The attribute of that name with that many components, or null.
[[nodiscard]] const VertexAttribute* find_attribute(const Mesh& mesh, std::string_view name, int components);

/// Index of the first vector with a non-finite component, or the size of the span.
[[nodiscard]] std::size_t first_nonfinite(std::span<const Vec3f> vectors);

}  // namespace cutis
