// Weights go into accessors of their own behind everything else; the JSON is edited as text, so that all that is not
// about weights stays as the file's author wrote it, down to the spaces.
#include "io/gltf_source.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/math.h"
#include "cutis/error.h"
#include "io/file_group.h"
#include "io/gltf_builder.h"
#include "io/gltf_influences.h"
#include "io/text_scan.h"

namespace cutis {
namespace {

using SourceJson = nlohmann::ordered_json;

/// Where the value of each member of the outermost object lies in the text.
struct Span {
  std::size_t begin = 0, end = 0;
};

std::size_t end_of_text(const std::string& json, std::size_t at) {  // `at`: behind the opening quote
  while (json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return at + 1;
}
std::size_t end_of_value(const std::string& json, std::size_t at) {
  int depth = 0;
  for (; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      at = end_of_text(json, at + 1) - 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;
      --depth;
    } else if (c == ',' && depth == 0) {
      return at;
    }
  }
  return at;
}
/// The text is JSON that a parser has read.
std::map<std::string, Span> members_of(const std::string& json) {
  std::map<std::string, Span> members;
  std::size_t at = json.find('{') + 1;
  while ((at = json.find_first_of("\"}", at)) != std::string::npos && json[at] == '"') {
    const std::size_t key_end = end_of_text(json, at + 1);
    const auto key = SourceJson::parse(json.substr(at, key_end - at)).get<std::string>();
    const std::size_t begin = json.find_first_not_of(" \t\r\n", json.find(':', key_end) + 1);
    at = end_of_value(json, begin);
    std::size_t end = at;
    while (end > begin && is_space(json[end - 1])) --end;
    members[key] = {begin, end};
  }
  return members;
}

class WeightsChanger {
 public:
  WeightsChanger(const Character& character, const GltfSource& source)
      : character_(character),
        source_(source),
        json_(source.json),
        members_(members_of(json_)),
        binary_(source.binary) {
    for (const char* key : {"meshes", "skins", "buffers"}) lists_[key] = parsed(key);
    accessors_ = parsed("accessors").size();
    views_ = parsed("bufferViews").size();
    for (const auto& [skin, binding] : source.skins) find_places(skin, binding);
  }

  void run(const std::string& file) {
    const auto has_skin = [&](std::size_t i) { return source_.pieces[i].skin != GltfSource::kNoSkin; };
    for (std::size_t i = 0; i < source_.pieces.size(); ++i) {
      if (!has_skin(i)) continue;
      for (const std::uint32_t joint : character_.meshes[i].weights.joint) need(source_.pieces[i].skin, joint);
    }
    for (const auto& [skin, places] : places_)
      if (places.entries.size() > source_.skins.at(skin).joint_of.size()) extend(skin, places);
    for (std::size_t i = 0; i < source_.pieces.size(); ++i)
      if (has_skin(i) && !character_.meshes[i].weights.empty()) change(source_.pieces[i], character_.meshes[i].weights);
    write(file);
  }

 private:
  struct Places {
    std::vector<std::uint32_t> of_joint;  ///< entry of the skin for each joint of the character
    std::vector<std::uint32_t> entries;   ///< joint of each entry
  };
  static constexpr std::uint32_t kNoPlace = 0xFFFFFFFF;

  [[nodiscard]] SourceJson parsed(const std::string& key) const {
    const auto at = members_.find(key);
    if (at == members_.end()) return SourceJson::array();
    return SourceJson::parse(json_.substr(at->second.begin, at->second.end - at->second.begin));
  }

  // An alias stands for its joint in the skin that binds it so.
  void find_places(std::size_t skin, const GltfSource::Skin& binding) {
    Places& places = places_[skin];
    places.of_joint.assign(character_.skeleton.joints.size(), kNoPlace);
    places.entries = binding.joint_of;
    for (std::size_t i = 0; i < binding.joint_of.size(); ++i) {
      const std::uint32_t joint = binding.joint_of[i];
      places.of_joint[joint] = static_cast<std::uint32_t>(i);
      if (const int alias = character_.skeleton.joints[joint].alias_of; alias >= 0)
        places.of_joint[static_cast<std::size_t>(alias)] = static_cast<std::uint32_t>(i);
    }
  }
  void need(std::size_t skin, std::uint32_t joint) {
    Places& places = places_.at(skin);
    if (places.of_joint[joint] != kNoPlace) return;
    places.of_joint[joint] = static_cast<std::uint32_t>(places.entries.size());
    places.entries.push_back(joint);
  }

