#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "cutis/error.h"
#include "cutis/io.h"
#include "io/frame_writer.h"
#include "io/sequence.h"
#include "io/writers.h"

namespace cutis {
namespace {

struct Format {
  std::string_view extension;
  WriterPtr (*make)(const std::string&, const AnimationHeader&, const Context&);
  bool has_attributes;
};

constexpr std::array kFormats = {
    Format{".glb", make_glb_writer, true},   Format{".gltf", make_gltf_writer, true},
    Format{".pc2", make_pc2_writer, false},  Format{".mdd", make_mdd_writer, false},
    Format{".usda", make_usda_writer, true}, Format{".obj", make_obj_writer, false},
    Format{".ply", make_ply_writer, true},   Format{".frames", make_frames_writer, true},
};

/// Stops at the next frame when the context says so; without finish() there is no file.
class CancellableWriter final : public AnimationWriter {
 public:
  CancellableWriter(WriterPtr writer, const Context& context) : writer_(std::move(writer)), context_(context) {}

  void add_frame(std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                 std::span<const SkinContact> contact) override {
    context_.check_cancelled();
    writer_->add_frame(positions, normals, contact);
  }
  void finish() override {
    context_.check_cancelled();
    writer_->finish();
  }

 private:
  WriterPtr writer_;
  Context context_;
};

std::string format_of(const std::string& file) {
  std::string extension = std::filesystem::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

}  // namespace

std::vector<std::string> animation_files(const std::string& file, std::size_t frames) {
  const std::string extension = format_of(file);
  if (extension == ".gltf") return {file, std::filesystem::path(file).replace_extension(".bin").string()};
  if (extension != ".obj" && extension != ".ply") return {file};
  std::vector<std::string> files;
  for (std::size_t i = 0; i < frames; ++i) files.push_back(sequence_name(file, i, frames));
  return files;
}

std::unique_ptr<AnimationWriter> make_animation_writer(const std::string& file, const AnimationHeader& header,
                                                       const Context& context) {
  const std::string extension = format_of(file);
  for (const Format& format : kFormats) {
    if (format.extension != extension) continue;
    check_header(file, header);
    if (header.contact && !format.has_attributes)
      throw Error(ErrorCode::bad_argument, file,
                  fmt::format("'{}' has no room for contact; end the name in .glb .gltf .usda or .ply", extension));
    return std::make_unique<CancellableWriter>(format.make(file, header, context), context);
  }
  std::string known;
  for (const Format& format : kFormats) known += fmt::format("{}{}", known.empty() ? "" : " ", format.extension);
  throw Error(ErrorCode::bad_argument, file,
              extension.empty()
                  ? fmt::format("has no extension; end the name in one of {}", known)
                  : fmt::format("'{}' is no animation format; end the name in one of {}", extension, known));
}

}  // namespace cutis
