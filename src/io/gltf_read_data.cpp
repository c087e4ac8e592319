#include "io/gltf_read_data.h"

#include "io/gltf_read_fail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace cutis::gltf {
namespace {

// A small file may unfold to a million vertices with all their attributes; a large one to many times its size.
constexpr std::uint64_t kFreeNumbers = std::uint64_t{16} << 20;
constexpr std::uint64_t kNumbersPerByte = 32;

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Calls f with a zero of the component's C++ type.
template <class F>
decltype(auto) with_type(ComponentType type, const F& f) {
  switch (type) {
    case ComponentType::i8:
      return f(std::int8_t{});
    case ComponentType::u8:
      return f(std::uint8_t{});
    case ComponentType::i16:
      return f(std::int16_t{});
    case ComponentType::u16:
      return f(std::uint16_t{});
    case ComponentType::u32:
      return f(std::uint32_t{});
    case ComponentType::f32:
      break;
  }
  return f(float{});
}

std::uint32_t load_index(const std::byte* at, ComponentType type) {
  return with_type(type, [&]<class T>(T) { return static_cast<std::uint32_t>(load<T>(at)); });
}

}  // namespace

float decode_normalized(double value, ComponentType type) {
  switch (type) {
    case ComponentType::i8:
      return static_cast<float>(std::max(value / 127.0, -1.0));
    case ComponentType::u8:
      return static_cast<float>(value / 255.0);
    case ComponentType::i16:
      return static_cast<float>(std::max(value / 32767.0, -1.0));
    case ComponentType::u16:
      return static_cast<float>(value / 65535.0);
    case ComponentType::u32:
      return static_cast<float>(value / 4294967295.0);
    case ComponentType::f32:
      break;
  }
  return static_cast<float>(value);
}

Data::Data(const File& file, std::uint64_t file_size)
    : file_(file), budget_(kFreeNumbers + kNumbersPerByte * file_size) {
  for (const auto& storage : file.storage) budget_ += kNumbersPerByte * storage.size();
}

void Data::charge(std::uint64_t numbers, const std::string& place) {
  if (numbers > budget_)
    fail(place, fmt::format("it claims {} numbers, more than a file of this size can mean", numbers));
  budget_ -= numbers;
}

std::span<const std::byte> Data::view(std::size_t index, const std::string& place) {
  const BufferView& v = file_.views[index];
  const auto slice = [&](std::size_t buffer, std::uint64_t offset, std::uint64_t length) {
    const auto& bytes = file_.buffers[buffer];
    if (length > bytes.size() || offset > bytes.size() - length)
      fail(place, fmt::format("bufferView {} reaches to byte {} of buffer {}, which has {}", index, offset + length,
                              buffer, bytes.size()));
    return bytes.subspan(offset, length);
  };
  if (!v.meshopt) return slice(v.buffer, v.offset, v.length);
  const auto found = decompressed_.find(index);
  if (found != decompressed_.end()) return found->second;
  const MeshoptView& m = *v.meshopt;
  const auto compressed = slice(m.buffer, m.offset, m.length);
  if (m.stride > 256 || m.count > 0xffffffffU) fail(place, "its compressed bufferView claims impossible sizes");
  charge(m.count * m.stride / 4 + 1, place);
  return decompressed_.emplace(index, decode_meshopt(m, compressed, place)).first->second;
}

Data::Elements Data::elements(std::size_t view_index, std::uint64_t offset, std::uint64_t count, std::size_t size,
                              bool strided, const std::string& place) {
  const auto bytes = view(view_index, place);
  const std::uint64_t given = strided ? file_.views[view_index].stride : 0;
  if (given != 0 && given < size)
    fail(place, fmt::format("bufferView {} has a stride of {} bytes for elements of {}", view_index, given, size));
  const std::uint64_t stride = given != 0 ? given : size;
  if (count == 0) return {bytes.data(), size, 0};
  // count <= 2^53 and stride <= 2^53: divide instead of multiplying.
  if (offset > bytes.size() || bytes.size() - offset < size || count - 1 > (bytes.size() - offset - size) / stride)
    fail(place, fmt::format("it claims {} elements of {} bytes, but its bufferView {} has only {} bytes", count, size,
                            view_index, bytes.size()));
  return {bytes.data() + offset, static_cast<std::size_t>(stride), static_cast<std::size_t>(count)};
}

