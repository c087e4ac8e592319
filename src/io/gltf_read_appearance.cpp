#include "io/gltf_read_appearance.h"

#include <algorithm>
#include <set>

#include "io/gltf_read_uri.h"

namespace cutis::gltf {
namespace {

/// Removes references to textures that do not exist, and notes the extensions in use. The document's nesting is
/// limited by open_container(), so recursion is safe.
void clean_material(Json& value, std::size_t texture_count, std::set<std::string>& extensions, std::size_t& removed) {
  if (value.is_array()) {
    for (Json& item : value) clean_material(item, texture_count, extensions, removed);
    return;
  }
  if (!value.is_object()) return;
  for (auto it = value.begin(); it != value.end();) {
    if (it.key().ends_with("Texture")) {
      const Json* index = it->is_object() ? find_member(*it, "index") : nullptr;
      const auto n = index == nullptr ? std::nullopt : as_count(*index);
      if (!n || *n >= texture_count) {
        it = value.erase(it);
        ++removed;
        continue;
      }
    }
    if (it.key() == "extensions" && it->is_object())
      for (const auto& item : it->items()) extensions.insert(item.key());
    if (it.key() != "extras") clean_material(*it, texture_count, extensions, removed);
    ++it;
  }
}

void drop_bad_index(Json& object, const char* key, std::size_t size, std::size_t& removed) {
  const auto it = object.find(key);
  if (it == object.end()) return;
  const auto n = as_count(*it);
  if (n && *n < size) return;
  object.erase(it);
  ++removed;
}

void clean_texture(Json& texture, std::size_t image_count, std::size_t sampler_count, std::set<std::string>& extensions,
                   std::size_t& removed) {
  drop_bad_index(texture, "source", image_count, removed);
  drop_bad_index(texture, "sampler", sampler_count, removed);
  const auto it = texture.find("extensions");
  if (it == texture.end() || !it->is_object()) return;
  for (auto item = it->begin(); item != it->end();) {
    const std::size_t before = removed;
    if (item->is_object()) drop_bad_index(*item, "source", image_count, removed);
    if (removed != before) {
      item = it->erase(item);
    } else {
      extensions.insert(item.key());
      ++item;
    }
  }
}

std::string sniff_mime(std::span<const unsigned char> bytes) {
  const auto starts = [&](std::size_t at, std::string_view magic) {
    return bytes.size() >= at + magic.size() &&
           std::equal(magic.begin(), magic.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
  };
  if (starts(0, "\x89PNG")) return "image/png";
  if (starts(0, "\xFF\xD8\xFF")) return "image/jpeg";
  if (starts(0, "RIFF") && starts(8, "WEBP")) return "image/webp";
  if (starts(0, "\xABKTX 20")) return "image/ktx2";
  if (starts(0, "DDS ")) return "image/vnd-ms.dds";
  return {};
}

Appearance::Image read_image(const AppearanceSource& source, const Json& json, const Element& where,
                             std::uint64_t& budget) {
  Appearance::Image image;
  require_object(json, where);
  image.name = get_name(json, where);
  image.mime_type = get_text(json, "mimeType", where);
  const auto take = [&](std::span<const std::byte> bytes) {
    if (bytes.size() > budget) where.fail("the images together are too large for this file");
    budget -= bytes.size();
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    image.file.assign(data, data + bytes.size());
  };
  if (const Json* view = find_member(json, "bufferView"); view != nullptr) {
    take(source.bytes_of_view(
        check_index(*view, get_array(source.root, "bufferViews", where).size(), "bufferView", where)));
  } else {
    const std::string uri = get_text(json, "uri", where);
    const UriContent content = read_uri(uri, source.folder, where.text());
    take(content.bytes);
    if (image.mime_type.empty()) image.mime_type = content.mime_type;
  }
  // The bytes know better than the label.
  if (const std::string sniffed = sniff_mime(image.file); !sniffed.empty()) image.mime_type = sniffed;
  return image;
}

}  // namespace

std::shared_ptr<const Appearance> read_appearance(const AppearanceSource& source, std::uint64_t& budget,
                                                  const Context& context) {
  const Element top{&source.name};
  const Json& materials = get_array(source.root, "materials", top);
  if (materials.empty()) return nullptr;
  const Json& textures = get_array(source.root, "textures", top);
  const Json& images = get_array(source.root, "images", top);
  const Json& samplers = get_array(source.root, "samplers", top);

  for (const auto& [key, list] : {std::pair("materials", &materials), {"textures", &textures}, {"samplers", &samplers}})
    for (const Json& item : *list) {
      if (item.is_object()) continue;
      context.warn(fmt::format("{}: the materials are left out: one of {} is not an object", source.name, key));
      return nullptr;
    }
  auto appearance = std::make_shared<Appearance>();
  appearance->materials = materials;
  appearance->textures = textures;
  appearance->samplers = samplers;
  std::set<std::string> extensions;
  std::size_t removed = 0;
  for (Json& material : appearance->materials) clean_material(material, textures.size(), extensions, removed);
  for (Json& texture : appearance->textures)
    clean_texture(texture, images.size(), samplers.size(), extensions, removed);
  if (removed > 0)
    context.warn(fmt::format("{}: {} references to textures, images or samplers that do not exist are left out",
                             source.name, removed));

  for (std::size_t i = 0; i < images.size(); ++i) {
    try {
      appearance->images.push_back(read_image(source, images[i], {&source.name, "images", i}, budget));
    } catch (const Error& e) {
      context.warn(fmt::format("an image is left out: {}", e.what()));
      appearance->images.emplace_back();
    }
  }
  appearance->extensions_used.assign(extensions.begin(), extensions.end());
  return appearance;
}

}  // namespace cutis::gltf
