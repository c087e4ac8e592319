// GLB and glTF: one mesh with one primitive per character mesh, one morph target per frame, and one animation of the
// weights that turns the targets on one after the other. The base shape is the rest pose; targets are differences
// from it. Contact is an attribute of its own, 0 in the base shape.
//
// All sizes are known before the first frame, so frames go straight into the file. Only the bounds of the targets are
// not: a GLB has its JSON in front of the data, so room for it is reserved with the longest numbers possible and
// filled at the end (JSON may end in spaces).
#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/version.h"
#include "io/file_group.h"
#include "io/frame_writer.h"
#include "io/gltf_builder.h"
#include "io/gltf_look.h"
#include "io/writers.h"

namespace cutis {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

using Json = nlohmann::ordered_json;

// Numbers of the glTF 2.0 specification.
constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963;
constexpr int kUnsignedInt = 5125, kFloat = 5126;
using namespace glb;

// No double is longer in decimal.
constexpr double kLongestNumber = -2.2250738585072014e-308;

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

std::string dump(const Json& json, int indent) {
  // Names may come from files with other encodings; a wrong letter is better than no file.
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

struct Bounds {
  std::array<double, 3> lo, hi;
};

Bounds bounds_of(std::span<const Vec3f> vectors) {
  Vec3f lo = vectors.front(), hi = lo;
  for (const Vec3f& v : vectors)
    for (int k = 0; k < 3; ++k) {
      lo[k] = std::min(lo[k], v[k]);
      hi[k] = std::max(hi[k], v[k]);
    }
  return {{lo.x, lo.y, lo.z}, {hi.x, hi.y, hi.z}};
}

class GltfWriter final : public FrameWriter {
 public:
  GltfWriter(const std::string& path, const AnimationHeader& header, const Context& context, bool binary)
      : FrameWriter(path, header), binary_(binary), look_(gltf_look(character())) {
    const std::vector<double> seconds = times_from_first(path, header, context);
    times_.assign(seconds.begin(), seconds.end());
    for (const Mesh& mesh : character().meshes) {
      base_positions_.insert(base_positions_.end(), mesh.positions.begin(), mesh.positions.end());
      for (const Vec3f& n : mesh.normals) base_normals_.push_back(normalized(n, {0, 1, 0}));
    }
    refuse_too_large();
    plan();
    open();
    write_constant_part();
  }

 private:
  // ---- what the file will hold ----

  void refuse_too_large() const {
    // As doubles: the squares and products of absurd counts must not wrap around.
    const auto frames = static_cast<double>(frame_count()), vertices = static_cast<double>(vertex_count());
    double bytes = frames * vertices * (2 * sizeof(Vec3f) + (has_contact() ? sizeof(SkinContact) : 0)) +
                   frames * frames * sizeof(float);
    for (const auto& image : look_.image_files) bytes += static_cast<double>(image.size());
    if (bytes > static_cast<double>(kMaxBytes)) fail_too_large(bytes);
  }
  [[noreturn]] void fail_too_large(double bytes) const {
    throw Error(ErrorCode::bad_argument, file(),
                fmt::format("would take {:.1f} GB, and glTF ends at 4 GB; write fewer frames, or a .pc2", bytes / 1e9));
  }

  std::size_t add_view(std::size_t bytes, int target, std::size_t stride = 0) {
    Json view = {{"buffer", 0}, {"byteOffset", bytes_}, {"byteLength", bytes}};
    if (stride != 0) view["byteStride"] = stride;
    if (target != 0) view["target"] = target;
    json_["bufferViews"].push_back(std::move(view));
    bytes_ += padded(bytes);
    return json_["bufferViews"].size() - 1;
  }
  std::size_t add_accessor(std::size_t view, std::size_t offset, std::size_t count, int component, const char* type,
                           const std::optional<Bounds>& bounds = {}) {
    Json accessor = {{"bufferView", view}};
    if (offset != 0) accessor["byteOffset"] = offset;
    accessor["componentType"] = component;
    accessor["count"] = count;
    accessor["type"] = type;
    if (bounds) {
      accessor["min"] = bounds->lo;
      accessor["max"] = bounds->hi;
    }
    json_["accessors"].push_back(std::move(accessor));
    return json_["accessors"].size() - 1;
  }

  /// The whole JSON, with placeholders for the bounds of the targets. Views are in the order in which
  /// write_constant_part() and write_frame() fill them.
  void plan() {
    const auto& meshes = character().meshes;
    json_ = {{"asset", {{"version", "2.0"}, {"generator", fmt::format("Cutis {}", version())}}},
             {"scene", 0},
             {"scenes", Json::array({Json::object({{"nodes", Json::array({0})}})})},
             {"nodes", Json::array({Json::object({{"name", character_name()}, {"mesh", 0}})})},
             {"meshes", Json::array()},
             {"materials", look_.materials},
             {"animations", Json::array()},
             {"accessors", Json::array()},
             {"bufferViews", Json::array()},
             {"buffers", Json::array()}};
    if (look_.materials.empty()) json_.erase("materials");
    if (!look_.extensions_used.empty()) json_["extensionsUsed"] = look_.extensions_used;
    if (!look_.extensions_required.empty()) json_["extensionsRequired"] = look_.extensions_required;

    Json primitives = Json::array();
    const std::size_t base_positions = add_view(base_positions_.size() * sizeof(Vec3f), kArrayBuffer, sizeof(Vec3f));
    const std::size_t base_normals = add_view(base_normals_.size() * sizeof(Vec3f), kArrayBuffer, sizeof(Vec3f));
    const std::size_t base_contact =
        has_contact() ? add_view(vertex_count() * sizeof(SkinContact), kArrayBuffer, sizeof(SkinContact)) : 0;
    std::size_t first = 0;
    for (const Mesh& mesh : meshes) {
      const std::size_t n = mesh.positions.size();
      Json primitive;
      primitive["attributes"]["POSITION"] =
          add_accessor(base_positions, first * sizeof(Vec3f), n, kFloat, "VEC3", bounds_of(mesh.positions));
      primitive["attributes"]["NORMAL"] = add_accessor(base_normals, first * sizeof(Vec3f), n, kFloat, "VEC3");
      if (has_contact())
        primitive["attributes"]["_CONTACT"] =
            add_accessor(base_contact, first * sizeof(SkinContact), n, kFloat, "VEC2");
      for (const VertexAttribute& a : mesh.attributes) {
        if (!carried_by_gltf(a)) continue;
        const std::size_t view = add_view(a.values.size() * sizeof(float), kArrayBuffer);
        primitive["attributes"][a.name] = add_accessor(view, 0, n, kFloat, fmt::format("VEC{}", a.components).c_str());
      }
      if (!mesh.triangles.empty()) {
        const std::size_t view = add_view(mesh.triangles.size() * sizeof(Triangle), kElementArrayBuffer);
        primitive["indices"] = add_accessor(view, 0, mesh.triangles.size() * 3, kUnsignedInt, "SCALAR");
      }
      if (const int material = material_index(character(), mesh); material >= 0) primitive["material"] = material;
      primitive["mode"] = mesh.triangles.empty() ? GltfBuilder::kPoints : GltfBuilder::kTriangles;
      primitive["targets"] = Json::array();
      if (!mesh.name.empty()) primitive["extras"]["name"] = mesh.name;
      primitives.push_back(std::move(primitive));
      first += n;
    }
    plan_images();
    const std::size_t input = add_view(frame_count() * sizeof(float), 0);
    const std::size_t times = add_accessor(input, 0, frame_count(), kFloat, "SCALAR");
    json_["accessors"][times]["min"] = Json::array({static_cast<double>(times_.front())});
    json_["accessors"][times]["max"] = Json::array({static_cast<double>(times_.back())});
    const std::size_t output = add_view(frame_count() * frame_count() * sizeof(float), 0);
    const std::size_t weights = add_accessor(output, 0, frame_count() * frame_count(), kFloat, "SCALAR");
    const Json sampler = {
        {"input", times}, {"interpolation", frame_count() == 1 ? "STEP" : "LINEAR"}, {"output", weights}};
    const Json channel = {{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}};
    json_["animations"].push_back(Json::object({{"name", clip_name().empty() ? "animation" : clip_name()},
                                                {"samplers", Json::array({sampler})},
                                                {"channels", Json::array({channel})}}));
    plan_targets(primitives);

    Json start = Json::array(), names = Json::array();
    for (std::size_t f = 0; f < frame_count(); ++f) {
      start.push_back(f == 0 ? 1 : 0);
      names.push_back(fmt::format("frame_{:04}", f));
    }
    json_["meshes"].push_back(Json::object({{"name", character_name()},
                                            {"primitives", std::move(primitives)},
                                            {"weights", std::move(start)},
                                            {"extras", Json::object({{"targetNames", std::move(names)}})}}));
    json_["buffers"].push_back(Json::object({{"byteLength", bytes_}}));
  }

  void plan_images() {
    if (look_.images.empty()) return;
    for (std::size_t i = 0; i < look_.images.size(); ++i)
      look_.images[i]["bufferView"] = add_view(look_.image_files[i].size(), 0);
    json_["images"] = look_.images;
    json_["textures"] = look_.textures;
    if (!look_.samplers.empty()) json_["samplers"] = look_.samplers;
  }

  void plan_targets(Json& primitives) {
    constexpr Bounds kUnknown = {{kLongestNumber, kLongestNumber, kLongestNumber},
                                 {kLongestNumber, kLongestNumber, kLongestNumber}};
    first_target_ = json_["accessors"].size();
    for (std::size_t f = 0; f < frame_count(); ++f) {
      const std::size_t positions = add_view(vertex_count() * sizeof(Vec3f), kArrayBuffer, sizeof(Vec3f));
      const std::size_t normals = add_view(vertex_count() * sizeof(Vec3f), kArrayBuffer, sizeof(Vec3f));
      const std::size_t contact =
          has_contact() ? add_view(vertex_count() * sizeof(SkinContact), kArrayBuffer, sizeof(SkinContact)) : 0;
      std::size_t first = 0;
      for (std::size_t m = 0; m < character().meshes.size(); ++m) {
        const std::size_t n = character().meshes[m].positions.size();
        const std::size_t p = add_accessor(positions, first * sizeof(Vec3f), n, kFloat, "VEC3", kUnknown);
        const std::size_t d = add_accessor(normals, first * sizeof(Vec3f), n, kFloat, "VEC3");
        primitives[m]["targets"].push_back(Json::object({{"POSITION", p}, {"NORMAL", d}}));
        if (has_contact())
          primitives[m]["targets"].back()["_CONTACT"] =
              add_accessor(contact, first * sizeof(SkinContact), n, kFloat, "VEC2");
        first += n;
      }
    }
  }

  [[nodiscard]] std::string character_name() const {
    const std::string stem = std::filesystem::path(character().source).stem().string();
    return stem.empty() ? "character" : stem;
  }

  // ---- the file ----

  void open() {
    if (!binary_) {
      const std::filesystem::path path(file());
      if (std::filesystem::is_directory(path)) throw Error(ErrorCode::io, file(), "is a folder; choose another name");
      if (bytes_ > kMaxBytes) fail_too_large(static_cast<double>(bytes_));
      const std::filesystem::path bin = std::filesystem::path(path).replace_extension(".bin");
      json_["buffers"][0]["uri"] = uri_of(bin.filename().string());
      files_.add(bin.string());
      return;
    }
    json_room_ = padded(dump(json_, -1).size());
    const std::size_t total = 12 + 8 + json_room_ + 8 + bytes_;
    if (total > kMaxBytes) fail_too_large(static_cast<double>(total));
    AtomicFile& out = files_.add(file());
    const auto u32 = [&](std::size_t value) {
      const auto number = static_cast<std::uint32_t>(value);
      out.write(&number, sizeof number);
    };
    u32(kGlbMagic);
    u32(2);
    u32(total);
    u32(json_room_);
    u32(kJsonChunk);
    out.write(std::string(json_room_, ' '));
    u32(bytes_);
    u32(kBinChunk);
  }

  template <class T>
  void write_view(std::span<const T> values) {
    constexpr std::array<char, 3> kZeros{};
    files_.last().write(values.data(), values.size_bytes());
    files_.last().write(kZeros.data(), padded(values.size_bytes()) - values.size_bytes());
  }

  void write_constant_part() {
    write_view(std::span<const Vec3f>(base_positions_));
    write_view(std::span<const Vec3f>(base_normals_));
    if (has_contact()) {
      const std::vector<SkinContact> free(vertex_count());
      write_view(std::span<const SkinContact>(free));
    }
    for (const Mesh& mesh : character().meshes) {
      for (const VertexAttribute& a : mesh.attributes)
        if (carried_by_gltf(a)) write_view(std::span<const float>(a.values));
      if (!mesh.triangles.empty()) write_view(std::span<const Triangle>(mesh.triangles));
    }
    for (const auto& image : look_.image_files) write_view(image);
    write_view(std::span<const float>(times_));
    std::vector<float> row(frame_count(), 0.0F);  // at key i, target i is on: the identity, row by row
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = 1;
      write_view(std::span<const float>(row));
      row[i] = 0;
    }
  }

  void write_frame(std::span<const Vec3f> positions, std::span<const Vec3f> normals) override {
    const auto subtract = [&](std::span<const Vec3f> from, const std::vector<Vec3f>& base) {
      deltas_.resize(base.size());
      for (std::size_t i = 0; i < base.size(); ++i) deltas_[i] = from[i] - base[i];
      if (first_nonfinite(deltas_) < deltas_.size())
        throw Error(ErrorCode::bad_argument, fmt::format("{} › frame {}", file(), frame()),
                    "is too far from the rest pose for 32-bit numbers");
    };
    subtract(positions, base_positions_);
    const std::size_t per_mesh = has_contact() ? 3 : 2;
    std::size_t first = 0, accessor = first_target_ + frame() * character().meshes.size() * per_mesh;
    for (const Mesh& mesh : character().meshes) {
      const Bounds bounds = bounds_of(std::span<const Vec3f>(deltas_).subspan(first, mesh.positions.size()));
      json_["accessors"][accessor]["min"] = bounds.lo;
      json_["accessors"][accessor]["max"] = bounds.hi;
      first += mesh.positions.size();
      accessor += per_mesh;
    }
    write_view(std::span<const Vec3f>(deltas_));
    subtract(normals, base_normals_);
    write_view(std::span<const Vec3f>(deltas_));
    if (has_contact()) write_view(contact());
  }

  void complete() override {
    if (binary_) {
      const std::string text = dump(json_, -1);
      files_.last().write_at(20, text.data(), text.size());  // behind the header and the chunk's own
    } else {
      AtomicFile& out = files_.add(file());
      out.write(dump(json_, 1));
      out.write("\n");
    }
    files_.commit();
  }

  bool binary_;
  GltfLook look_;
  FileGroup files_;
  std::vector<float> times_;
  std::vector<Vec3f> base_positions_, base_normals_, deltas_;
  Json json_;
  std::size_t bytes_ = 0;         ///< planned size of the buffer
  std::size_t json_room_ = 0;     ///< of a GLB
  std::size_t first_target_ = 0;  ///< accessor of the first frame's first target
};

}  // namespace

WriterPtr make_glb_writer(const std::string& file, const AnimationHeader& header, const Context& context) {
  return std::make_unique<GltfWriter>(file, header, context, true);
}
WriterPtr make_gltf_writer(const std::string& file, const AnimationHeader& header, const Context& context) {
  return std::make_unique<GltfWriter>(file, header, context, false);
}

}  // namespace cutis
