// A character as a skinned glTF: joints as nodes, one node, mesh and skin per character mesh, clips as animations. Read
// back, it is the same character.
//
// Positions are in scene space at the rest pose, so mesh nodes have no transform and the inverse bind matrices are the
// inverses of the rest frames.
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/math.h"
#include "base/polar.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "io/gltf_builder.h"
#include "io/gltf_influences.h"
#include "io/gltf_look.h"
#include "io/gltf_source.h"
#include "io/text_scan.h"

namespace cutis {
namespace {

using Json = GltfBuilder::Json;

Json numbers(const Vec3d& v) { return {v.x, v.y, v.z}; }
Json numbers(const Quatd& q) { return {q.x, q.y, q.z, q.w}; }

void append_matrix(const Affine3d& m, std::vector<float>& values) {
  for (const Vec3d& column : m.linear.col)
    for (int k = 0; k < 4; ++k) values.push_back(k < 3 ? static_cast<float>(column[k]) : 0.0F);
  for (int k = 0; k < 4; ++k) values.push_back(k < 3 ? static_cast<float>(m.translation[k]) : 1.0F);
}

class SkinnedWriter {
 public:
  SkinnedWriter(const Character& character) : character_(character), look_(gltf_look(character)) {}

  void write(const std::string& file) {
    builder_.json["scene"] = 0;
    builder_.json["scenes"] = Json::array();
    add_joints();
    for (const Mesh& mesh : character_.meshes) add_mesh(mesh);
    builder_.json["scenes"].push_back(Json::object({{"nodes", roots_}}));
    builder_.json["nodes"] = std::move(nodes_);
    builder_.json["meshes"] = std::move(meshes_);
    if (!skins_.empty()) builder_.json["skins"] = std::move(skins_);
    for (const Clip& clip : character_.clips) add_clip(clip);
    if (!animations_.empty()) builder_.json["animations"] = std::move(animations_);
    add_look();
    builder_.write(file);
  }

 private:
  [[nodiscard]] const std::vector<Joint>& joints() const { return character_.skeleton.joints; }
  [[nodiscard]] bool is_alias(std::size_t joint) const { return joints()[joint].alias_of >= 0; }

  // A joint with a residual is three nodes: the animated one, and below it the constant factor as two, the joint last.
  void add_joints() {
    std::vector<Json> children;
    top_node_.assign(joints().size(), -1);
    joint_node_.assign(joints().size(), -1);
    const auto add = [&](Json node) {
      nodes_.push_back(std::move(node));
      children.push_back(Json::array());
      return static_cast<int>(nodes_.size()) - 1;
    };
    std::vector<int> tops;
    for (std::size_t j = 0; j < joints().size(); ++j) {
      if (is_alias(j)) continue;
      const Joint& joint = joints()[j];
      Json node = {{"name", joint.local_residual ? joint.name + "_trs" : joint.name}};
      if (!(joint.local.translation == Vec3d{})) node["translation"] = numbers(joint.local.translation);
      if (!(joint.local.rotation == Quatd{})) node["rotation"] = numbers(normalized(joint.local.rotation));
      if (!(joint.local.scale == Vec3d{1, 1, 1})) node["scale"] = numbers(joint.local.scale);
      top_node_[j] = joint_node_[j] = add(std::move(node));
      if (joint.local_residual) {
        // Shear as turn, stretch, turn back: M = R S, S = V diag V^T. glTF has no other way to say it.
        const Polar polar = polar_decompose(joint.local_residual->linear);
        const SymmetricEigen eigen = eigen_decompose(polar.stretch);
        const Quatd v = to_quaternion(eigen.vectors);
        const int stretch = add({{"name", joint.name + "_stretch"},
                                 {"translation", numbers(joint.local_residual->translation)},
                                 {"rotation", numbers(normalized(polar.rotation * v))},
                                 {"scale", numbers(eigen.values)}});
        joint_node_[j] = add({{"name", joint.name}, {"rotation", numbers(conjugate(v))}});
        children[static_cast<std::size_t>(top_node_[j])].push_back(stretch);
        children[static_cast<std::size_t>(stretch)].push_back(joint_node_[j]);
      }
      if (joint.parent < 0)
        tops.push_back(top_node_[j]);
      else
        children[static_cast<std::size_t>(joint_node_[static_cast<std::size_t>(joint.parent)])].push_back(top_node_[j]);
    }
    if (tops.size() > 1) {  // a skin's joints need a common root
      const int armature = add({{"name", "armature"}});
      children.back() = tops;
      tops = {armature};
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!children[i].empty()) nodes_[i]["children"] = std::move(children[i]);
    for (const int top : tops) roots_.push_back(top);
  }

  // The joints of a skin are those of the character, each in the rest frame that the mesh uses: its own, or an alias's.
  [[nodiscard]] std::vector<std::size_t> frames_of(const Mesh& mesh) const {
    std::vector<std::size_t> frame(joints().size());
    for (std::size_t j = 0; j < frame.size(); ++j) frame[j] = j;
    for (const std::uint32_t j : mesh.weights.joint)
      if (is_alias(j)) frame[static_cast<std::size_t>(joints()[j].alias_of)] = j;
    return frame;
  }

