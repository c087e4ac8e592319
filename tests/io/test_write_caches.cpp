// PC2 and MDD, byte by byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cutis/error.h"
#include "io/frame_writer.h"
#include "io/writer_support.h"

namespace cutis::test {
namespace {

TEST(Pc2Writer, WritesTheDocumentedHeader) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 3);
  write_shot(shot, folder.file("a.pc2"));
  const std::string bytes = bytes_of(folder.file("a.pc2"));
  const std::size_t points = shot.character.vertex_count();
  ASSERT_EQ(bytes.size(), 32 + 3 * points * 12);
  EXPECT_EQ(bytes.substr(0, 12), std::string("POINTCACHE2\0", 12));
  EXPECT_EQ(value_at<std::int32_t>(bytes, 12), 1);
  EXPECT_EQ(value_at<std::int32_t>(bytes, 16), static_cast<std::int32_t>(points));
  EXPECT_EQ(value_at<float>(bytes, 20), 0.0F);
  EXPECT_EQ(value_at<float>(bytes, 24), 1.0F);
  EXPECT_EQ(value_at<std::int32_t>(bytes, 28), 3);
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a.pc2"});
}

TEST(Pc2Writer, KeepsEveryPositionBitForBit) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 3);
  write_shot(shot, folder.file("a.pc2"));
  const std::string bytes = bytes_of(folder.file("a.pc2"));
  std::size_t offset = 32;
  for (const Shot::Frame& frame : shot.frames)
    for (const Vec3f& p : frame.positions)
      for (int k = 0; k < 3; ++k, offset += 4) ASSERT_EQ(value_at<float>(bytes, offset), p[k]);
}

TEST(MddWriter, WritesBigEndianCountsSecondsAndPositions) {
  const TemporaryFolder folder;
  Shot shot;
  fill_shot(shot, 3);
  write_shot(shot, folder.file("a.mdd"));
  const std::string bytes = bytes_of(folder.file("a.mdd"));
  const std::size_t points = shot.character.vertex_count();
  ASSERT_EQ(bytes.size(), 8 + 3 * 4 + 3 * points * 12);
  EXPECT_EQ(bytes.substr(0, 4), std::string("\0\0\0\3", 4));
  EXPECT_EQ(big_endian_at<std::int32_t>(bytes, 4), static_cast<std::int32_t>(points));
  EXPECT_EQ(big_endian_at<float>(bytes, 8), 0.0F);
  EXPECT_FLOAT_EQ(big_endian_at<float>(bytes, 12), 1.0F / 24);
  EXPECT_FLOAT_EQ(big_endian_at<float>(bytes, 16), 2.0F / 24);
  std::size_t offset = 20;
  for (const Shot::Frame& frame : shot.frames)
    for (const Vec3f& p : frame.positions)
      for (int k = 0; k < 3; ++k, offset += 4) ASSERT_EQ(big_endian_at<float>(bytes, offset), p[k]);
}

TEST(CacheCounts, BeyondThirtyTwoBitsAreRefused) {
  EXPECT_EQ(int32_count("a.pc2", 2147483647U, "points", "PC2"), 2147483647);
  const std::string sentence =
      error_of([] { static_cast<void>(int32_count("a.pc2", std::size_t{2147483648U}, "points", "PC2")); });
  EXPECT_THAT(sentence, testing::HasSubstr("a.pc2: 2147483648 points"));
}

}  // namespace
}  // namespace cutis::test
