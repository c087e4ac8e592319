// Wavefront OBJ. One vertex per `v` line, in the file's order: corners that differ in vt or vn alone stay one vertex,
// so texture coordinates are kept only where each vertex has a single one.
#include <fmt/format.h>

#include <array>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "io/plain_mesh.h"
#include "io/readers.h"
#include "io/text_scan.h"
#include "io/triangulate.h"

namespace cutis {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;
constexpr std::uint32_t kSeveral = 0xfffffffeU;

struct Corner {
  std::uint32_t v = 0, vt = kNone, vn = kNone;
};

class ObjParser {
 public:
  ObjParser(std::string_view text, const std::string& name, const Context& context)
      : lines_(text), name_(name), context_(context) {}

  Character read() {
    take_all();
    return finish();
  }
  PlainMesh read_scan() {
    is_scan_ = true;
    take_all();
    if (mesh_.positions.empty()) fail_empty();
    const std::size_t n = mesh_.positions.size();
    // A cloud has no faces to name normals by: the i-th is the i-th point's.
    if (mesh_.triangles.empty() && normals_.size() == n) {
      mesh_.normals = std::move(normals_);
    } else {
      finish_normals(std::vector<bool>(n, true));
    }
    return std::move(mesh_);
  }

 private:
  void take_all() {
    std::string_view line;
    while (next_logical_line(line)) {
      if (line_number_ % 4096 == 0) context_.check_cancelled();
      take(line);
    }
  }
  [[noreturn]] void fail_empty() const {
    throw Error(ErrorCode::bad_file, name_, "has no vertices (no 'v' line); is it an OBJ file?");
  }
  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(ErrorCode::bad_file, fmt::format("{} line {}", name_, line_number_), sentence);
  }

  /// Joins lines that end with a backslash; cuts comments off.
  bool next_logical_line(std::string_view& line) {
    if (!lines_.next(line)) return false;
    line_number_ = lines_.number();
    if (const std::string_view bare = trimmed(line); !bare.empty() && bare.back() == '\\') {
      joined_.clear();
      std::string_view piece = bare;
      while (true) {
        const bool goes_on = !piece.empty() && piece.back() == '\\';
        if (goes_on) piece.remove_suffix(1);
        joined_.append(piece).push_back(' ');
        if (!goes_on || !lines_.next(piece)) break;
        piece = trimmed(piece);
      }
      line = joined_;
    }
    if (const auto comment = line.find('#'); comment != line.npos) line = line.substr(0, comment);
    return true;
  }

  void take(std::string_view line) {
    const std::string_view key = next_word(line);
    if (key == "v") {
      take_vertex(line);
    } else if (key == "vt") {
      const auto [n, values] = numbers(line, "vt");
      if (n < 1) fail("a texture coordinate (vt) has no numbers; give it two.");
      // OBJ counts v upwards from the lower edge of the image.
      uvs_.push_back({static_cast<float>(values[0]), static_cast<float>(1 - (n > 1 ? values[1] : 0.0))});
    } else if (key == "vn") {
      const auto [n, values] = numbers(line, "vn");
      if (n < 3) fail("a normal (vn) has fewer than three numbers.");
      normals_.push_back(static_cast<Vec3f>(normalized(Vec3d{values[0], values[1], values[2]})));
    } else if (key == "f" || key == "fo") {
      take_face(line);
    } else if (key == "o") {
      if (++objects_ == 1) object_name_ = trimmed(line);
    }
    // Everything else (groups, materials, smoothing, lines, points, free-form surfaces) says nothing about triangles.
  }

  struct Numbers {
    std::size_t count = 0;
    std::array<double, 7> value{};
  };
  Numbers numbers(std::string_view line, std::string_view what) const {
    Numbers out;
    for (std::string_view word = next_word(line); !word.empty() && out.count < 7; word = next_word(line)) {
      const auto value = parse_number(word);
      if (!value) fail(fmt::format("{} in '{}' is not a number.", in_quotes(word), what));
      if (!is_scan_ && !std::isfinite(static_cast<float>(*value)))
        fail(fmt::format("{} in '{}' is not a finite number; repair the file.", in_quotes(word), what));
      out.value[out.count++] = *value;
    }
    return out;
  }

  void take_vertex(std::string_view line) {
    const auto [n, x] = numbers(line, "v");
    if (n < 3) fail("a vertex (v) has fewer than three numbers.");
    mesh_.positions.push_back(static_cast<Vec3f>(Vec3d{x[0], x[1], x[2]}));
    if (n >= 6) {  // x y z r g b [a]; a fourth or fifth number alone is a weight
      mesh_.colors.resize(4 * (mesh_.positions.size() - 1), 1.0F);
      const auto channel = [](double c) { return static_cast<float>(std::min(std::max(c, 0.0), 1.0)); };
      mesh_.colors.insert(mesh_.colors.end(),
                          {channel(x[3]), channel(x[4]), channel(x[5]), n > 6 ? channel(x[6]) : 1.0F});
      ++colored_;
    }
    uv_of_.push_back(kNone);
    normal_of_.push_back(kNone);
  }