  // Number of the skin; `place` becomes the place of each joint among the skin's.
  std::size_t skin_of(const Mesh& mesh, std::vector<std::uint32_t>& place) {
    const std::vector<std::size_t> frame = frames_of(mesh);
    std::vector<char> used(joints().size(), 0);
    for (std::size_t j = 0; j < used.size(); ++j) used[j] = joints()[j].is_bone && !is_alias(j);
    for (const Mesh& m : character_.meshes)
      for (const std::uint32_t j : m.weights.joint)
        used[is_alias(j) ? static_cast<std::size_t>(joints()[j].alias_of) : j] = 1;
    place.assign(joints().size(), 0);
    Json nodes = Json::array();
    std::vector<float> matrices;
    for (std::size_t j = 0; j < joints().size(); ++j) {
      if (used[j] == 0) continue;
      place[j] = place[frame[j]] = static_cast<std::uint32_t>(nodes.size());
      nodes.push_back(joint_node_[j]);
      append_matrix(inverse(joints()[frame[j]].world_from_rest), matrices);
    }
    joint_count_ = nodes.size();
    const auto [it, fresh] = skin_of_frames_.try_emplace(frame, skins_.size());
    if (fresh) {
      const std::size_t accessor = builder_.add(std::span<const float>(matrices), joint_count_, GltfBuilder::kFloat,
                                                "MAT4", GltfBuilder::kNoTarget);
      skins_.push_back({{"inverseBindMatrices", accessor}, {"joints", std::move(nodes)}});
    }
    return it->second;
  }

  void add_influences(const Mesh& mesh, const std::vector<std::uint32_t>& place, Json& attributes) {
    const std::size_t n = mesh.positions.size();
    std::size_t set = 0;
    for (const auto& [joint, weight] : influence_sets(mesh.weights, place)) {
      const std::string number = std::to_string(set++);
      if (joint_count_ <= 256) {
        const std::vector<std::uint8_t> bytes(joint.begin(), joint.end());
        attributes["JOINTS_" + number] =
            builder_.add(std::span(bytes), n, GltfBuilder::kByte, "VEC4", GltfBuilder::kVertices);
      } else {
        attributes["JOINTS_" + number] =
            builder_.add(std::span<const std::uint16_t>(joint), n, GltfBuilder::kShort, "VEC4", GltfBuilder::kVertices);
      }
      attributes["WEIGHTS_" + number] =
          builder_.add(std::span<const float>(weight), n, GltfBuilder::kFloat, "VEC4", GltfBuilder::kVertices);
    }
  }

  void add_mesh(const Mesh& mesh) {
    const std::size_t n = mesh.positions.size();
    Json attributes;
    attributes["POSITION"] = builder_.add(std::span<const Vec3f>(mesh.positions), n, GltfBuilder::kFloat, "VEC3",
                                          GltfBuilder::kVertices, true);
    std::vector<Vec3f> normals;
    for (const Vec3f& normal : mesh.normals) normals.push_back(normalized(normal, {0, 1, 0}));
    attributes["NORMAL"] =
        builder_.add(std::span<const Vec3f>(normals), n, GltfBuilder::kFloat, "VEC3", GltfBuilder::kVertices);
    for (const VertexAttribute& a : mesh.attributes)
      if (carried_by_gltf(a))
        attributes[a.name] = builder_.add(std::span<const float>(a.values), n, GltfBuilder::kFloat,
                                          fmt::format("VEC{}", a.components).c_str(), GltfBuilder::kVertices);
    Json node = {{"name", mesh.name.empty() ? "mesh" : mesh.name}, {"mesh", meshes_.size()}};
    if (!mesh.weights.empty()) {
      std::vector<std::uint32_t> place;
      node["skin"] = skin_of(mesh, place);
      add_influences(mesh, place, attributes);
    }
    Json primitive = {{"attributes", std::move(attributes)}};
    if (!mesh.triangles.empty())
      primitive["indices"] = builder_.add(std::span<const Triangle>(mesh.triangles), mesh.triangles.size() * 3,
                                          GltfBuilder::kInt, "SCALAR", GltfBuilder::kIndices);
    if (const int material = material_index(character_, mesh); material >= 0) primitive["material"] = material;
    primitive["mode"] = mesh.triangles.empty() ? GltfBuilder::kPoints : GltfBuilder::kTriangles;
    meshes_.push_back({{"name", node["name"]}, {"primitives", Json::array({std::move(primitive)})}});
    roots_.push_back(nodes_.size());
    nodes_.push_back(std::move(node));
  }

