// What contact derives from a rig's rest pose: made once, shared by all its solvers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "contact/contact_surface.h"
#include "contact/strain_limit.h"
#include "contact/swell.h"
#include "contact/unfold.h"
#include "cutis/character.h"
#include "cutis/context.h"
#include "geometry/topology.h"
#include "rig/rig.h"

namespace cutis {

struct ContactRest {
  static constexpr std::string_view kRestName = "contact";

  ContactRest(const Rig& rig, const Context& context);
  [[nodiscard]] const Topology& topology() const { return whole ? *whole : surface->topology(); }

  std::vector<std::uint32_t> part;  ///< per welded vertex; the last part holds what no bone owns and stays put
  std::vector<float> radius;        ///< per part
  std::vector<char> rigid;          ///< per part: pieces of their own that its bone alone moves; they do not give way
  std::shared_ptr<const ContactSurface> surface;  ///< of the triangles that touch others
  std::optional<Topology> whole;                  ///< of all triangles, where some touch nothing
  std::shared_ptr<const SwellRest> swell;
  std::shared_ptr<const UnfoldRest> unfold;
  StrainRest strain;
  std::vector<float> edge_length;  ///< per edge of topology(): that counts for tearing
  Pose pose;                       ///< in which every bone is where it was bound
  std::vector<Box> box;            ///< per part
  std::vector<float> part_edge;    ///< per part: mean local edge
  double figure_size = 0;          ///< diagonal of the box around all
};

/// The length of an edge at rest that counts for tearing.
[[nodiscard]] float whole_edge(const RigSurface& surface, std::uint32_t v, std::uint32_t w);

[[nodiscard]] std::shared_ptr<const ContactRest> contact_rest(const Rig& rig, const Context& context);

}  // namespace cutis
