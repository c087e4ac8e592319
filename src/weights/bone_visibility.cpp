#include "weights/bone_visibility.h"

#include <embree3/rtcore.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/math.h"
#include "cutis/error.h"

namespace cutis {
namespace {

// Rays start this share of the mean edge at the vertex below the surface: clear of the vertex's own triangles, and
// above the rounding of 32-bit coordinates, of which `kNearestStart` keeps a distance.
constexpr double kBelow = 0.01, kNearestStart = 2e-6;
// They end this much before the bone, which may lie in the surface itself.
constexpr float kStopShort = 0.999F;
// Of the whole area: smaller components are ornaments.
constexpr double kLargeShare = 0.01;

struct FilteredContext {
  RTCIntersectContext base;  // first: the callback gets a pointer to it
  std::uint32_t rank = 0;    // of the looking component
  const std::uint32_t* triangle_rank = nullptr;
};

void ignore_smaller(const RTCFilterFunctionNArguments* args) {
  const auto* context = reinterpret_cast<const FilteredContext*>(args->context);
  for (unsigned i = 0; i < args->N; ++i) {
    const unsigned triangle = RTCHitN_primID(args->hit, args->N, i);
    if (args->valid[i] == -1 && context->triangle_rank != nullptr && context->triangle_rank[triangle] > context->rank)
      args->valid[i] = 0;
  }
}

RTCRay make_ray(const Vec3d& origin, const Vec3d& direction, float far) {
  RTCRay ray{};
  ray.org_x = static_cast<float>(origin.x);
  ray.org_y = static_cast<float>(origin.y);
  ray.org_z = static_cast<float>(origin.z);
  ray.dir_x = static_cast<float>(direction.x);
  ray.dir_y = static_cast<float>(direction.y);
  ray.dir_z = static_cast<float>(direction.z);
  ray.tfar = far;
  ray.mask = 0xFFFFFFFFU;
  return ray;
}

}  // namespace

struct BoneVisibility::Impl {
  const WeightProblem* problem = nullptr;
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;
  std::vector<double> area;                  // per component
  std::vector<std::uint32_t> rank;           // per component: 0 has the largest area
  std::vector<std::uint32_t> triangle_rank;  // empty when there is one component
  std::uint32_t last_large_rank = 0;
  std::vector<double> below;  // per vertex

  ~Impl() {
    if (scene != nullptr) rtcReleaseScene(scene);
    if (device != nullptr) rtcReleaseDevice(device);
  }
  void check() const {
    if (device == nullptr || rtcGetDeviceError(device) != RTC_ERROR_NONE)
      throw Error(ErrorCode::io, "weights", "the ray tracer could not be set up: there may be too little memory");
  }
  void rank_components();
  void build_scene();
};

void BoneVisibility::Impl::rank_components() {
  const Topology& t = problem->topology;
  area.assign(t.component_count, 0);
  for (const Triangle& tri : t.triangles) {
    const Vec3d &a = problem->positions[tri[0]], &b = problem->positions[tri[1]], &c = problem->positions[tri[2]];
    area[t.component[tri[0]]] += 0.5 * length(cross(b - a, c - a));
  }
  std::vector<std::uint32_t> order(t.component_count);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return area[a] > area[b]; });
  rank.resize(t.component_count);
  const double large = kLargeShare * std::accumulate(area.begin(), area.end(), 0.0);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    if (area[order[i]] >= large) last_large_rank = i;
  }
  if (t.component_count > 1)
    for (const Triangle& tri : t.triangles) triangle_rank.push_back(rank[t.component[tri[0]]]);
}

void BoneVisibility::Impl::build_scene() {
  device = rtcNewDevice("threads=1");  // the same tree each time
  check();
  scene = rtcNewScene(device);
  rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
  const auto& triangles = problem->topology.triangles;
  if (!triangles.empty()) {
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* p = static_cast<Vec3f*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                          sizeof(Vec3f), problem->positions.size()));
    auto* t = static_cast<Triangle*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                             sizeof(Triangle), triangles.size()));
    if (p != nullptr && t != nullptr) {
      std::transform(problem->positions.begin(), problem->positions.end(), p,
                     [](const Vec3d& v) { return static_cast<Vec3f>(v); });
      std::copy(triangles.begin(), triangles.end(), t);
      rtcCommitGeometry(geometry);
      rtcAttachGeometry(scene, geometry);
    }
    rtcReleaseGeometry(geometry);
  }
  rtcCommitScene(scene);
  check();
}

BoneVisibility::BoneVisibility(const WeightProblem& problem) : impl_(std::make_unique<Impl>()) {
  impl_->problem = &problem;
  impl_->rank_components();
  impl_->build_scene();
  const Topology& t = problem.topology;
  impl_->below.assign(problem.positions.size(), kNearestStart * problem.size);
  for (std::size_t v = 0; v < problem.positions.size(); ++v) {
    const auto neighbours = t.vertex_neighbours.row(v);
    if (neighbours.empty()) continue;
    double sum = 0;
    for (const std::uint32_t w : neighbours) sum += distance(problem.positions[v], problem.positions[w]);
    impl_->below[v] = std::max(impl_->below[v], kBelow * sum / static_cast<double>(neighbours.size()));
  }
}

BoneVisibility::~BoneVisibility() = default;

bool BoneVisibility::sees(std::uint32_t vertex, const Vec3d& target) const {
  const WeightProblem& problem = *impl_->problem;
  const Vec3d &p = problem.positions[vertex], &n = problem.normals[vertex];
  const double below = impl_->below[vertex];
  if (distance(p, target) <= below) return true;
  const bool above = problem.two_sided[vertex] != 0 && dot(target - p, n) > 0;
  const Vec3d origin = p + n * (above ? below : -below);
  FilteredContext context{};
  rtcInitIntersectContext(&context.base);
  const std::uint32_t component = problem.topology.component[vertex];
  if (!impl_->triangle_rank.empty() && component != Topology::kNoComponent) {
    context.base.filter = ignore_smaller;
    context.rank = impl_->rank[component];
    context.triangle_rank = impl_->triangle_rank.data();
  }
  RTCRay ray = make_ray(origin, target - origin, kStopShort);
  rtcOccluded1(impl_->scene, &context.base, &ray);
  return ray.tfar >= 0;
}

double BoneVisibility::first_hit(const Vec3d& origin, const Vec3d& direction) const {
  FilteredContext context{};
  rtcInitIntersectContext(&context.base);
  if (!impl_->triangle_rank.empty()) {
    context.base.filter = ignore_smaller;
    context.rank = impl_->last_large_rank;
    context.triangle_rank = impl_->triangle_rank.data();
  }
  RTCRayHit hit{};
  hit.ray = make_ray(origin, direction, std::numeric_limits<float>::infinity());
  hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(impl_->scene, &context.base, &hit);
  return hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? std::numeric_limits<double>::infinity()
                                                   : static_cast<double>(hit.ray.tfar);
}

const std::vector<double>& BoneVisibility::component_areas() const { return impl_->area; }

}  // namespace cutis
