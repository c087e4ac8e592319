// Stanford PLY: text, binary of both byte orders, properties of any type in any order.
//
// Nothing is allocated for what the header claims before the bytes that it would take are known to be there.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "io/plain_mesh.h"
#include "io/readers.h"
#include "io/text_scan.h"
#include "io/triangulate.h"

namespace cutis {
namespace {

enum class Type { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

std::size_t size_of(Type type) {
  constexpr std::array<std::size_t, 8> kSizes{1, 1, 2, 2, 4, 4, 4, 8};
  return kSizes[static_cast<std::size_t>(type)];
}
/// What 1.0 of a colour is stored as.
double full_scale(Type type) {
  switch (type) {
    case Type::int8:
      return 127;
    case Type::uint8:
      return 255;
    case Type::int16:
      return 32767;
    case Type::uint16:
      return 65535;
    case Type::int32:
      return 2147483647.0;
    case Type::uint32:
      return 4294967295.0;
    default:
      return 1;
  }
}

struct Property {
  std::string name;
  Type type = Type::float32;
  bool is_list = false;
  Type count_type = Type::uint8;
};
struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Property> properties;

  [[nodiscard]] int find(std::initializer_list<std::string_view> names) const {
    for (const std::string_view wanted : names)
      for (std::size_t i = 0; i < properties.size(); ++i)
        if (properties[i].name == wanted) return static_cast<int>(i);
    return -1;
  }
  [[nodiscard]] int find_list(std::initializer_list<std::string_view> names) const {
    const int i = find(names);
    return i >= 0 && properties[static_cast<std::size_t>(i)].is_list ? i : -1;
  }
  [[nodiscard]] int find_scalar(std::initializer_list<std::string_view> names) const {
    const int i = find(names);
    return i >= 0 && !properties[static_cast<std::size_t>(i)].is_list ? i : -1;
  }
};

enum class Encoding { text, little, big };

/// Values one after the other, whatever the encoding.
class ValueReader {
 public:
  ValueReader(std::string_view data, Encoding encoding) : data_(data), encoding_(encoding) {}

  [[nodiscard]] std::size_t bytes_left() const { return data_.size(); }
  /// The least number of bytes that a value of `type` takes.
  [[nodiscard]] std::size_t least_bytes(Type type) const { return encoding_ == Encoding::text ? 1 : size_of(type); }

  /// False when the data ends or (in text) is not a number; bad_word() then tells which.
  bool read(Type type, double& value) {
    if (encoding_ == Encoding::text) {
      word_ = next_word(data_);
      const auto number = parse_number(word_);
      if (!number) return false;
      value = *number;
      return true;
    }
    const std::size_t size = size_of(type);
    word_ = {};
    if (data_.size() < size) return false;
    std::array<char, 8> raw{};
    std::memcpy(raw.data(), data_.data(), size);
    data_.remove_prefix(size);
    if ((encoding_ == Encoding::big) == (std::endian::native == std::endian::little))
      std::reverse(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size));
    value = decode(type, raw.data());
    return true;
  }
  [[nodiscard]] std::string_view bad_word() const { return word_; }

 private:
  template <class T>
  static double as(const char* raw) {
    T value;
    std::memcpy(&value, raw, sizeof value);
    return static_cast<double>(value);
  }
  static double decode(Type type, const char* raw) {
    switch (type) {
      case Type::int8:
        return as<std::int8_t>(raw);
      case Type::uint8:
        return as<std::uint8_t>(raw);
      case Type::int16:
        return as<std::int16_t>(raw);
      case Type::uint16:
        return as<std::uint16_t>(raw);
      case Type::int32:
        return as<std::int32_t>(raw);
      case Type::uint32:
        return as<std::uint32_t>(raw);
      case Type::float32:
        return as<float>(raw);
      case Type::float64:
        return as<double>(raw);
    }
    return 0;
  }

  std::string_view data_, word_;
  Encoding encoding_;
};

class PlyParser {
 public:
  PlyParser(std::string_view bytes, const std::string& name, const Context& context)
      : lines_(bytes), name_(name), context_(context) {}

