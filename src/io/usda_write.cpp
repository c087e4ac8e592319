// USDA (Universal Scene Description, text): an Xform with one Mesh per character mesh; points, normals and extent are
// time samples. USD wants all samples of an attribute together, so frames wait in a FrameSpool until finish().
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "cutis/version.h"
#include "io/appearance.h"
#include "io/frame_spool.h"
#include "io/frame_writer.h"
#include "io/neutral_material.h"
#include "io/text_buffer.h"
#include "io/writers.h"

namespace cutis {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
constexpr double kStillRate = 24;  // USD's own default, for a single frame

/// Letters, digits and underscores, not starting with a digit; unlike every name in `taken`.
std::string prim_name(const std::string& name, const char* when_empty, std::set<std::string>& taken) {
  std::string base = name.empty() ? when_empty : name;
  for (char& c : base) {
    const bool legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!legal) c = '_';
  }
  if (base.front() >= '0' && base.front() <= '9') base = fmt::format("_{}", base);
  std::string result = base;
  for (int i = 1; !taken.insert(result).second; ++i) result = fmt::format("{}_{}", base, i);
  return result;
}

/// A USDA string literal.
std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    const auto code = static_cast<unsigned char>(c);
    result += code < 0x20 || code == 0x7f ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  result += '"';
  return result;
}

/// Frames as time codes: code = seconds * rate. Evenly spaced frames get the codes 0, 1, 2, …
struct TimeCodes {
  double rate = kStillRate;
  std::vector<double> code;
};

TimeCodes time_codes(const std::vector<double>& seconds) {
  TimeCodes result;
  if (seconds.size() > 1) result.rate = static_cast<double>(seconds.size() - 1) / seconds.back();
  // 29.999999999999996 is a rounded 30.
  if (const double whole = std::round(result.rate); whole > 0 && std::abs(result.rate - whole) < 1e-6 * whole)
    result.rate = whole;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double code = seconds[i] * result.rate;
    const double whole = std::round(code);
    result.code.push_back(std::abs(code - whole) < 1e-3 ? whole : code);
  }
  for (std::size_t i = 1; i < result.code.size(); ++i)  // rounding must not merge frames
    if (result.code[i] <= result.code[i - 1]) {
      for (std::size_t j = 0; j < seconds.size(); ++j) result.code[j] = seconds[j] * result.rate;
      break;
    }
  return result;
}

class UsdaWriter final : public FrameWriter {
 public:
  UsdaWriter(const std::string& path, const AnimationHeader& header, const Context& context)
      : FrameWriter(path, header),
        context_(context),
        out_(path),
        spool_(path),
        time_(time_codes(times_from_first(path, header, context))) {}

 private:
  void write_frame(std::span<const Vec3f> positions, std::span<const Vec3f> normals) override {
    spool_.append(positions);
    spool_.append(normals);
    if (!has_contact()) return;
    scratch_.clear();
    for (const SkinContact& c : contact()) scratch_.push_back({c.touch, c.depth, 0});
    spool_.append(scratch_);
  }

  void complete() override {
    std::set<std::string> names;
    const std::string root = prim_name(std::filesystem::path(character().source).stem().string(), "character", names);
    text_.text("#usda 1.0\n(\n    customLayerData = {\n        string clip = ").text(in_quotes(clip_name()));
    text_.text("\n    }\n    defaultPrim = \"").text(root).text("\"\n    doc = \"Cutis ").text(version());
    text_.text("\"\n    endTimeCode = ").number(time_.code.back());
    text_.text("\n    metersPerUnit = 1\n    startTimeCode = ").number(time_.code.front());
    text_.text("\n    timeCodesPerSecond = ").number(time_.rate);
    text_.text("\n    upAxis = \"Y\"\n)\n\ndef Xform \"").text(root).text("\" (\n    kind = \"component\"\n)\n{\n");
    std::set<std::string> mesh_names;
    std::size_t first = 0;
    for (const Mesh& mesh : character().meshes) {
      write_mesh(mesh, prim_name(mesh.name, "mesh", mesh_names), first);
      first += mesh.positions.size();
    }
    text_.text("}\n");
    flush(0);
    out_.commit();
  }

