// What a glTF `uri` may hold: embedded base64 data, or a file beside the glTF file and never outside its folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cutis::gltf {

struct UriContent {
  std::vector<std::byte> bytes;
  std::string mime_type;  ///< of a data URI; empty for files
};

/// Throws Error(place, sentence) when the data is not base64, the path leaves `folder` (absolute, "..", URL-encoded,
/// through a symbolic link) or the file cannot be read. An empty `folder` allows embedded data only.
[[nodiscard]] UriContent read_uri(std::string_view uri, const std::string& folder, const std::string& place);

/// A whole file. Throws Error when it is missing, a folder, a device, or the system refuses.
[[nodiscard]] std::vector<std::byte> read_whole_file(const std::filesystem::path& path, const std::string& place);

}  // namespace cutis::gltf
