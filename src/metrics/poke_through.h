// Skin that shows through what lies over it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "character/welded_character.h"
#include "cutis/context.h"
#include "cutis/roles.h"
#include "metrics/posed_surface.h"

namespace cutis {

class PokeThrough {
 public:
  /// The welded character must outlive this.
  PokeThrough(const WeldedCharacter& welded, const Roles& roles, double size, const Context& context);

  struct Result {
    double share = 0;                  ///< of the garments' rest area, in [0,1]
    std::vector<std::uint8_t> vertex;  ///< per welded vertex: at a garment's triangle that skin has passed
  };
  /// Empty when the character has no garments.
  [[nodiscard]] std::optional<Result> measure(const PosedSurface& surface, const Context& context) const;

 private:
  [[nodiscard]] std::vector<std::uint8_t> find_outside(const PosedSurface& surface, const Context& context) const;

  const WeldedCharacter& welded_;
  double reach_ = 0;
  std::vector<std::uint32_t> garment_, skin_;  // triangles
  std::vector<float> outward_;                 // per garment triangle: 1 or -1, times its normal is away from the skin
  std::vector<double> area_;                   // per garment triangle, at rest
  double all_ = 0;                             // of what no skin had passed at rest
  std::vector<std::uint8_t> rest_;             // per point
};

}  // namespace cutis
