// One description of the Rig serves to write, to read and to measure it. The structured bindings name every member: a
// member that is added to the Rig does not compile until it is added here (and kRigVersion is raised).
#include "rig/rig_file.h"

#include <bit>
#include <cstring>
#include <map>
#include <type_traits>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "cutis/error.h"
#include "cutis/rig_file.h"
#include "rig/skin_links.h"

namespace cutis {
namespace {

struct Header {
  char magic[8] = {'C', 'U', 'T', 'I', 'S', 'R', 'I', 'G'};
  std::uint32_t version = kRigVersion;
  std::uint32_t byte_order = 0x01020304;
  std::uint64_t payload = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(Header) == kRigHeaderBytes && offsetof(Header, checksum) == kRigChecksumOffset);

// A structure of members that add up to `size`.
template <class Structure, std::size_t size>
struct Packed {
  template <class T>
  static constexpr bool is = std::is_same_v<T, Structure> && sizeof(Structure) == size;
};
template <class T, class... Structures>
inline constexpr bool kOneOf = (Structures::template is<T> || ...);

// Types that are copied as they lie in memory: no pointers, no padding.
template <class T>
inline constexpr bool kPlain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> ||
    kOneOf<T, Packed<Triangle, 12>, Packed<InfluenceBlock, 32>, Packed<GridNode, 8>, Packed<OperatorNode, 16>,
           Packed<ControllerKnot, 12>, Packed<TreeNode, 24>, Packed<MuscleView, 52>, Packed<MuscleKnot, 8>,
           Packed<RigTargetKey, 40>, Packed<RigCover, 36>>;
template <class T>
inline constexpr bool kPlain<Vec3<T>> = sizeof(Vec3<T>) == 3 * sizeof(T);
template <class T>
inline constexpr bool kPlain<Quat<T>> = sizeof(Quat<T>) == 4 * sizeof(T);
template <class T>
inline constexpr bool kPlain<Mat3<T>> = sizeof(Mat3<T>) == 9 * sizeof(T);
template <class T>
inline constexpr bool kPlain<Affine<T>> = sizeof(Affine<T>) == 12 * sizeof(T);
template <class T>
inline constexpr bool kPlain<Trs<T>> = sizeof(Trs<T>) == 10 * sizeof(T);
// ---- what a Rig consists of ----

template <class Archive, class T>
void visit(Archive& archive, T& value);

template <class Archive, class... Members>
void visit_all(Archive& archive, Members&... members) {
  (visit(archive, members), ...);
}

template <class T, class U>
inline constexpr bool kIs = std::is_same_v<std::remove_const_t<T>, U>;
template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class Archive, class T>
void visit(Archive& archive, T& value) {
  using Type = std::remove_const_t<T>;
  if constexpr (kPlain<Type>) {
    archive.plain(value);
  } else if constexpr (kIs<T, std::string>) {
    archive.list(value);
  } else if constexpr (kIsVector<Type>) {
    if constexpr (kPlain<typename Type::value_type>) {
      archive.list(value);
    } else {
      archive.count(value);
      for (auto& item : value) visit(archive, item);
    }
  } else if constexpr (kIsOptional<Type>) {
    archive.presence(value);
    if (value) visit(archive, *value);
  } else if constexpr (kIs<T, Joint>) {
    auto& [name, parent, local, local_residual, world_from_rest, is_bone, alias_of, humanoid] = value;
    static_cast<void>(humanoid);  // for motions of other skeletons, which are brought over before rigs
    visit_all(archive, name, parent, local, local_residual, world_from_rest, is_bone, alias_of);
  } else if constexpr (kIs<T, Skeleton>) {
    auto& [joints] = value;
    visit(archive, joints);
  } else if constexpr (kIs<T, RigBone>) {
    auto& [joint, parent, rest_from_world, rest_origin, rest_end] = value;
    visit_all(archive, joint, parent, rest_from_world, rest_origin, rest_end);
  } else if constexpr (kIs<T, GridView>) {
    auto& [nodes, nx, ny, nz, grid_from_rest, rest_from_slope, value_step, slope_step, radius, map, muscles,
           muscle_count] = value;
    static_cast<void>(nodes);  // the field's own
    static_cast<void>(muscles);
    static_cast<void>(muscle_count);
    visit_all(archive, nx, ny, nz, grid_from_rest, rest_from_slope, value_step, slope_step, radius, map);
  } else if constexpr (kIs<T, RigField>) {
    auto& [nodes, grid, muscles] = value;
    visit_all(archive, nodes, grid, muscles);
  } else if constexpr (kIs<T, RigMuscle>) {
    auto& [bone, driver, muscle_from_rest, half_length, radius, capsule, curve] = value;
    visit_all(archive, bone, driver, muscle_from_rest, half_length, radius, capsule, curve);
  } else if constexpr (kIs<T, RigTarget>) {
    auto& [bone, vertices, share, offset, keys] = value;
    visit_all(archive, bone, vertices, share, offset, keys);
  } else if constexpr (kIs<T, RigRows>) {
    auto& [begin, items] = value;
    visit_all(archive, begin, items);
  } else if constexpr (kIs<T, RigSurface>) {
    auto& [welded_of, first_of, positions, normals, owner, iso, edge, triangles, neighbours, neighbour_weight, turn,
           turn_weight, stiffness, no_contact, blend_share, blend_weight] = value;
    visit_all(archive, welded_of, first_of, positions, normals, owner, iso, edge, triangles, neighbours,
              neighbour_weight, turn, turn_weight, stiffness, no_contact, blend_share, blend_weight);
  } else if constexpr (kIs<T, RigLayers>) {
    auto& [rider_of, first_of, bone, share, foot, ground, ground_at, anchors, anchor_weight, triangles, covers] = value;
    visit_all(archive, rider_of, first_of, bone, share, foot, ground, ground_at, anchors, anchor_weight, triangles,
              covers);
  } else if constexpr (kIs<T, RigOperator>) {
    auto& [form, side, slices, nodes, crossing, contact_end] = value;
    visit_all(archive, form, side, slices, nodes, crossing, contact_end);
  } else if constexpr (kIs<T, RigTree>) {
    auto& [leaf_bone, nodes, range_nodes, knots, operators] = value;
    visit_all(archive, leaf_bone, nodes, range_nodes, knots, operators);
  } else {
    static_assert(kIs<T, Rig>, "a type that rig files do not know");
    auto& [skeleton, bones, rest_positions, rest_normals, block_begin, blocks, surface, fields, tree, muscles, targets,
           layers, links, rest] = value;
    static_cast<void>(links);  // follow from the rest
    static_cast<void>(rest);   // behind it, by name
    visit_all(archive, skeleton, bones, rest_positions, rest_normals, block_begin, blocks, surface, fields, tree,
              muscles, targets, layers);
  }
}

// ---- archives ----

struct Writer {
  std::string out;

