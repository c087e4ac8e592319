// The glTF 2.0 specification's skinning, evaluated in double straight from the file's JSON and bytes. Shares no code
// with the reader: the two are compared with each other.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cutis::test {

class GltfReference {
 public:
  explicit GltfReference(const std::string& file);

  [[nodiscard]] std::size_t clip_count() const;
  [[nodiscard]] std::string clip_name(std::size_t clip) const;
  /// First and last key.
  [[nodiscard]] std::array<double, 2> clip_range(std::size_t clip) const;

  /// Skinned positions of all nodes with a skin, in file order, at `time` of `clip` (-1: default pose).
  [[nodiscard]] std::vector<std::array<double, 3>> positions(int clip, double time) const;
  [[nodiscard]] std::vector<std::array<std::uint32_t, 3>> triangles() const;  ///< of the same primitives, unshifted

 private:
  using Matrix = std::array<double, 16>;  // column by column
  struct Local {
    std::array<double, 3> t{0, 0, 0}, s{1, 1, 1};
    std::array<double, 4> r{0, 0, 0, 1};
  };
  [[nodiscard]] std::vector<double> numbers(std::size_t accessor) const;
  [[nodiscard]] std::vector<Matrix> world_matrices(int clip, double time) const;
  void apply_channel(const nlohmann::json& animation, const nlohmann::json& channel, double time,
                     std::vector<Local>& locals) const;

  nlohmann::json json_;
  std::vector<std::vector<unsigned char>> buffers_;
};

}  // namespace cutis::test