  Character read() {
    read_mesh();
    if (mesh_.triangles.empty())
      throw Error(ErrorCode::bad_file, name_,
                  "has no faces; a cloud of points cannot be skinned, make a surface of it first.");
    return make_plain_character(std::move(mesh_), name_, stem_of(name_));
  }
  PlainMesh read_scan() {
    is_scan_ = true;
    read_mesh();
    return std::move(mesh_);
  }

 private:
  void read_mesh() {
    read_header();
    ValueReader values(lines_.rest(), encoding_);
    // Faces may come before vertices: polygons are kept until both are there.
    for (const Element& element : elements_) read_element(element, values);
    finish();
  }
  [[noreturn]] void fail_header(const std::string& sentence) const {
    throw Error(ErrorCode::bad_file, fmt::format("{} line {}", name_, lines_.number()), sentence);
  }
  [[noreturn]] void fail(const Element& element, std::uint64_t row, const std::string& sentence) const {
    throw Error(ErrorCode::bad_file, fmt::format("{} › {} {}", name_, element.name, row), sentence);
  }

  // ---- header ----

  void read_header() {
    std::string_view line;
    if (!lines_.next(line) || trimmed(line) != "ply") fail_header("does not start with 'ply'; is it a PLY file?");
    bool has_format = false;
    while (lines_.next(line)) {
      const std::string_view key = next_word(line);
      if (key == "end_header") {
        if (!has_format) fail_header("the header has no 'format' line.");
        return;
      }
      if (key == "format") {
        take_format(line);
        has_format = true;
      } else if (key == "element") {
        take_element(line);
      } else if (key == "property") {
        take_property(line);
      } else if (!key.empty() && key != "comment" && key != "obj_info") {
        fail_header(fmt::format("{} is not a word of a PLY header.", in_quotes(key)));
      }
    }
    fail_header("the header has no end ('end_header').");
  }
  void take_format(std::string_view line) {
    const std::string_view word = next_word(line);
    if (word == "ascii") {
      encoding_ = Encoding::text;
    } else if (word == "binary_little_endian") {
      encoding_ = Encoding::little;
    } else if (word == "binary_big_endian") {
      encoding_ = Encoding::big;
    } else {
      fail_header(
          fmt::format("the format {} is not one of ascii, binary_little_endian, binary_big_endian.", in_quotes(word)));
    }
  }
  void take_element(std::string_view line) {
    Element element;
    element.name = next_word(line);
    const std::string_view word = next_word(line);
    const auto count = parse_integer(word);
    if (!count || *count < 0) fail_header(fmt::format("{} is not a number of elements.", in_quotes(word)));
    element.count = static_cast<std::uint64_t>(*count);
    elements_.push_back(std::move(element));
  }
  void take_property(std::string_view line) {
    if (elements_.empty()) fail_header("a property stands before the first element.");
    Property property;
    std::string_view word = next_word(line);
    if (word == "list") {
      property.is_list = true;
      property.count_type = type_of(next_word(line));
      word = next_word(line);
    }
    property.type = type_of(word);
    property.name = next_word(line);
    elements_.back().properties.push_back(std::move(property));
  }
  [[nodiscard]] Type type_of(std::string_view word) const {
    constexpr std::array<std::array<std::string_view, 2>, 8> kNames{{{"char", "int8"},
                                                                     {"uchar", "uint8"},
                                                                     {"short", "int16"},
                                                                     {"ushort", "uint16"},
                                                                     {"int", "int32"},
                                                                     {"uint", "uint32"},
                                                                     {"float", "float32"},
                                                                     {"double", "float64"}}};
    for (std::size_t i = 0; i < kNames.size(); ++i)
      if (word == kNames[i][0] || word == kNames[i][1]) return static_cast<Type>(i);
    fail_header(fmt::format("{} is not a type of a PLY property.", in_quotes(word)));
  }

  // ---- data ----

