#include "io/sequence.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace cutis {

std::string sequence_name(const std::string& file, std::size_t index, std::size_t count) {
  const std::filesystem::path path(file);
  const std::size_t digits = std::max<std::size_t>(4, fmt::formatted_size("{}", count));
  const std::string name = fmt::format("{}_{:0{}}{}", path.stem().string(), index, digits, path.extension().string());
  return (path.parent_path() / name).string();
}

}  // namespace cutis
