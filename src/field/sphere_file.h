// Hand-made sphere sets: JSON.
//
//   {"spheres": [{"joint": "wrist", "parent": null, "center": [x, y, z], "radius": r}, ...],
//    "blocks":  [{"bone": "wrist", "spheres": ["wrist", "thumb-metacarpal", "index-metacarpal"]}, ...]}
//
// Metres, rest space. A bone's blocks are those listed for it. A bone without any gets one bisphere from its own sphere
// to each sphere that names it as parent, or its sphere alone when none does; a file without "blocks" is thus complete.
#pragma once

#include <string>
#include <vector>

#include "field/spheres.h"

namespace cutis {

struct BoneSpheres {
  std::string bone;  ///< the joint's name
  SphereSet set;
};

/// In the file's order. Throws Error naming the file and the entry that is wrong. Other members are passed over.
[[nodiscard]] std::vector<BoneSpheres> load_sphere_sets(const std::string& path);
/// The same from text; `place` names it in errors.
[[nodiscard]] std::vector<BoneSpheres> parse_sphere_sets(const std::string& text, const std::string& place);

}  // namespace cutis
