// A character fitted to a scan of a body or a hand: pose, bone lengths, thickness, then its skin.
//
//   const ScanFit fit = register_scan(character, load_scan("scan.ply", context), {}, {}, context);
//   write_character("fitted.glb", fit.character, context);   // clip "scan" stands as the scan does
//
// Mathematics: docs/algorithms/register.md.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/option_rows.h"
#include "cutis/scan.h"

namespace cutis {

/// Where a joint is in the scan, about: within the body, or on its skin near the joint.
struct ScanLandmark {
  std::string name;  ///< of a joint, or what it is ("left hand"); with ":end" the end of its bone (a fingertip)
  Vec3d position;    ///< in the scan's unit and axes
};

/// {"NAME": [x, y, z], ...}. Throws Error(bad_file) that names the place.
[[nodiscard]] std::vector<ScanLandmark> load_landmarks(const std::string& file);
/// The same of text; `file` stands for it in messages.
[[nodiscard]] std::vector<ScanLandmark> landmarks_from_json(std::string_view text, const std::string& file);

enum class ScanAxis { x, y, z };

struct RegisterOptions {
  std::optional<double> unit = {};  ///< metres a unit of the scan; none: the usual one that is nearest to the character
  std::optional<ScanAxis> up = {};  ///< the scan's vertical axis; none: found
  bool floor = true;                ///< planes that everything stands on or before (floor, table, wall) are left out
  int points = 30000;               ///< of the scan are looked at, at most; the others are thinned out evenly
  bool layer = true;                ///< the skin itself moves to the scan; off: bones and their thickness alone
  /// How far the skin smooths what it takes over from the scan, in the end; in sizes of the character.
  double smoothing = 0.004;
  int candidates = 3;   ///< coarse poses that are fitted to the end; the best one is kept
  bool anyway = false;  ///< a fit that is no good is given back too, instead of an error
};

/// Distances, metres.
struct ScanDistance {
  double mean = 0, p95 = 0, largest = 0;
  std::size_t count = 0;
};

struct ScanFit {
  /// The fitted character: bones, skin at rest, weights and clips as before, and the clip "scan": the pose of the scan.
  Character character;
  std::vector<Vec3f> skin;           ///< all vertices in that pose, by linear blending
  std::vector<float> skin_distance;  ///< of each from the scan, metres; NaN: the scan does not show it

  // The scan as it was looked at: metres, +Y up.
  std::vector<Vec3f> points, normals;
  std::vector<float> distance;  ///< of each point from the skin, metres

  double unit = 1;                         ///< metres a unit of the scan
  char up = 'y';                           ///< its vertical axis
  double size = 1;                         ///< of the fitted character, times the given one
  std::size_t scan_points = 0;             ///< of the file
  std::size_t planes = 0;                  ///< floors, tables, walls
  std::size_t plane_points = 0;            ///< in them
  std::size_t stray_points = 0;            ///< far from the others
  std::size_t hidden_points = 0;           ///< behind others from everywhere: inside of mouths, under clothes
  std::size_t beside_points = 0;           ///< in pieces that stand beside the body: a stool, a ball
  bool oriented = true;                    ///< normals are known to point outwards
  ScanDistance to_skin;                    ///< from the scan's points that belong to the body
  ScanDistance to_scan;                    ///< from the vertices that the scan shows
  ScanDistance before_layer;               ///< to_skin with bones and thickness alone
  double explained = 0;                    ///< share of the points that are within reach of the skin: the body
  double covered = 0;                      ///< share of the character's surface that the scan shows
  std::vector<std::string> bones;          ///< names of driven joints
  std::vector<double> lengths, thickness;  ///< of each bone, times `size`
  double oddness = 0;  ///< of pose and proportions: squared standard deviations from what is usual, a bone
  bool good = true;
  std::string fault;  ///< why it is not
};

/// Throws Error(bad_argument) with a scan that no body can be found in, landmarks that the character does not have, or
/// (unless `anyway`) a fit that is no good; Error(bad_character) without weights or bones.
[[nodiscard]] ScanFit register_scan(const Character& character, const Scan& scan,
                                    std::span<const ScanLandmark> landmarks, const RegisterOptions& options,
                                    const Context& context);

template <>
[[nodiscard]] std::span<const OptionRow<RegisterOptions>> option_rows();

}  // namespace cutis
