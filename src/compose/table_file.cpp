#include "compose/table_file.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "cutis/error.h"

namespace cutis {
namespace {

struct Header {
  char magic[8] = {'C', 'U', 'T', 'I', 'S', 'O', 'P', '1'};
  std::uint64_t key = 0;
  std::uint32_t byte_order = 0x01020304;
  std::uint32_t side = 0, slices = 0, node_bytes = sizeof(OperatorNode);
};
static_assert(sizeof(Header) == 32);

Header header_of(std::uint64_t key, int side, int slices) {
  Header header;
  header.key = key;
  header.side = static_cast<std::uint32_t>(side);
  header.slices = static_cast<std::uint32_t>(slices);
  return header;
}

std::uint64_t checksum(const Header& header, const std::vector<OperatorNode>& nodes) {
  return hash_bytes(nodes.data(), nodes.size() * sizeof(OperatorNode), hash_bytes(&header, sizeof header));
}

}  // namespace

std::string table_file_name(const std::string& folder, std::uint64_t key) {
  return (std::filesystem::path(folder) / fmt::format("operator-{:016x}.bin", key)).string();
}

TableFile read_table(const std::string& file, std::uint64_t key, OperatorTable& table) {
  namespace fs = std::filesystem;
  std::error_code refused;
  const fs::file_status status = fs::status(file, refused);
  if (!fs::exists(status)) return TableFile::absent;
  if (!fs::is_regular_file(status)) return TableFile::damaged;
  // The key fixes the sizes, and so the whole header: no number of the file is believed.
  const Header expected = header_of(key, kTableCells + 1, kTableSlices);
  OperatorTable read{kTableCells + 1, kTableSlices, {}};
  read.nodes.resize(static_cast<std::size_t>(read.side * read.side * read.slices));
  const std::size_t bytes = read.nodes.size() * sizeof(OperatorNode);
  std::uint64_t sum = 0;
  if (fs::file_size(file, refused) != sizeof(Header) + bytes + sizeof sum || refused) return TableFile::damaged;
  Header header;
  // Not a stream: this is in what browsers load, and streams bring all locales with them.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"), &std::fclose);
  const auto whole = [&](void* to, std::size_t size) { return in && std::fread(to, 1, size, in.get()) == size; };
  if (!whole(&header, sizeof header) || !whole(read.nodes.data(), bytes) || !whole(&sum, sizeof sum) ||
      std::memcmp(&header, &expected, sizeof header) != 0 || sum != checksum(header, read.nodes))
    return TableFile::damaged;
  table = std::move(read);
  return TableFile::good;
}

bool write_table(const std::string& file, std::uint64_t key, const OperatorTable& table) {
  std::error_code refused;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), refused);
  // create_directories reports nothing for a folder that is there; what matters is whether the file can be written.
  try {
    const Header header = header_of(key, table.side, table.slices);
    const std::uint64_t sum = checksum(header, table.nodes);
    AtomicFile out(file);
    out.write(&header, sizeof header);
    out.write(table.nodes.data(), table.nodes.size() * sizeof(OperatorNode));
    out.write(&sum, sizeof sum);
    out.commit();
    return true;
  } catch (const Error&) {
    return false;  // the caller reports it: a cache may be read-only
  }
}

}  // namespace cutis