  void read_element(const Element& element, ValueReader& values) {
    if (element.properties.empty()) return;
    std::size_t row_bytes = 0;
    for (const Property& p : element.properties) row_bytes += values.least_bytes(p.is_list ? p.count_type : p.type);
    if (element.count > values.bytes_left() / row_bytes)
      throw Error(ErrorCode::bad_file, name_,
                  fmt::format("the header promises {} of '{}', but the file is too short for them; it may be cut off.",
                              element.count, element.name));
    if (element.name == "vertex") {
      read_vertices(element, values);
    } else if (element.name == "face") {
      read_polygons(element, values, false);
    } else if (element.name == "tristrips") {
      read_polygons(element, values, true);
    } else {
      for (std::uint64_t row = 0; row < element.count; ++row) read_row(element, row, values, -1);
    }
  }

  /// Scalars of the row into scalar_, the list property `wanted` into list_.
  void read_row(const Element& element, std::uint64_t row, ValueReader& values, int wanted) {
    if (row % 4096 == 0) context_.check_cancelled();
    scalar_.assign(element.properties.size(), 0.0);
    const auto get = [&](const Property& property, Type type) {
      double value = 0;
      if (!values.read(type, value)) {
        fail(element, row,
             values.bad_word().empty()
                 ? "the data ends here; the file may be cut off."
                 : fmt::format("{} is not a number ('{}').", in_quotes(values.bad_word()), property.name));
      }
      return value;
    };
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const Property& property = element.properties[i];
      if (!property.is_list) {
        scalar_[i] = get(property, property.type);
        continue;
      }
      const double count = get(property, property.count_type);
      if (!(count >= 0) || count != std::floor(count) ||
          count > static_cast<double>(values.bytes_left() / values.least_bytes(property.type)))
        fail(element, row,
             fmt::format("the list '{}' claims {} items, which the file does not hold.", property.name, count));
      const auto n = static_cast<std::size_t>(count);
      const bool keep = wanted == static_cast<int>(i);
      if (keep) list_.clear();
      for (std::size_t k = 0; k < n; ++k) {
        const double value = get(property, property.type);
        if (keep) list_.push_back(value);
      }
    }
  }

  void read_vertices(const Element& element, ValueReader& values) {
    const int xyz[3] = {element.find_scalar({"x"}), element.find_scalar({"y"}), element.find_scalar({"z"})};
    if (xyz[0] < 0 || xyz[1] < 0 || xyz[2] < 0)
      throw Error(ErrorCode::bad_file, name_, "its vertices have no x, y and z.");
    if (element.count >= 0xfffffff0ULL)
      throw Error(ErrorCode::bad_file, name_, "has more vertices than 32 bits can number.");
    const int normal[3] = {element.find_scalar({"nx"}), element.find_scalar({"ny"}), element.find_scalar({"nz"})};
    const int uv[2] = {element.find_scalar({"s", "u", "texture_u", "texture_s"}),
                       element.find_scalar({"t", "v", "texture_v", "texture_t"})};
    const int color[4] = {
        element.find_scalar({"red", "r", "diffuse_red"}), element.find_scalar({"green", "g", "diffuse_green"}),
        element.find_scalar({"blue", "b", "diffuse_blue"}), element.find_scalar({"alpha", "a", "diffuse_alpha"})};
    const auto n = static_cast<std::size_t>(element.count);
    mesh_.positions.reserve(n);
    for (std::uint64_t row = 0; row < element.count; ++row) {
      read_row(element, row, values, -1);
      const auto at = [&](int i) { return scalar_[static_cast<std::size_t>(i)]; };
      const auto p = static_cast<Vec3f>(Vec3d{at(xyz[0]), at(xyz[1]), at(xyz[2])});
      if (!is_scan_ && !is_finite(p)) fail(element, row, "its position is not a finite number; repair the file.");
      mesh_.positions.push_back(p);
      if (normal[0] >= 0 && normal[1] >= 0 && normal[2] >= 0)
        mesh_.normals.push_back(static_cast<Vec3f>(normalized(Vec3d{at(normal[0]), at(normal[1]), at(normal[2])})));
      if (uv[0] >= 0 && uv[1] >= 0) {
        const Vec2f t{static_cast<float>(at(uv[0])), static_cast<float>(1 - at(uv[1]))};
        if (!std::isfinite(t.x) || !std::isfinite(t.y)) fail(element, row, "its texture coordinate is not finite.");
        mesh_.uvs.push_back(t);
      }
      if (color[0] >= 0 && color[1] >= 0 && color[2] >= 0) {
        for (const int channel : color) {
          double c = 1;
          if (channel >= 0) c = at(channel) / full_scale(element.properties[static_cast<std::size_t>(channel)].type);
          if (!std::isfinite(c)) fail(element, row, "its colour is not finite.");
          mesh_.colors.push_back(static_cast<float>(std::clamp(c, 0.0, 1.0)));
        }
      }
    }
  }

