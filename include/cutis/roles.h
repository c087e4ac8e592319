// What the pieces of a character are: skin, clothes over it, hair, eyes and teeth, things that a bone carries. Found
// from shape and weights alone; docs/algorithms/layers.md says how, and what follows from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/character.h"

namespace cutis {

enum class PieceRole : std::uint8_t {
  body,     ///< skin: fields are fitted to it, it is tracked and touches; all that is nothing else
  garment,  ///< lies over the body: rides on the skin below, which never shows through it
  hair,     ///< cards: open sheets over the body; follows its bone, or the skin below
  inner,    ///< eyes, teeth: inside the body; follows its bone
  rigid,    ///< one bone carries all of it, or the same bones all of it alike: a helmet, a buckle
};
inline constexpr std::size_t kRoles = 5;

[[nodiscard]] std::string_view to_string(PieceRole role);
/// Throws Error(bad_argument) that lists the roles.
[[nodiscard]] PieceRole piece_role_from_string(std::string_view name, const std::string& place = {});

/// A connected piece of the surface; vertices at one place are one, whatever their weights.
struct Piece {
  PieceRole role = PieceRole::body;
  bool chosen = false;       ///< a RoleChoice said so
  std::string mesh;          ///< the first that it has triangles of
  std::size_t vertices = 0;  ///< at different places
  std::size_t triangles = 0;
  double area = 0;              ///< square metres
  bool open = false;            ///< has a border
  int joint = -1;               ///< the joint that owns all of it; -1: several do
  bool stiff = false;           ///< all of it has the same weights
  double over = 0, inside = 0;  ///< shares of its area close above, and inside, larger pieces
};

struct Roles {
  std::vector<Piece> pieces;         ///< in the order of their first vertices
  std::vector<std::uint32_t> piece;  ///< per vertex of all meshes, in the input's order
};

/// What a person says some pieces are; part of a Preset. Where choices overlap the last one holds.
struct RoleChoice {
  std::string name;
  std::vector<std::uint32_t> pieces = {};  ///< as `cutis info` numbers them
  std::vector<std::string> meshes = {};    ///< all pieces of these meshes; neither: all pieces
  PieceRole role = PieceRole::body;

  friend bool operator==(const RoleChoice&, const RoleChoice&) = default;
};

/// Throws Error(bad_argument) on a choice that names a piece or a mesh that there is not. A character without weights
/// is body altogether, unless a choice says otherwise.
[[nodiscard]] Roles find_roles(const Character& character, std::span<const RoleChoice> choices = {});

}  // namespace cutis
