#include "render/occlusion.h"

#include <embree3/rtcore.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/parallel_for.h"
#include "cutis/error.h"

namespace cutis {
namespace {

// A large soft box: rays within about 35 degrees of its middle count, those near the middle more.
constexpr float kKeyCosine = 0.80F;

struct Ray {
  Vec3f direction;
  float key;  // weight in the key light
};

float key_weight(const Vec3f& direction, const Vec3f& to_key) {
  const float t = std::max(0.0F, (dot(direction, to_key) - kKeyCosine) / (1 - kKeyCosine));
  return t * (2 - t);
}

// Spherical Fibonacci points: equal areas along a spiral.
std::vector<Ray> sphere_rays(int count, const Vec3f& to_key) {
  const double golden = kPi * (3 - std::sqrt(5.0));
  std::vector<Ray> rays;
  for (int i = 0; i < count; ++i) {
    const double y = 1 - (2 * i + 1.0) / count, r = std::sqrt(1 - y * y), phi = golden * i;
    const auto d = static_cast<Vec3f>(Vec3d{r * std::cos(phi), y, r * std::sin(phi)});
    rays.push_back({d, key_weight(d, to_key)});
  }
  return rays;
}

constexpr std::uint32_t kNoGroup = 0xFFFFFFFFU;

// Wanted vertices of equal position and normal: files split them at seams, or give every triangle its own.
struct Groups {
  std::vector<std::uint32_t> of;     // per vertex
  std::vector<std::uint32_t> first;  // a vertex of each group
};
Groups group_equal(std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                   std::span<const std::uint8_t> wanted) {
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != 0) order.push_back(static_cast<std::uint32_t>(i));
  const auto key = [&](std::uint32_t v) {
    const Vec3f &p = positions[v], &n = normals[v];
    return std::array<float, 6>{p.x, p.y, p.z, n.x, n.y, n.z};
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto ka = key(a), kb = key(b);
    return ka != kb ? ka < kb : a < b;
  });
  Groups groups{std::vector<std::uint32_t>(wanted.size(), kNoGroup), {}};
  for (const std::uint32_t v : order) {
    if (groups.first.empty() || key(groups.first.back()) != key(v)) groups.first.push_back(v);
    groups.of[v] = static_cast<std::uint32_t>(groups.first.size() - 1);
  }
  return groups;
}

}  // namespace

struct OcclusionScene::Impl {
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;
  ~Impl() {
    if (scene != nullptr) rtcReleaseScene(scene);
    if (device != nullptr) rtcReleaseDevice(device);
  }
};

OcclusionScene::OcclusionScene(std::span<const Vec3f> positions, std::span<const Triangle> triangles)
    : impl_(std::make_unique<Impl>()) {
  const auto check = [&] {
    if (impl_->device == nullptr || rtcGetDeviceError(impl_->device) != RTC_ERROR_NONE)
      throw Error(ErrorCode::io, "render", "the ray tracer could not be set up: there may be too little memory");
  };
  // One build thread: the tree, and with it the order of tests, is the same each time.
  impl_->device = rtcNewDevice("threads=1");
  check();
  impl_->scene = rtcNewScene(impl_->device);
  rtcSetSceneFlags(impl_->scene, RTC_SCENE_FLAG_ROBUST);
  if (!triangles.empty()) {
    RTCGeometry geometry = rtcNewGeometry(impl_->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* p = static_cast<Vec3f*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                          sizeof(Vec3f), positions.size()));
    auto* t = static_cast<Triangle*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                             sizeof(Triangle), triangles.size()));
    if (p != nullptr && t != nullptr) {
      std::transform(positions.begin(), positions.end(), p, [](const Vec3f& v) { return is_finite(v) ? v : Vec3f{}; });
      std::copy(triangles.begin(), triangles.end(), t);
      rtcCommitGeometry(geometry);
      rtcAttachGeometry(impl_->scene, geometry);
    }
    rtcReleaseGeometry(geometry);
  }
  rtcCommitScene(impl_->scene);
  check();
}

OcclusionScene::~OcclusionScene() = default;