  void read_polygons(const Element& element, ValueReader& values, bool strips) {
    const int list = element.find_list({"vertex_indices", "vertex_index"});
    for (std::uint64_t row = 0; row < element.count; ++row) {
      read_row(element, row, values, list);
      if (list < 0) continue;
      if (!strips && list_.size() > kMaxPolygonCorners)
        fail(element, row, fmt::format("has {} corners, more than {}; split it.", list_.size(), kMaxPolygonCorners));
      Polygon polygon{corners_.size(), list_.size(), row, strips};
      for (const double index : list_) {
        const bool restart = strips && index == -1;
        if (!restart && (!(index >= 0) || index >= kRestart || index != std::floor(index)))
          fail(element, row, fmt::format("{} is not a vertex index.", index));
        corners_.push_back(restart ? kRestart : static_cast<std::uint32_t>(index));
      }
      polygons_.push_back(polygon);
    }
  }

  // ---- result ----

  struct Polygon {
    std::size_t begin = 0, count = 0;
    std::uint64_t row = 0;
    bool strip = false;
  };

  void finish() {
    if (mesh_.positions.empty()) throw Error(ErrorCode::bad_file, name_, "has no vertices.");
    std::size_t thin = 0;
    for (const Polygon& polygon : polygons_) {
      const std::span<const std::uint32_t> corners(corners_.data() + polygon.begin, polygon.count);
      for (const std::uint32_t v : corners) {
        if (v >= mesh_.positions.size() && !(polygon.strip && v == kRestart))
          throw Error(ErrorCode::bad_file,
                      fmt::format("{} › {} {}", name_, polygon.strip ? "tristrips" : "face", polygon.row),
                      fmt::format("names vertex {}, but there are {} (counted from 0).", v, mesh_.positions.size()));
      }
      if (polygon.strip) {
        add_strip(corners);
      } else {
        if (corners.size() < 3) ++thin;
        triangulate_polygon(mesh_.positions, corners, mesh_.triangles);
      }
    }
    if (thin > 0) context_.warn(fmt::format("{}: {} faces with fewer than three corners are left out", name_, thin));
  }

  void add_strip(std::span<const std::uint32_t> strip) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < strip.size(); ++i) {
      if (strip[i] == kRestart) {
        begin = i + 1;
        continue;
      }
      if (i < begin + 2) continue;
      const std::uint32_t a = strip[i - 2], b = strip[i - 1], c = strip[i];
      if (a == b || b == c || c == a) continue;  // how strips are joined
      if ((i - begin) % 2 == 0) {
        mesh_.triangles.push_back({a, b, c});
      } else {
        mesh_.triangles.push_back({b, a, c});
      }
    }
  }

  static constexpr std::uint32_t kRestart = 0xffffffffU;

  LineReader lines_;
  std::string name_;
  const Context& context_;
  bool is_scan_ = false;
  Encoding encoding_ = Encoding::text;
  std::vector<Element> elements_;
  std::vector<double> scalar_, list_;
  std::vector<std::uint32_t> corners_;
  std::vector<Polygon> polygons_;
  PlainMesh mesh_;
};

}  // namespace

Character read_ply_memory(std::string_view bytes, const std::string& name, const Context& context) {
  return PlyParser(bytes, name, context).read();
}

PlainMesh read_ply_scan(std::string_view bytes, const std::string& name, const Context& context) {
  return PlyParser(bytes, name, context).read_scan();
}

Character read_ply(const std::string& path, const Context& context, const ReadOptions&) {
  return read_ply_memory(read_file(path), path, context);
}

}  // namespace cutis
