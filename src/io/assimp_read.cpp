// FBX and COLLADA through assimp, which only imports: triangulation, welding, skins and units are done here.
//
// assimp gives FBX vertices once per face corner. Corners that are copies of each other (position, normal, texture
// coordinates, colour, weights) become one vertex again; vertices are numbered by first appearance.
//
// Rest pose: every bone has an offset matrix (bone from mesh at the moment of binding). B = world_from_node * offset
// takes the mesh to the scene; it is the same for all bones when the file's pose is the bind pose, and the top-most
// bone's is taken when it is not. Then p_rest = B * p_mesh and world_from_rest = B * inverse(offset).
#include <fmt/format.h>

#include <assimp/BaseImporter.h>
#include <assimp/importerdesc.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <algorithm>
#include <assimp/Importer.hpp>
#include <assimp/ProgressHandler.hpp>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

#include "base/math.h"
#include "base/polar.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/text.h"
#include "geometry/normals.h"
#include "io/readers.h"
#include "io/text_scan.h"
#include "io/trial_run.h"
#include "io/triangulate.h"
#include "io/unbound.h"

namespace cutis {
namespace {

constexpr std::size_t kLargestFile = std::size_t{2} << 30;
constexpr unsigned kLongestTrial = 300;  ///< seconds
constexpr double kDefaultTicksPerSecond = 25;
/// Two rest frames that move the mesh's box by less than this share of its size are one.
constexpr double kSameFrame = 1e-5;

Affine3d to_affine(const aiMatrix4x4& m) {
  return {{{Vec3d{m.a1, m.b1, m.c1}, Vec3d{m.a2, m.b2, m.c2}, Vec3d{m.a3, m.b3, m.c3}}}, {m.a4, m.b4, m.c4}};
}
bool is_regular(const Affine3d& a) {
  const double size = frobenius(a.linear);
  return is_finite(a) && std::abs(determinant(a.linear)) > 1e-12 * size * size * size;
}

struct Node {
  const aiNode* source = nullptr;
  std::string name;
  int parent = -1;
  int depth = 0;
  Affine3d local, world;
  int joint = -1;
};

class AssimpReader {
 public:
  AssimpReader(const aiScene& scene, const std::string& name, const Affine3d& scene_from_file, const Context& context,
               const ReadOptions& options)
      : scene_(scene), name_(name), scene_from_file_(scene_from_file), context_(context), options_(options) {}

  Character read() {
    if (scene_.mRootNode == nullptr || scene_.mNumMeshes == 0)
      throw Error(ErrorCode::bad_file, name_, "has no mesh; export at least one.");
    flatten_nodes();
    return read_meshes();
  }

