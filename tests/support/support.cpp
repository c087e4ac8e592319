#include "support/support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>

#include "base/math.h"
#include "cutis/error.h"
#include "geometry/normals.h"

namespace cutis::test {

std::filesystem::path project() { return CUTIS_SOURCE_DIR; }

std::filesystem::path shared_data() {
  if (const char* given = std::getenv("CUTIS_SHARED_DATA"); given != nullptr)
    return std::filesystem::is_directory(given) ? std::filesystem::path(given) : std::filesystem::path{};
  const auto beside = std::filesystem::path(CUTIS_SOURCE_DIR) / ".." / "shared" / "data";
  return std::filesystem::exists(beside) ? std::filesystem::canonical(beside) : std::filesystem::path{};
}

TemporaryFolder::TemporaryFolder() {
  std::random_device entropy;
  do {
    path_ = std::filesystem::temp_directory_path() / ("cutis-test-" + std::to_string(entropy()));
  } while (!std::filesystem::create_directory(path_));
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "threw something other than cutis::Error: " << e.what();
    return {};
  }
  ADD_FAILURE() << "threw nothing";
  return {};
}

Surface make_tetrahedron() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

Surface make_cube() {
  Surface s;
  for (int i = 0; i < 8; ++i)
    s.positions.push_back({static_cast<float>(i & 1), static_cast<float>((i >> 1) & 1), static_cast<float>(i >> 2)});
  s.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return s;
}

Surface make_sphere(double radius, int rings, int sectors) {
  Surface s;
  const auto r = static_cast<std::uint32_t>(rings), n = static_cast<std::uint32_t>(sectors);
  s.positions.push_back({0, static_cast<float>(radius), 0});
  for (std::uint32_t i = 1; i < r; ++i) {
    const double theta = kPi * i / rings;
    for (std::uint32_t j = 0; j < n; ++j) {
      const double phi = 2 * kPi * j / sectors;
      s.positions.push_back(static_cast<Vec3f>(
          Vec3d{std::sin(theta) * std::cos(phi), std::cos(theta), std::sin(theta) * std::sin(phi)} * radius));
    }
  }
  s.positions.push_back({0, static_cast<float>(-radius), 0});
  const auto last = static_cast<std::uint32_t>(s.positions.size() - 1);
  const auto at = [&](std::uint32_t i, std::uint32_t j) { return 1 + (i - 1) * n + j % n; };
  for (std::uint32_t j = 0; j < n; ++j) {
    s.triangles.push_back({0, at(1, j + 1), at(1, j)});
    for (std::uint32_t i = 1; i + 1 < r; ++i) {
      s.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
      s.triangles.push_back({at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
    }
    s.triangles.push_back({last, at(r - 1, j), at(r - 1, j + 1)});
  }
  return s;
}

Surface make_grid(int nx, int ny, double size) {
  Surface s;
  const auto w = static_cast<std::uint32_t>(nx + 1);
  for (int y = 0; y <= ny; ++y)
    for (int x = 0; x <= nx; ++x)
      s.positions.push_back({static_cast<float>(size * x / nx), 0, static_cast<float>(size * y / ny)});
  for (std::uint32_t y = 0; y < static_cast<std::uint32_t>(ny); ++y) {
    for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(nx); ++x) {
      const std::uint32_t a = y * w + x;
      s.triangles.push_back({a, a + w, a + 1});
      s.triangles.push_back({a + 1, a + w, a + w + 1});
    }
  }
  return s;
}

Character make_two_bone_tube(int rings) {
  constexpr int kSectors = 16;
  Character c;
  c.source = "two-bone tube";
  Joint lower, upper;
  lower.name = "lower";
  lower.is_bone = true;
  upper.name = "upper";
  upper.parent = 0;
  upper.local.translation = {0, 1, 0};
  upper.world_from_rest.translation = {0, 1, 0};
  upper.is_bone = true;
  c.skeleton.joints = {lower, upper};

  Mesh mesh;
  mesh.name = "tube";
  for (int i = 0; i < rings; ++i) {
    const double y = 2.0 * i / (rings - 1);
    for (int j = 0; j < kSectors; ++j) {
      const double phi = 2 * kPi * j / kSectors;
      mesh.positions.push_back(static_cast<Vec3f>(Vec3d{0.3 * std::cos(phi), y, 0.3 * std::sin(phi)}));
    }
  }
  mesh.positions.push_back({0, 0, 0});
  mesh.positions.push_back({0, 2, 0});
  const auto bottom = static_cast<std::uint32_t>(mesh.positions.size() - 2);
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(i * kSectors + j % kSectors); };
  for (int j = 0; j < kSectors; ++j) {
    mesh.triangles.push_back({bottom, at(0, j), at(0, j + 1)});
    mesh.triangles.push_back({bottom + 1, at(rings - 1, j + 1), at(rings - 1, j)});
    for (int i = 0; i + 1 < rings; ++i) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
      mesh.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  mesh.weights.row_begin.push_back(0);
  for (const Vec3f& p : mesh.positions) {
    const float t = std::clamp((p.y - 0.75F) / 0.5F, 0.0F, 1.0F);
    const float w = t * t * (3 - 2 * t);
    const auto add = [&](std::uint32_t joint, float weight) {
      if (weight <= 0) return;
      mesh.weights.joint.push_back(joint);
      mesh.weights.weight.push_back(weight);
    };
    if (w > 0.5F) {
      add(1, w);
      add(0, 1 - w);
    } else {
      add(0, 1 - w);
      add(1, w);
    }
    mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
  }
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  c.meshes.push_back(std::move(mesh));

  Channel bend;
  bend.joint = 1;
  bend.path = ChannelPath::rotation;
  const auto half = static_cast<float>(std::sqrt(0.5));
  bend.times = {0, 1};
  bend.values = {0, 0, 0, 1, 0, 0, half, half};
  c.clips.push_back({"bend", {bend}});
  return c;
}

}  // namespace cutis::test