bool OcclusionScene::blocked(const Vec3f& origin, const Vec3f& direction) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay ray{};
  ray.org_x = origin.x;
  ray.org_y = origin.y;
  ray.org_z = origin.z;
  ray.dir_x = direction.x;
  ray.dir_y = direction.y;
  ray.dir_z = direction.z;
  ray.tnear = 0;
  ray.tfar = std::numeric_limits<float>::infinity();
  ray.mask = 0xFFFFFFFFU;
  rtcOccluded1(impl_->scene, &context, &ray);
  return ray.tfar < 0;
}

std::vector<Visibility> vertex_visibility(const OcclusionScene& scene, std::span<const Vec3f> positions,
                                          std::span<const Vec3f> normals, std::span<const Triangle> triangles,
                                          std::span<const std::uint8_t> wanted, const OcclusionOptions& options,
                                          const Context& context) {
  const std::vector<Ray> rays = sphere_rays(options.directions, options.to_key);
  const Groups groups = group_equal(positions, normals, wanted);
  std::vector<Visibility> raw(groups.first.size());
  parallel_for(context, raw.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      const Vec3f& normal = normals[groups.first[g]];
      const Vec3f origin = positions[groups.first[g]] + normal * options.offset;
      float sky = 0, all_sky = 0, key = 0, all_key = 0;
      for (const Ray& ray : rays) {
        const float cosine = dot(ray.direction, normal);
        if (cosine <= 0.02F) continue;
        all_sky += cosine;
        all_key += cosine * ray.key;
        if (scene.blocked(origin, ray.direction)) continue;
        sky += cosine;
        key += cosine * ray.key;
      }
      raw[g] = {all_sky > 0 ? sky / all_sky : 1, all_key > 0 ? key / all_key : 1};
    }
  });

  // The set is coarse: the mean with the neighbours takes its steps out of the picture.
  std::vector<Visibility> sum(raw.size(), Visibility{0, 0});
  std::vector<std::uint32_t> count(raw.size(), 0);
  for (const Triangle& t : triangles) {
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = groups.of[t[static_cast<std::size_t>(k)]];
      const std::uint32_t b = groups.of[t[static_cast<std::size_t>((k + 1) % 3)]];
      if (a == kNoGroup || b == kNoGroup) continue;
      sum[a].sky += raw[b].sky;
      sum[a].key += raw[b].key;
      sum[b].sky += raw[a].sky;
      sum[b].key += raw[a].key;
      ++count[a];
      ++count[b];
    }
  }
  std::vector<Visibility> result(positions.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::uint32_t g = groups.of[i];
    if (g == kNoGroup) continue;
    const float share = count[g] > 0 ? 0.5F / static_cast<float>(count[g]) : 0;
    result[i] = raw[g];
    if (count[g] > 0) result[i] = {0.5F * raw[g].sky + share * sum[g].sky, 0.5F * raw[g].key + share * sum[g].key};
  }
  return result;
}