  template <class T>
  std::size_t add(const std::vector<T>& values, std::size_t count, int component, const char* type, int target) {
    binary_.resize((binary_.size() + 3) / 4 * 4);
    SourceJson view = {{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", values.size() * sizeof(T)}};
    if (target != GltfBuilder::kNoTarget) view["target"] = target;
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    binary_.insert(binary_.end(), bytes, bytes + values.size() * sizeof(T));
    new_views_.push_back(view.dump());
    new_accessors_.push_back(
        SourceJson{{"bufferView", views_++}, {"componentType", component}, {"count", count}, {"type", type}}.dump());
    return accessors_++;
  }

  void extend(std::size_t skin, const Places& places) {
    SourceJson& json = lists_["skins"][skin];
    std::vector<float> matrices;
    for (const std::uint32_t joint : places.entries) {
      const Affine3d m =
          inverse(character_.skeleton.joints[joint].world_from_rest) * source_.skins.at(skin).scene_from_mesh;
      for (const Vec3d& column : m.linear.col)
        for (const double x : {column.x, column.y, column.z, 0.0}) matrices.push_back(static_cast<float>(x));
      for (const double x : {m.translation.x, m.translation.y, m.translation.z, 1.0})
        matrices.push_back(static_cast<float>(x));
    }
    for (std::size_t i = source_.skins.at(skin).joint_of.size(); i < places.entries.size(); ++i) {
      const int alias = character_.skeleton.joints[places.entries[i]].alias_of;
      const auto joint = alias >= 0 ? static_cast<std::size_t>(alias) : places.entries[i];
      json["joints"].push_back(source_.node_of_joint[joint]);
    }
    json["inverseBindMatrices"] =
        add(matrices, places.entries.size(), GltfBuilder::kFloat, "MAT4", GltfBuilder::kNoTarget);
    changed_.insert("skins");
  }

  void change(const GltfSource::Piece& piece, const Weights& weights) {
    SourceJson& primitive = lists_["meshes"][piece.mesh]["primitives"][piece.primitive];
    const auto forget = [](SourceJson& attributes) {
      std::vector<std::string> old;
      for (const auto& item : attributes.items())
        if (item.key().starts_with("JOINTS_") || item.key().starts_with("WEIGHTS_")) old.push_back(item.key());
      for (const std::string& key : old) attributes.erase(key);
    };
    forget(primitive["attributes"]);
    if (primitive.contains("extensions") && primitive["extensions"].contains("KHR_draco_mesh_compression"))
      forget(primitive["extensions"]["KHR_draco_mesh_compression"]["attributes"]);
    const Places& places = places_.at(piece.skin);
    std::size_t set = 0;
    for (const auto& [joint, weight] : influence_sets(weights, places.of_joint)) {
      const std::string number = std::to_string(set++);
      const std::size_t n = weights.rows();
      const bool small = places.entries.size() <= 256;
      const std::vector<std::uint8_t> bytes(joint.begin(), joint.end());
      primitive["attributes"]["JOINTS_" + number] =
          small ? add(bytes, n, GltfBuilder::kByte, "VEC4", GltfBuilder::kVertices)
                : add(joint, n, GltfBuilder::kShort, "VEC4", GltfBuilder::kVertices);
      primitive["attributes"]["WEIGHTS_" + number] =
          add(weight, n, GltfBuilder::kFloat, "VEC4", GltfBuilder::kVertices);
    }
    changed_.insert("meshes");
  }

  [[nodiscard]] std::string appended(const std::string& list, const std::vector<std::string>& items) const {
    std::string text = list.substr(0, list.rfind(']'));
    bool first = text.find_first_not_of(" \t\r\n", 1) == std::string::npos;
    for (const std::string& item : items) {
      text += (first ? "" : ",") + item;
      first = false;
    }
    return text + "]";
  }

  void write(const std::string& file) {
    const std::filesystem::path path(file);
    const bool text = lower_case(path.extension().string()) == ".gltf";
    const std::filesystem::path bin = std::filesystem::path(path).replace_extension(".bin");
    binary_.resize((binary_.size() + 3) / 4 * 4);
    lists_["buffers"][0]["byteLength"] = binary_.size();
    if (text) lists_["buffers"][0]["uri"] = glb::uri_of(bin.filename().string());
    changed_.insert("buffers");

    std::map<std::size_t, std::pair<Span, std::string>> edits;  // by place, from the front
    for (const auto& [key, span] : members_) {
      const std::string old = json_.substr(span.begin, span.end - span.begin);
      if (changed_.contains(key))
        edits[span.begin] = {span, lists_[key].dump(-1, ' ', false, SourceJson::error_handler_t::replace)};
      else if (key == "accessors" || key == "bufferViews")
        edits[span.begin] = {span, appended(old, key == "accessors" ? new_accessors_ : new_views_)};
    }
    std::string document;
    std::size_t done = 0;
    for (const auto& [begin, edit] : edits) {
      document += json_.substr(done, begin - done) + edit.second;
      done = edit.first.end;
    }
    document += json_.substr(done);
    while (!document.empty() && (is_space(document.back()) || document.back() == 0)) document.pop_back();
    document.resize((document.size() + 3) / 4 * 4, ' ');
    if (binary_.size() + document.size() + 64 > glb::kMaxBytes)
      throw Error(ErrorCode::bad_argument, file, "would take more than 4 GB, where glTF ends");

    FileGroup files;
    if (text) files.add(bin.string()).write(binary_.data(), binary_.size());
    AtomicFile& out = files.add(file);
    if (text) {
      out.write(document);
      files.commit();
      return;
    }
    const auto u32 = [&](std::size_t value) {
      const auto number = static_cast<std::uint32_t>(value);
      out.write(&number, sizeof number);
    };
    for (const std::size_t value :
         {std::size_t{glb::kGlbMagic}, std::size_t{2}, 12 + 8 + document.size() + 8 + binary_.size(), document.size(),
          std::size_t{glb::kJsonChunk}})
      u32(value);
    out.write(document);
    u32(binary_.size());
    u32(glb::kBinChunk);
    out.write(binary_.data(), binary_.size());
    files.commit();
  }

  const Character& character_;
  const GltfSource& source_;
  const std::string& json_;
  std::map<std::string, Span> members_;
  std::vector<std::byte> binary_;
  std::map<std::string, SourceJson> lists_;
  std::set<std::string> changed_;
  std::map<std::size_t, Places> places_;
  std::size_t accessors_ = 0, views_ = 0;
  std::vector<std::string> new_accessors_, new_views_;
};

}  // namespace

std::uint64_t fingerprint_of(const Character& character) {
  std::uint64_t hash = kHashSeed;
  const auto number = [&](auto value) { hash = hash_bytes(&value, sizeof value, hash); };
  for (const Mesh& mesh : character.meshes) {
    hash = hash_span(std::span<const Vec3f>(mesh.positions), hash);
    hash = hash_span(std::span<const Triangle>(mesh.triangles), hash);
    number(mesh.material);
  }
  for (const Joint& joint : character.skeleton.joints) {
    hash = hash_bytes(joint.name.data(), joint.name.size(), hash);
    number(joint.parent);
    for (const Vec3d& column : joint.world_from_rest.linear.col) number(column);
    number(joint.world_from_rest.translation);
    number(joint.local.translation);
    number(joint.local.rotation);
    number(joint.local.scale);
  }
  for (const Clip& clip : character.clips) {
    hash = hash_bytes(clip.name.data(), clip.name.size(), hash);
    for (const Channel& channel : clip.channels) {
      number(channel.joint);
      hash = hash_span(std::span<const float>(channel.times), hash);
      hash = hash_span(std::span<const float>(channel.values), hash);
    }
  }
  number(character.appearance.get());
  return hash;
}

void write_with_weights(const std::string& file, const Character& character, const GltfSource& source) {
  WeightsChanger(character, source).run(file);
}

}  // namespace cutis
