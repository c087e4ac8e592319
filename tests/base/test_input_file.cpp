#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "cutis/error.h"
#include "cutis/files.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ReadFile, GivesEveryByte) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\xff\n", 5);
  std::ofstream(folder.file("a.bin"), std::ios::binary) << bytes;
  EXPECT_EQ(read_file(folder.file("a.bin")), bytes);
  std::ofstream(folder.file("empty"));
  EXPECT_EQ(read_file(folder.file("empty")), "");
}

TEST(ReadFile, RefusesWhatIsNoRegularFileWithoutWaiting) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe.bvh").c_str(), 0600), 0);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(error_of([&] { (void)read_file(folder.file("pipe.bvh")); }),
              AllOf(StartsWith(folder.file("pipe.bvh")), HasSubstr("a pipe")));
  EXPECT_THAT(error_of([] { (void)read_file("/dev/zero"); }), HasSubstr("not a regular file but a device"));
  EXPECT_THAT(error_of([&] { (void)read_file(folder.path().string()); }), HasSubstr("is a folder"));
  EXPECT_THAT(error_of([&] { (void)read_file(folder.file("none")); }), HasSubstr("does not exist"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(ReadFile, RefusesMoreThanTheLimitBeforeReadingIt) {
  const TemporaryFolder folder;
  const std::string name = folder.file("huge.json");
  std::ofstream(name) << "{";
  std::filesystem::resize_file(name, std::uintmax_t{1} << 40U);  // holes: no room on the disk is taken
  EXPECT_THAT(error_of([&] { (void)read_file(name); }), AllOf(HasSubstr("1 TB"), HasSubstr("--max-memory")));
  const std::uint64_t before = largest_input();
  set_largest_input(10);
  std::filesystem::resize_file(name, 10);
  EXPECT_EQ(read_file(name).size(), 10U);
  std::filesystem::resize_file(name, 11);
  EXPECT_THAT(error_of([&] { (void)read_file(name); }), HasSubstr("11 bytes"));
  set_largest_input(before);
  EXPECT_EQ(read_file(name).size(), 11U);
}

}  // namespace
}  // namespace cutis
