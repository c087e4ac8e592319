// A character, frozen into a Rig.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/option_rows.h"
#include "cutis/preset.h"
#include "cutis/rig_file.h"
#include "cutis/roles.h"

namespace cutis {

/// Weights that blend the bones' rotations into those that tracking's relaxation aims at, and its smooth skin.
enum class TurnWeights {
  skin,    ///< the character's own
  rigid,   ///< each vertex with its part
  smooth,  ///< spread from the parts over half a limb's thickness
};

struct BindOptions {
  bool implicit_skin = true;  ///< fields of the parts: needed by every method but lbs and dqs
  TurnWeights turn = TurnWeights::skin;
  Preset preset = {};
};

/// A point that the field of a part was fitted through, at rest.
struct FitPoint {
  enum class Kind : unsigned char {
    surface,  ///< of the character
    cap,      ///< closes the part beyond a joint
    tuck,     ///< keeps the field inside the character and filled
  };
  Vec3d position, normal;
  Kind kind = Kind::surface;
};

/// What became of one part.
struct PartReport {
  std::string joint;
  std::string shape;                      ///< "hrbf", "spheres", or "none": it owns no vertices
  std::string op, controller;             ///< with which it meets its parent's part
  std::size_t vertices = 0;               ///< welded, its own
  std::size_t samples = 0, caps = 0;      ///< of the fit
  std::vector<FitPoint> points;           ///< of the fit; none of spheres
  int attempts = 0;                       ///< fits tried
  double median = 0, p95 = 0, worst = 0;  ///< of its 0.5 surface to unseen points of the mesh, metres
  double radius = 0;                      ///< of the support, metres
  double coarse = 0;  ///< 0 to 1: how far it has no skin of its own to shape; shown nearer to smooth skinning
  double bulge = 0;   ///< most that its surface stands off the character, metres
  std::size_t stray_pieces = 0, voids = 0;               ///< second sheets and holes within the support
  std::size_t grid_nodes = 0;                            ///< of its field
  double grid_cell = 0, grid_error = 0, grid_bound = 0;  ///< metres; largest error of f, and what was asked for
  std::vector<std::string> remarks;                      ///< what is unusual about it
};

struct BindReport {
  double seconds = 0;
  std::size_t vertices = 0, welded_vertices = 0;
  std::size_t bytes = 0;          ///< of the rig
  std::size_t unreached = 0;      ///< welded vertices that no field reaches
  std::size_t islands = 0;        ///< stray patches that went to their neighbours' parts
  std::vector<PartReport> parts;  ///< one per bone; none without an implicit skin
  std::vector<Piece> pieces;      ///< of the surface, and what they were taken for; none without an implicit skin
  Preset preset;                  ///< all values in force, joint by joint: binds to the same rig
};

/// Freezes a character: welds, packs influences, cuts it into parts, fits their fields and composes them.
/// Throws Error when the character has no weights or is invalid, or when the preset does not fit it.
[[nodiscard]] std::shared_ptr<const Rig> bind(const Character& character, const Context& context,
                                              const BindOptions& options = {});
[[nodiscard]] std::shared_ptr<const Rig> bind(const Character& character, const Context& context,
                                              const BindOptions& options, BindReport& report);

/// The rig that bind() makes, to the bit, of a character that was bound before: with `before`, to `rig`; `report` (in
/// and out) is that binding's. Where the options differ in nothing but operators, controllers, profiles, regions and
/// targets, the fields are kept, which take the time: for what a person changes and wants to see.
[[nodiscard]] std::shared_ptr<const Rig> bind_again(const Character& character, const Context& context,
                                                    const BindOptions& options, const std::shared_ptr<const Rig>& rig,
                                                    const BindOptions& before, BindReport& report);

template <>
[[nodiscard]] std::span<const OptionRow<BindOptions>> option_rows();

}  // namespace cutis
