// Tables on disk: found again, never trusted, never in the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "compose/compose_support.h"
#include "compose/operator_table.h"
#include "compose/table_file.h"
#include "support/support.h"

namespace cutis {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

// One build for all: what is stored is what a build gives.
const OperatorTable& built() {
  static const OperatorTable table = build_table(contact_profile(), true, test::context());
  return table;
}
bool same(const OperatorTable& a, const OperatorTable& b) {
  return a.side == b.side && a.slices == b.slices && a.nodes.size() == b.nodes.size() &&
         std::memcmp(a.nodes.data(), b.nodes.data(), a.nodes.size() * sizeof(OperatorNode)) == 0;
}
OperatorTable cached(const std::string& folder, CacheUse& use) {
  return cached_table(contact_profile(), true, folder, test::context(), use);
}

TEST(TableCache, IsWrittenOnceAndReadTheNextTime) {
  const TemporaryFolder folder;
  const std::string cache = folder.file("new/cutis");
  CacheUse use{};
  EXPECT_TRUE(same(cached(cache, use), built()));
  EXPECT_EQ(use, CacheUse::stored);
  EXPECT_TRUE(same(cached(cache, use), built()));
  EXPECT_EQ(use, CacheUse::found);
  EXPECT_EQ(std::distance(fs::directory_iterator(cache), {}), 1);  // no temporary file stays
}

TEST(TableCache, MendsEveryKindOfDamage) {
  const TemporaryFolder folder;
  const std::uint64_t key = table_key(contact_profile(), true);
  const std::string file = table_file_name(folder.path().string(), key);
  ASSERT_TRUE(write_table(file, key, built()));
  std::ifstream in(file, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::string> bad = {"", "x", good.substr(0, good.size() - 1), good + "x", good.substr(0, 32)};
  for (const std::size_t at : {std::size_t{0}, std::size_t{8}, std::size_t{16}, std::size_t{20}, std::size_t{40},
                               good.size() / 2, good.size() - 1}) {
    bad.push_back(good);
    bad.back()[at] = static_cast<char>(bad.back()[at] ^ 0x10);
  }
  for (const std::string& bytes : bad) {
    std::ofstream(file, std::ios::binary) << bytes;
    OperatorTable table;
    EXPECT_EQ(read_table(file, key, table), TableFile::damaged);
    EXPECT_TRUE(table.nodes.empty());
  }
  CacheUse use{};
  EXPECT_TRUE(same(cached(folder.path().string(), use), built()));
  EXPECT_EQ(use, CacheUse::repaired);
  EXPECT_TRUE(same(cached(folder.path().string(), use), built()));
  EXPECT_EQ(use, CacheUse::found);
}

TEST(TableCache, TakesNoTableOfAnotherKey) {
  const TemporaryFolder folder;
  const std::uint64_t key = table_key(contact_profile(), true);
  const std::string file = table_file_name(folder.path().string(), key);
  ASSERT_TRUE(write_table(file, key + 1, built()));
  OperatorTable table;
  EXPECT_EQ(read_table(file, key, table), TableFile::damaged);
}

TEST(TableCache, IsDoneWithoutWhereTheFolderCannotBeWritten) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("file")) << "in the way";
  CacheUse use{};
  EXPECT_TRUE(same(cached(folder.file("file/cutis"), use), built()));
  EXPECT_EQ(use, CacheUse::not_writable);
  // A folder of the table's own name.
  const std::string taken = table_file_name(folder.path().string(), table_key(contact_profile(), true));
  fs::create_directory(taken);
  std::ofstream(taken + "/keep") << "x";
  EXPECT_TRUE(same(cached(folder.path().string(), use), built()));
  EXPECT_EQ(use, CacheUse::not_writable);
  EXPECT_TRUE(same(cached("", use), built()));
  EXPECT_EQ(use, CacheUse::none);
}

TEST(TableCache, KeyChangesWithWhatChangesTheTable) {
  const std::uint64_t key = table_key(contact_profile(), true);
  OperatorProfile other = contact_profile();
  other.name = "renamed";
  EXPECT_EQ(table_key(other, true), key);
  other.contact_depth = 0.5;
  EXPECT_NE(table_key(other, true), key);
  EXPECT_NE(table_key(bulge_profile(), true), key);
  EXPECT_NE(table_key(contact_profile(), false), key);
}

TEST(TableCache, LivesWhereTheEnvironmentSays) {
  const char* home = std::getenv("HOME");
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const std::string old_home = home == nullptr ? "" : home, old_cache = cache == nullptr ? "" : cache;
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(default_cache_folder(), "/somewhere/cutis");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/home/me", 1);
  EXPECT_EQ(default_cache_folder(), "/home/me/.cache/cutis");
  ::unsetenv("HOME");
  EXPECT_EQ(default_cache_folder(), "");
  if (home == nullptr)
    ::unsetenv("HOME");
  else
    ::setenv("HOME", old_home.c_str(), 1);
  if (cache == nullptr)
    ::unsetenv("XDG_CACHE_HOME");
  else
    ::setenv("XDG_CACHE_HOME", old_cache.c_str(), 1);
}

}  // namespace
}  // namespace cutis
