// Shared by all tests: where the shared data is, temporary folders, small meshes with known answers.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/device.h"

namespace cutis::test {

/// ../shared/data beside the project, or what CUTIS_SHARED_DATA names; empty when it is not there.
[[nodiscard]] std::filesystem::path shared_data();
/// The folder of the sources.
[[nodiscard]] std::filesystem::path project();

/// Skips the running test, saying why, when the shared data is absent.
#define CUTIS_NEEDS_SHARED_DATA()         \
  if (cutis::test::shared_data().empty()) \
  GTEST_SKIP() << "the shared data (../shared/data, or CUTIS_SHARED_DATA) is not beside the project"

/// A fresh folder, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// What a call throws, as text; fails the test when it throws nothing or something other than cutis::Error.
[[nodiscard]] std::string error_of(const std::function<void()>& call);

struct Surface {
  std::vector<Vec3f> positions;
  std::vector<Triangle> triangles;
};
[[nodiscard]] Surface make_tetrahedron();
[[nodiscard]] Surface make_cube();  ///< side 1, corner at the origin, 12 triangles
[[nodiscard]] Surface make_sphere(double radius, int rings, int sectors);  ///< closed, outward
[[nodiscard]] Surface make_grid(int nx, int ny, double size);              ///< open, in the xz plane, facing +Y

/// Two joints along +Y (at 0 and 1) and a closed tube of radius 0.3 around them, weights blended over the middle,
/// one clip "bend" that turns the upper joint by 90 degrees about +Z in one second.
/// Its vertices are in `rings` rings, one of them, of an odd number, at the joint.
[[nodiscard]] Character make_two_bone_tube(int rings = 33);

/// Those that this machine can run. For tests of what every back end must do: INSTANTIATE_TEST_SUITE_P(EveryBackend, …,
/// ValuesIn(all_backends()), name).
[[nodiscard]] inline std::vector<Backend> all_backends() {
  std::vector<Backend> backends;
  for (const std::string& name : backend_names())
    if (const Backend backend = backend_from_string(name); why_unusable(backend).empty()) backends.push_back(backend);
  return backends;
}
/// As the name of a parameterised test.
inline constexpr auto kBackendName = [](const auto& info) { return std::string(to_string(info.param)); };

}  // namespace cutis::test
