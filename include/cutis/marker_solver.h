// Marker-driven animation: takes of marker positions in, the deformed character and its skeleton's poses out.
//
//   MarkerTake take = load_take("walk.c3d", context);  // cutis/io.h
//   MarkerMap map = fit_marker_map(character, default_marker_map(character, take, context), take, context);
//   MarkerTargets targets = prepare_targets(take, map, context);
//   MarkerSolver solver(character, map, {}, context);
//   for (std::size_t f = 0; f < targets.frames; ++f)
//     const MarkerFrame& frame = solver.solve(targets.frame(f), targets.frame_confidence(f));
//
// No weights are needed: the character is filled with tetrahedra around its skeleton, and these follow the markers as
// rigidly as they can. Paper: Le Naour et al. 2018. Mathematics: docs/algorithms/markers.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/option_rows.h"
#include "cutis/take.h"
#include "cutis/types.h"

namespace cutis {

// ---- where the markers are ----

/// One marker's place on a character: a vertex, or a bone with an offset.
struct MarkerPlace {
  std::string marker;        ///< name in the take, without the subject
  std::string bone;          ///< joint name; empty: `vertex`
  Vec3d offset;              ///< from the joint, metres, scene axes at the rest pose; may lie outside the mesh
  std::int64_t vertex = -1;  ///< over all meshes, in the input's order
  double weight = 1;         ///< how much it counts, in (0, 1]
};

struct MarkerMap {
  std::vector<MarkerPlace> places;
  double scale = 1;  ///< the character's metres a metre of the take
};

/// {"scale": 1, "markers": {"NAME": {"bone": "...", "offset": [x, y, z]} or {"vertex": 123}, ...}}.
[[nodiscard]] std::string to_json(const MarkerMap& map);
/// Throws Error naming the file and the entry: bones and vertices that are not there, names given twice.
[[nodiscard]] MarkerMap load_marker_map(const std::string& file, const Character& character);
/// The same of text; `file` stands for it in messages.
[[nodiscard]] MarkerMap marker_map_from_json(std::string_view text, const std::string& file,
                                             const Character& character);

/// How default_marker_map() found its places.
struct MarkerMapReport {
  std::string set;                    ///< "Plug-in Gait", "joints"; empty without names when it looks like none
  double score = 0;                   ///< 0 to 1: how well the set's names suit the take's
  bool by_names = true;               ///< false: found from the take itself
  std::vector<std::string> sites;     ///< anatomical site of each place; empty: on a bone, somewhere
  std::vector<std::string> left_out;  ///< markers of the take that have no place
  double rms = 0;                     ///< without names: of the markers from their sites, metres of the character
  /// Without names: markers strewn over a body would explain the take as well, or fewer than half of them
  /// are at sites of the body. It may have other proportions than the person; a warning says so.
  bool doubtful = false;
};

/// The usual place of every marker of the take that has one, on a skeleton with usual joint names. Its names are looked
/// up in the built-in sets (Plug-in Gait, CMU, Helen Hayes, IOR, Qualisys, OptiTrack, Rizzoli foot, hands): the one
/// that suits best is meant, the others help with names that it does not have. When the take holds joints, each is at
/// the joint of the same role. Names that tell nothing, or `use_names` false: places are found from the take itself,
/// which then has to show a body that moves. Tells by a warning which markers of the set are missing and what was left
/// out. Throws Error(bad_argument) when fewer than three fit.
[[nodiscard]] MarkerMap default_marker_map(const Character& character, const MarkerTake& take, const Context& context,
                                           MarkerMapReport* report = nullptr, bool use_names = true);
/// Titles of the built-in sets.
[[nodiscard]] std::vector<std::string> marker_set_titles();

/// Who is in a take: by the prefixes of names ("Anna:LFHD"), else by who stays together (names "1", "2", ...), largest
/// first.
struct TakeSubject {
  std::string name;
  std::vector<std::size_t> points;  ///< of the take
};
[[nodiscard]] std::vector<TakeSubject> find_subjects(const MarkerTake& take);
/// The take with that subject's points alone. Empty name: the largest; a warning names the others. Throws
/// Error(bad_argument) when there is no such subject.
[[nodiscard]] MarkerTake take_of_subject(const MarkerTake& take, const std::string& subject, const Context& context);
/// The take with those points alone, in that order.
[[nodiscard]] MarkerTake take_of_points(const MarkerTake& take, std::span<const std::size_t> points);

/// Turns a take whose names say that another axis is up (heads are above feet), and mirrors one whose left side is on
/// its right; tells by a warning. Takes whose names tell nothing stay as they are. Returns what positions were
/// multiplied by.
Mat3d mend_axes(MarkerTake& take, const Context& context);

struct MarkerFitReport {
  double scale = 1;
  double rms_before = 0;  ///< of the given places in the fitted pose, metres of the character
  std::size_t frame = 0;  ///< of the take that was fitted
  std::size_t markers = 0;
  Pose pose;  ///< of the character in that frame
};

/// Scales and poses the character to one frame of a take (a static trial: the one with most markers), then attaches
/// every marker to its bone where it falls. Throws Error when no frame shows three markers.
[[nodiscard]] MarkerMap fit_marker_map(const Character& character, const MarkerMap& map, const MarkerTake& take,
                                       const Context& context, MarkerFitReport* report = nullptr);

// ---- targets ----

struct TargetOptions {
  double fill_seconds = 0.6;    ///< gaps up to this are filled from the markers around them
  double blend_seconds = 0.15;  ///< confidence fades out and in over this at longer gaps
  double jump_speed = 15;       ///< metres a second; what moves faster is a jump or a swap
};

/// The take as the solver wants it: positions in the character's space, confidences in [0,1].
struct MarkerTargets {
  std::size_t frames = 0, markers = 0;
  double rate = 0;
  std::vector<Vec3d> positions;    ///< frame by frame; finite where the confidence is positive
  std::vector<double> confidence;  ///< 0: missing
  // What was found.
  std::size_t filled = 0, released = 0, jumps = 0, swapped = 0;  ///< marker-frames
  std::size_t empty_frames = 0;                                  ///< without any marker