  template <class T>
  void plain(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      out.push_back(value ? 1 : 0);
    } else {
      out.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  template <class T>
  void count(const T& values) {
    plain(static_cast<std::uint64_t>(values.size()));
  }
  template <class T>
  void list(const T& values) {
    count(values);
    if (!values.empty()) out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  }
  template <class T>
  void presence(const T& value) {
    plain(value.has_value());
  }
};

struct Reader {
  std::string_view in;
  const std::string& place;

  [[noreturn]] void damaged() const {
    throw Error(ErrorCode::bad_file, place, "is damaged: its arrays do not fit the file; bind the character again");
  }
  void take(void* to, std::size_t bytes) {
    if (bytes > in.size()) damaged();
    if (bytes > 0) std::memcpy(to, in.data(), bytes);
    in.remove_prefix(bytes);
  }
  template <class T>
  void plain(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      take(&byte, 1);
      if (byte > 1) damaged();
      value = byte == 1;
    } else {
      take(&value, sizeof value);
    }
  }
  // Never more than the file has bytes: a wrong number must not ask for all memory.
  std::size_t size(std::size_t item_bytes) {
    std::uint64_t n = 0;
    plain(n);
    if (n > in.size() / item_bytes) damaged();
    return static_cast<std::size_t>(n);
  }
  template <class T>
  void count(T& values) {
    values.resize(size(8));  // every item that is not plain takes at least a size of 8 bytes
  }
  template <class T>
  void list(T& values) {
    values.resize(size(sizeof(typename T::value_type)));
    take(values.data(), values.size() * sizeof(typename T::value_type));
  }
  template <class T>
  void presence(T& value) {
    bool there = false;
    plain(there);
    if (there) value.emplace();
  }
};

struct Counter {
  std::size_t bytes = sizeof(Rig);

