#include "base/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "cutis/error.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using test::TemporaryFolder;

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator{}));
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder.file("a.bin"));
    file.write("hello world");
    file.write_at(0, "J", 1);
    EXPECT_FALSE(std::filesystem::exists(folder.file("a.bin")));
    file.commit();
  }
  std::ifstream in(folder.file("a.bin"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "Jello world");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, LeavesNothingBehindWithoutACommitAndKeepsTheOldFile) {
  const TemporaryFolder folder;
  write_file(folder.file("a.txt"), "old");
  {
    AtomicFile file(folder.file("a.txt"));
    file.write("new, half");
  }
  EXPECT_EQ(files_in(folder.path()), 1U);
  EXPECT_EQ(std::filesystem::file_size(folder.file("a.txt")), 3U);
}

TEST(AtomicFile, NamesAMissingFolder) {
  const std::string sentence = error_of([] { AtomicFile file("no/such/folder/a.bin"); });
  EXPECT_THAT(sentence, testing::HasSubstr("no/such/folder/a.bin"));
  EXPECT_THAT(sentence, testing::HasSubstr("folder"));
}

TEST(AtomicFile, ReportsAFullDiskAndLeavesNoHalfFile) {
  // A limit on the size of files stands in for a full disk; in a child process, for it cannot be taken back.
  const TemporaryFolder folder;
  const std::string path = folder.file("big.bin");
  const auto fill = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 20, 1 << 20};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(3);
    try {
      AtomicFile file(path);
      const std::string block(1 << 19, 'x');
      for (int i = 0; i < 4; ++i) file.write(block);
      file.commit();
    } catch (const Error& e) {
      std::_Exit(e.code() == ErrorCode::io ? 0 : 2);
    }
    std::_Exit(1);
  };
  EXPECT_EXIT(fill(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(files_in(folder.path()), 0U);
}

}  // namespace
}  // namespace cutis
