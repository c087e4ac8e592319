// PNG and JPEG through stb; PNG with zlib's compressor in place of stb's own: stills are about a third smaller, plots a
// seventh.
#include <fmt/core.h>
#include <zlib.h>

#include <cstdlib>
#include <string>

#include "base/atomic_file.h"
#include "cutis/error.h"
#include "cutis/render.h"

namespace {

// stb frees the result with free().
unsigned char* compress_with_zlib(unsigned char* data, int bytes, int* out_bytes, int /*quality*/) {
  uLongf size = compressBound(static_cast<uLong>(bytes));
  auto* out = static_cast<unsigned char*>(std::malloc(size));
  if (out == nullptr || compress2(out, &size, data, static_cast<uLong>(bytes), Z_DEFAULT_COMPRESSION) != Z_OK) {
    std::free(out);
    return nullptr;
  }
  *out_bytes = static_cast<int>(size);
  return out;
}

}  // namespace

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STBIW_ZLIB_COMPRESS compress_with_zlib
#include <stb/stb_image_write.h>

namespace cutis {

namespace {

void check_picture(const std::string& file, const Image& image) {
  if (image.width < 1 || image.height < 1 ||
      image.rgb.size() != static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3)
    throw Error(ErrorCode::bad_argument, file,
                fmt::format("a picture of {} x {} pixels with {} bytes cannot be written", image.width, image.height,
                            image.rgb.size()));
  if (image.rgb.size() > 2'000'000'000)
    throw Error(ErrorCode::bad_argument, file, "the picture is too large for one file; make it smaller");
}

void append_bytes(void* text, void* data, int size) {
  static_cast<std::string*>(text)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

}  // namespace

void write_png(const std::string& file, const Image& image) {
  check_picture(file, image);
  std::string bytes;
  if (stbi_write_png_to_func(append_bytes, &bytes, image.width, image.height, 3, image.rgb.data(), image.width * 3) ==
      0)
    throw Error(ErrorCode::io, file, "the picture could not be packed as PNG: there is too little memory");
  write_file(file, bytes);
}

void write_jpeg(const std::string& file, const Image& image, int quality) {
  check_picture(file, image);
  constexpr int kMostPixels = 65535;  // of a side, in the format
  if (image.width > kMostPixels || image.height > kMostPixels)
    throw Error(ErrorCode::bad_argument, file,
                fmt::format("a JPEG has at most {} pixels a side; write a PNG", kMostPixels));
  if (quality < 1 || quality > 100)
    throw Error(ErrorCode::bad_argument, file, fmt::format("JPEG quality {} is not between 1 and 100", quality));
  std::string bytes;
  if (stbi_write_jpg_to_func(append_bytes, &bytes, image.width, image.height, 3, image.rgb.data(), quality) == 0)
    throw Error(ErrorCode::io, file, "the picture could not be packed as JPEG");
  write_file(file, bytes);
}

}  // namespace cutis
