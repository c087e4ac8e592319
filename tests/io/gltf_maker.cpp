#include "io/gltf_maker.h"

namespace cutis::test {
namespace {

void append_u32(std::vector<std::byte>& to, std::size_t value) {
  for (int i = 0; i < 4; ++i) to.push_back(static_cast<std::byte>(value >> (8 * i)));
}

}  // namespace

int GltfBuilder::add(const char* list, Json element) {
  Json& items = json[list];
  items.push_back(std::move(element));
  return static_cast<int>(items.size()) - 1;
}

int GltfBuilder::add_view(std::span<const std::byte> bytes, int stride) {
  Json view = {{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", bytes.size()}};
  if (stride != 0) view["byteStride"] = stride;
  binary.insert(binary.end(), bytes.begin(), bytes.end());
  binary.resize((binary.size() + 3) / 4 * 4);
  return add("bufferViews", std::move(view));
}

int GltfBuilder::add_accessor_on(int view, std::size_t count, int component, const std::string& type, bool normalized) {
  Json accessor = {{"bufferView", view}, {"componentType", component}, {"count", count}, {"type", type}};
  if (normalized) accessor["normalized"] = true;
  return add("accessors", std::move(accessor));
}

std::size_t GltfBuilder::components_of(const std::string& type) {
  if (type == "SCALAR") return 1;
  if (type == "MAT4") return 16;
  return static_cast<std::size_t>(type.back() - '0');
}

GltfBuilder::Json GltfBuilder::document(bool embed) const {
  Json result = json;
  if (!result.contains("buffers")) {
    Json buffer = {{"byteLength", binary.size()}};
    if (embed) buffer["uri"] = "data:application/octet-stream;base64," + to_base64(binary);
    result["buffers"] = Json::array({std::move(buffer)});
  }
  return result;
}

std::vector<std::byte> GltfBuilder::glb() const { return make_glb(document(false).dump(), binary); }

std::string GltfBuilder::gltf() const { return document(true).dump(); }

std::vector<std::byte> make_glb(const std::string& json, std::span<const std::byte> binary) {
  std::string text = json;
  while (text.size() % 4 != 0) text.push_back(' ');
  std::vector<std::byte> out;
  for (const char c : {'g', 'l', 'T', 'F'}) out.push_back(static_cast<std::byte>(c));
  append_u32(out, 2);
  append_u32(out, 12 + 8 + text.size() + (binary.empty() ? 0 : 8 + binary.size()));
  append_u32(out, text.size());
  append_u32(out, 0x4E4F534A);
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
  if (binary.empty()) return out;
  append_u32(out, binary.size());
  append_u32(out, 0x004E4942);
  out.insert(out.end(), binary.begin(), binary.end());
  return out;
}

std::string to_base64(std::span<const std::byte> bytes) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? std::to_integer<unsigned>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text.push_back(i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63U]);
  }
  return text;
}

}  // namespace cutis::test
