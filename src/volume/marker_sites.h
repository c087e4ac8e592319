// Anatomical places on a character, by the names of the marker sets that use them (marker_sets.h).
#pragma once

#include <map>
#include <string>

#include "cutis/marker_solver.h"
#include "volume/driven_skeleton.h"

namespace cutis {

/// Site to place. Sided ones begin with L or R. The 39 of Plug-in Gait have its names; beyond them: HTOP HFRT HBCK HSD
/// head; T2 T7 L1 L3 L5 spine; BAK back; SACR ILC TRO pelvis; SHB shoulder from behind; ELM elbow, inner side; HND HM2
/// HM5 back of the hand, knuckles; Fij finger i (thumb 0), joint j, tip 4; THF thigh, front; KNM knee, inner side; TTC
/// HFB SHN shin; ANM ankle, inner side; HEL HEM heel, outer and inner side; MT1 MT5 MTB metatarsals; HLX big toe.
using MarkerSites = std::map<std::string, MarkerPlace>;

/// What the roles of the joints let find; `marker` of each is the site's name.
[[nodiscard]] MarkerSites find_marker_sites(const Character& character, const DrivenSkeleton& skeleton);

}  // namespace cutis