  [[nodiscard]] std::span<const Vec3d> frame(std::size_t f) const { return {positions.data() + f * markers, markers}; }
  [[nodiscard]] std::span<const double> frame_confidence(std::size_t f) const {
    return {confidence.data() + f * markers, markers};
  }
};

/// In the order of map.places. Warns about places whose marker the take does not have.
[[nodiscard]] MarkerTargets prepare_targets(const MarkerTake& take, const MarkerMap& map, const Context& context,
                                            const TargetOptions& options = {});

/// The same at another rate, from the first frame on.
[[nodiscard]] MarkerTargets resample(const MarkerTargets& targets, double rate);

// ---- solver ----

enum class Embedding {
  tetrahedra,  ///< barycentric in each tetrahedron
  smooth,      ///< the same, with the cells' rotations blended: no creases
  green,       ///< Green coordinates of the boundary, with the stretch of its deformed faces
};
[[nodiscard]] std::string_view to_string(Embedding embedding);
[[nodiscard]] Embedding embedding_from_string(std::string_view name);

struct MarkerOptions {
  std::size_t resolution = 2000;     ///< vertices of the control mesh, about; 100 to 50000
  bool cage = true;                  ///< false: the character's own surface as control mesh
  double w_l = 1, w_u = 1, w_d = 1;  ///< cells, markers, skeleton: weights of the energies, positive
  bool limits = true;                ///< joint limits
  std::string limits_file = {};      ///< over the usual ones
  bool skeleton = true;              ///< false: no bones at all, for comparison
  bool start_from_pose = true;       ///< false: frames start from the last one as it is, as in the paper
  Embedding embedding = Embedding::smooth;
  bool keep_volume = true;  ///< parts that bending squeezes get thicker
  int max_iterations = 60;
  double tolerance = 2.5e-4;  ///< a frame is done when no vertex moves farther in a step, in sizes of the character
};

/// What the control mesh is like.
struct ControlMeshInfo {
  std::size_t vertices = 0, tetrahedra = 0, boundary_triangles = 0, skeleton_samples = 0;
  std::size_t slivers = 0;                 ///< left out
  std::size_t uncovered_vertices = 0;      ///< of the character, outside the boundary
  std::size_t boundary_intersections = 0;  ///< pairs of boundary triangles
  std::size_t raised_weights = 0;          ///< cotangents that were negative or huge
  double least_quality = 0, mean_edge = 0;
  double build_ms = 0, factor_ms = 0, embed_ms = 0;
};

/// A target that no pose within the limits reaches, or none that suits the other targets.
struct UnreachedTarget {
  std::size_t marker = 0;  ///< in the order of the map
  double distance = 0;     ///< of the nearest pose, metres
  std::string joint = {};  ///< whose limit keeps it away; empty: no limit does
  std::string limit = {};  ///< "flexion", "sideways" or "twist"
  double degrees = 0;      ///< where that limit is, from rest
};

/// A joint that has limits, for pictures: which way its bone points, and how far it may turn.
struct JointRange {
  struct Angle {
    double low = 0, high = 0, now = 0;  ///< radians from rest
    bool held = false;                  ///< stands at an end
  };
  int joint = -1;
  Vec3d at;                        ///< where the control mesh has it
  Vec3d along, hinge;              ///< its bone at rest and its bending axis, turned as its parent is; unit
  double length = 0;               ///< of its bone, metres
  Angle flexion, sideways, twist;  ///< about `hinge`, about `along` x `hinge`, about `along`
};

/// The columns of the paper's Table I, and more.
struct MarkerFrameReport {
  int iterations = 0;
  bool converged = false;
  double solve_ms = 0, embed_ms = 0;
  double rrms = 0;          ///< root mean square error of the cells' edges, relative
  double volume_error = 0;  ///< of the control mesh, relative, signed
  double mesh_volume_error =
      0;  ///< of the character's own mesh, as the paper's RE_V; 0 for meshes that enclose nothing
  double bone_length_error = 0;  ///< mean over the bones, relative
  double bone_length_worst = 0;
  double marker_rms = 0, marker_worst = 0;  ///< of the markers seen, metres
  std::size_t markers = 0;                  ///< seen
  std::size_t limited = 0;                  ///< joints held by their limits
  std::size_t repaired = 0;                 ///< tetrahedra that had turned over
  std::size_t flipped = 0;                  ///< that still are
  std::vector<double> moved = {};           ///< farthest way of any vertex, iteration by iteration, metres
  /// Farther than a centimetre on a person (0.004 of the character's size) from the pose, farthest first.
  std::vector<UnreachedTarget> unreached = {};
};

struct MarkerFrame {
  std::vector<Vec3f> positions, normals;  ///< all vertices of all meshes, in the input's order
  Pose pose;                              ///< of the character's skeleton, for other deformers
  std::vector<Vec3d> joints;              ///< where the control mesh has them, per joint; NaN for joints not driven
  std::vector<Vec3d> markers;             ///< where the control mesh has them, per place of the map
  MarkerFrameReport report;
};

class MarkerSolver {
 public:
  /// `character` is copied. Throws Error when it has no skeleton or no volume, or a place is not on it.
  MarkerSolver(const Character& character, const MarkerMap& map, const MarkerOptions& options, const Context& context);
  ~MarkerSolver();
  MarkerSolver(MarkerSolver&&) noexcept;
  MarkerSolver& operator=(MarkerSolver&&) noexcept;

