// Contact for any skinning method: makes the meshes of a clip, one after the other, free of intersections.
//
// The skin is followed from the last pose to the new one in sub-steps. Each proposes the method's own mesh plus the
// give of the skin, that is, how far contact holds it off the method's mesh, carried along, spread over its
// neighbourhood and fading where nothing holds it; the safe step makes it valid. See docs/algorithms/contact.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/work_meter.h"
#include "contact/safe_step.h"
#include "contact/swell.h"
#include "contact/unfold.h"
#include "cutis/character.h"
#include "cutis/frame.h"
#include "rig/rig.h"
#include "rig/skin_meeting.h"

namespace cutis {

struct ContactPassOptions {
  SafeStepOptions safe = {};
  double max_turn_degrees = 10;   ///< of a joint in one sub-step, in (0, 45]: larger turns tear skin before it gives
  double max_travel_edges = 1.5;  ///< of near parts against each other in one sub-step, in local edges, > 0
  int max_substeps = 8;           ///< of a frame whose joints turn by no more than that; others have as many more
  int most_substeps = 32;         ///< of any frame
  int max_halvings = 3;           ///< of a sub-step that leaves vertices behind
  double release_radii = 2;       ///< skin held off its place by so many radii of the thinner part, > 0, is let go …
  double release_stretch = 6;     ///< … when it is stretched by so much, > 1, or falls behind
  bool swell = true;              ///< flesh that contact presses in comes out around it
  double give_radii = 2;          ///< how far contact spreads over the skin, in radii of the part, >= 0
  bool shape = false;             ///< the method's skin is a shape that was given: stretched as it is meant to be
};

/// Where a contact pass stands.
struct ContactPassState {
  Pose pose;
  std::vector<Affine3d> motion;     ///< per part, posed from rest
  std::vector<Vec3f> mesh, wanted;  ///< welded vertices: the certified mesh, the method's
  std::vector<Vec3d> lift;          ///< per welded vertex: above `wanted`
  bool started = false;             ///< a pose was followed since the last restart
  std::vector<char> in_contact;     ///< per welded vertex
  int caught_steps = 0;
  struct Torn {
    std::array<std::uint32_t, 2> parts{};  ///< lower number first
    int steps = 0;                         ///< on end in which they tore each other's skin
  };
  std::vector<Torn> torn;  ///< pairs about to be let go, sorted
  SafeStepState safe;
  SwellState swell;
  UnfoldState unfold;
  int stops = 0;  ///< frames on end that took too much work
  int pause = 0;  ///< frames until the next attempt
};

/// Where contact lands, and what it does where skins are too deep in each other.
enum class Landing {
  at_pose,  ///< at the pose of a frame; nothing
  opened,   ///< at a pose near that, with the limbs apart; nothing. advance() goes on from there as to a first frame
  let_go    ///< at the pose of a frame; they are let go
};

/// As new, but for the memory of its lists.
void restart(ContactReport& report);

class ContactPass {
 public:
  /// Fills the positions of all input vertices at a pose. `frames`: of 1/30 s since the last; 0: this frame is far from
  /// the last one. Returns the bones whose skin went another way round on the way there: rig/wound_skin.h.
  using Skin =
      std::function<std::span<const std::uint32_t>(const Pose& pose, double frames, std::span<Vec3f> positions)>;

  /// The rig must have a skin (BindOptions::implicit_skin) and outlive this.
  ContactPass(const Rig& rig, const ContactPassOptions& options, const Context& context);
  ~ContactPass();
  ContactPass(ContactPass&&) noexcept;
  ContactPass& operator=(ContactPass&&) noexcept;

  /// From where the last call ended, at first from the rest pose, to `pose`. `positions`: out, all input vertices;
  /// `report`: out, its lists are used again. `away`: metres that the mesh will be shifted by.
  /// `asked`: the pose before it was relieved: skin is not shown stretched much more than smooth skinning has it there.
  /// False: the pose is none that skin can follow, or the meter stopped on the way (the skin stays where it got to, and
  /// the next call goes on from there); then ContactReport::limit says why, and `positions` are not touched.
  bool advance(const Pose& pose, const Skin& skin, std::span<Vec3f> positions, ContactReport& report,
               const Context& context, WorkMeter* meter = nullptr, double away = 0, const Pose* asked = nullptr);
  /// Whether the pose is one that skin can follow: bones are finite, neither flat nor mirrored nor blown up, and not
  /// endlessly far from each other.
  [[nodiscard]] bool follows(const Pose& pose);
  /// The skin where the last call got to, carried by the bones to where it was to go; all input vertices.
  void carry_on(std::span<Vec3f> positions, const Context& context);
  /// The method's skin where the last call was to go, all input vertices: taken back to smooth skinning where it is
  /// folded or torn and that is neither.
  void mend(std::span<Vec3f> positions, const Context& context);
  /// Starts anew at a pose, from the method's skin there (all input vertices) instead of from rest; what intersects a
  /// little is pressed apart. True: it was all that did, and `positions` are valid; advance() to the same pose lets
  /// them settle. False: what intersects was let go until it is apart, or nothing happened.
  bool land(const Pose& pose, std::span<Vec3f> positions, Landing how, const Context& context);
  /// Where skins met when land() failed last.
  [[nodiscard]] std::span<const SkinMeeting> met() const;
  /// The next call starts from rest.
  void restart();
  /// Where the next call starts: the pose that the last ones got to, or rest.
  [[nodiscard]] const Pose& pose() const;
  [[nodiscard]] bool at_rest() const;
  [[nodiscard]] ContactPassState save_state() const;
  /// Of this or another pass over the same rig.
  void restore_state(const ContactPassState& state);
  /// Turns the method's normals to fit the mesh that advance() returned.
  void bend_normals(std::span<Vec3f> normals, const Context& context);

  /// Contact in the mesh that advance() returned; all input vertices.
  void contact(std::vector<SkinContact>& out);

  [[nodiscard]] const SafeStep& safe_step() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
