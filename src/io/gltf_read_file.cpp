#include "io/gltf_read_file.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cutis/text.h"
#include "io/gltf_read_appearance.h"
#include "io/gltf_read_container.h"
#include "io/gltf_read_json.h"
#include "io/gltf_read_uri.h"

namespace cutis::gltf {
namespace {

Json parse_json(std::string_view text, const std::string& name) {
  Json root = Json::parse(text.begin(), text.end(), nullptr, false);
  if (root.is_discarded()) throw Error(ErrorCode::bad_file, name, "its JSON is damaged: " + json_fault(text));
  if (!root.is_object()) throw Error(ErrorCode::bad_file, name, "its JSON is not an object");
  return root;
}

// Extensions that do not change where vertices are, and so may be required without harm.
bool understands(std::string_view extension) {
  constexpr std::array<std::string_view, 14> kKnown{
      "KHR_mesh_quantization", "KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_texture_transform",
      "KHR_texture_basisu",    "EXT_texture_webp",           "EXT_texture_avif",        "MSFT_texture_dds",
      "KHR_lights_punctual",   "EXT_lights_image_based",     "KHR_xmp_json_ld",         "KHR_animation_pointer",
      "EXT_mesh_features",     "EXT_structural_metadata"};
  return extension.starts_with("KHR_materials_") || extension.starts_with("EXT_materials_") ||
         extension.starts_with("VRM") || std::find(kKnown.begin(), kKnown.end(), extension) != kKnown.end();
}

void check_asset(const Json& root, const Element& top) {
  const Json* asset = find_member(root, "asset");
  const std::string version = asset == nullptr ? "" : get_text(*asset, "version", top);
  if (version.empty()) top.fail("this is not a glTF file: its JSON has no asset version");
  if (!version.starts_with("2."))
    top.fail(
        fmt::format("it is glTF version {}, but only 2.x can be read; export it as glTF 2.0", version.substr(0, 20)));
  for (const Json& required : get_array(root, "extensionsRequired", top)) {
    if (!required.is_string()) top.fail("'extensionsRequired' holds something other than names");
    const auto extension = required.get<std::string>();
    if (!understands(extension))
      top.fail(fmt::format("it requires the extension {}, which cannot be read; export it without that",
                           extension.substr(0, 100)));
  }
}

Affine3d affine_from_columns(const std::vector<double>& m, const Element& where) {
  if (std::abs(m[3]) > kBottomRowTolerance || std::abs(m[7]) > kBottomRowTolerance ||
      std::abs(m[11]) > kBottomRowTolerance || std::abs(m[15] - 1) > kBottomRowTolerance)
    where.fail("its matrix is projective: the bottom row must be 0 0 0 1");
  return {{{Vec3d{m[0], m[1], m[2]}, Vec3d{m[4], m[5], m[6]}, Vec3d{m[8], m[9], m[10]}}}, {m[12], m[13], m[14]}};
}

ComponentType component_type(const Json& object, const Element& where) {
  const std::uint64_t type = require_count(object, "componentType", where);
  if (type < 5120 || type > 5126 || type == 5124)
    where.fail(fmt::format("'componentType' {} is not one of glTF's", type));
  return static_cast<ComponentType>(type);
}

/// Reads the lists of one document, in the order in which they refer to each other.
class Parser {
 public:
  Parser(const Json& root, const std::string& folder, const Context& context, File& file)
      : root_(root), folder_(folder), context_(context), file_(file) {
    buffer_count_ = list("buffers").size();
    view_count_ = list("bufferViews").size();
    accessor_count_ = list("accessors").size();
    mesh_count_ = list("meshes").size();
    node_count_ = list("nodes").size();
    skin_count_ = list("skins").size();
  }

  void buffers(const Container& container);
  void views();
  void accessors();
  void meshes();
  void nodes();
  void skins();
  void animations();
  void scene();
  void appearance(std::size_t file_size);
  void humanoid();
  void more_extensions(const Container& container);

 private:
  const Json& list(const char* key) const { return get_array(root_, key, {&file_.name}); }
  template <class F>
  void each(const char* key, const F& f) const {
    const Json& items = list(key);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Element where{&file_.name, key, i};
      f(require_object(items[i], where), where);
    }
  }
  BufferView view(const Json& json, const Element& where) const;
  Primitive primitive(const Json& json, const Element& where) const;
  std::map<std::string, std::size_t> attributes(const Json& json, const Element& where) const;