  /// Skeleton and clips; there may be no mesh.
  ClipSource read_motion() {
    if (scene_.mRootNode == nullptr) throw Error(ErrorCode::bad_file, name_, "has no nodes; export it again.");
    flatten_nodes();
    if (is_skinned()) {
      Character body = read_meshes();
      if (!body.clips.empty()) return {std::move(body), true, 0};
      character_ = {};  // what moves has no skin
      for (Node& node : nodes_) node.joint = -1;
    }
    const std::set<std::string> moved = moved_nodes();
    std::vector<char> is_bone(nodes_.size(), 0), wanted(nodes_.size(), 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {  // hands and feet that keep still are of the body, too
      const int above = nodes_[i].parent;
      const bool hangs =
          above >= 0 && is_bone[static_cast<std::size_t>(above)] != 0 && nodes_[i].source->mNumMeshes == 0;
      if (!hangs && (above < 0 || !moved.contains(nodes_[i].name))) continue;
      is_bone[i] = 1;
      want(static_cast<int>(i), wanted);
    }
    add_joints(wanted, is_bone);
    add_clips();
    character_.source = name_;
    return {std::move(character_), false, 0};
  }

 private:
  [[nodiscard]] bool is_skinned() const {
    return std::any_of(uses_.begin(), uses_.end(), [&](const Use& u) { return mesh(u).HasBones(); });
  }

  Character read_meshes() {
    const bool skinned = is_skinned();
    if (skinned) make_joints();
    std::size_t attached = 0;
    for (const Use& use : uses_) {
      if (!skinned || mesh(use).HasBones())
        add_mesh(use);
      else if (carrier_of_.contains(use.node))
        ++attached;
      else
        context_.warn(fmt::format("{}: mesh '{}' has no skin and hangs on no bone: left out", name_, mesh_name(use)));
    }
    if (attached > 0 && !options_.attached) context_.warn(attached_left_out(name_, attached));
    place_helpers();  // what carries meshes among them
    for (const Use& use : uses_)
      if (options_.attached && skinned && !mesh(use).HasBones() && carrier_of_.contains(use.node)) add_mesh(use);
    if (character_.meshes.empty()) throw Error(ErrorCode::bad_file, name_, "has no mesh with faces.");
    std::vector<Mesh*> meshes;
    for (Mesh& mesh : character_.meshes) meshes.push_back(&mesh);
    bind_unbound(meshes, name_, context_);
    if (skinned) add_clips();
    character_.source = name_;
    return std::move(character_);
  }

  /// A mesh at a node.
  struct Use {
    unsigned mesh = 0;
    int node = -1;
  };

  [[noreturn]] void fail(const std::string& place, const std::string& sentence) const {
    throw Error(ErrorCode::bad_file, place.empty() ? name_ : name_ + " › " + place, sentence);
  }
  [[nodiscard]] const aiMesh& mesh(const Use& use) const { return *scene_.mMeshes[use.mesh]; }
  [[nodiscard]] std::string mesh_name(const Use& use) const {
    const aiMesh& m = mesh(use);
    return m.mName.length > 0 ? m.mName.C_Str() : nodes_[static_cast<std::size_t>(use.node)].name;
  }

  // ---- nodes and joints ----

  /// Parents first, children in the file's order; without recursion, however deep the tree is.
  void flatten_nodes() {
    std::set<unsigned> skinned_before;
    std::vector<std::pair<const aiNode*, int>> stack{{scene_.mRootNode, -1}};
    while (!stack.empty()) {
      const auto [source, parent] = stack.back();
      stack.pop_back();
      const auto index = static_cast<int>(nodes_.size());
      Node node;
      node.source = source;
      node.name = source->mName.C_Str();
      node.parent = parent;
      node.local = to_affine(source->mTransformation);
      if (parent < 0) {
        node.local = scene_from_file_ * node.local;
        node.world = node.local;
      } else {
        const Node& above = nodes_[static_cast<std::size_t>(parent)];
        node.depth = above.depth + 1;
        node.world = above.world * node.local;
      }
      if (!is_finite(node.world)) fail(fmt::format("node '{}'", node.name), "its transform is not finite.");
      node_of_name_.emplace(node.name, index);
      for (unsigned i = 0; i < source->mNumMeshes; ++i) {
        if (source->mMeshes[i] >= scene_.mNumMeshes)
          fail(fmt::format("node '{}'", node.name), "names a mesh that is not there.");
        const Use use{source->mMeshes[i], index};
        // A skinned mesh is where its bones are, whatever nodes show it.
        if (mesh(use).HasBones() && !skinned_before.insert(use.mesh).second) continue;
        uses_.push_back(use);
      }
      nodes_.push_back(std::move(node));
      for (unsigned i = source->mNumChildren; i-- > 0;) stack.emplace_back(source->mChildren[i], index);
    }
  }

  [[nodiscard]] int node_of_bone(const aiBone& bone, const Use& use) const {
    const auto found = node_of_name_.find(bone.mName.C_Str());
    if (found == node_of_name_.end())
      fail(fmt::format("mesh '{}' › bone '{}'", mesh_name(use), bone.mName.C_Str()), "has no node in the scene.");
    return found->second;
  }

  void make_joints() {
    std::vector<char> wanted(nodes_.size(), 0), is_bone(nodes_.size(), 0);
    for (const Use& use : uses_) {
      for (unsigned b = 0; b < mesh(use).mNumBones; ++b) {
        const int n = node_of_bone(*mesh(use).mBones[b], use);
        is_bone[static_cast<std::size_t>(n)] = 1;
        want(n, wanted);
      }
    }
    find_carriers(is_bone);
    if (options_.attached) keep_carriers(wanted);
    add_joints(wanted, is_bone);
  }

  /// The node, and everything above it.
  void want(int node, std::vector<char>& wanted) const {
    for (int n = node; n >= 0 && wanted[static_cast<std::size_t>(n)] == 0;
         n = nodes_[static_cast<std::size_t>(n)].parent)
      wanted[static_cast<std::size_t>(n)] = 1;
  }

  void add_joints(const std::vector<char>& wanted, const std::vector<char>& is_bone) {
    std::set<std::string> taken;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (wanted[i] == 0) continue;
      Node& node = nodes_[i];
      Joint joint;
      joint.name = node.name.empty() ? fmt::format("node_{}", i) : node.name;
      for (int copy = 2; !taken.insert(joint.name).second; ++copy) joint.name = fmt::format("{}#{}", node.name, copy);
      joint.parent = node.parent >= 0 ? nodes_[static_cast<std::size_t>(node.parent)].joint : -1;
      const TrsDecomposition d = decompose_trs(node.local);
      joint.local = d.trs;
      if (!d.exact) joint.local_residual = d.residual;
      joint.world_from_rest = node.world;
      joint.is_bone = is_bone[i] != 0;
      node.joint = static_cast<int>(character_.skeleton.joints.size());
      character_.skeleton.joints.push_back(std::move(joint));
    }
    placed_.assign(character_.skeleton.joints.size(), 0);
  }

