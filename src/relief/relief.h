// Relief: small turns of joints for poses that drive bones deeper into each other than skin can give way.
//
// Skin can yield about its own thickness; when the animation puts the axis of one part inside another, no skin is right
// and contact can only squash it. Relief turns the joints that lead to such parts before the skin is solved: thin parts
// more than thick ones, preferably back on the way on which they came from rest, smooth in time, never farther than its
// cap, and says by how much. Bones keep their lengths.
//
// Poses that come one by one are followed as they come. Where the poses to come are known, plan() looks at all of them:
// turns begin before they are needed, and limbs that the motion takes through each other go around each other.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "cutis/types.h"
#include "rig/skin_meeting.h"

namespace cutis {

/// Depth that skin gives way by, in thicknesses (2 radii) of the thinner part.
inline constexpr double kReliefAllow = 0.2;
/// Turns that move skin by no more than this part of the radius are not worth a motion.
inline constexpr double kReliefStill = 0.02;
/// No joint turns by more, radians.
inline constexpr double kReliefTurn = 0.6;

struct ReliefParts {
  std::span<const Vec3f> rest;          ///< vertices at rest
  std::span<const std::uint32_t> part;  ///< per vertex; at or beyond the number of parts: none
  std::span<const float> radius;        ///< per part, metres; 0: the part takes no part
  std::span<const int> parent;          ///< per part: the part it hangs on, a lower number, or -1
  std::span<const Vec3d> pivot;         ///< per part: its joint at rest
  std::span<const char> joined = {};    ///< parts x parts, not 0: one surface, never relieved; empty: none
};

struct ReliefOptions {
  double allow = kReliefAllow;    ///< depth left to the skin, in thicknesses (2 radii) of the thinner part, > 0
  double cap = 0.03;              ///< of what one joint moves, in sizes of the character, >= 0
  double fade = 0.9;              ///< what is left of last frame's turns when nothing needs them, in [0,1)
  double follow = 0.5;            ///< share of the way to the turns needed in a frame, twice over, in (0,1]; 1: at once
  int sweeps = 20;                ///< over all pairs of parts, >= 1
  std::size_t samples = 60;       ///< vertices of a part that are tried, >= 1
  std::size_t most_parts = 1024;  ///< the thickest; others are not moved apart, for pairs are all looked at
  double lead = 0.1;              ///< planned turns begin and end about so many seconds early and late, > 0
};

/// What one pose needed.
struct ReliefReport {
  struct Bone {
    std::uint32_t part = 0;
    Vec3d offset;  ///< of the middle of its skin, metres
  };
  struct Overlap {
    std::uint32_t thin = 0, thick = 0;
    double depth = 0;  ///< of the pose itself, metres
    double left = 0;   ///< after relief
    bool capped = false;
  };
  std::vector<Bone> bones;        ///< that were moved
  std::vector<Overlap> overlaps;  ///< pairs deeper than allowed in the pose itself
  double max_offset = 0;          ///< metres
};

/// What relief remembers from one pose to the next.
struct ReliefState {
  std::vector<Quatd> turn, behind, followed;  ///< per part
  bool following = false;
  std::vector<Vec3d> direction;  ///< of the last pose's pairs; 0: not deep
};

class Relief {
 public:
  /// Signed distance (negative inside) of a rest-space point from a part's surface, and its gradient; false where it is
  /// not known (far outside).
  using Distance = std::function<bool(std::size_t part, const Vec3d& p_rest, double& distance, Vec3d& gradient)>;

  Relief(const ReliefParts& parts, const ReliefOptions& options, Distance distance);

  /// Turns of all parts for these motions (posed from rest), following the last call's: each in the world as posed,
  /// about the part's joint, taking along what hangs on it.
  std::span<const Quatd> update(std::span<const Affine3d> motion);
  /// The same at a time of a plan: depends on nothing but the plan, the time and (for the report) the motions.
  std::span<const Quatd> update_planned(std::span<const Affine3d> motion, double time);
  /// For poses in the order of their times (seconds, ascending), as many motions as times. Empty: no plan any more.
  void plan(std::span<const std::vector<Affine3d>> motions, std::span<const double> times);
  [[nodiscard]] bool planned() const { return !plan_time_.empty(); }
  /// Turns that take limbs whose skins meet apart, by `far` radii of the thinner parts at least and out of each other's
  /// fields altogether: a pose near this one from which skin can close on it. Nothing is remembered, and report()
  /// stays.
  std::span<const Quatd> open(std::span<const Affine3d> motion, std::span<const SkinMeeting> meetings, double far);
  [[nodiscard]] const ReliefReport& report() const { return report_; }
  void restart();
  [[nodiscard]] ReliefState save_state() const { return {turn_, behind_, followed_, following_, direction_}; }
  void restore_state(const ReliefState& state);

