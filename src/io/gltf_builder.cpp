#include "io/gltf_builder.h"

#include <algorithm>
#include <bit>
#include <filesystem>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "cutis/error.h"
#include "cutis/version.h"
#include "io/file_group.h"
#include "io/text_scan.h"

namespace cutis {

bool carried_by_gltf(const VertexAttribute& a) {
  return (a.name.starts_with("TEXCOORD_") && a.components == 2) ||
         (a.name.starts_with("COLOR_") && (a.components == 3 || a.components == 4));
}

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

}  // namespace

std::string glb::uri_of(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

GltfBuilder::GltfBuilder() { json["asset"] = {{"version", "2.0"}, {"generator", fmt::format("Cutis {}", version())}}; }

std::size_t GltfBuilder::add_view(const void* data, std::size_t bytes, Target target) {
  Json view = {{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", bytes}};
  if (target != kNoTarget) view["target"] = static_cast<int>(target);
  views_.push_back(std::move(view));
  const auto* begin = static_cast<const unsigned char*>(data);
  bytes_.insert(bytes_.end(), begin, begin + bytes);
  bytes_.resize((bytes_.size() + 3) / 4 * 4, 0);
  return views_.size() - 1;
}

std::size_t GltfBuilder::add_accessor(std::size_t view, std::size_t count, Component component, const char* type) {
  accessors_.push_back(
      {{"bufferView", view}, {"componentType", static_cast<int>(component)}, {"count", count}, {"type", type}});
  return accessors_.size() - 1;
}

void GltfBuilder::add_bounds(std::size_t accessor, std::span<const float> values) {
  const std::size_t wide = values.size() / accessors_[accessor]["count"].get<std::size_t>();
  std::vector<double> lo(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(wide)), hi = lo;
  for (std::size_t i = 0; i < values.size(); ++i) {
    lo[i % wide] = std::min(lo[i % wide], static_cast<double>(values[i]));
    hi[i % wide] = std::max(hi[i % wide], static_cast<double>(values[i]));
  }
  accessors_[accessor]["min"] = lo;
  accessors_[accessor]["max"] = hi;
}

void GltfBuilder::write(const std::string& file) {
  if (!accessors_.empty()) json["accessors"] = accessors_;
  if (!views_.empty()) json["bufferViews"] = views_;
  const std::filesystem::path path(file);
  const bool text = lower_case(path.extension().string()) == ".gltf";
  const std::filesystem::path bin = std::filesystem::path(path).replace_extension(".bin");
  if (!bytes_.empty()) {
    json["buffers"] = Json::array({Json::object({{"byteLength", bytes_.size()}})});
    if (text) json["buffers"][0]["uri"] = glb::uri_of(bin.filename().string());
  }
  // Names may come from files with other encodings; a wrong letter is better than no file.
  std::string document = json.dump(text ? 1 : -1, ' ', false, Json::error_handler_t::replace);
  if (bytes_.size() + document.size() + 64 > glb::kMaxBytes)
    throw Error(ErrorCode::bad_argument, file,
                "would take more than 4 GB, where glTF ends; write fewer meshes or clips");

  FileGroup files;
  if (text) {
    AtomicFile& data = files.add(bin.string());
    data.write(bytes_.data(), bytes_.size());
    AtomicFile& out = files.add(file);
    out.write(document);
    out.write("\n");
  } else {
    document.resize((document.size() + 3) / 4 * 4, ' ');
    AtomicFile& out = files.add(file);
    const auto u32 = [&](std::size_t value) {
      const auto number = static_cast<std::uint32_t>(value);
      out.write(&number, sizeof number);
    };
    u32(glb::kGlbMagic);
    u32(2);
    u32(12 + 8 + document.size() + 8 + bytes_.size());
    u32(document.size());
    u32(glb::kJsonChunk);
    out.write(document);
    u32(bytes_.size());
    u32(glb::kBinChunk);
    out.write(bytes_.data(), bytes_.size());
  }
  files.commit();
}

}  // namespace cutis
