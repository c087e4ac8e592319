// What the sources of the contact pass share: contact_pass.cpp follows the skin from pose to pose, contact_give.cpp
// says how it gives way, contact_release.cpp what is let go, contact_show.cpp what is shown.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/dual_quat.h"
#include "base/math.h"
#include "contact/contact_pass.h"
#include "contact/contact_rest.h"
#include "contact/press_apart.h"
#include "contact/strain_limit.h"

namespace cutis {

/// Edges that are folded or torn, and how far the longest is stretched: as much is too much. Of torn ones of a coarse
/// mesh fewer are: such a share of its edges, but never fewer than the least.
struct BrokenBounds {
  std::uint32_t of_a_part, least_of_a_part;
  std::size_t in_all, least_in_all;
  double stretch;
  double far;         ///< longer than smooth by so many radii of its part
  bool folds = true;  ///< folded edges count
};

/// An edge by itself is torn for certain from there on where nothing else is stretched nearly as far, and always from
/// the bounds' own stretch on (BrokenBounds).
inline constexpr double kSurelyTorn = 5;
/// Of a look at all that intersects, per vertex; a body that touches itself takes some hundred.
inline constexpr std::uint64_t kLookWork = 4096;

struct ContactPass::Impl {
  const Rig& rig;
  ContactPassOptions options;
  std::shared_ptr<const ContactRest> shared;
  const std::vector<std::uint32_t>& part;  // ContactRest
  const std::vector<float>& radius;        // ContactRest
  const std::vector<char>& rigid;          // ContactRest
  const Topology& topology;                // of all triangles
  SafeStep safe;
  MeetingSearch meeting_search;
  PressApart press_apart;
  Swell swell;
  Unfold unfold;
  StrainLimit strain;
  const std::vector<Box>& box;          // per part, at rest
  const std::vector<float>& part_edge;  // per part: mean local edge
  double figure_size = 0;               // of the rest pose

  Pose pose;                     // where we are
  std::vector<Affine3d> motion;  // per part, posed from rest
  std::vector<Vec3f> mesh;       // valid
  std::vector<Vec3f> shown;      // that, drawn together where it is stretched too far
  std::vector<Vec3f> wanted;     // the method's, at the same pose
  std::vector<Vec3d> lift;       // above that: swelling
  // Of smooth skinning, per bone; signs agree along shared skin.
  struct Turns {
    std::vector<Quatd> rotation;
    std::vector<Mat3d> stretch;  // before the rotation
    std::vector<DualQuat<double>> rigid;
  };
  bool started = false;
  bool landed = false;                  // at a pose, and not yet followed from there
  bool opened = false;                  // that was not the frame's own
  std::vector<double> stiffness;        // per vertex: of its own place against its neighbours'
  std::vector<std::uint32_t> edges_of;  // per part
  std::vector<char> in_contact;
  int caught_steps = 0;
  using Torn = ContactPassState::Torn;
  std::vector<Torn> torn;

  // Scratch of a sub-step.
  std::vector<Vec3f> input, raw, next_wanted, proposed, reached_mesh;
  Turns turns;
  std::vector<Vec3d> next_lift, give, give_next, carried;
  std::vector<Affine3d> next_motion, delta;
  std::vector<char> moved, reached;
  std::vector<std::uint32_t> active;
  std::vector<Torn> still_torn;
  std::vector<Affine3d> world;                           // of joints
  std::vector<char> caught;                              // per part
  std::vector<std::uint32_t> broken_edges, vertices_of;  // per part: folded or torn here and not in the method's skin
  std::vector<std::uint32_t> torn_edges;                 // per part: those of them that are torn
  std::vector<double> lag;                            // per part, metres, of all its vertices; of rigid ones the most
  std::vector<Vec3f> plain, whole;                    // smooth skinning; the method's skin, repaired
  std::vector<Vec3f> unrepaired;                      // skin before an attempt to repair it
  std::vector<Vec3f> drawn_together;                  // what is shown, where that meets itself
  std::vector<char> broken;                           // per vertex: at such an edge
  std::vector<char> wound;                            // per vertex: of skin that was unwound
  std::vector<std::uint8_t> suspects;                 // per vertex: around which intersections are looked for
  std::vector<SkinMeeting> met;                       // when land() failed last
  std::vector<MeetingParts> first_meeting, left_out;  // before it was pressed apart
  std::vector<float> let_go;                          // per vertex, in [0,1]: how far it goes back to the method's
  std::vector<std::uint32_t> fringe, next_fringe;
  std::vector<Affine3d> first_motion;  // per part: when this frame began
  std::vector<Vec3f> first_give;       // per vertex: how far contact held it off its place then
  UnfoldState unfolded;
  Pose start, goal, here_pose;         // of a frame, and on the way
  std::vector<Affine3d> goal_motion;   // per part
  std::vector<Affine3d> asked_motion;  // per part, of the pose before it was relieved
  std::vector<Box> posed;              // per part, over the frame
  std::vector<char> differs, bent;     // per vertex
  std::vector<Vec3d> before, after;    // normals, per vertex
  TouchFade fade;
  struct Region {
    std::array<std::uint32_t, 2> parts;
    TouchingRegion region;
  };
  std::vector<Region> regions;
  bool prompt = false;   // this frame follows the last one closely
  bool closing = false;  // this frame is a first one, and comes from a pose with the limbs apart
  int stops = 0, pause = 0;
  double way_done = 0;              // in [0,1]: done of this frame
  WorkMeter* meter = nullptr;       // of this frame
  double away = 0;                  // metres that the mesh will be shifted by
  std::vector<std::uint32_t> by_x;  // parts
  [[nodiscard]] bool stopped() const { return meter != nullptr && meter->stopped(); }