  void write_mesh(const Mesh& mesh, const std::string& name, std::size_t first) {
    const auto comma = [&](std::size_t i) { text_.text(i == 0 ? "" : ", "); };
    text_.text("    def Mesh \"").text(name).text("\"\n    {\n        uniform bool doubleSided = ");
    text_.text(is_double_sided(mesh) ? "1" : "0").text("\n        float3[] extent.timeSamples = {\n");
    samples(mesh, first, 0, [&](std::span<const Vec3f> points) {
      Vec3f lo = points.front(), hi = lo;
      for (const Vec3f& p : points)
        for (int k = 0; k < 3; ++k) {
          lo[k] = std::min(lo[k], p[k]);
          hi[k] = std::max(hi[k], p[k]);
        }
      text_.text("(").vector(lo, ", ").text("), (").vector(hi, ", ").text(")");
    });
    text_.text("        }\n        int[] faceVertexCounts = [");
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      comma(i);
      text_.text("3");
    }
    text_.text("]\n        int[] faceVertexIndices = [");
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      comma(i);
      const Triangle& t = mesh.triangles[i];
      text_.number(t[0]).text(", ").number(t[1]).text(", ").number(t[2]);
      flush(kFlushBytes);
    }
    const auto vectors = [&](std::span<const Vec3f> values) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        comma(i);
        text_.text("(").vector(values[i], ", ").text(")");
        flush(kFlushBytes);
      }
    };
    text_.text("]\n        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n");
    text_.text("        normal3f[] normals.timeSamples = {\n");
    samples(mesh, first, vertex_count(), vectors);
    text_.text("        }\n        point3f[] points.timeSamples = {\n");
    samples(mesh, first, 0, vectors);
    text_.text("        }\n        color3f[] primvars:displayColor = [");
    const bool varies = write_colors(mesh);
    text_.text("] (\n            interpolation = \"").text(varies ? "vertex" : "constant").text("\"\n        )\n");
    if (has_contact()) {
      const auto numbers = [&](const char* primvar, int component) {
        text_.text("        float[] primvars:")
            .text(primvar)
            .text(" (\n            interpolation = \"vertex\"\n        )\n");
        text_.text("        float[] primvars:").text(primvar).text(".timeSamples = {\n");
        samples(mesh, first, 2 * vertex_count(), [&](std::span<const Vec3f> values) {
          for (std::size_t i = 0; i < values.size(); ++i) {
            comma(i);
            text_.number(values[i][component]);
            flush(kFlushBytes);
          }
        });
        text_.text("        }\n");
      };
      numbers("contact", 0);
      numbers("contactDepth", 1);
    }
    if (const VertexAttribute* uv = find_attribute(mesh, "TEXCOORD_0", 2); uv != nullptr) {
      text_.text("        texCoord2f[] primvars:st = [");
      for (std::size_t i = 0; i < uv->values.size(); i += 2) {
        comma(i);
        text_.text("(").number(uv->values[i]).text(", ").number(1 - uv->values[i + 1]).text(")");
        flush(kFlushBytes);
      }
      text_.text("] (\n            interpolation = \"vertex\"\n        )\n");
    }
    text_.text("        uniform token subdivisionScheme = \"none\"\n    }\n");
  }

  /// `code: [ … ],` for every frame; `body` writes what is inside the brackets from the mesh's vectors.
  template <class Body>
  void samples(const Mesh& mesh, std::size_t first, std::size_t offset_in_frame, const Body& body) {
    scratch_.resize(mesh.positions.size());
    for (std::size_t f = 0; f < frame_count(); ++f) {
      context_.check_cancelled();
      spool_.read(f * (has_contact() ? 3 : 2) * vertex_count() + offset_in_frame + first, scratch_);
      text_.text("            ").number(time_.code[f]).text(": [");
      body(std::span<const Vec3f>(scratch_));
      text_.text("],\n");
      flush(kFlushBytes);
    }
  }

  /// COLOR_0 times the material's base colour, as glTF shades; true when there is one colour per vertex.
  bool write_colors(const Mesh& mesh) {
    const std::array<float, 3> base = base_color(mesh);
    const VertexAttribute* color = find_attribute(mesh, "COLOR_0", 3);
    if (color == nullptr) color = find_attribute(mesh, "COLOR_0", 4);
    if (color == nullptr) {
      text_.text("(").vector({base[0], base[1], base[2]}, ", ").text(")");
      return false;
    }
    const auto stride = static_cast<std::size_t>(color->components);
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
      const float* c = color->values.data() + i * stride;
      text_.text(i == 0 ? "(" : ", (").vector({c[0] * base[0], c[1] * base[1], c[2] * base[2]}, ", ").text(")");
      flush(kFlushBytes);
    }
    return true;
  }

  [[nodiscard]] bool is_double_sided(const Mesh& mesh) const {
    return character().appearance != nullptr && cutis::is_double_sided(*character().appearance, mesh.material);
  }
  [[nodiscard]] std::array<float, 3> base_color(const Mesh& mesh) const {
    if (character().appearance != nullptr) return cutis::base_color(*character().appearance, mesh.material);
    std::array<float, 3> result{};
    std::transform(kNeutralColor.begin(), kNeutralColor.begin() + 3, result.begin(),
                   [](double c) { return static_cast<float>(c); });
    return result;
  }

  void flush(std::size_t when_larger) {
    if (text_.size() <= when_larger) return;
    out_.write(text_.view());
    text_.clear();
  }

  Context context_;
  AtomicFile out_;
  FrameSpool spool_;
  TimeCodes time_;
  TextBuffer text_;
  std::vector<Vec3f> scratch_;
};

}  // namespace

WriterPtr make_usda_writer(const std::string& file, const AnimationHeader& header, const Context& context) {
  return std::make_unique<UsdaWriter>(file, header, context);
}

}  // namespace cutis
