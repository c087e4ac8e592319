// How a character looks, as its glTF file said it: carried from the reader to the glTF writer untouched.
#pragma once

#include "io/tinygltf.h"

namespace cutis {

struct Appearance {
  /// Only `materials`, `textures`, `samplers`, `images` and `extensionsUsed` (those that materials and textures need)
  /// are filled; indices among them are valid. An image holds its encoded file (PNG, JPEG, …) in `image`, with
  /// `as_is` true, `mimeType` set, `uri` empty and `bufferView` -1; an image whose file was missing has no bytes.
  tinygltf::Model model;
};

}  // namespace cutis
