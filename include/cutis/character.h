// A character: meshes, skeleton, weights, clips. Editable; `bind()` freezes it into a Rig.
//
// Everything is in scene space at the rest pose, the pose in which the skin was bound: whatever
// transforms a file has around its mesh are applied by the reader once, so that
//   p_posed = sum_i w_i * world_from_joint(pose)[i] * inverse(skeleton.joints[i].world_from_rest) * p_rest
// is all that linear blend skinning needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cutis/context.h"
#include "cutis/types.h"

namespace cutis {

/// A node of the skeleton. Parents come before their children.
struct Joint {
  std::string name;
  int parent = -1;
  /// Local transform of the file's default pose (what unanimated joints keep).
  Trsd local;
  /// Constant factor right of `local`, for node matrices that no TRS can express (shear); usually absent.
  std::optional<Affine3d> local_residual;
  /// Scene-space frame of this joint at the rest (bind) pose.
  Affine3d world_from_rest;
  /// Whether a skin uses it. Other nodes (armature, helpers between joints) only carry transforms.
  bool is_bone = false;
  /// A second skin that binds the same joint in another rest frame gets a joint of its own that
  /// follows this one; -1 otherwise.
  int alias_of = -1;
  /// The file's own word for what it is in a human body, as VRM has them ("leftUpperArm"); usually empty.
  std::string humanoid;
};

struct Skeleton {
  std::vector<Joint> joints;

  [[nodiscard]] int find(std::string_view name) const;  ///< -1 when there is none
};

/// Influences of all vertices of a mesh, row by row; each row's weights are in (0,1] and sum to 1,
/// largest first.
struct Weights {
  std::vector<std::uint32_t> row_begin;  ///< vertices + 1 entries; empty: the mesh has no weights
  std::vector<std::uint32_t> joint;      ///< index into Skeleton::joints
  std::vector<float> weight;

  [[nodiscard]] bool empty() const { return row_begin.empty(); }
  [[nodiscard]] std::size_t rows() const { return row_begin.empty() ? 0 : row_begin.size() - 1; }
  [[nodiscard]] int max_influences() const;
};

/// A vertex attribute that is carried to the output untouched (TEXCOORD_n, COLOR_n).
struct VertexAttribute {
  std::string name;
  int components = 0;
  std::vector<float> values;
};

/// One drawable piece: in glTF, one primitive of one node.
struct Mesh {
  std::string name;
  std::vector<Vec3f> positions;  ///< scene space, rest pose
  std::vector<Vec3f> normals;    ///< unit; computed by the reader when the file has none
  std::vector<Triangle> triangles;
  std::vector<VertexAttribute> attributes;
  Weights weights;
  int material = -1;  ///< index into the appearance's materials
  bool had_normals = false;
  bool attached = false;  ///< it has no skin in its file: its weights are those of the bone that it hangs on
};

enum class Interpolation { step, linear, cubic_spline };
enum class ChannelPath { translation, rotation, scale };

/// Keys of one property of one joint. Values are 3 (or 4 for rotation: x y z w) numbers per key;
/// with cubic_spline three times that: in-tangent, value, out-tangent.
struct Channel {
  int joint = -1;
  ChannelPath path = ChannelPath::translation;
  Interpolation interpolation = Interpolation::linear;
  std::vector<float> times;  ///< seconds, increasing
  std::vector<float> values;
};

struct Clip {
  std::string name;
  std::vector<Channel> channels;

  [[nodiscard]] double start() const;  ///< first key of any channel
  [[nodiscard]] double end() const;    ///< last key of any channel
};

struct GltfSource;  // the file it came from, where that says more than a character; src/io/gltf_source.h
struct Appearance;  // materials, textures, images as the file had them; src/io/appearance.h

struct Character {
  std::string source;  ///< the file or builtin name, for messages
  std::vector<Mesh> meshes;
  Skeleton skeleton;
  std::vector<Clip> clips;
  std::shared_ptr<const Appearance> appearance;
  std::shared_ptr<const GltfSource> document;

  [[nodiscard]] std::size_t vertex_count() const;
  [[nodiscard]] std::size_t triangle_count() const;
  [[nodiscard]] bool has_weights() const;  ///< every mesh has them
  [[nodiscard]] Box bounds() const;        ///< of the rest positions
  /// Clip by name, by number ("0"), or the first when `name` is empty. Throws Error naming the clips there are.
  [[nodiscard]] const Clip& clip(std::string_view name) const;
};

/// Throws Error naming the file, mesh, vertex or bone of the first thing that makes the character unusable:
/// non-finite numbers, indices out of range, weights that sum to 0, joints out of order, empty meshes.
void validate(const Character& character);

/// Local transforms of all joints at one moment.
struct Pose {
  std::vector<Trsd> local;
  double time = 0;  ///< seconds: for what is key-framed besides the skeleton (SkinTarget); sample() sets it
};

/// The default pose of the file (unanimated).
[[nodiscard]] Pose default_pose(const Skeleton& skeleton);
/// The pose of `clip` at `time`, clamped to each channel's first and last key.
[[nodiscard]] Pose sample(const Skeleton& skeleton, const Clip& clip, double time);
/// Scene-space frames of all joints.
[[nodiscard]] std::vector<Affine3d> world_from_joint(const Skeleton& skeleton, const Pose& pose);
/// Into a list that is kept from frame to frame.
void world_from_joint(const Skeleton& skeleton, const Pose& pose, std::vector<Affine3d>& world);

/// `frames` > 0: that many times, evenly from the first to the last key, both included.
/// Otherwise every 1/fps from the first key on, not past the last. A clip without duration is held: `frames` times
/// 1/fps apart, or one. Throws Error(bad_argument) for rates that are not above 0 and finite, and beyond 1e7 times.
[[nodiscard]] std::vector<double> sample_times(const Clip& clip, int frames, double fps);

/// What `cutis info` shows. Counts are over the welded mesh of the whole character.
struct CharacterInfo {
  struct MeshInfo {
    std::string name;
    std::size_t vertices = 0, triangles = 0;
    int max_influences = 0;
    bool had_normals = false, has_uvs = false;
  };
  struct ClipInfo {
    std::string name;
    double seconds = 0;
    std::size_t channels = 0, keys = 0;
  };
  std::vector<MeshInfo> meshes;
  std::vector<ClipInfo> clips;
  std::vector<std::string> bones;
  std::size_t vertices = 0, welded_vertices = 0, triangles = 0;
  std::size_t components = 0;
  std::size_t boundary_edges = 0, boundary_loops = 0;
  std::size_t nonmanifold_edges = 0, nonmanifold_vertices = 0;
  std::size_t inconsistent_edges = 0;    ///< two triangles that run along the edge in the same direction
  std::size_t degenerate_triangles = 0;  ///< repeated vertex after welding, or zero area
  bool closed = false;                   ///< every edge has exactly two triangles, consistently oriented
  double volume = 0;                     ///< signed; only meaningful when closed
  int max_influences = 0;
  Box bounds;
};
[[nodiscard]] CharacterInfo inspect(const Character& character);

/// One bone per vertex: the largest weight, in connected patches.
struct Parts {
  std::vector<int> joint;          ///< per vertex of all meshes, in the input's order
  std::size_t islands = 0;         ///< patches away from the main one of their bone, gone to their neighbours
  std::size_t moved_vertices = 0;  ///< welded vertices in them
};
/// Throws Error when a mesh has no weights.
[[nodiscard]] Parts make_parts(const Character& character);

}  // namespace cutis
