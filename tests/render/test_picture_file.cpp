#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stb/stb_image.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cutis/error.h"
#include "cutis/render.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using test::TemporaryFolder;

Image noise(int width, int height) {
  Image image{width, height, {}};
  std::uint32_t state = 1;
  for (int i = 0; i < width * height * 3; ++i) {
    state = state * 1664525U + 1013904223U;
    image.rgb.push_back(static_cast<std::uint8_t>(state >> 24U));
  }
  return image;
}

TEST(Png, ReadsBackToTheSameBytes) {
  const TemporaryFolder folder;
  for (const auto& [w, h] : {std::pair{1, 1}, {37, 5}, {64, 200}}) {
    const Image image = noise(w, h);
    write_png(folder.file("a.png"), image);
    int width = 0, height = 0, channels = 0;
    stbi_uc* data = stbi_load(folder.file("a.png").c_str(), &width, &height, &channels, 0);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(width, w);
    EXPECT_EQ(height, h);
    EXPECT_EQ(channels, 3);
    EXPECT_EQ(std::vector<std::uint8_t>(data, data + w * h * 3), image.rgb);
    stbi_image_free(data);
  }
}

TEST(Png, IsTheSameFileEachTimeAndSmallForPlainPictures) {
  const TemporaryFolder folder;
  const Image image = make_image(500, 400, {0.5F, 0.2F, 0.1F});
  write_png(folder.file("a.png"), image);
  write_png(folder.file("b.png"), image);
  const auto bytes = [](const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(bytes(folder.file("a.png")), bytes(folder.file("b.png")));
  EXPECT_LT(std::filesystem::file_size(folder.file("a.png")), 4000U);
}

TEST(Png, RefusesBrokenPicturesAndMissingFolders) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { write_png(folder.file("a.png"), Image{}); }), testing::HasSubstr("0 x 0"));
  EXPECT_THAT(error_of([&] { write_png(folder.file("a.png"), Image{2, 2, {1, 2, 3}}); }),
              testing::HasSubstr("3 bytes"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  try {
    write_png(folder.file("no/such/a.png"), noise(2, 2));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::io);
  }
}

TEST(Jpeg, ReadsBackToNearlyTheSamePicture) {
  const TemporaryFolder folder;
  Image image{64, 48, {}};
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x)
      for (const int value : {3 * x, 4 * y, 255 - 3 * x}) image.rgb.push_back(static_cast<std::uint8_t>(value));
  write_jpeg(folder.file("a.jpg"), image, 95);
  int width = 0, height = 0, channels = 0;
  stbi_uc* data = stbi_load(folder.file("a.jpg").c_str(), &width, &height, &channels, 0);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(width, 64);
  EXPECT_EQ(height, 48);
  ASSERT_EQ(channels, 3);
  int worst = 0;
  for (std::size_t i = 0; i < image.rgb.size(); ++i) worst = std::max(worst, std::abs(data[i] - image.rgb[i]));
  stbi_image_free(data);
  EXPECT_LT(worst, 24);
  write_jpeg(folder.file("b.jpg"), image, 30);
  EXPECT_LT(std::filesystem::file_size(folder.file("b.jpg")), std::filesystem::file_size(folder.file("a.jpg")));
}

TEST(Jpeg, RefusesWhatTheFormatCannotHold) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { write_jpeg(folder.file("a.jpg"), Image{2, 2, {1, 2, 3}}); }), testing::HasSubstr("2 x 2"));
  EXPECT_THAT(error_of([&] { write_jpeg(folder.file("a.jpg"), noise(2, 2), 0); }), testing::HasSubstr("quality 0"));
  Image wide{70000, 1, std::vector<std::uint8_t>(210000, 7)};
  EXPECT_THAT(error_of([&] { write_jpeg(folder.file("a.jpg"), wide); }), testing::HasSubstr("65535"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.jpg")));
}

}  // namespace
}  // namespace cutis
