// Characters and motions in, animations out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/builtin.h"
#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/look.h"
#include "cutis/option_rows.h"
#include "cutis/scan.h"
#include "cutis/skin_contact.h"
#include "cutis/take.h"

namespace cutis {

struct ReadOptions {
  bool ignore_weights = false;  ///< drop the file's weights unread (they may be broken)
  /// Meshes without a skin that hang on bones of a skinned character (a weapon, the head of a robot) come along, rigid,
  /// after the skinned ones; otherwise they are left out with a warning.
  bool attached = false;
};

/// Reads .glb .gltf .vrm .fbx .dae .obj .ply .off, or makes `builtin:NAME`. The result is validated.
/// Throws Error with one sentence: file, place, what to do.
[[nodiscard]] Character load_character(const std::string& file, const Context& context,
                                       const ReadOptions& options = {});

/// The same from memory, of a .glb, .gltf or .vrm; `name` stands for the file in messages. Files beside it are not
/// read.
[[nodiscard]] Character load_gltf(std::span<const std::byte> bytes, const std::string& name, const Context& context,
                                  const ReadOptions& options = {});

/// How each mesh is painted, by the materials of its file; white where it has none. Pictures live as long as the
/// character's appearance.
[[nodiscard]] std::vector<MeshLook> mesh_looks(const Character& character);

/// The skeleton and the clips of a character file, or of a .bvh: its joints as the offsets draw them (standing on the
/// ground when the root's offset is 0), in the file's unit, with its motion as a clip. The result has no meshes.
[[nodiscard]] Character load_skeleton(const std::string& file, const Context& context);

struct MotionOptions {
  /// JSON file {"character joint": "motion joint", ...}; empty: joints that are the same in both bodies, by the
  /// character's own map (VRM), by names and by the shape of the skeletons.
  std::string map_file;
  /// Of a file with several clips: its name or number; empty: the first that is longer than one key.
  std::string clip{};
};

/// Which joint of the character takes which of the motion.
struct MotionReport {
  struct JointPair {
    std::string joint, motion_joint;
    std::string role;       ///< "left upper arm"; empty: none that is known
    double confidence = 0;  ///< 0 to 1; 1: a map says so
  };
  std::vector<JointPair> joints;
};

/// Reads a motion and retargets it: a .bvh, a .vrma, or a clip of a .glb, .gltf, .vrm, .fbx or .dae, be it a character
/// or a skeleton without any mesh. Corresponding bones point in the same directions, the root's path is scaled by the
/// ratio of the leg lengths (hip heights). The clip is called as the file is, or as the clip that was asked for.
[[nodiscard]] Clip load_motion(const std::string& file, const Character& character, const Context& context,
                               const MotionOptions& options = {}, MotionReport* report = nullptr);

/// What is in a motion file, whatever character it is for.
struct MotionInfo {
  std::vector<std::string> joints;
  std::size_t frames = 0;
  double frame_seconds = 0;
};
[[nodiscard]] MotionInfo inspect_motion(const std::string& file, const Context& context);

// ---- takes of markers ----

struct TakeOptions {
  char up = 0;                      ///< 'x', 'y' or 'z'; 0: what the file says, else what is usual for its format
  std::optional<double> unit = {};  ///< metres a unit of the file; none: what the file says
};

/// Reads .c3d or .trc; .bvh gives the centres of its joints as points; .json gives the points of
///   {"rate": 30, "frames": [{"NAME": [x, y, z], ...}, ...]}, metres, +Y up.
/// Throws Error with one sentence: file, place, what to do.
[[nodiscard]] MarkerTake load_take(const std::string& file, const Context& context, const TakeOptions& options = {});
/// A take in JSON, as text; `file` stands for it in messages.
[[nodiscard]] MarkerTake take_from_json(std::string_view text, const std::string& file,
                                        const TakeOptions& options = {});

/// Whether load_take() reads files of that name as takes of markers (.c3d, .trc).
[[nodiscard]] bool is_take_file(std::string_view file);

// ---- scans ----

/// Reads a cloud of points or a mesh: .ply .obj, or the surface at rest of whatever load_character() reads. Points
/// that are no finite numbers are left out and counted. Throws Error with one sentence.
[[nodiscard]] Scan load_scan(const std::string& file, const Context& context);

// ---- frames ----

/// Positions of all vertices, frame after frame.
struct PointCache {
  std::size_t points = 0, samples = 0;
  std::vector<Vec3f> positions;  ///< points of the first sample, then of the next
  [[nodiscard]] std::span<const Vec3f> frame(std::size_t sample) const {
    return std::span(positions).subspan(sample * points, points);
  }
};
/// Reads a .pc2. Throws Error.
[[nodiscard]] PointCache load_point_cache(const std::string& file);

// ---- out ----

/// Shared facts of one output animation.
struct AnimationHeader {
  const Character* character = nullptr;  ///< topology, names, attributes, materials; outlives the writer
  std::string clip_name;
  std::vector<double> times;  ///< seconds, one per frame, from the clip's own clock
  /// Frames come with contact, and it is written as a vertex attribute: .glb .gltf .usda .ply.
  bool contact = false;
  /// Which frames of a longer shot `times` are; for .frames.
  struct Piece {
    std::uint64_t shot = 0;  ///< the same for all pieces of one shot, and no other
    std::size_t first = 0;
    std::size_t total = 0;  ///< frames of the shot; 0: these are all
  };
  Piece piece{};
};

/// Takes frames in order. Nothing exists under the final name until finish() returns; a writer that is
/// destroyed before that leaves no file behind.
class AnimationWriter {
 public:
  virtual ~AnimationWriter() = default;
  /// All vertices of all meshes, in the input's order; scene space.
  /// `contact`: as many, where the header says so.
  virtual void add_frame(std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                         std::span<const SkinContact> contact = {}) = 0;
  virtual void finish() = 0;
};

/// Extension decides: .glb .gltf .pc2 .mdd .usda .obj .ply (the last two: numbered files NAME_0000.obj …), .frames (a
/// piece of a shot, below). Throws Error(bad_argument) listing the extensions when it is none of them.
[[nodiscard]] std::unique_ptr<AnimationWriter> make_animation_writer(const std::string& file,
                                                                     const AnimationHeader& header,
                                                                     const Context& context);

/// The files that such a writer makes, of an animation of that many frames: one, or NAME.gltf and NAME.bin, or one a
/// frame.
[[nodiscard]] std::vector<std::string> animation_files(const std::string& file, std::size_t frames);

/// A piece of a shot, as a .frames file holds it (docs/formats.md): everything that an AnimationWriter takes, to the
/// bit.
class FramesFile {
 public:
  /// Opens it and checks its size against its counts, and the whole of it against its checksum. Throws Error.
  explicit FramesFile(const std::string& file);
  ~FramesFile();
  FramesFile(FramesFile&&) noexcept;
  FramesFile& operator=(FramesFile&&) = delete;

  [[nodiscard]] const std::string& character() const;   ///< the file that it was loaded from, or builtin:NAME
  [[nodiscard]] std::uint64_t character_hash() const;   ///< shape_hash() of that
  [[nodiscard]] const AnimationHeader& header() const;  ///< its `character` is null
  [[nodiscard]] std::size_t vertex_count() const;

  struct Frame {
    std::vector<Vec3f> positions, normals;
    std::vector<SkinContact> contact;  ///< empty where the header says so
  };
  /// Frame `i` of the piece. Throws Error.
  void read(std::size_t i, Frame& frame);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
/// Tells characters apart whose frames do not fit each other: rest positions and triangles of all meshes.
[[nodiscard]] std::uint64_t shape_hash(const Character& character);

/// One surface as a binary PLY: positions, normals (as many, or none), triangles. Throws Error.
void write_ply(const std::string& file, std::span<const Vec3f> positions, std::span<const Vec3f> normals,
               std::span<const Triangle> triangles);

/// Writes a skinned character as .glb or .gltf: skeleton, weights (sets of four), clips, materials. Positions are the
/// rest pose in scene space. Meshes without weights are written without a skin. A character read from a glTF file with
/// extensions of its own (VRM) is that file with other weights, as .vrm too; where that cannot be, a warning says what
/// is lost. Throws Error.
void write_character(const std::string& file, const Character& character, const Context& context);

template <>
[[nodiscard]] std::span<const OptionRow<ReadOptions>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<MotionOptions>> option_rows();
template <>
[[nodiscard]] std::span<const OptionRow<TakeOptions>> option_rows();

}  // namespace cutis
