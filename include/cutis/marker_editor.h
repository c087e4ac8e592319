// Editing a body by hand: take hold of a marker, move it, pin others, undo; edits are keys in time, a layer over a
// take.
//
//   MarkerEditor editor(character, map, {}, context);     // handles: markers of the map, e.g. joints
//   editor.pin(hips); editor.pin(left_foot); editor.pin(right_foot);
//   editor.begin(left_hand, 0);
//   const MarkerFrame& frame = editor.move({0.3, 1.5, 0.2});  // as often as the mouse moves
//   editor.end();
//   editor.undo();
//
// Paper: Le Naour et al. 2018, figure 6. docs/algorithms/markers.md, "Editing".
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/marker_solver.h"

namespace cutis {

/// A marker moved away from where the take has it (without a take: from its place at rest, or in the pose that the
/// editor stands in), at a time.
struct EditKey {
  std::size_t marker = 0;  ///< in the order of the map
  double time = 0;         ///< seconds
  Vec3d offset;            ///< metres
};

/// Between two keys of a marker its offset goes smoothly from one to the other; before the first and after the last it
/// fades.
struct EditLayer {
  std::vector<EditKey> keys;   ///< by marker, then by time
  double blend_seconds = 0.5;  ///< over which edits fade in and out, positive

  /// The offset of a marker at a time, and in `weight` how much it is edited there, 0 to 1.
  [[nodiscard]] Vec3d offset(std::size_t marker, double time, double& weight) const;
};

/// {"blend_seconds": 0.5, "keys": [{"marker": "LFIN", "time": 1.2, "offset": [x, y, z]}, ...]}
[[nodiscard]] std::string to_json(const EditLayer& layer, const MarkerMap& map);
/// Throws Error naming the file and the entry.
[[nodiscard]] EditLayer load_edits(const std::string& file, const MarkerMap& map);
/// The same of text; `file` stands for it in messages.
[[nodiscard]] EditLayer edits_from_json(std::string_view text, const std::string& file, const MarkerMap& map);

/// A take with edits: edited markers are where the edits have them and count fully; the more is edited at a time, the
/// less markers that are not count there, down to a twentieth: they keep the body near the take, and give way.
[[nodiscard]] MarkerTargets with_edits(const MarkerTargets& take, const EditLayer& layer);

/// Joints of the body as handles, each a marker of its joint's name, in the order of the skeleton: all of them, or the
/// `most` that reach farthest (limbs and trunk before fingers).
[[nodiscard]] MarkerMap joint_handles(const Character& character, std::size_t most = 40);

class MarkerEditor {
 public:
  /// As MarkerSolver.
  MarkerEditor(const Character& character, const MarkerMap& map, const MarkerOptions& options, const Context& context);
  ~MarkerEditor();
  MarkerEditor(MarkerEditor&&) noexcept;
  MarkerEditor& operator=(MarkerEditor&&) noexcept;

  /// The body stands in this pose: edits, which are moves away from it, begin anew, and so do pins and undo(). Without
  /// a call it stands at rest. Throws Error(bad_argument) when there is a take, or the pose is not of the skeleton.
  const MarkerFrame& stand(const Pose& pose);

  /// The take under the edits, prepared with the same map. Without one, only pinned and edited markers hold the body.
  void set_take(MarkerTargets take);

  /// The body at a time, with the edits so far.
  const MarkerFrame& show(double time);

  /// Takes hold of a marker at a time. Throws Error(bad_argument) when one is held already, or there is no such marker.
  const MarkerFrame& begin(std::size_t marker, double time);
  /// Moves it there; throws Error(bad_argument) when none is held or the position is not finite. The frame's report
  /// tells when it cannot be reached (`unreached`).
  const MarkerFrame& move(const Vec3d& position);
  /// Lets go: the marker has a key at that time. A drag without a move() leaves nothing behind.
  const MarkerFrame& end();

  /// The marker stays where it is shown now (with a take: where the take and the edits have it) and counts fully.
  void pin(std::size_t marker);
  /// No longer pinned, and no longer edited.
  void release(std::size_t marker);
  [[nodiscard]] bool is_pinned(std::size_t marker) const;

  /// Takes back the last end(), pin() or release(); a drag that is going on is dropped. False: there is nothing left.
  bool undo();
  bool redo();

  /// Of the control mesh.
  [[nodiscard]] const ControlMeshInfo& info() const;
  [[nodiscard]] const EditLayer& layer() const;
  void set_layer(const EditLayer& layer);  ///< undo() takes it back
  /// The body as it was shown last.
  [[nodiscard]] const MarkerFrame& frame() const;
  /// Boundary of the control mesh as it is now, its tetrahedra, how far joints may turn, and where pins are, for
  /// pictures.
  void boundary(std::vector<Vec3f>& positions, std::vector<Triangle>& triangles) const;
  void control_mesh(std::vector<Vec3f>& positions, std::vector<std::array<std::uint32_t, 4>>& tetrahedra) const;
  [[nodiscard]] std::vector<JointRange> joint_ranges() const;
  [[nodiscard]] std::vector<Vec3d> pins() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutis
