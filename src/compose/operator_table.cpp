#include "compose/operator_table.h"

#include <cstdlib>
#include <filesystem>

#include "base/hash.h"
#include "base/parallel_for.h"
#include "compose/biharmonic.h"
#include "compose/table_file.h"
#include "cutis/error.h"

namespace cutis {
namespace {

constexpr std::uint32_t kMethodVersion = 1;  // raise when the solve changes its results

}  // namespace

OperatorTable build_table(const OperatorProfile& profile, bool monotone, const Context& context) {
  OperatorTable table;
  table.side = kTableCells + 1;
  table.slices = kTableSlices;
  const auto per_slice = static_cast<std::size_t>(table.side * table.side);
  table.nodes.resize(per_slice * static_cast<std::size_t>(table.slices));
  parallel_for(context, static_cast<std::size_t>(table.slices), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const double d = static_cast<double>(k) / (table.slices - 1);
      const Slice slice = solve_slice(profile_at(profile, d), {.cells = kTableCells, .monotone = monotone});
      for (std::size_t n = 0; n < per_slice; ++n) {
        const SliceNode& s = slice.nodes[n];
        table.nodes[k * per_slice + n] = {static_cast<float>(s.g), static_cast<float>(s.g1), static_cast<float>(s.g2),
                                          static_cast<float>(s.g12)};
      }
    }
  });
  return table;
}

std::uint64_t table_key(const OperatorProfile& profile, bool monotone) {
  const std::array<std::uint32_t, 4> head = {kMethodVersion, static_cast<std::uint32_t>(kTableCells),
                                             static_cast<std::uint32_t>(kTableSlices), monotone ? 1U : 0U};
  std::uint64_t hash = hash_bytes(head.data(), sizeof head);
  for (const ProfilePoint& p : profile.points) {
    // Without the sign of zero.
    const std::array<double, 2> values = {p.f1 + 0.0, p.f2 + 0.0};
    hash = hash_bytes(values.data(), sizeof values, hash);
  }
  return hash_bytes(&profile.contact_depth, sizeof profile.contact_depth, hash);
}

std::string default_cache_folder() {
  namespace fs = std::filesystem;
  // The base directory specification: a relative path is to be ignored.
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return (fs::path(cache) / "cutis").string();
  const char* home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return (fs::path(home) / ".cache" / "cutis").string();
  return {};
}

OperatorTable cached_table(const OperatorProfile& profile, bool monotone, const std::string& folder,
                           const Context& context, CacheUse& use) {
  use = CacheUse::none;
  if (folder.empty()) return build_table(profile, monotone, context);
  const std::uint64_t key = table_key(profile, monotone);
  const std::string file = table_file_name(folder, key);
  OperatorTable table;
  const TableFile state = read_table(file, key, table);
  if (state == TableFile::good) {
    use = CacheUse::found;
    return table;
  }
  table = build_table(profile, monotone, context);
  if (write_table(file, key, table))
    use = state == TableFile::damaged ? CacheUse::repaired : CacheUse::stored;
  else
    use = CacheUse::not_writable;
  return table;
}

}  // namespace cutis
