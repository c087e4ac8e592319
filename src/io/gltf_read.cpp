// glTF 2.0: parse ► select nodes ► geometry in mesh space ► skeleton and rest frames ► scene space and weights ► clips.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <new>
#include <set>

#include "io/appearance.h"
#include "io/gltf_read_clips.h"
#include "io/gltf_read_container.h"
#include "io/gltf_read_primitive.h"
#include "io/gltf_read_skeleton.h"
#include "io/gltf_read_uri.h"
#include "io/gltf_read_weights.h"
#include "io/gltf_source.h"
#include "io/readers.h"
#include "io/unbound.h"

namespace cutis {
namespace {

using namespace gltf;

struct Piece {
  cutis::Mesh mesh;
  PrimitiveSource source;
  std::size_t node = 0, primitive = 0;
};

std::vector<Piece> read_pieces(const File& file, const MeshNodes& selected, Data& data, const Context& context) {
  std::vector<Piece> pieces;
  UniqueNames names;
  for (const std::size_t node_index : selected.nodes) {
    const Node& node = file.nodes[node_index];
    const auto mesh_index = static_cast<std::size_t>(node.mesh);
    const gltf::Mesh& from = file.meshes[mesh_index];
    const std::string name = !from.name.empty()   ? from.name
                             : !node.name.empty() ? node.name
                                                  : fmt::format("mesh_{}", mesh_index);
    for (std::size_t i = 0; i < from.primitives.size(); ++i) {
      context.check_cancelled();
      const bool is_only = from.primitives.size() == 1;
      const std::string label = file.mesh_label(mesh_index) + (is_only ? "" : fmt::format(" › primitive {}", i));
      PrimitiveSource source(file, data, from.primitives[i], file.place(label));
      auto mesh = read_geometry(source, node.weights.empty() ? from.weights : node.weights, context);
      if (!mesh) continue;
      mesh->name = names.take(is_only ? name : fmt::format("{}_{}", name, i));
      pieces.push_back({std::move(*mesh), std::move(source), node_index, i});
    }
  }
  if (pieces.empty()) throw Error(ErrorCode::bad_character, file.name, "it has no triangle mesh; export at least one");
  return pieces;
}

void bind_to_skins(const File& file, const Scene& scene, const MeshNodes& selected, std::vector<Piece>& pieces,
                   Data& data, const ReadOptions& options, const Context& context, SkeletonResult& skeleton) {
  const auto is_skinned = [&](const Piece& piece) { return file.nodes[piece.node].skin >= 0; };
  std::map<std::size_t, SkinUse> uses;
  for (Piece& piece : pieces) {
    if (!is_skinned(piece)) continue;
    const auto skin = static_cast<std::size_t>(file.nodes[piece.node].skin);
    SkinUse& use = uses[skin];
    use.skin = skin;
    use.used.resize(file.skins[skin].joints.size(), 0);
    if (!options.ignore_weights) mark_used_entries(piece.source, piece.mesh.positions.size(), use.used);
    for (const Vec3f& p : piece.mesh.positions) use.bounds.add(static_cast<Vec3d>(p));
  }
  std::vector<SkinUse> in_order;
  for (const auto& [skin, use] : uses) in_order.push_back(use);
  std::vector<std::size_t> carriers;
  for (const auto& [node, carrier] : selected.carrier_of) carriers.push_back(carrier);
  skeleton = build_skeleton(file, scene, in_order, carriers, data);
  KeepApart keep_apart;
  std::erase_if(pieces, [&](Piece& piece) {
    if (is_skinned(piece)) return false;
    const std::size_t carrier = selected.carrier_of.at(piece.node);
    const auto joint = static_cast<std::size_t>(skeleton.joint_of_node[carrier]);
    const Affine3d scene_from_mesh =
        skeleton.skeleton.joints[joint].world_from_rest * ancestor_from_node(file, scene, carrier, piece.node);
    if (!is_regular(scene_from_mesh)) {  // as what is put away is hidden
      context.warn(
          fmt::format("{}: {} is scaled to nothing by default: left out", file.name, file.node_label(piece.node)));
      return true;
    }
    move_to_scene(scene_from_mesh, piece.mesh, &keep_apart);
    piece.mesh.attached = !options.ignore_weights;
    if (piece.mesh.attached)
      piece.mesh.weights = rigid_weights(piece.mesh.positions.size(), static_cast<std::uint32_t>(joint));
    return false;
  });
  for (Piece& piece : pieces) {
    if (!is_skinned(piece)) continue;
    const SkinBinding& binding = skeleton.bindings.at(static_cast<std::size_t>(file.nodes[piece.node].skin));
    context.check_cancelled();
    move_to_scene(binding.scene_from_mesh, piece.mesh);
    if (options.ignore_weights) continue;
    piece.mesh.weights = read_weights(piece.source, piece.mesh.positions.size(), binding.joint_of, context);
  }
  std::vector<cutis::Mesh*> meshes;
  for (Piece& piece : pieces) meshes.push_back(&piece.mesh);
  bind_unbound(meshes, file.name, context);
}

// Without a skin, meshes are where their nodes put them. Animated nodes become bones; joints that no mesh uses yet
// (a skeleton to make weights for) are kept as they are.
void place_by_nodes(const File& file, const Scene& scene, std::vector<Piece>& pieces, const ReadOptions& options,
                    SkeletonResult& skeleton) {
  std::vector<std::size_t> bones;
  const bool is_rigid = file.skins.empty() && !file.animations.empty();
  if (is_rigid)
    for (const Piece& piece : pieces) bones.push_back(piece.node);
  for (const Skin& skin : file.skins) bones.insert(bones.end(), skin.joints.begin(), skin.joints.end());
  if (!bones.empty()) skeleton = build_rigid_skeleton(file, scene, bones);
  KeepApart keep_apart;
  for (Piece& piece : pieces) {
    const Affine3d& world = scene.world_from_node[piece.node];
    if (!is_regular(world))
      throw Error(ErrorCode::bad_character, file.place(file.node_label(piece.node)),
                  "it is scaled to nothing by default; give it a scale other than 0");
    move_to_scene(world, piece.mesh, &keep_apart);
    if (is_rigid && !options.ignore_weights)
      piece.mesh.weights =
          rigid_weights(piece.mesh.positions.size(), static_cast<std::uint32_t>(skeleton.joint_of_node[piece.node]));
  }
}

/// The file itself, for writers; what it says beside the character may be all that a user has it for.
std::shared_ptr<GltfSource> keep_source(std::span<const std::byte> bytes, const File& file,
                                        const SkeletonResult& skeleton, const std::vector<Piece>& pieces) {
  if (file.more_extensions.empty()) return nullptr;
  auto source = std::make_shared<GltfSource>();
  source->extensions = file.more_extensions;
  source->is_vrm = file.is_vrm;
  std::set<std::pair<std::size_t, std::size_t>> seen;
  bool once = true;
  for (const Piece& piece : pieces) {
    const Node& node = file.nodes[piece.node];
    const auto mesh = static_cast<std::size_t>(node.mesh);
    once = once && seen.emplace(mesh, piece.primitive).second;
    source->pieces.push_back(
        {mesh, piece.primitive, node.skin >= 0 ? static_cast<std::size_t>(node.skin) : GltfSource::kNoSkin});
  }
  if (!file.is_self_contained)
    source->obstacle = "parts of it lie in other files";
  else if (skeleton.bindings.empty())
    source->obstacle = "it has no skin";
  else if (!once)
    source->obstacle = "a mesh stands in it more than once";
  if (!source->obstacle.empty()) return source;
  const Container container = open_container(bytes, file.name);
  source->json = container.json;
  source->binary.assign(container.binary.begin(), container.binary.end());
  for (const auto& [skin, binding] : skeleton.bindings)
    source->skins[skin] = {binding.joint_of, binding.scene_from_mesh};
  source->node_of_joint.assign(skeleton.skeleton.joints.size(), -1);
  for (std::size_t node = 0; node < skeleton.joint_of_node.size(); ++node)
    if (const int joint = skeleton.joint_of_node[node]; joint >= 0)
      source->node_of_joint[static_cast<std::size_t>(joint)] = static_cast<int>(node);
  return source;
}

Character assemble(std::span<const std::byte> bytes, const std::string& name, const std::string& folder,
                   const Context& context, const ReadOptions& options) {
  const File file = parse_file(bytes, name, folder, context);
  context.check_cancelled();
  const Scene scene = build_scene(file);
  const MeshNodes selected = select_mesh_nodes(file, scene, options.attached, context);
  Data data(file, bytes.size());
  std::vector<Piece> pieces = read_pieces(file, selected, data, context);

  SkeletonResult skeleton;
  if (selected.is_skinned)
    bind_to_skins(file, scene, selected, pieces, data, options, context, skeleton);
  else
    place_by_nodes(file, scene, pieces, options, skeleton);

  context.check_cancelled();
  Character character;
  character.source = name;
  character.clips = read_clips(file, skeleton.joint_of_node, data, context);
  const std::shared_ptr<GltfSource> source = keep_source(bytes, file, skeleton, pieces);
  character.skeleton = std::move(skeleton.skeleton);
  for (Piece& piece : pieces) character.meshes.push_back(std::move(piece.mesh));
  character.appearance = file.appearance;
  if (source != nullptr) source->fingerprint = fingerprint_of(character);
  character.document = source;
  return character;
}

Character assemble_humanoid(std::span<const std::byte> bytes, const std::string& name, const Context& context) {
  const File file = parse_file(bytes, name, "", context);
  const Scene scene = build_scene(file);
  std::vector<std::size_t> bones;
  for (std::size_t node = 0; node < file.nodes.size(); ++node)
    if (!file.nodes[node].humanoid.empty()) bones.push_back(node);
  if (bones.empty()) throw Error(ErrorCode::bad_file, name, "has no humanoid map; export it as a VRM animation");
  SkeletonResult skeleton = build_rigid_skeleton(file, scene, bones);
  Data data(file, bytes.size());
  Character character;
  character.source = name;
  character.clips = read_clips(file, skeleton.joint_of_node, data, context);
  character.skeleton = std::move(skeleton.skeleton);
  return character;
}

/// Without a skinned mesh: joints as skins that no mesh wears have them at rest, else nodes that are animated and those
/// below them, where they are by default.
ClipSource assemble_skeleton(const File& file, const Scene& scene, Data& data, const Context& context) {
  std::vector<SkinUse> uses;
  for (std::size_t skin = 0; skin < file.skins.size(); ++skin)
    if (auto use = use_without_mesh(file, skin, data)) uses.push_back(std::move(*use));
  ClipSource source;
  SkeletonResult skeleton;
  if (!uses.empty()) {
    skeleton = build_skeleton(file, scene, uses, {}, data);
    source.body.clips = read_clips(file, skeleton.joint_of_node, data, context);
    source.is_bound = !source.body.clips.empty();
  }
  if (!source.is_bound) {
    std::vector<char> is_bone(file.nodes.size(), 0);
    for (const Skin& skin : file.skins)
      for (const std::size_t joint : skin.joints) is_bone[joint] = 1;
    for (const Animation& animation : file.animations)
      for (const AnimationChannel& channel : animation.channels)
        if (channel.node >= 0 && channel.path != "weights") is_bone[static_cast<std::size_t>(channel.node)] = 1;
    std::vector<std::size_t> bones;
    for (const std::size_t node : scene.order) {  // hands and feet that keep still are of the body, too
      const int above = scene.parent[node];
      if (above >= 0 && is_bone[static_cast<std::size_t>(above)] != 0 && file.nodes[node].mesh < 0) is_bone[node] = 1;
      if (is_bone[node] != 0) bones.push_back(node);
    }
    skeleton = build_rigid_skeleton(file, scene, bones);
    source.body.clips = read_clips(file, skeleton.joint_of_node, data, context);
  }
  source.body.source = file.name;
  source.body.skeleton = std::move(skeleton.skeleton);
  return source;
}

ClipSource assemble_motion(std::span<const std::byte> bytes, const std::string& name, const std::string& folder,
                           const Context& loud) {
  Context context = loud;
  context.on_warning = nullptr;  // about meshes, and clips that nobody asked for
  const File file = parse_file(bytes, name, folder, context);
  ClipSource source;
  const auto is_skinned = [](const Node& node) { return node.mesh >= 0 && node.skin >= 0; };
  if (std::any_of(file.nodes.begin(), file.nodes.end(), is_skinned))
    source = {assemble(bytes, name, folder, context, {}), true, 0};
  if (source.body.clips.empty()) {  // what moves, if anything, has no skin
    Data data(file, bytes.size());
    source = assemble_skeleton(file, build_scene(file), data, context);
  }
  source.bytes = bytes.size();
  for (const Clip& clip : source.body.clips)  // buffers may lie in other files
    for (const Channel& channel : clip.channels) source.bytes += sizeof(float) * channel.values.size();
  return source;
}

/// In one sentence, whatever is wrong with a file.
auto guarded(const std::string& name, const auto& make) -> decltype(make()) {
  try {
    return make();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::io, name, "there is not enough memory to read it");
  } catch (const std::exception&) {  // of a library, in its own words
    throw Error(ErrorCode::bad_file, name, "it is damaged; export it again");
  }
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

Character read_gltf_humanoid(std::span<const std::byte> bytes, const std::string& name, const Context& context) {
  return guarded(name, [&] { return assemble_humanoid(bytes, name, context); });
}

Character read_gltf(const std::string& path, const Context& context, const ReadOptions& options) {
  const std::vector<std::byte> bytes = read_whole_file(path, path);
  return guarded(path, [&] { return assemble(bytes, path, folder_of(path), context, options); });
}

ClipSource read_gltf_motion(const std::string& path, const Context& context) {
  const std::vector<std::byte> bytes = read_whole_file(path, path);
  return guarded(path, [&] { return assemble_motion(bytes, path, folder_of(path), context); });
}

ClipSource read_gltf_motion_memory(std::span<const std::byte> bytes, const std::string& name, const Context& context) {
  return guarded(name, [&] { return assemble_motion(bytes, name, "", context); });
}

Character read_gltf_memory(std::span<const std::byte> bytes, const std::string& name, const Context& context,
                           const ReadOptions& options) {
  return guarded(name, [&] { return assemble(bytes, name, "", context, options); });
}

}  // namespace cutis
