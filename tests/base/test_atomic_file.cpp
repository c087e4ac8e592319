#include "base/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
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

TEST(AtomicFile, RefusesFoldersAndDevicesBeforeItWrites) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { AtomicFile file(folder.path().string()); }), testing::HasSubstr("is a folder"));
  // Renamed over, a pipe or /dev/null would be gone.
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { write_file(pipe, "x"); }), testing::HasSubstr("not a regular file"));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(files_in(folder.path()), 1U);
}

/// Runs `work` in a child that then ends at once, without a destructor: as if it was killed.
pid_t in_a_killed_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    std::_Exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return child;
}

TEST(AtomicFile, RemovesWhatDeadProcessesLeftAndNothingElse) {
  const TemporaryFolder folder;
  in_a_killed_child([&] {
    auto* file = new AtomicFile(folder.file("a.bin"));  // NOLINT: the process ends with it
    file->write("half");
    auto* other = new AtomicFile(folder.file("b.bin"));  // NOLINT
    other->write("half");
  });
  ASSERT_EQ(files_in(folder.path()), 2U);
  const std::string stale = std::filesystem::directory_iterator(folder.path())->path();
  // Not ours: no number of a process, another machine's, a folder.
  std::ofstream(folder.file("a.bin.tmp")) << "a person's";
  std::ofstream(stale.substr(0, stale.rfind('-')) + "-00000000") << "another machine's";
  const std::string file_name = std::filesystem::path(stale).filename();
  std::filesystem::create_directory(folder.file("c" + file_name.substr(1)));
  write_file(folder.file("a.bin"), "whole");
  EXPECT_FALSE(std::filesystem::exists(stale));
  EXPECT_EQ(files_in(folder.path()), 4U);  // three that are not ours, and a.bin
}

TEST(AtomicFile, LeavesTheTemporaryFilesOfLivingProcessesAlone) {
  const TemporaryFolder folder;
  int ready[2], done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 0;
    AtomicFile file(folder.file("a.bin"));
    file.write("theirs");
    const bool told = ::write(ready[1], "x", 1) == 1 && ::read(done[0], &byte, 1) == 1;
    if (told) file.commit();
    std::_Exit(told ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  write_file(folder.file("a.bin"), "ours");
  EXPECT_EQ(files_in(folder.path()), 2U);
  ASSERT_EQ(::write(done[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(files_in(folder.path()), 1U);
  EXPECT_EQ(read_file(folder.file("a.bin")), "theirs");
  for (const int fd : {ready[0], ready[1], done[0], done[1]}) ::close(fd);
}

TEST(UnfinishedFiles, AreRemovedByTheirProcessAlone) {
  const TemporaryFolder folder;
  AtomicFile mine(folder.file("mine.bin"));
  {
    const AtomicFile dropped(folder.file("dropped.bin"));  // its place on the list is used again
  }
  const AtomicFile second(folder.file("second.bin"));
  in_a_killed_child([] { remove_unfinished_files(); });
  EXPECT_EQ(files_in(folder.path()), 2U);  // a child that is stopped does not take its parent's files
  in_a_killed_child([&] {
    auto* file = new AtomicFile(folder.file("a.bin"));  // NOLINT
    file->write("half");
    remove_unfinished_files();
  });
  EXPECT_EQ(files_in(folder.path()), 2U);
  write_file(folder.file("whole.bin"), "x");
  remove_unfinished_files();
  EXPECT_EQ(files_in(folder.path()), 1U);
  EXPECT_THAT(error_of([&] { mine.commit(); }), testing::HasSubstr("mine.bin"));
}

}  // namespace
}  // namespace cutis