  /// For the node of each mesh without bones that has a bone at or above it: the first node upwards that a clip or a
  /// skin moves.
  void find_carriers(const std::vector<char>& is_bone) {
    const std::set<std::string> moved = moved_nodes();
    for (const Use& use : uses_) {
      if (mesh(use).HasBones()) continue;
      int carrier = -1;
      for (int n = use.node; n >= 0; n = nodes_[static_cast<std::size_t>(n)].parent) {
        const auto at = static_cast<std::size_t>(n);
        if (carrier < 0 && (is_bone[at] != 0 || moved.contains(nodes_[at].name))) carrier = n;
        if (is_bone[at] == 0) continue;
        carrier_of_[use.node] = carrier;
        break;
      }
    }
  }
  [[nodiscard]] std::set<std::string> moved_nodes() const {
    std::set<std::string> moved;
    for (unsigned a = 0; a < scene_.mNumAnimations; ++a)
      for (unsigned c = 0; c < scene_.mAnimations[a]->mNumChannels; ++c)
        moved.insert(scene_.mAnimations[a]->mChannels[c]->mNodeName.C_Str());
    return moved;
  }
  void keep_carriers(std::vector<char>& wanted) const {
    for (const auto& [node, carrier] : carrier_of_) want(carrier, wanted);
  }
  [[nodiscard]] Affine3d carried_place(int node) const {
    Affine3d map;
    const int carrier = carrier_of_.at(node);
    for (int n = node; n != carrier; n = nodes_[static_cast<std::size_t>(n)].parent)
      map = nodes_[static_cast<std::size_t>(n)].local * map;
    return joint_at(carrier).world_from_rest * map;
  }
  [[nodiscard]] const Joint& joint_at(int node) const {
    return character_.skeleton.joints[static_cast<std::size_t>(nodes_[static_cast<std::size_t>(node)].joint)];
  }

  /// Nodes between bones follow their parent's rest frame; those that carry meshes are bones from then on.
  void place_helpers() {
    auto& joints = character_.skeleton.joints;
    std::vector<char> below(joints.size(), 0);
    for (std::size_t i = 0; i < joints.size(); ++i) {
      Joint& joint = joints[i];
      if (joint.parent < 0) continue;
      const auto parent = static_cast<std::size_t>(joint.parent);
      below[i] = below[parent] != 0 || joints[parent].is_bone ? 1 : 0;
      if (joint.is_bone || below[i] == 0) continue;
      joint.world_from_rest = joints[parent].world_from_rest * cutis::to_affine(joint.local);
      if (joint.local_residual) joint.world_from_rest = joint.world_from_rest * *joint.local_residual;
    }
    if (!options_.attached) return;
    for (const auto& [node, carrier] : carrier_of_)
      joints[static_cast<std::size_t>(nodes_[static_cast<std::size_t>(carrier)].joint)].is_bone = true;
  }

  // ---- meshes ----

