// What rides on the body: garments, hair, eyes and props, bound to the skin below them or to a bone.
#pragma once

#include <vector>

#include "character/welded_character.h"
#include "cutis/character.h"
#include "cutis/roles.h"
#include "rig/rig.h"

namespace cutis {

/// The character without the vertices of its riders; `kept`: the input vertex of each of its own.
struct BodyCharacter {
  Character character;
  std::vector<std::uint32_t> kept;
};
/// Throws Error(bad_argument) when no piece is body.
[[nodiscard]] BodyCharacter take_body(const Character& character, const Roles& roles);

/// Makes rig.layers from the whole character. The rig's surface, made of the body alone, is numbered by the body's
/// input vertices before, by the character's after; its triangles, neighbours and positions must be there.
void make_layers(const Character& character, const WeldedCharacter& welded, const Roles& roles,
                 const BodyCharacter& body, const std::vector<int>& bone_of, Rig& rig);

}  // namespace cutis
