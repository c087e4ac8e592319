// Materials, textures, samplers and images of a glTF file, carried for the writer. Nothing here stops a file from
// being read: what is broken is left out with a warning.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "cutis/context.h"
#include "io/appearance.h"
#include "io/gltf_read_json.h"

namespace cutis::gltf {

struct AppearanceSource {
  const Json& root;
  const std::string& name;
  const std::string& folder;  ///< empty: external images are not read
  std::function<std::span<const std::byte>(std::size_t view)> bytes_of_view;
};

/// Null when the file has no materials. Takes `budget` bytes at most for images, reduced by what was used.
[[nodiscard]] std::shared_ptr<const Appearance> read_appearance(const AppearanceSource& source, std::uint64_t& budget,
                                                                const Context& context);

}  // namespace cutis::gltf
