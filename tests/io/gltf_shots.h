// Looks for the tests of the glTF writer.
#pragma once

#include "io/writer_support.h"

namespace cutis::test {

/// Two materials for the shot's two meshes: "plain" (unlit), and "cloth" with a tiny PNG as base colour, a sampler and
/// a texture transform. Cloth also refers to an image whose file was missing.
void add_look(Shot& shot);

}  // namespace cutis::test
