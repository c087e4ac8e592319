// Object File Format, text form: OFF, and its variants with texture coordinates (ST), colours (C) and normals (N).
// A line holds one vertex or one face; what follows a face's corners is its colour and is not used.
#include <fmt/format.h>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "io/plain_mesh.h"
#include "io/readers.h"
#include "io/text_scan.h"
#include "io/triangulate.h"

namespace cutis {
namespace {

class OffParser {
 public:
  OffParser(std::string_view text, const std::string& name, const Context& context)
      : lines_(text), name_(name), context_(context) {}

  Character read() {
    read_header();
    for (std::size_t i = 0; i < vertices_; ++i) {
      if (i % 4096 == 0) context_.check_cancelled();
      read_vertex();
    }
    std::size_t thin = 0;
    for (std::size_t i = 0; i < faces_; ++i) {
      if (i % 4096 == 0) context_.check_cancelled();
      thin += read_face() < 3 ? 1 : 0;
    }
    if (thin > 0) context_.warn(fmt::format("{}: {} faces with fewer than three corners are left out", name_, thin));
    if (mesh_.triangles.empty())
      throw Error(ErrorCode::bad_file, name_, "has no faces; a character needs a surface of polygons.");
    scale_colors();
    return make_plain_character(std::move(mesh_), name_, stem_of(name_));
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(ErrorCode::bad_file, fmt::format("{} line {}", name_, lines_.number()), sentence);
  }

  /// The next line that says something, without its comment.
  std::string_view content_line(std::string_view expected) {
    std::string_view line;
    while (lines_.next(line)) {
      line = trimmed(line.substr(0, line.find('#')));
      if (!line.empty()) return line;
    }
    fail(fmt::format("the file ends where {} should be.", expected));
  }

  void read_header() {
    std::string_view line = content_line("the word OFF");
    std::string_view rest = line;
    std::string_view word = next_word(rest);
    if (parse_number(word)) {
      rest = line;  // the keyword may be left out
    } else {
      std::string_view flags = word;
      if (!flags.ends_with("OFF")) fail(fmt::format("starts with {}, not with OFF.", in_quotes(word)));
      flags.remove_suffix(3);
      if (flags.starts_with("ST")) {
        has_uv_ = true;
        flags.remove_prefix(2);
      }
      if (flags.starts_with('C')) {
        has_color_ = true;
        flags.remove_prefix(1);
      }
      if (flags.starts_with('N')) {
        has_normal_ = true;
        flags.remove_prefix(1);
      }
      if (!flags.empty())
        fail(fmt::format("is of the kind {}; only three-dimensional vertices can be read.", in_quotes(word)));
      std::string_view look = rest;
      if (lower_case(next_word(look)) == "binary") fail("is a binary OFF file; convert it to text, or to PLY.");
      if (trimmed(rest).empty()) rest = content_line("the numbers of vertices and faces");
    }
    vertices_ = count(next_word(rest), "vertices");
    faces_ = count(next_word(rest), "faces");
    // Every vertex takes at least "0 0 0\n", every face "0\n".
    if (vertices_ > lines_.rest().size() / 5 || faces_ > lines_.rest().size())
      fail(fmt::format("promises {} vertices and {} faces, but the file is too short for them.", vertices_, faces_));
    if (vertices_ == 0) fail("has no vertices.");
  }
  [[nodiscard]] std::size_t count(std::string_view word, std::string_view what) const {
    const auto value = parse_integer(word);
    if (!value || *value < 0 || *value >= 0xfffffff0LL)
      fail(fmt::format("{} is not a number of {}.", in_quotes(word), what));
    return static_cast<std::size_t>(*value);
  }

  /// Up to `wanted` numbers of the line; the rest of the line stays in `line`.
  std::size_t numbers(std::string_view& line, std::size_t wanted, double* out) const {
    std::size_t n = 0;
    while (n < wanted) {
      const std::string_view word = next_word(line);
      if (word.empty()) break;
      const auto value = parse_number(word);
      if (!value || !std::isfinite(static_cast<float>(*value)))
        fail(fmt::format("{} is not a finite number.", in_quotes(word)));
      out[n++] = *value;
    }
    return n;
  }

  void read_vertex() {
    std::string_view line = content_line("a vertex");
    double x[4];
    if (numbers(line, 3, x) < 3) fail("a vertex has fewer than three coordinates.");
    mesh_.positions.push_back(static_cast<Vec3f>(Vec3d{x[0], x[1], x[2]}));
    if (has_normal_) {
      if (numbers(line, 3, x) < 3) fail("a vertex lacks the normal that NOFF promises.");
      mesh_.normals.push_back(static_cast<Vec3f>(normalized(Vec3d{x[0], x[1], x[2]})));
    }
    if (has_color_) {
      double tail[6];
      const std::size_t n = numbers(line, 6, tail);
      const std::size_t channels = n - std::min<std::size_t>(n, has_uv_ ? 2 : 0);
      if (channels < 3 || channels > 4) fail("a vertex lacks the colour that COFF promises (three or four numbers).");
      for (std::size_t k = 0; k < 3; ++k) mesh_.colors.push_back(static_cast<float>(std::max(tail[k], 0.0)));
      mesh_.colors.push_back(channels == 4 ? static_cast<float>(std::max(tail[3], 0.0)) : -1.0F);
      if (has_uv_) add_uv(tail + channels);
    } else if (has_uv_) {
      if (numbers(line, 2, x) < 2) fail("a vertex lacks the texture coordinates that STOFF promises.");
      add_uv(x);
    }
  }
  void add_uv(const double* st) { mesh_.uvs.push_back({static_cast<float>(st[0]), static_cast<float>(1 - st[1])}); }

  std::size_t read_face() {
    std::string_view line = content_line("a face");
    const auto corners = parse_integer(next_word(line));
    if (!corners || *corners < 0) fail("a face does not start with its number of corners.");
    const auto n = static_cast<std::size_t>(*corners);
    if (n > kMaxPolygonCorners)
      fail(fmt::format("a face has {} corners, more than {}; split it.", n, kMaxPolygonCorners));
    corners_.clear();
    for (std::size_t k = 0; k < n; ++k) {
      const std::string_view word = next_word(line);
      const auto v = parse_integer(word);
      if (!v) fail(fmt::format("{} is not a vertex index.", in_quotes(word)));
      if (*v < 0 || *v >= static_cast<std::int64_t>(vertices_))
        fail(fmt::format("a face names vertex {}, but there are {} (counted from 0).", *v, vertices_));
      corners_.push_back(static_cast<std::uint32_t>(*v));
    }
    triangulate_polygon(mesh_.positions, corners_, mesh_.triangles);
    return n;
  }

  /// Colours are 0..1 or 0..255; only the numbers tell which.
  void scale_colors() {
    float largest = 0;
    for (const float c : mesh_.colors) largest = std::max(largest, c);
    const float scale = largest > 1 ? 1.0F / 255 : 1.0F;
    for (float& c : mesh_.colors) c = c < 0 ? 1.0F : std::min(c * scale, 1.0F);
  }

  LineReader lines_;
  std::string name_;
  const Context& context_;
  bool has_uv_ = false, has_color_ = false, has_normal_ = false;
  std::size_t vertices_ = 0, faces_ = 0;
  PlainMesh mesh_;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

Character read_off_memory(std::string_view text, const std::string& name, const Context& context) {
  return OffParser(text, name, context).read();
}

Character read_off(const std::string& path, const Context& context, const ReadOptions&) {
  return read_off_memory(read_file(path), path, context);
}

}  // namespace cutis