  template <class T>
  void plain(const T&) {}
  template <class T>
  void count(const T& values) {
    bytes += values.capacity() * sizeof(typename T::value_type);
  }
  template <class T>
  void list(const T& values) {
    count(values);
  }
  template <class T>
  void presence(const T&) {}
};

}  // namespace

// Eight bytes at a time in four streams: a file of 10 MB takes 2 ms.
std::uint64_t rig_checksum(std::string_view payload) {
  std::uint64_t lanes[4] = {1469598103934665603ULL, 0x9e3779b97f4a7c15ULL, 0xc2b2ae3d27d4eb4fULL,
                            0x165667b19e3779f9ULL};
  const auto mix = [](std::uint64_t hash, std::uint64_t word) {
    return std::rotl((hash ^ word) * 0x9fb21c651e98df25ULL, 29);
  };
  std::size_t at = 0;
  for (; at + 32 <= payload.size(); at += 32)
    for (std::size_t lane = 0; lane < 4; ++lane) {
      std::uint64_t word = 0;
      std::memcpy(&word, payload.data() + at + 8 * lane, 8);
      lanes[lane] = mix(lanes[lane], word);
    }
  std::uint64_t hash = payload.size();
  for (const std::uint64_t lane : lanes) hash = mix(hash, lane);
  for (; at < payload.size(); ++at) hash = mix(hash, static_cast<unsigned char>(payload[at]));
  return hash ^ (hash >> 32U);
}

std::string rig_to_bytes(const Rig& rig) {
  Writer writer;
  writer.out.assign(sizeof(Header), '\0');
  visit(writer, rig);
  const std::map<std::string, std::string> rest = rig.rest.write();
  writer.count(rest);
  for (const auto& [name, bytes] : rest) {
    writer.list(name);
    writer.list(bytes);
  }
  Header header;
  const std::string_view payload = std::string_view(writer.out).substr(sizeof header);
  header.payload = payload.size();
  header.checksum = rig_checksum(payload);
  std::memcpy(writer.out.data(), &header, sizeof header);
  return std::move(writer.out);
}

std::shared_ptr<const Rig> rig_from_bytes(std::string_view bytes, const std::string& place) {
  const auto fail = [&](const std::string& sentence) { throw Error(ErrorCode::bad_file, place, sentence); };
  const Header expected;
  Header header;
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), expected.magic, sizeof expected.magic) != 0)
    fail("is not a rig; 'cutis bind' makes one");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.byte_order != expected.byte_order)
    fail("was written on a machine of another byte order; bind the character again here");
  if (header.version != kRigVersion)
    fail(fmt::format("is a rig of version {}, and this program reads version {}; bind the character again",
                     header.version, kRigVersion));
  bytes.remove_prefix(sizeof header);
  if (bytes.size() != header.payload)
    fail(fmt::format("is damaged: it has {} bytes where {} were written; bind the character again", bytes.size(),
                     header.payload));
  if (rig_checksum(bytes) != header.checksum) fail("is damaged: its checksum is wrong; bind the character again");
  auto rig = std::make_shared<Rig>();
  Reader reader{bytes, place};
  visit(reader, *rig);
  std::map<std::string, std::string> rest;
  for (std::size_t left = reader.size(16); left > 0; --left) {
    std::string name, section;
    reader.list(name);
    reader.list(section);
    rest.insert_or_assign(std::move(name), std::move(section));
  }
  if (!reader.in.empty()) reader.damaged();
  check_rig(*rig, place);
  rig->links = link_bones(*rig);
  rig->rest.read(std::move(rest));
  return rig;
}

std::size_t rig_bytes(const Rig& rig) {
  Counter counter;
  visit(counter, rig);
  return counter.bytes;
}

void save_rig(const Rig& rig, const std::string& path) { write_file(path, rig_to_bytes(rig)); }

std::shared_ptr<const Rig> load_rig(const std::string& path) { return rig_from_bytes(read_file(path), path); }

}  // namespace cutis