  void add_mesh(const Use& use) {
    const aiMesh& in = mesh(use);
    const std::string place = fmt::format("mesh '{}'", mesh_name(use));
    if (in.mNumVertices == 0 || in.mVertices == nullptr) return;
    for (unsigned v = 0; v < in.mNumVertices; ++v) {
      const aiVector3D& p = in.mVertices[v];
      if (!is_finite(Vec3f{p.x, p.y, p.z}))
        fail(place, fmt::format("vertex {} is not a finite point; clean the mesh.", v));
    }

    Affine3d scene_from_mesh = nodes_[static_cast<std::size_t>(use.node)].world;
    Weights corner_weights;
    if (in.HasBones()) {
      std::vector<std::uint32_t> joint_of_bone;
      scene_from_mesh = bind_skin(use, place, joint_of_bone);
      if (!options_.ignore_weights) corner_weights = read_weights(in, joint_of_bone, place);
    } else if (const auto carried = carrier_of_.find(use.node); carried != carrier_of_.end()) {
      scene_from_mesh = carried_place(use.node);
      if (!is_regular(scene_from_mesh)) {  // as what is put away is hidden
        context_.warn(fmt::format("{}: mesh '{}' is scaled to nothing by default: left out", name_, mesh_name(use)));
        return;
      }
      const auto joint = static_cast<std::uint32_t>(nodes_[static_cast<std::size_t>(carried->second)].joint);
      if (!options_.ignore_weights) corner_weights = rigid_weights(in.mNumVertices, joint);
    }

    std::vector<std::uint32_t> vertex_of, first_of;
    merge_corners(in, corner_weights, vertex_of, first_of);
    Mesh out;
    out.name = mesh_name(use);
    for (const std::uint32_t corner : first_of) {
      const aiVector3D& p = in.mVertices[corner];
      out.positions.push_back(static_cast<Vec3f>(transform_point(scene_from_mesh, Vec3d{p.x, p.y, p.z})));
    }
    const bool mirrored = determinant(scene_from_mesh.linear) < 0;
    add_triangles(in, vertex_of, mirrored, place, out);
    if (out.triangles.empty()) {
      context_.warn(fmt::format("{}: mesh '{}' has no faces: left out", name_, out.name));
      return;
    }
    add_normals(in, first_of, scene_from_mesh, mirrored, out);
    add_attributes(in, first_of, out);
    out.attached = !in.HasBones() && !corner_weights.empty();
    if (!corner_weights.empty()) {
      out.weights.row_begin.push_back(0);
      for (const std::uint32_t corner : first_of) {
        for (std::uint32_t k = corner_weights.row_begin[corner]; k < corner_weights.row_begin[corner + 1]; ++k) {
          out.weights.joint.push_back(corner_weights.joint[k]);
          out.weights.weight.push_back(corner_weights.weight[k]);
        }
        out.weights.row_begin.push_back(static_cast<std::uint32_t>(out.weights.joint.size()));
      }
    }
    character_.meshes.push_back(std::move(out));
  }

  /// Places the mesh and its bones; gives the joint of each bone.
  Affine3d bind_skin(const Use& use, const std::string& place, std::vector<std::uint32_t>& joint_of_bone) {
    const aiMesh& in = mesh(use);
    const auto bone_place = [&](unsigned b) {
      return fmt::format("{} › bone '{}'", place, in.mBones[b]->mName.C_Str());
    };
    std::vector<Affine3d> offset;
    unsigned best = 0;
    bool best_placed = false;
    for (unsigned b = 0; b < in.mNumBones; ++b) {
      offset.push_back(to_affine(in.mBones[b]->mOffsetMatrix));
      if (!is_regular(offset.back())) fail(bone_place(b), "its bind matrix cannot be inverted; bind the skin again.");
      const Node &node = bone_node(use, b), &leader = bone_node(use, best);
      // A bone that an earlier mesh has placed decides, so that meshes bound together stay together.
      const bool placed = placed_[static_cast<std::size_t>(node.joint)] != 0;
      if (b == 0 || (placed && !best_placed) || (placed == best_placed && node.depth < leader.depth)) {
        best = b;
        best_placed = placed;
      }
    }
    auto& joints = character_.skeleton.joints;
    const Affine3d scene_from_mesh =
        joints[static_cast<std::size_t>(bone_node(use, best).joint)].world_from_rest * offset[best];
    if (!is_regular(scene_from_mesh))
      fail(bone_place(best), "it is scaled to nothing; give its nodes a scale other than 0.");

    Box box;
    for (unsigned v = 0; v < in.mNumVertices; ++v) {
      const aiVector3D& p = in.mVertices[v];
      box.add(transform_point(scene_from_mesh, Vec3d{p.x, p.y, p.z}));
    }
    for (unsigned b = 0; b < in.mNumBones; ++b) {
      const Affine3d rest = scene_from_mesh * inverse(offset[b]);
      const auto joint = static_cast<std::size_t>(bone_node(use, b).joint);
      if (placed_[joint] == 0) {
        placed_[joint] = 1;
        joints[joint].world_from_rest = rest;
      }
      joint_of_bone.push_back(joint_with_frame(joint, rest, box));
    }
    return scene_from_mesh;
  }
  [[nodiscard]] const Node& bone_node(const Use& use, unsigned bone) const {
    return nodes_[static_cast<std::size_t>(node_of_bone(*mesh(use).mBones[bone], use))];
  }