template <class T, class Convert>
std::vector<T> Data::read(std::size_t index, int components, const std::string& place, const Convert& convert) {
  const Accessor& a = file_.accessors[index];
  if (components != 0 && a.components != components)
    fail(place, fmt::format("accessor {} has {} components instead of {}", index, a.components, components));
  // Columns of small matrices are padded; only 4x4 floats (which are not) mean anything here.
  if (a.is_matrix && (a.components != 16 || a.type != ComponentType::f32))
    fail(place, fmt::format("accessor {} holds matrices other than 4x4 floats", index));
  const auto n = static_cast<std::size_t>(a.components);
  const std::size_t size = size_of(a.type) * n;

  Elements base;
  if (a.view >= 0) base = elements(static_cast<std::size_t>(a.view), a.offset, a.count, size, true, place);
  if (a.count > 0xffffffffU) fail(place, fmt::format("it claims {} elements, which is too many", a.count));
  charge(a.count * n, place);
  std::vector<T> values(a.count * n);
  with_type(a.type, [&]<class S>(S) {
    const auto fill = [&](T* to, const std::byte* from) {
      for (std::size_t c = 0; c < n; ++c) to[c] = convert(load<S>(from + c * sizeof(S)), a);
    };
    if (base.count > 0) {
      if constexpr (std::is_same_v<S, T>) {
        if (base.stride == size) {
          std::memcpy(values.data(), base.data, values.size() * sizeof(T));
        } else {
          for (std::size_t i = 0; i < base.count; ++i) fill(&values[i * n], base.data + i * base.stride);
        }
      } else {
        for (std::size_t i = 0; i < base.count; ++i) fill(&values[i * n], base.data + i * base.stride);
      }
    }
    if (!a.sparse) return;
    const Sparse& s = *a.sparse;
    if (s.count > a.count) fail(place, fmt::format("its sparse part has {} of {} elements", s.count, a.count));
    if (s.index_type != ComponentType::u8 && s.index_type != ComponentType::u16 && s.index_type != ComponentType::u32)
      fail(place, "the indices of its sparse part are not unsigned integers");
    const Elements where = elements(s.index_view, s.index_offset, s.count, size_of(s.index_type), false, place);
    const Elements what = elements(s.value_view, s.value_offset, s.count, size, false, place);
    for (std::size_t i = 0; i < where.count; ++i) {
      const std::uint32_t at = load_index(where.data + i * where.stride, s.index_type);
      if (at >= a.count) fail(place, fmt::format("its sparse part sets element {} of {}", at, a.count));
      fill(&values[at * n], what.data + i * what.stride);
    }
  });
  return values;
}

std::vector<float> Data::floats(std::size_t accessor, int components, const std::string& place) {
  return read<float>(accessor, components, place, []<class S>(S value, const Accessor& a) {
    return a.normalized ? decode_normalized(static_cast<double>(value), a.type) : static_cast<float>(value);
  });
}

std::vector<std::uint32_t> Data::integers(std::size_t accessor, int components, const std::string& place) {
  const ComponentType type = file_.accessors[accessor].type;
  if (type != ComponentType::u8 && type != ComponentType::u16 && type != ComponentType::u32)
    fail(place, fmt::format("accessor {} must hold unsigned integers", accessor));
  return read<std::uint32_t>(accessor, components, place, []<class S>(S value, const Accessor&) {
    if constexpr (std::is_same_v<S, float>) {
      return std::uint32_t{0};  // excluded above
    } else {
      return static_cast<std::uint32_t>(value);
    }
  });
}

}  // namespace cutis::gltf