  /// One position and one confidence a place of the map. Starts from the last frame. Frames without any marker keep the
  /// last shape. The reference is valid until the next call. Throws on spans of another length, and Error(cancelled)
  /// when the context says so (the next frame then starts from the rest pose); else never. Never returns a non-finite
  /// number.
  const MarkerFrame& solve(std::span<const Vec3d> targets, std::span<const double> confidence);
  /// As if the last frame had been this pose: few targets move the body out of it, and what they leave open stays near
  /// it, not near rest. Until reset(). Throws Error(bad_argument) when the pose is not of the character's skeleton.
  void stand(const Pose& pose);
  /// Back to the rest pose.
  void reset();

  [[nodiscard]] const ControlMeshInfo& info() const;
  /// Boundary of the control mesh as it is now, for pictures.
  void boundary(std::vector<Vec3f>& positions, std::vector<Triangle>& triangles) const;
  /// Its tetrahedra as they are now, four corners each, for pictures of the inside.
  void control_mesh(std::vector<Vec3f>& positions, std::vector<std::array<std::uint32_t, 4>>& tetrahedra) const;
  /// The joints that have limits, as they are now.
  [[nodiscard]] std::vector<JointRange> joint_ranges() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The usual joint limits of this character as JSON (degrees from rest), to edit and give back.
[[nodiscard]] std::string default_limits_json(const Character& character);

/// Poses at times as a clip: rotations of all driven joints, translations of the topmost.
[[nodiscard]] Clip clip_of_poses(const Character& character, std::span<const Pose> poses, double rate,
                                 const std::string& name);

template <>
[[nodiscard]] std::span<const OptionRow<TargetOptions>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<MarkerOptions>> option_rows();

}  // namespace cutis