  /// The joint itself, or one that follows it with another rest frame.
  std::uint32_t joint_with_frame(std::size_t joint, const Affine3d& rest, const Box& box) {
    auto& joints = character_.skeleton.joints;
    const auto same = [&](const Affine3d& other) {
      const Affine3d difference = rest * inverse(other);
      for (int c = 0; c < 8; ++c) {
        const Vec3d corner{(c & 1) != 0 ? box.hi.x : box.lo.x, (c & 2) != 0 ? box.hi.y : box.lo.y,
                           (c & 4) != 0 ? box.hi.z : box.lo.z};
        if (distance(transform_point(difference, corner), corner) > kSameFrame * diagonal(box)) return false;
      }
      return true;
    };
    if (same(joints[joint].world_from_rest)) return static_cast<std::uint32_t>(joint);
    int copies = 1;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (joints[j].alias_of != static_cast<int>(joint)) continue;
      if (same(joints[j].world_from_rest)) return static_cast<std::uint32_t>(j);
      ++copies;
    }
    Joint alias;
    alias.name = fmt::format("{}#{}", joints[joint].name, copies + 1);
    alias.parent = alias.alias_of = static_cast<int>(joint);
    alias.is_bone = true;
    alias.world_from_rest = rest;
    joints.push_back(std::move(alias));
    placed_.push_back(1);
    return static_cast<std::uint32_t>(joints.size() - 1);
  }