GroundShadow::GroundShadow(const OcclusionScene& scene, const Box& bounds, double height, const Vec3f& to_key,
                           bool draft, const Context& context) {
  // Interleaved sampling: the cells of a 4 x 4 block turn the same few directions by 16 different angles; the mean
  // over such a block then has seen them all, without a trace of noise.
  constexpr int kBlock = 4;
  const int longest = draft ? 64 : 128, directions = draft ? 16 : 80;
  const Vec3d size = bounds.hi - bounds.lo;
  const double reach = 0.45 * std::max({size.x, size.y, size.z});
  if (bounds.empty() || !(reach > 0) || !std::isfinite(reach)) return;
  const double wx = size.x + 2 * reach, wz = size.z + 2 * reach;
  cells_per_metre_ = longest / std::max(wx, wz);
  nx_ = std::max(8, static_cast<int>(wx * cells_per_metre_) + 1);
  nz_ = std::max(8, static_cast<int>(wz * cells_per_metre_) + 1);
  x0_ = bounds.lo.x - reach;
  z0_ = bounds.lo.z - reach;

  std::vector<std::vector<Ray>> sets;
  const double golden = kPi * (3 - std::sqrt(5.0));
  for (int s = 0; s < kBlock * kBlock; ++s) {
    const double turn = golden * (s + 0.5) / (kBlock * kBlock), lift = (s + 0.5) / (kBlock * kBlock);
    std::vector<Ray> rays;
    for (int i = 0; i < directions; ++i) {
      const double y = std::sqrt((i + lift) / directions), r = std::sqrt(1 - y * y), phi = golden * i + turn * 7;
      const auto d = static_cast<Vec3f>(Vec3d{r * std::cos(phi), y, r * std::sin(phi)});
      rays.push_back({d, key_weight(d, to_key)});
    }
    sets.push_back(std::move(rays));
  }

  const auto at = [&](int x, int z) {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(nx_) + static_cast<std::size_t>(x);
  };
  std::vector<float> raw(static_cast<std::size_t>(nx_) * static_cast<std::size_t>(nz_), 0.0F);
  const auto lift = static_cast<float>(height + 1e-4 * reach);
  parallel_for(context, static_cast<std::size_t>(nz_), 2, [&](std::size_t begin, std::size_t end) {
    for (int z = static_cast<int>(begin); z < static_cast<int>(end); ++z) {
      for (int x = 0; x < nx_; ++x) {
        const Vec3f origin{static_cast<float>(x0_ + (x + 0.5) / cells_per_metre_), lift,
                           static_cast<float>(z0_ + (z + 0.5) / cells_per_metre_)};
        float sky = 0, key = 0, all_key = 0;
        // The order of the angles within a block keeps near ones apart.
        const auto& rays = sets[static_cast<std::size_t>((x % kBlock) * 5 + (z % kBlock) * 11) % sets.size()];
        for (const Ray& ray : rays) {
          all_key += ray.key;
          if (!scene.blocked(origin, ray.direction)) continue;
          sky += 1;  // the set is dense where the cosine is large
          key += ray.key;
        }
        raw[at(x, z)] = 0.62F * sky / static_cast<float>(directions) + (all_key > 0 ? 0.38F * key / all_key : 0);
      }
    }
  });

  // Mean over a block, along x and then z; then a fade to nothing at the borders.
  std::vector<float> half(raw.size());
  dark_.resize(raw.size());
  const auto blur = [&](const std::vector<float>& from, std::vector<float>& to, bool along_x) {
    for (int z = 0; z < nz_; ++z) {
      for (int x = 0; x < nx_; ++x) {
        float sum = 0;
        for (int k = -kBlock / 2; k <= kBlock / 2; ++k) {
          const float weight = k == -kBlock / 2 || k == kBlock / 2 ? 0.5F : 1.0F;
          const int sx = std::clamp(along_x ? x + k : x, 0, nx_ - 1), sz = std::clamp(along_x ? z : z + k, 0, nz_ - 1);
          sum += weight * from[at(sx, sz)];
        }
        to[at(x, z)] = sum / kBlock;
      }
    }
  };
  blur(raw, half, true);
  blur(half, dark_, false);
  for (int z = 0; z < nz_; ++z) {
    for (int x = 0; x < nx_; ++x) {
      const double border = std::min({x + 0.5, z + 0.5, nx_ - x - 0.5, nz_ - z - 0.5}) / cells_per_metre_;
      const double t = std::clamp(border / (0.7 * reach), 0.0, 1.0);
      dark_[at(x, z)] *= static_cast<float>(t * t * (3 - 2 * t));
    }
  }
}

float GroundShadow::at(double x, double z) const {
  if (dark_.empty()) return 0;
  const double u = (x - x0_) * cells_per_metre_ - 0.5, v = (z - z0_) * cells_per_metre_ - 0.5;
  if (!(u > 0 && v > 0 && u < nx_ - 1 && v < nz_ - 1)) return 0;
  // Smooth within cells too: a quadratic B-spline over 3 x 3 of them.
  const int i = std::clamp(static_cast<int>(u + 0.5), 1, nx_ - 2),
            j = std::clamp(static_cast<int>(v + 0.5), 1, nz_ - 2);
  const auto weights = [](double f, float(&w)[3]) {
    w[0] = static_cast<float>(0.5 * (0.5 - f) * (0.5 - f));
    w[2] = static_cast<float>(0.5 * (0.5 + f) * (0.5 + f));
    w[1] = 1 - w[0] - w[2];
  };
  float wx[3], wz[3];
  weights(u - i, wx);
  weights(v - j, wz);
  float sum = 0;
  for (int b = 0; b < 3; ++b)
    for (int a = 0; a < 3; ++a)
      sum += wx[a] * wz[b] *
             dark_[static_cast<std::size_t>(j + b - 1) * static_cast<std::size_t>(nx_) +
                   static_cast<std::size_t>(i + a - 1)];
  return std::max(0.0F, sum);
}

}  // namespace cutis
