// Operator tables on disk: header (magic, byte order, key, sizes), nodes, checksum. A cache: whatever is wrong with a
// file, the table can be built again.
#pragma once

#include <cstdint>
#include <string>

#include "compose/operator_table.h"

namespace cutis {

enum class TableFile { good, absent, damaged };

[[nodiscard]] std::string table_file_name(const std::string& folder, std::uint64_t key);
/// Leaves `table` alone unless the file is good: complete, of this key, with the right checksum.
[[nodiscard]] TableFile read_table(const std::string& file, std::uint64_t key, OperatorTable& table);
/// Makes the folder when needed; complete or absent. False when the system refuses.
[[nodiscard]] bool write_table(const std::string& file, std::uint64_t key, const OperatorTable& table);

}  // namespace cutis