  /// Rows of normalised weights, largest first, for assimp's vertices; empty where no bone has one.
  [[nodiscard]] Weights read_weights(const aiMesh& in, const std::vector<std::uint32_t>& joint_of_bone,
                                     const std::string& place) const {
    std::vector<std::vector<std::pair<std::uint32_t, double>>> rows(in.mNumVertices);
    for (unsigned b = 0; b < in.mNumBones; ++b) {
      for (unsigned i = 0; i < in.mBones[b]->mNumWeights; ++i) {
        const aiVertexWeight& w = in.mBones[b]->mWeights[i];
        if (w.mVertexId >= in.mNumVertices)
          fail(place, fmt::format("bone '{}' has a weight for vertex {}, which is not there.",
                                  in.mBones[b]->mName.C_Str(), w.mVertexId));
        if (!std::isfinite(w.mWeight) || !(w.mWeight > 0)) continue;
        auto& row = rows[w.mVertexId];
        const auto known =
            std::find_if(row.begin(), row.end(), [&](const auto& item) { return item.first == joint_of_bone[b]; });
        if (known != row.end()) {
          known->second += w.mWeight;
        } else {
          row.emplace_back(joint_of_bone[b], w.mWeight);
        }
      }
    }
    Weights weights;
    weights.row_begin.push_back(0);
    for (std::size_t v = 0; v < rows.size(); ++v) {
      auto& row = rows[v];
      double sum = 0;
      for (const auto& item : row) sum += item.second;
      std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
      });
      for (const auto& [joint, weight] : row) {
        const auto share = static_cast<float>(weight / sum);
        if (!(share > 0)) continue;
        weights.joint.push_back(joint);
        weights.weight.push_back(share);
      }
      weights.row_begin.push_back(static_cast<std::uint32_t>(weights.joint.size()));
    }
    return weights;
  }

  /// Everything that makes a corner what it is, as bytes.
  static std::string key_of(const aiMesh& in, const Weights& weights, unsigned v) {
    std::string key;
    const auto add = [&key](const auto& value) {
      char raw[sizeof value];
      std::memcpy(raw, &value, sizeof value);
      key.append(raw, sizeof value);
    };
    const auto add_vector = [&](const aiVector3D& p) {
      for (const float x : {p.x, p.y, p.z}) add(x == 0 ? 0.0F : x);  // -0 is 0
    };
    add_vector(in.mVertices[v]);
    if (in.HasNormals()) add_vector(in.mNormals[v]);
    for (unsigned k = 0; k < AI_MAX_NUMBER_OF_TEXTURECOORDS; ++k)
      if (in.HasTextureCoords(k)) add_vector(in.mTextureCoords[k][v]);
    for (unsigned k = 0; k < AI_MAX_NUMBER_OF_COLOR_SETS; ++k)
      if (in.HasVertexColors(k)) add(in.mColors[k][v]);
    if (!weights.empty())
      for (std::uint32_t i = weights.row_begin[v]; i < weights.row_begin[v + 1]; ++i) {
        add(weights.joint[i]);
        add(weights.weight[i]);
      }
    return key;
  }
  static void merge_corners(const aiMesh& in, const Weights& weights, std::vector<std::uint32_t>& vertex_of,
                            std::vector<std::uint32_t>& first_of) {
    std::unordered_map<std::string, std::uint32_t> known;
    for (unsigned v = 0; v < in.mNumVertices; ++v) {
      const auto [it, is_new] = known.emplace(key_of(in, weights, v), static_cast<std::uint32_t>(first_of.size()));
      if (is_new) first_of.push_back(v);
      vertex_of.push_back(it->second);
    }
  }

  void add_triangles(const aiMesh& in, const std::vector<std::uint32_t>& vertex_of, bool mirrored,
                     const std::string& place, Mesh& out) const {
    std::vector<std::uint32_t> corners;
    for (unsigned f = 0; f < in.mNumFaces; ++f) {
      const aiFace& face = in.mFaces[f];
      if (face.mNumIndices < 3) continue;  // points and lines
      if (face.mNumIndices > kMaxPolygonCorners)
        fail(place,
             fmt::format("face {} has {} corners, more than {}; split it.", f, face.mNumIndices, kMaxPolygonCorners));
      corners.clear();
      for (unsigned k = 0; k < face.mNumIndices; ++k) {
        if (face.mIndices[k] >= in.mNumVertices)
          fail(place, fmt::format("face {} names a vertex that is not there.", f));
        corners.push_back(vertex_of[face.mIndices[k]]);
      }
      if (mirrored) std::reverse(corners.begin(), corners.end());
      triangulate_polygon(out.positions, corners, out.triangles);
    }
  }

  static void add_normals(const aiMesh& in, const std::vector<std::uint32_t>& first_of, const Affine3d& scene_from_mesh,
                          bool mirrored, Mesh& out) {
    out.normals = vertex_normals(out.positions, out.triangles);
    if (!in.HasNormals()) return;
    out.had_normals = true;
    const Mat3d turn = cofactor(scene_from_mesh.linear) * (mirrored ? -1.0 : 1.0);
    for (std::size_t v = 0; v < first_of.size(); ++v) {
      const aiVector3D& n = in.mNormals[first_of[v]];
      const Vec3d turned = normalized(turn * Vec3d{n.x, n.y, n.z});
      if (turned != Vec3d{}) out.normals[v] = static_cast<Vec3f>(turned);
    }
  }

  static void add_attributes(const aiMesh& in, const std::vector<std::uint32_t>& first_of, Mesh& out) {
    int number = 0;
    for (unsigned k = 0; k < AI_MAX_NUMBER_OF_TEXTURECOORDS; ++k) {
      if (!in.HasTextureCoords(k)) continue;
      VertexAttribute uv{fmt::format("TEXCOORD_{}", number++), 2, {}};
      for (const std::uint32_t corner : first_of) {
        const aiVector3D& t = in.mTextureCoords[k][corner];
        // assimp counts v from the lower edge of the image.
        for (const float x : {t.x, 1 - t.y}) uv.values.push_back(std::isfinite(x) ? x : 0.0F);
      }
      out.attributes.push_back(std::move(uv));
    }
    number = 0;
    for (unsigned k = 0; k < AI_MAX_NUMBER_OF_COLOR_SETS; ++k) {
      if (!in.HasVertexColors(k)) continue;
      VertexAttribute color{fmt::format("COLOR_{}", number++), 4, {}};
      for (const std::uint32_t corner : first_of) {
        const aiColor4D& c = in.mColors[k][corner];
        for (const float x : {c.r, c.g, c.b, c.a}) color.values.push_back(x > 0 ? std::min(x, 1.0F) : 0.0F);
      }
      out.attributes.push_back(std::move(color));
    }
  }

  // ---- clips ----

  void add_clips() {
    for (unsigned a = 0; a < scene_.mNumAnimations; ++a) {
      const aiAnimation& animation = *scene_.mAnimations[a];
      Clip clip;
      clip.name = animation.mName.length > 0 ? animation.mName.C_Str() : fmt::format("clip_{}", a);
      const double seconds = 1 / (animation.mTicksPerSecond > 0 ? animation.mTicksPerSecond : kDefaultTicksPerSecond);
      for (unsigned c = 0; c < animation.mNumChannels; ++c) {
        const aiNodeAnim& in = *animation.mChannels[c];
        const auto found = node_of_name_.find(in.mNodeName.C_Str());
        if (found == node_of_name_.end()) continue;
        const Node& node = nodes_[static_cast<std::size_t>(found->second)];
        if (node.joint < 0) continue;  // lights, cameras, meshes without skin
        // The root carries the file's unit and axes besides its own transform.
        if (node.parent < 0) {
          context_.warn(fmt::format("{}: clip '{}' animates the scene's root: left out", name_, clip.name));
          continue;
        }
        const std::string place = fmt::format("clip '{}' › '{}'", clip.name, node.name);
        add_channel(clip, node.joint, ChannelPath::translation, in.mPositionKeys, in.mNumPositionKeys, seconds, place);
        add_channel(clip, node.joint, ChannelPath::rotation, in.mRotationKeys, in.mNumRotationKeys, seconds, place);
        add_channel(clip, node.joint, ChannelPath::scale, in.mScalingKeys, in.mNumScalingKeys, seconds, place);
      }
      if (!clip.channels.empty()) character_.clips.push_back(std::move(clip));
    }
  }

  static void push(std::vector<float>& values, const aiVector3D& v, Quatd&) {
    values.insert(values.end(), {v.x, v.y, v.z});
  }
  static void push(std::vector<float>& values, const aiQuaternion& v, Quatd& before) {
    Quatd q = normalized(Quatd{v.x, v.y, v.z, v.w});
    if (dot(before, q) < 0) q = negated(q);  // the short way from key to key
    before = q;
    for (const double x : {q.x, q.y, q.z, q.w}) values.push_back(static_cast<float>(x));
  }
  template <class Key>
  void add_channel(Clip& clip, int joint, ChannelPath path, const Key* keys, unsigned count, double seconds,
                   const std::string& place) const {
    Channel channel;
    channel.joint = joint;
    channel.path = path;
    Quatd before;
    for (unsigned k = 0; k < count; ++k) {
      const auto time = static_cast<float>(keys[k].mTime * seconds);
      if (!std::isfinite(time)) fail(place, fmt::format("the time of key {} is not finite.", k));
      if (!channel.times.empty() && time <= channel.times.back()) continue;  // repeated or out of order
      const std::size_t begin = channel.values.size();
      push(channel.values, keys[k].mValue, before);
      for (std::size_t i = begin; i < channel.values.size(); ++i)
        if (!std::isfinite(channel.values[i])) fail(place, fmt::format("the value of key {} is not finite.", k));
      channel.times.push_back(time);
    }
    if (!channel.times.empty()) clip.channels.push_back(std::move(channel));
  }

  const aiScene& scene_;
  std::string name_;
  Affine3d scene_from_file_;
  const Context& context_;
  const ReadOptions& options_;
  std::vector<Node> nodes_;
  std::map<std::string, int> node_of_name_;  ///< the first of each name
  std::vector<Use> uses_;
  std::map<int, int> carrier_of_;  ///< node of a mesh without bones: the node that moves it
  std::vector<char> placed_;       ///< per joint: a skin has set its rest frame
  Character character_;
};