  Impl(const Rig& r, const ContactPassOptions& o, const Context& context);

  /// How far contact holds a vertex off its place, metres; of swelling it may hold off what it likes.
  [[nodiscard]] double held_off(std::size_t v) const {
    const auto at = static_cast<Vec3d>(mesh[v]), place = static_cast<Vec3d>(wanted[v]);
    return std::min(distance(at, place), distance(at, place + lift[v]));
  }
  void restart();

  void motions_at(const Pose& at, std::vector<Affine3d>& out);
  [[nodiscard]] int substeps();
  [[nodiscard]] std::size_t most_tests() const;  // of a frame
  void set_goal(const Pose& at);
  [[nodiscard]] bool follows() const;  // goal_motion is one that skin can follow
  [[nodiscard]] bool lets_go(ContactReport& report);
  void stop(ContactReport& report);
  void propose(double rate, const Context& context);
  SafeStepReport make_safe(bool may_halve, ContactReport& report, const Context& context);
  void relax(const Context& context);
  void find_plain(const std::vector<Affine3d>& at, const Context& context);  // `plain`
  void turn_bones(const std::vector<Affine3d>& at, Turns& with) const;
  [[nodiscard]] Vec3d smooth_place(std::size_t v, const std::vector<Affine3d>& at, const Turns& with) const;
  [[nodiscard]] int bones_between(std::uint32_t a, std::uint32_t b) const;  // along the skeleton
  [[nodiscard]] double rest_edge(std::uint32_t v, std::uint32_t w) const;   // length that counts for tearing
  [[nodiscard]] double stretch(std::uint32_t v) const;                      // of the edges at v, the largest
  void release_passed(bool left_behind);
  [[nodiscard]] bool passed(std::uint32_t a, std::uint32_t b) const;  // the thinner part's bone is inside the thicker
  bool release_blocking(bool neighbours);
  bool find_broken(const std::vector<Vec3f>& skin, const std::vector<Vec3f>& target, const BrokenBounds& most);
  [[nodiscard]] double longest_stretch(const std::vector<Vec3f>& skin) const;
  void repair(std::vector<Vec3f>& skin, const std::vector<Vec3f>& target);
  void fade_broken(int attempt);
  void spread_fringe(int rings);
  void catch_up();
  std::size_t go_the_short_way(std::span<const std::uint32_t> unwound, const Context& context);
  void note_met();
  void suspect_moved(const std::vector<Vec3f>& from, const std::vector<Vec3f>& to);
  void rearm_parted(const Context& context);
  std::size_t keep_whole(const Context& context);
  void hold_again(const Context& context);
  std::size_t draw_together(std::vector<Vec3f>& skin, const Context& context);
  [[nodiscard]] bool is_worse_than_shape(const Context& context);
  void show(ContactReport& report, const Context& context);
  std::size_t free_caught(std::size_t substeps, const Context& context);
  bool substep(double t0, double t1, int halvings, const Skin& skin, ContactReport& report, const Context& context);
  bool settle(const Skin& skin, ContactReport& report, const Context& context);
  void report_regions(ContactReport& report);
};

}  // namespace cutis