  const Json& root_;
  const std::string& folder_;
  const Context& context_;
  File& file_;
  std::size_t buffer_count_, view_count_, accessor_count_, mesh_count_, node_count_, skin_count_;
};

void Parser::buffers(const Container& container) {
  std::map<std::string, std::span<const std::byte>> seen;  // a file that many buffers name is read once
  each("buffers", [&](const Json& json, const Element& where) {
    const std::uint64_t length = require_count(json, "byteLength", where);
    std::span<const std::byte> bytes;
    const Json* extensions = find_member(json, "extensions");
    const Json* meshopt = extensions == nullptr ? nullptr : find_member(*extensions, "EXT_meshopt_compression");
    if (meshopt != nullptr && get_flag(*meshopt, "fallback", where)) {
      file_.buffers.emplace_back();  // stands for data that the compressed views unfold to
      return;
    }
    if (find_member(json, "uri") != nullptr) {
      const std::string uri = get_text(json, "uri", where);
      const auto [it, is_new] = seen.try_emplace(uri);
      if (is_new) {
        file_.storage.push_back(read_uri(uri, folder_, where.text()).bytes);
        it->second = file_.storage.back();
      }
      bytes = it->second;
    } else if (where.index == 0 && container.has_binary) {
      bytes = container.binary;
    } else {
      where.fail("it has no data: no 'uri', and the file has no binary chunk for it");
    }
    if (length > bytes.size())
      where.fail(fmt::format("it claims {} bytes, but its data has only {}", length, bytes.size()));
    file_.buffers.push_back(bytes.first(length));
  });
}

BufferView Parser::view(const Json& json, const Element& where) const {
  BufferView v;
  v.buffer = require_index(json, "buffer", buffer_count_, where);
  v.offset = get_count(json, "byteOffset", where).value_or(0);
  v.length = require_count(json, "byteLength", where);
  v.stride = get_count(json, "byteStride", where).value_or(0);
  const Json* extensions = find_member(json, "extensions");
  const Json* meshopt = extensions == nullptr ? nullptr : find_member(*extensions, "EXT_meshopt_compression");
  if (meshopt != nullptr) {
    MeshoptView& m = v.meshopt.emplace();
    m.buffer = require_index(*meshopt, "buffer", buffer_count_, where);
    m.offset = get_count(*meshopt, "byteOffset", where).value_or(0);
    m.length = require_count(*meshopt, "byteLength", where);
    m.stride = require_count(*meshopt, "byteStride", where);
    m.count = require_count(*meshopt, "count", where);
    m.mode = get_text(*meshopt, "mode", where);
    m.filter = get_text(*meshopt, "filter", where);
  }
  return v;
}

void Parser::views() {
  each("bufferViews", [&](const Json& json, const Element& where) { file_.views.push_back(view(json, where)); });
}

void Parser::accessors() {
  each("accessors", [&](const Json& json, const Element& where) {
    Accessor a;
    a.view = get_index(json, "bufferView", view_count_, where);
    a.offset = get_count(json, "byteOffset", where).value_or(0);
    a.count = require_count(json, "count", where);
    a.type = component_type(json, where);
    a.normalized = get_flag(json, "normalized", where);
    const std::string type = get_text(json, "type", where);
    if (type == "SCALAR") {
      a.components = 1;
    } else if (type == "VEC2" || type == "VEC3" || type == "VEC4") {
      a.components = type[3] - '0';
    } else if (type == "MAT2" || type == "MAT3" || type == "MAT4") {
      a.components = (type[3] - '0') * (type[3] - '0');
      a.is_matrix = true;
    } else {
      where.fail("'type' is not one of glTF's");
    }
    if (const Json* sparse = find_member(json, "sparse"); sparse != nullptr) {
      Sparse& s = a.sparse.emplace();
      s.count = require_count(*sparse, "count", where);
      const Json* indices = find_member(*sparse, "indices");
      const Json* values = find_member(*sparse, "values");
      if (indices == nullptr || values == nullptr) where.fail("'sparse' lacks its 'indices' or 'values'");
      s.index_view = require_index(*indices, "bufferView", view_count_, where);
      s.index_offset = get_count(*indices, "byteOffset", where).value_or(0);
      s.index_type = component_type(*indices, where);
      s.value_view = require_index(*values, "bufferView", view_count_, where);
      s.value_offset = get_count(*values, "byteOffset", where).value_or(0);
    }
    file_.accessors.push_back(a);
  });
}

std::map<std::string, std::size_t> Parser::attributes(const Json& json, const Element& where) const {
  std::map<std::string, std::size_t> result;
  for (const auto& item : json.items())
    result.emplace(item.key(), check_index(item.value(), accessor_count_, item.key().c_str(), where));
  return result;
}

Primitive Parser::primitive(const Json& json, const Element& where) const {
  Primitive p;
  require_object(json, where);
  if (const Json* found = find_member(json, "attributes"); found != nullptr)
    p.attributes = attributes(require_object(*found, where), where);
  p.indices = get_index(json, "indices", accessor_count_, where);
  p.mode = static_cast<int>(std::min<std::uint64_t>(get_count(json, "mode", where).value_or(4), 99));
  p.material = get_index(json, "material", list("materials").size(), where);
  for (const Json& target : get_array(json, "targets", where))
    p.targets.push_back(attributes(require_object(target, where), where));
  const Json* extensions = find_member(json, "extensions");
  const Json* draco = extensions == nullptr ? nullptr : find_member(*extensions, "KHR_draco_mesh_compression");
  if (draco != nullptr) {
    DracoSource& d = p.draco.emplace();
    d.view = require_index(*draco, "bufferView", view_count_, where);
    const Json* ids = find_member(*draco, "attributes");
    if (ids == nullptr || !ids->is_object()) where.fail("its Draco extension has no 'attributes'");
    for (const auto& item : ids->items())
      d.unique_id.emplace(item.key(),
                          static_cast<std::uint32_t>(check_index(item.value(), 0xffffffffU, "attributes", where)));
  }
  return p;
}

void Parser::meshes() {
  each("meshes", [&](const Json& json, const Element& where) {
    Mesh mesh;
    mesh.name = get_name(json, where);
    mesh.weights = get_numbers(json, "weights", 0, where);
    const Json& primitives = get_array(json, "primitives", where);
    for (std::size_t i = 0; i < primitives.size(); ++i)
      mesh.primitives.push_back(primitive(primitives[i], where.sub("primitives", i)));
    file_.meshes.push_back(std::move(mesh));
  });
}

void Parser::nodes() {
  each("nodes", [&](const Json& json, const Element& where) {
    Node node;
    node.name = get_name(json, where);
    node.mesh = get_index(json, "mesh", mesh_count_, where);
    node.skin = get_index(json, "skin", skin_count_, where);
    node.weights = get_numbers(json, "weights", 0, where);
    for (const Json& child : get_array(json, "children", where))
      node.children.push_back(check_index(child, node_count_, "children", where));
    if (const auto m = get_numbers(json, "matrix", 16, where); !m.empty()) node.matrix = affine_from_columns(m, where);
    if (const auto t = get_numbers(json, "translation", 3, where); !t.empty())
      node.local.translation = {t[0], t[1], t[2]};
    if (const auto q = get_numbers(json, "rotation", 4, where); !q.empty())
      node.local.rotation = normalized(Quatd{q[0], q[1], q[2], q[3]});
    if (const auto s = get_numbers(json, "scale", 3, where); !s.empty()) node.local.scale = {s[0], s[1], s[2]};
    file_.nodes.push_back(std::move(node));
  });
}

void Parser::skins() {
  each("skins", [&](const Json& json, const Element& where) {
    Skin skin;
    skin.name = get_name(json, where);
    skin.inverse_bind = get_index(json, "inverseBindMatrices", accessor_count_, where);
    for (const Json& joint : get_array(json, "joints", where))
      skin.joints.push_back(check_index(joint, node_count_, "joints", where));
    if (skin.joints.empty()) where.fail("the skin has no joints");
    file_.skins.push_back(std::move(skin));
  });
}

void Parser::animations() {
  each("animations", [&](const Json& json, const Element& where) {
    Animation animation;
    animation.name = get_name(json, where);
    const Json& samplers = get_array(json, "samplers", where);
    const Json& channels = get_array(json, "channels", where);
    for (std::size_t i = 0; i < channels.size(); ++i) {
      const Element at = where.sub("channels", i);
      const Json* target = find_member(require_object(channels[i], at), "target");
      if (target == nullptr) at.fail("'target' is missing");
      AnimationChannel channel;
      channel.node = get_index(*target, "node", node_count_, at);
      channel.path = get_text(*target, "path", at);
      const Json& sampler = samplers[require_index(channels[i], "sampler", samplers.size(), at)];
      channel.input = require_index(sampler, "input", accessor_count_, at);
      channel.output = require_index(sampler, "output", accessor_count_, at);
      channel.interpolation = get_text(sampler, "interpolation", at);
      animation.channels.push_back(std::move(channel));
    }
    file_.animations.push_back(std::move(animation));
  });
}

void Parser::scene() {
  const Json& scenes = list("scenes");
  const Element top{&file_.name};
  if (scenes.empty()) return;
  const auto chosen = static_cast<std::size_t>(std::max(0, get_index(root_, "scene", scenes.size(), top)));
  const Element where{&file_.name, "scenes", chosen};
  for (const Json& node : get_array(require_object(scenes[chosen], where), "nodes", where))
    file_.scene_roots.push_back(check_index(node, node_count_, "nodes", where));
}

void Parser::appearance(std::size_t file_size) {
  file_.material_count = list("materials").size();
  // Images may be shared, but a small file does not turn into gigabytes; external files are as large as they are.
  std::uint64_t budget = (std::uint64_t{64} << 20) + 4 * std::uint64_t{file_size};
  if (!folder_.empty()) budget = std::max(budget, std::uint64_t{4} << 30);
  const auto bytes_of_view = [&](std::size_t index) {
    const BufferView& v = file_.views[index];
    const auto& buffer = file_.buffers[v.buffer];
    if (v.length > buffer.size() || v.offset > buffer.size() - v.length)
      throw Error(ErrorCode::bad_file, file_.place(fmt::format("bufferViews[{}]", index)),
                  "it reaches past the end of its buffer");
    return buffer.subspan(v.offset, v.length);
  };
  file_.appearance = read_appearance({root_, file_.name, folder_, bytes_of_view}, budget, context_);
  if (!file_.appearance) file_.material_count = 0;
}

/// VRM 0: a list of {bone, node}. VRM 1 and VRM animations: {bone: {node}}.
void Parser::humanoid() {
  const Json* extensions = find_member(root_, "extensions");
  if (extensions == nullptr) return;
  for (const char* name : {"VRM", "VRMC_vrm", "VRMC_vrm_animation"}) {
    const Json* vrm = find_member(*extensions, name);
    const Json* body = vrm == nullptr ? nullptr : find_member(*vrm, "humanoid");
    const Json* bones = body == nullptr ? nullptr : find_member(*body, "humanBones");
    if (bones == nullptr || !bones->is_structured()) continue;
    for (const auto& item : bones->items()) {
      const Json* node = find_member(item.value(), "node");
      const Json* bone = bones->is_array() ? find_member(item.value(), "bone") : nullptr;
      const auto index = node == nullptr ? std::nullopt : as_count(*node);
      if (!index || *index >= file_.nodes.size() || (bones->is_array() && (bone == nullptr || !bone->is_string())))
        continue;  // says nothing; motions find the joint otherwise
      file_.nodes[*index].humanoid = bone != nullptr ? bone->get<std::string>() : item.key();
    }
  }
}

void Parser::more_extensions(const Container& container) {
  // Those that the reader undoes, or that materials and textures carry along.
  const auto is_held = [](std::string_view extension) {
    return extension.starts_with("KHR_materials_") || extension.starts_with("EXT_materials_") ||
           extension.find("_texture_") != extension.npos || extension == "KHR_mesh_quantization" ||
           extension == "KHR_draco_mesh_compression" || extension == "EXT_meshopt_compression";
  };
  for (const Json& used : get_array(root_, "extensionsUsed", {&file_.name}))
    if (used.is_string() && !is_held(used.get<std::string>()))
      file_.more_extensions.push_back(used.get<std::string>().substr(0, kLongestName));
  const Json* extensions = find_member(root_, "extensions");
  file_.is_vrm = extensions != nullptr &&
                 (find_member(*extensions, "VRM") != nullptr || find_member(*extensions, "VRMC_vrm") != nullptr);
  if (file_.is_vrm && file_.more_extensions.empty()) file_.more_extensions.emplace_back("VRM");
  const Json& buffers = list("buffers");
  file_.is_self_contained = container.has_binary && !buffers.empty() && find_member(buffers[0], "uri") == nullptr;
  for (const char* key : {"buffers", "images"})
    for (const Json& item : list(key))
      if (const Json* uri = find_member(item, "uri"); uri != nullptr && uri->is_string())
        file_.is_self_contained = file_.is_self_contained && uri->get<std::string>().starts_with("data:");
}

std::string label(const char* kind, const std::string& name, std::size_t index) {
  return name.empty() ? fmt::format("{} {}", kind, index) : fmt::format("{} '{}'", kind, name);
}

}  // namespace

std::string File::mesh_label(std::size_t mesh) const { return label("mesh", meshes[mesh].name, mesh); }
std::string File::node_label(std::size_t node) const { return label("node", nodes[node].name, node); }
std::string File::skin_label(std::size_t skin) const { return label("skin", skins[skin].name, skin); }

File parse_file(std::span<const std::byte> bytes, const std::string& name, const std::string& folder,
                const Context& context) {
  File file;
  file.name = name;
  const Container container = open_container(bytes, name);
  const Json root = parse_json(container.json, name);
  check_asset(root, {&file.name});
  Parser parser(root, folder, context, file);
  parser.buffers(container);
  parser.views();
  parser.accessors();
  parser.meshes();
  parser.nodes();
  parser.skins();
  parser.animations();
  parser.scene();
  parser.appearance(bytes.size());
  parser.humanoid();
  parser.more_extensions(container);
  return file;
}

}  // namespace cutis::gltf