/// Keeps assimp to the one reader that the extension asks for: others may recognise, and choke on, the content.
void keep_only(Assimp::Importer& importer, const std::string& extension) {
  for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
    const aiImporterDesc* about = importer.GetImporterInfo(i);
    const std::string_view known = about != nullptr && about->mFileExtensions != nullptr ? about->mFileExtensions : "";
    bool wanted = false;
    std::string_view rest = known;
    for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) wanted = wanted || word == extension;
    if (!wanted) importer.UnregisterLoader(importer.GetImporter(i));
  }
}

/// Stops assimp between its steps.
class StopWhenCancelled : public Assimp::ProgressHandler {
 public:
  explicit StopWhenCancelled(const Context& context) : context_(context) {}
  bool Update(float) override { return !(context_.is_cancelled && context_.is_cancelled()); }

 private:
  const Context& context_;
};

const aiScene* import(Assimp::Importer& importer, std::string_view bytes, const std::string& extension) {
  keep_only(importer, extension);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
  return importer.ReadFileFromMemory(bytes.data(), bytes.size(), 0, extension.c_str());
}

void check_start(std::string_view bytes, const std::string& extension, const std::string& name) {
  if (bytes.size() > kLargestFile) throw Error(ErrorCode::bad_file, name, "is larger than 2 GiB; split it.");
  if (extension == "fbx") {
    const bool binary = bytes.starts_with(std::string_view("Kaydara FBX Binary  \0", 21));
    const bool text = bytes.substr(0, 4096).find("FBX") != bytes.npos && bytes.find('\0') == bytes.npos;
    if (!binary && !text) throw Error(ErrorCode::bad_file, name, "is not an FBX file; export it again.");
  } else if (bytes.substr(0, 4096).find("<COLLADA") == bytes.npos) {
    throw Error(ErrorCode::bad_file, name, "is not a COLLADA file; export it again.");
  }
}