  [[nodiscard]] std::uint32_t resolve(std::string_view word, std::size_t count, std::string_view what) const {
    const auto index = parse_integer(word);
    if (!index || *index == 0) fail(fmt::format("{} is not an index of a face corner.", in_quotes(word)));
    const auto n = static_cast<std::int64_t>(count);
    const std::int64_t at = *index > 0 ? *index - 1 : *index < -n ? -1 : n + *index;
    if (at < 0 || at >= n) fail(fmt::format("the face names {} {}, but there are {} so far.", what, *index, count));
    return static_cast<std::uint32_t>(at);
  }

  void take_face(std::string_view line) {
    corners_.clear();
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      Corner corner;
      const auto slash = word.find('/');
      corner.v = resolve(word.substr(0, slash), mesh_.positions.size(), "vertex");
      if (slash != word.npos) {
        const std::string_view rest = word.substr(slash + 1);
        const auto second = rest.find('/');
        if (const auto vt = rest.substr(0, second); !vt.empty())
          corner.vt = resolve(vt, uvs_.size(), "texture coordinate");
        if (second != rest.npos && second + 1 < rest.size())
          corner.vn = resolve(rest.substr(second + 1), normals_.size(), "normal");
      }
      corners_.push_back(corner.v);
      note_uv(corner);
      note_normal(corner);
    }
    if (corners_.size() > kMaxPolygonCorners)
      fail(fmt::format("a face has {} corners, more than {}; split it.", corners_.size(), kMaxPolygonCorners));
    if (corners_.size() < 3) ++thin_faces_;
    triangulate_polygon(mesh_.positions, corners_, mesh_.triangles);
  }

  void note_uv(const Corner& corner) {
    std::uint32_t& known = uv_of_[corner.v];
    if (corner.vt == kNone || known == kSeveral) return;
    if (known == kNone) {
      known = corner.vt;
    } else if (uvs_[known].x != uvs_[corner.vt].x || uvs_[known].y != uvs_[corner.vt].y) {
      known = kSeveral;
    }
  }
  void note_normal(const Corner& corner) {
    std::uint32_t& known = normal_of_[corner.v];
    if (corner.vn == kNone || known == kSeveral) return;
    if (known == kNone) {
      known = corner.vn;
    } else if (normals_[known] != normals_[corner.vn]) {
      known = kSeveral;
    }
  }

  Character finish() {
    const std::size_t n = mesh_.positions.size();
    if (n == 0) fail_empty();
    if (mesh_.triangles.empty())
      throw Error(ErrorCode::bad_file, name_, "has no faces; a character needs a surface of polygons ('f' lines).");
    if (thin_faces_ > 0)
      context_.warn(fmt::format("{}: {} faces with fewer than three corners are left out", name_, thin_faces_));
    std::vector<bool> used(n, false);
    for (const Triangle& t : mesh_.triangles)
      for (const std::uint32_t v : t) used[v] = true;
    finish_uvs(used);
    finish_normals(used);
    if (colored_ > 0 && colored_ < n) {
      context_.warn(fmt::format("{}: only {} of {} vertices have a colour; colours are left out", name_, colored_, n));
      mesh_.colors.clear();
    }
    const std::string mesh_name = objects_ == 1 && !object_name_.empty() ? object_name_ : stem_of(name_);
    return make_plain_character(std::move(mesh_), name_, mesh_name);
  }

  void finish_uvs(const std::vector<bool>& used) {
    const std::size_t n = uv_of_.size();
    std::size_t single = 0, several = 0, none = 0;
    for (std::size_t v = 0; v < n; ++v) {
      if (!used[v]) continue;
      ++(uv_of_[v] == kNone ? none : uv_of_[v] == kSeveral ? several : single);
    }
    if (single + several == 0) return;
    if (several + none > 0) {
      context_.warn(
          fmt::format("{}: texture coordinates are left out: {} vertices have several and {} have none, "
                      "and vertices are kept as the file numbers them",
                      name_, several, none));
      return;
    }
    mesh_.uvs.resize(n);
    for (std::size_t v = 0; v < n; ++v)
      if (uv_of_[v] < kSeveral) mesh_.uvs[v] = uvs_[uv_of_[v]];
  }

  void finish_normals(const std::vector<bool>& used) {
    const std::size_t n = normal_of_.size();
    for (std::size_t v = 0; v < n; ++v)
      if (used[v] && normal_of_[v] >= kSeveral) return;  // computed instead
    mesh_.normals.resize(n);
    for (std::size_t v = 0; v < n; ++v)
      if (normal_of_[v] < kSeveral) mesh_.normals[v] = normals_[normal_of_[v]];
  }

  LineReader lines_;
  std::string name_;
  const Context& context_;
  bool is_scan_ = false;
  std::size_t line_number_ = 0;
  std::string joined_, object_name_;
  std::size_t objects_ = 0, colored_ = 0, thin_faces_ = 0;
  PlainMesh mesh_;
  std::vector<Vec2f> uvs_;
  std::vector<Vec3f> normals_;
  std::vector<std::uint32_t> uv_of_, normal_of_;  ///< per vertex: index, kNone or kSeveral
  std::vector<std::uint32_t> corners_;
};

}  // namespace

Character read_obj_memory(std::string_view text, const std::string& name, const Context& context) {
  return ObjParser(text, name, context).read();
}

PlainMesh read_obj_scan(std::string_view text, const std::string& name, const Context& context) {
  return ObjParser(text, name, context).read_scan();
}

Character read_obj(const std::string& path, const Context& context, const ReadOptions&) {
  return read_obj_memory(read_file(path), path, context);
}

}  // namespace cutis