  void add_clip(const Clip& clip) {
    Json samplers = Json::array(), channels = Json::array();
    const float shift = std::min(0.0F, static_cast<float>(clip.start()));  // glTF has no negative seconds
    for (const Channel& channel : clip.channels) {
      const auto j = static_cast<std::size_t>(channel.joint);
      if (is_alias(j) || channel.times.empty()) continue;
      std::vector<float> times = channel.times, values = channel.values;
      for (float& t : times) t -= shift;
      const bool spline = channel.interpolation == Interpolation::cubic_spline;
      const bool turns = channel.path == ChannelPath::rotation;
      if (turns) normalise_rotations(values, spline);
      const auto [it, fresh] = time_accessor_.try_emplace(times, 0);
      if (fresh)
        it->second = builder_.add(std::span<const float>(times), times.size(), GltfBuilder::kFloat, "SCALAR",
                                  GltfBuilder::kNoTarget, true);
      const std::size_t output = builder_.add(std::span<const float>(values), values.size() / (turns ? 4 : 3),
                                              GltfBuilder::kFloat, turns ? "VEC4" : "VEC3", GltfBuilder::kNoTarget);
      const char* interpolation = spline                                         ? "CUBICSPLINE"
                                  : channel.interpolation == Interpolation::step ? "STEP"
                                                                                 : "LINEAR";
      const char* path = turns ? "rotation" : channel.path == ChannelPath::scale ? "scale" : "translation";
      channels.push_back({{"sampler", samplers.size()}, {"target", {{"node", top_node_[j]}, {"path", path}}}});
      samplers.push_back({{"input", it->second}, {"interpolation", interpolation}, {"output", output}});
    }
    if (channels.empty()) return;
    animations_.push_back({{"name", clip.name.empty() ? "animation" : clip.name},
                           {"samplers", std::move(samplers)},
                           {"channels", std::move(channels)}});
  }

  static void normalise_rotations(std::vector<float>& values, bool spline) {
    for (std::size_t i = spline ? 4 : 0; i + 4 <= values.size(); i += spline ? 12 : 4) {
      const Quatd q = normalized(Quatd{values[i], values[i + 1], values[i + 2], values[i + 3]});
      values[i] = static_cast<float>(q.x);
      values[i + 1] = static_cast<float>(q.y);
      values[i + 2] = static_cast<float>(q.z);
      values[i + 3] = static_cast<float>(q.w);
    }
  }

  void add_look() {
    Json& json = builder_.json;
    if (!look_.materials.empty()) json["materials"] = look_.materials;
    if (!look_.extensions_used.empty()) json["extensionsUsed"] = look_.extensions_used;
    if (!look_.extensions_required.empty()) json["extensionsRequired"] = look_.extensions_required;
    if (look_.images.empty()) return;
    for (std::size_t i = 0; i < look_.images.size(); ++i)
      look_.images[i]["bufferView"] =
          builder_.add_view(look_.image_files[i].data(), look_.image_files[i].size(), GltfBuilder::kNoTarget);
    json["images"] = look_.images;
    json["textures"] = look_.textures;
    if (!look_.samplers.empty()) json["samplers"] = look_.samplers;
  }

  const Character& character_;
  GltfLook look_;
  GltfBuilder builder_;
  Json nodes_ = Json::array(), meshes_ = Json::array(), skins_ = Json::array(), animations_ = Json::array(),
       roots_ = Json::array();
  std::vector<int> top_node_;    // per joint: the node that channels move
  std::vector<int> joint_node_;  // per joint: the node that skins name
  std::size_t joint_count_ = 0;  // of a skin
  std::map<std::vector<std::size_t>, std::size_t> skin_of_frames_;
  std::map<std::vector<float>, std::size_t> time_accessor_;
};

}  // namespace

void write_character(const std::string& file, const Character& character, const Context& context) {
  const std::string extension = lower_case(std::filesystem::path(file).extension().string());
  if (extension != ".glb" && extension != ".gltf" && extension != ".vrm")
    throw Error(ErrorCode::bad_argument, file,
                "cannot hold a skinned character; the extension has to be .glb, .gltf or .vrm");
  if (std::filesystem::is_directory(file)) throw Error(ErrorCode::io, file, "is a folder; choose another name");
  validate(character);
  const GltfSource* source = character.document.get();
  std::string obstacle = source == nullptr ? "" : source->obstacle;
  if (source != nullptr && obstacle.empty() && source->fingerprint != fingerprint_of(character))
    obstacle = "its skeleton or its meshes have changed";
  if (extension == ".vrm" && (source == nullptr || !source->is_vrm))
    throw Error(
        ErrorCode::bad_argument, file,
        fmt::format("only a character read from a .vrm can be written as one; use .glb for {}", character.source));
  if (extension == ".vrm" && !obstacle.empty())
    throw Error(ErrorCode::bad_argument, file,
                fmt::format("what {} says of VRM cannot be kept, because {}; use .glb", character.source, obstacle));
  if (source != nullptr && obstacle.empty()) return write_with_weights(file, character, *source);
  if (source != nullptr)
    context.warn(fmt::format("{}: without the extensions of {} ({}), because {}", file, character.source,
                             fmt::join(source->extensions, ", "), obstacle));
  SkinnedWriter(character).write(file);
}

}  // namespace cutis
