// The methods of skinning and their options: plain data. cutis/solve.h works with them.
#pragma once

#include <optional>
#include <string>

namespace cutis {

enum class Method {
  lbs,       ///< linear blend skinning
  dqs,       ///< dual quaternion skinning
  ddm,       ///< direct delta mush (Le and Lewis 2019): a peer to measure against
  implicit,  ///< lbs or dqs, corrected on the implicit skin: each frame by itself (Vaillant 2013, EPFL)
  tracking,  ///< the skin follows the moving fields (Vaillant et al. 2014)
};

/// How a vertex finds that it touches another part.
enum class ContactModel {
  own_side,  ///< it keeps to its own side of the surface where its part's field equals the other's
  composed,  ///< as in the papers: in the field of the rig's operators, where the gradient turns
};

/// Method::implicit.
struct ImplicitOptions {
  Method initial = Method::dqs;  ///< where the projection starts: lbs or dqs
  ContactModel contact = ContactModel::own_side;
  bool blend = false;                  ///< own_side: parts of a joint swell into each other on the inner side of a bend
  std::string controllers = "finger";  ///< blend: the preset whose opening curve is used, see controller_preset_names()
  double turn =
      0.9599310885968813;   ///< composed: turn of the gradient in a step that means contact, 0 to pi; 55 degrees
  int rounds = 4;           ///< of relaxation and projection, 0 to 100
  int inner = 6;            ///< own_side: conjugate gradient steps a relaxation, 1 to 1000
  int rings = 1;            ///< around what moves that are solved for too, 0 to 100
  int smoothing = 3;        ///< passes over the skin around contact, 0 to 100
  double tolerance = 1e-4;  ///< on |f - iso|, 1e-6 to 0.1
};

/// Where a frame of Method::tracking starts from.
enum class History {
  playback,   ///< the last frame, as in the paper
  stateless,  ///< smooth skinning, in one step: the frame depends on its pose alone; for seeking
  canonical,  ///< the rest pose, along a fixed path: the frame depends on its pose alone; for export
};

enum class Relaxation {
  conjugate_gradients,
  jacobi,  ///< as in the paper; many more steps for the same result
};

/// Method::tracking.
struct TrackingOptions {
  History history = History::playback;
  ContactModel contact = ContactModel::own_side;
  Relaxation relaxation = Relaxation::conjugate_gradients;
  double step = 0.0873;      ///< radians a joint may turn in a sub-step, (0, 1]; 5 degrees
  int canonical_steps = 16;  ///< least number of sub-steps from rest, 1 to 1000
  int halvings = 2;          ///< of a sub-step that leaves inverted triangles or misses its surface, 0 to 5
  int projections = 12;      ///< Newton steps at the start of a sub-step, 1 to 100
  int relaxations = 6;       ///< a sub-step, each followed by projection, 0 to 10000
  int inner = 20;            ///< conjugate gradient steps a relaxation, 1 to 1000
  int rings = 6;             ///< around what moves that are solved for too, 0 to 100
  int smoothing = 2;         ///< passes over the skin around contact, 0 to 100
};

struct SolveOptions {
  Method method = Method::tracking;
  ImplicitOptions implicit = {};
  TrackingOptions tracking = {};
  /// After any of them: makes every frame free of intersections, following the clip from the rest pose (bind() with
  /// BindOptions::implicit_skin). Empty: as with_contact() says. With History::canonical every frame is followed from
  /// rest by itself; with History::stateless there is no way to follow: bones are relieved, and nothing is certified.
  /// docs/algorithms/contact.md.
  std::optional<bool> contact_pass = {};
  /// With contact, and with Method::implicit: bones that the pose drives deeper into each other than skin can give way
  /// are moved apart (implicit: bent less), by at most this part of the character's size; 0: never. In [0, 0.2].
  double relief_cap = 0.03;
  /// With contact: flesh that is pressed in where skins touch comes out around it, and sharp folds are smoothed.
  bool swell = true;
  /// Milliseconds that a frame of tracking, or of any method with contact, may take, 0 to 1e9; 0: any. It is looked at
  /// between sub-steps and inside of contact. When it runs out the frame is the last skin, carried on by the bones, the
  /// report says so, and the next frame goes on from that skin. Then bits depend on the speed of the machine.
  double frame_budget_ms = 0;
};

}  // namespace cutis