/// FBX counts in centimetres times UnitScaleFactor and says which axes are up and front; assimp passes that on without
/// following it. For COLLADA it puts unit and axes into the root node.
Affine3d scene_from_file(const aiScene& scene, const std::string& extension) {
  if (extension != "fbx" || scene.mMetaData == nullptr) return {};
  const aiMetadata& facts = *scene.mMetaData;
  double factor = 1;
  float single = 1;
  if (!facts.Get("UnitScaleFactor", factor) && facts.Get("UnitScaleFactor", single))
    factor = static_cast<double>(single);
  const double metres = std::isfinite(factor) && factor > 0 ? factor / 100 : 0.01;

  const auto axis = [&](const char* name, const char* sign_name, int fallback) {
    std::int32_t index = fallback, sign = 1;
    (void)facts.Get(name, index);  // keep their value when absent
    (void)facts.Get(sign_name, sign);
    Vec3d v;
    v[index >= 0 && index < 3 ? index : fallback] = sign < 0 ? -1 : 1;
    return v;
  };
  const Vec3d up = axis("UpAxis", "UpAxisSign", 1), front = axis("FrontAxis", "FrontAxisSign", 2);
  if (dot(up, front) != 0) return {Mat3d{} * metres, {}};
  return {transpose(Mat3d{{cross(up, front), up, front}}) * metres, {}};
}

/// What `read` makes of the scene.
template <class Result>
Result read_scene(std::string_view bytes, const std::string& name, const Context& context, const ReadOptions& options,
                  Result (AssimpReader::*read)()) {
  const std::string dotted = lower_case(std::filesystem::path(name).extension().string());
  const std::string extension = dotted.empty() ? dotted : dotted.substr(1);
  if (extension != "fbx" && extension != "dae")
    throw Error(ErrorCode::bad_argument, name, "its extension is neither .fbx nor .dae.");
  check_start(bytes, extension, name);
  // assimp fails assertions and dereferences stray pointers on damaged files, and no exception comes of that.
  const bool survives = survives_trial(
      [&] {
        Assimp::Importer importer;
        (void)import(importer, bytes, extension);
      },
      kLongestTrial, context);
  if (!survives) throw Error(ErrorCode::bad_file, name, "is damaged: reading it fails badly; export it again.");
  try {
    Assimp::Importer importer;
    importer.SetProgressHandler(new StopWhenCancelled(context));  // the importer owns it
    const aiScene* scene = import(importer, bytes, extension);
    context.check_cancelled();
    if (scene == nullptr)
      throw Error(ErrorCode::bad_file, name,
                  fmt::format("cannot be read ({}); export it again.", printable(importer.GetErrorString(), 200)));
    AssimpReader reader(*scene, name, scene_from_file(*scene, extension), context, options);
    return (reader.*read)();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(ErrorCode::bad_file, name,
                fmt::format("cannot be read ({}); export it again.", printable(e.what(), 200)));
  }
}

}  // namespace

Character read_assimp_memory(std::string_view bytes, const std::string& name, const Context& context,
                             const ReadOptions& options) {
  return read_scene(bytes, name, context, options, &AssimpReader::read);
}

Character read_assimp(const std::string& path, const Context& context, const ReadOptions& options) {
  return read_assimp_memory(read_file(path), path, context, options);
}

ClipSource read_assimp_motion_memory(std::string_view bytes, const std::string& name, const Context& context) {
  Context quiet = context;
  quiet.on_warning = nullptr;  // about meshes, and clips that nobody asked for
  ClipSource source = read_scene(bytes, name, quiet, {}, &AssimpReader::read_motion);
  source.bytes = bytes.size();
  return source;
}

ClipSource read_assimp_motion(const std::string& path, const Context& context) {
  return read_assimp_motion_memory(read_file(path), path, context);
}

}  // namespace cutis
