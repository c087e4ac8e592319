// The numbers behind accessors. glTF data is trusted in nothing: every offset, stride and count is checked in 64 bits
// against the bytes that are there, before anything is allocated.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/gltf_read_file.h"

namespace cutis::gltf {

class Data {
 public:
  /// `file_size` sets how much a file may unfold to: instances, shared and sparse accessors and compression can ask
  /// for far more numbers than a file has bytes.
  Data(const File& file, std::uint64_t file_size);

  /// All elements as floats, normalised integers decoded; `components` numbers each (0: as many as the accessor has).
  [[nodiscard]] std::vector<float> floats(std::size_t accessor, int components, const std::string& place);
  /// Unsigned integers: vertex indices, joint numbers.
  [[nodiscard]] std::vector<std::uint32_t> integers(std::size_t accessor, int components, const std::string& place);
  /// Bytes of a buffer view, decompressed where it says so.
  [[nodiscard]] std::span<const std::byte> view(std::size_t view, const std::string& place);

  /// Counts numbers (4 bytes each) about to be made; throws Error when the file unfolds beyond reason.
  void charge(std::uint64_t numbers, const std::string& place);

 private:
  struct Elements {
    const std::byte* data = nullptr;  ///< null: all zero
    std::size_t stride = 0, count = 0;
  };
  [[nodiscard]] Elements elements(std::size_t view, std::uint64_t offset, std::uint64_t count, std::size_t size,
                                  bool strided, const std::string& place);
  template <class T, class Convert>
  [[nodiscard]] std::vector<T> read(std::size_t accessor, int components, const std::string& place,
                                    const Convert& convert);

  const File& file_;
  std::uint64_t budget_;
  std::map<std::size_t, std::vector<std::byte>> decompressed_;
};

/// One integer component as glTF normalises it: to [0,1] or [-1,1].
[[nodiscard]] float decode_normalized(double value, ComponentType type);

/// EXT_meshopt_compression. The result has view.count * view.stride bytes; the caller has checked that size.
[[nodiscard]] std::vector<std::byte> decode_meshopt(const MeshoptView& view, std::span<const std::byte> compressed,
                                                    const std::string& place);

}  // namespace cutis::gltf