 private:
  struct Pair {
    std::uint32_t thin = 0, thick = 0;
    double at_rest = 0;  // deep
    double allow = 0;    // beyond that
    double target = 0;   // depth that this pose is to have
    Vec3d way;           // world: the only way out, when planned; the depth is then along it
    std::size_t index = 0;
  };
  // Limbs are the parts below where the ways of two parts to the root meet.
  using Limbs = std::array<std::uint32_t, 2>;
  using Ways = std::map<Limbs, Vec3d>;  // in the frame of `meeting`
  struct Detour {
    Limbs limbs{};
    std::size_t begin = 0, end = 0;  // poses
    std::vector<Vec3d> ways;         // to try, the best first
    std::size_t trying = 0;          // all tried: none is any good
  };
  struct Depth {
    double deepest = 0;
    Vec3d direction;  // outward, world
    Vec3d at;         // world
  };
  struct Lever {
    std::uint32_t joint = 0;
    double side = 1;
    Vec3d turn;  // per unit of push
  };
  [[nodiscard]] Affine3d carry(std::size_t part, std::span<const Quatd> turns) const;
  [[nodiscard]] Depth depth(const Pair& pair, std::span<const Affine3d> motion, const Affine3d& carry_thin,
                            const Affine3d& carry_thick) const;
  void add_levers(std::uint32_t part, std::uint32_t other, double side, const Vec3d& at, const Vec3d& direction,
                  std::vector<Lever>& levers) const;
  bool push_apart(const Pair& pair, std::span<const Affine3d> motion);
  bool push(std::uint32_t thin, std::uint32_t thick, const Vec3d& at, const Vec3d& direction, double by);
  void clear_report();
  void find_deep_pairs(std::span<const Affine3d> motion, const Ways& ways);
  void find_axes(std::span<const Affine3d> motion);
  void prepare(std::span<const Affine3d> motion, const Ways& ways);
  void keep_off_fast_ones(std::span<const Affine3d> before, std::span<const Affine3d> now, double frames);
  void settle(std::span<const Affine3d> motion);
  void report_turns(std::span<const Affine3d> motion);
  [[nodiscard]] double way_out(const Pair& pair, std::span<const Affine3d> motion, const Affine3d& carry_thin,
                               const Affine3d& carry_thick, const Vec3d& way, Vec3d* at) const;
  [[nodiscard]] bool hangs_on(std::uint32_t part, std::uint32_t limb) const;
  [[nodiscard]] Limbs limbs_of(std::uint32_t a, std::uint32_t b, int& meeting) const;
  [[nodiscard]] std::vector<Detour> find_detours(std::span<const std::vector<Affine3d>> motions,
                                                 std::span<const double> times);
  void plan_with(std::span<const Detour> detours, std::span<const std::vector<Affine3d>> motions,
                 std::span<const double> times, std::span<const std::vector<double>> clocks);
  [[nodiscard]] std::vector<double> ways_gone(std::span<const Affine3d> before, std::span<const Affine3d> now) const;
  void hand_to_parents(std::span<double> most) const;
  [[nodiscard]] std::vector<std::vector<double>> part_clocks(std::span<const std::vector<Affine3d>> motions,
                                                             std::span<const double> times) const;
  [[nodiscard]] std::vector<double> fast_ways(std::span<const Affine3d> before, std::span<const Affine3d> now) const;
  void turn_fast_ones(std::span<const Ways> ways, std::span<const std::vector<Affine3d>> motions,
                      std::span<const double> times);
  [[nodiscard]] bool helps(const Detour& detour, std::span<const std::vector<Affine3d>> motions);
  // needed: per pose and part, not 0 where it must turn; clocks: per part and pose.
  void smooth_plan(std::span<const std::vector<char>> needed, std::span<const std::vector<double>> clocks);

  ReliefOptions options_;
  Distance distance_;
  std::vector<float> radius_;
  std::vector<int> parent_;
  std::vector<Vec3d> pivot_;
  std::vector<std::vector<Vec3d>> samples_;  // per part
  std::vector<Vec3d> center_;                // per part: of a sphere around its vertices
  std::vector<double> reach_;                // per part: of that sphere
  std::vector<double> span_;                 // per part: from its joint to the farthest skin that hangs on it
  std::vector<Pair> pairs_, deep_;
  double cap_ = 0, most_turn_ = 0;
  double clearance_ = 0;                   // beyond the surface, in radii of the thick part, on ways out
  std::vector<char> usable_;               // motions
  std::vector<Vec3d> posed_pivot_, axis_;  // per part; axis: of its turn from rest against its parent, or 0
  std::vector<Quatd> turn_;                // that the pose needs
  std::vector<Quatd> behind_, followed_;   // follow it, and follow that
  std::vector<Quatd> given_;               // without the smallest
  std::vector<Quatd> opened_;              // of open()
  bool following_ = false;
  std::vector<Vec3d> direction_;  // outward, world, per pair that is deep; 0: is not
  std::vector<double> plan_time_;
  std::vector<std::vector<Vec3d>> plan_turn_;  // per time and part: axis times angle
  ReliefReport report_;
  // Scratch.
  std::vector<Vec3d> posed_center_;
  std::vector<double> posed_reach_;
  std::vector<Quatd> rotation_;
  std::vector<Affine3d> carried_;
  std::vector<char> turned_;
  std::vector<Lever> levers_;
};

}  // namespace cutis
