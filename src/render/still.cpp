// One picture: gather ► sort into tiles ► find what is seen ► occlusion of what is seen ► shade tile by tile.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "base/math.h"
#include "base/parallel_for.h"
#include "cutis/error.h"
#include "cutis/option_rows.h"
#include "cutis/render.h"
#include "geometry/normals.h"
#include "render/camera.h"
#include "render/color.h"
#include "render/light.h"
#include "render/occlusion.h"
#include "render/paints.h"
#include "render/raster.h"

namespace cutis {
namespace {

// Numbers beyond this overflow in ray tests; they are as good as infinite.
constexpr float kFarthest = 1e17F;

// All meshes as one, without the triangles that cannot be drawn.
struct Scene {
  std::vector<Vec3f> positions, normals;
  std::span<const Color> colors;
  std::vector<Triangle> triangles;
  Box bounds;
};

void check_size(std::size_t have, std::size_t want, const char* what) {
  if (have != 0 && have != want)
    throw Error(ErrorCode::bad_argument, "render",
                fmt::format("{} {} were given for {} vertices; give one per vertex or none", have, what, want));
}

Scene gather(const Drawable& drawable) {
  if (drawable.character == nullptr)
    throw Error(ErrorCode::bad_argument, "render", "the drawable has no character; set Drawable::character");
  const std::vector<Mesh>& meshes = drawable.character->meshes;
  Scene scene;
  for (const Mesh& mesh : meshes) {
    const auto base = static_cast<std::uint32_t>(scene.positions.size());
    scene.positions.insert(scene.positions.end(), mesh.positions.begin(), mesh.positions.end());
    for (const Triangle& t : mesh.triangles) {
      if (std::max({t[0], t[1], t[2]}) >= mesh.positions.size())
        throw Error(ErrorCode::bad_argument, fmt::format("render › mesh '{}'", mesh.name),
                    fmt::format("a triangle refers to vertex {} of {}; repair the mesh", std::max({t[0], t[1], t[2]}),
                                mesh.positions.size()));
      scene.triangles.push_back({base + t[0], base + t[1], base + t[2]});
    }
  }
  const std::size_t count = scene.positions.size();
  check_size(drawable.positions.size(), count, "positions");
  check_size(drawable.normals.size(), count, "normals");
  check_size(drawable.colors.size(), count, "colours");
  if (!drawable.positions.empty()) scene.positions.assign(drawable.positions.begin(), drawable.positions.end());
  scene.colors = drawable.colors;

  const auto drawn = [&](std::uint32_t v) {
    const Vec3f& p = scene.positions[v];
    return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) <= kFarthest && is_finite(p);
  };
  std::erase_if(scene.triangles, [&](const Triangle& t) { return !drawn(t[0]) || !drawn(t[1]) || !drawn(t[2]); });
  for (const Triangle& t : scene.triangles)
    for (const std::uint32_t v : t) scene.bounds.add(static_cast<Vec3d>(scene.positions[v]));

  if (!drawable.normals.empty()) {
    scene.normals.assign(drawable.normals.begin(), drawable.normals.end());
    for (Vec3f& n : scene.normals) n = is_finite(n) ? normalized(n) : Vec3f{};
  } else {
    scene.normals = vertex_normals(scene.positions, scene.triangles);
  }
  return scene;
}

// What is mostly there casts shadows.
std::vector<Triangle> solid_triangles(const Scene& scene, const Paints::Impl* paints) {
  std::vector<Triangle> solid = scene.triangles;
  if (paints != nullptr) std::erase_if(solid, [&](const Triangle& t) { return paints->mean_alpha(t) < 0.5F; });
  return solid;
}

// Corners of the triangles that any sample sees; the others need no occlusion.
std::vector<std::uint8_t> seen_vertices(const Scene& scene, const TriangleBins& bins, int samples, const CutOuts* holes,
                                        const Context& context) {
  std::vector<std::atomic<std::uint8_t>> seen(scene.positions.size());
  parallel_for(context, static_cast<std::size_t>(bins.tiles()), 1, [&](std::size_t tile, std::size_t) {
    std::vector<std::uint32_t> ids;
    std::vector<double> depth;
    bins.visible(static_cast<int>(tile), samples, holes, ids, depth);
    std::uint32_t last = kNothing;
    for (const std::uint32_t id : ids) {
      if (id == last || id == kNothing) continue;
      last = id;
      for (const std::uint32_t v : scene.triangles[id]) seen[v].store(1, std::memory_order_relaxed);
    }
  });
  return {seen.begin(), seen.end()};
}

std::array<double, 3> barycentrics(const ScreenTriangle& s, double rx, double ry) {
  const double e[3] = {s.edge[0].at(rx, ry), s.edge[1].at(rx, ry), s.edge[2].at(rx, ry)};
  const double sum = e[0] + e[1] + e[2];
  if (!(sum > 0)) return {1.0 / 3, 1.0 / 3, 1.0 / 3};
  return {e[0] / sum, e[1] / sum, e[2] / sum};
}

// Alpha as the share of a pixel's samples that are there: what is behind shows through the others. Neither order nor
// noise; layers of different meshes leave out different samples.
class PaintedHoles final : public CutOuts {
 public:
  PaintedHoles(const Scene& scene, const Paints::Impl& paints, const View& view, int samples)
      : scene_(scene),
        paints_(paints),
        samples_(samples),
        step_x_((view.ray_x(1) - view.ray_x(0)) / samples),
        step_y_((view.ray_y(1) - view.ray_y(0)) / samples) {}

  [[nodiscard]] bool may_have(std::uint32_t triangle) const override {
    return paints_.paint_of(scene_.triangles[triangle]).see_through;
  }
  [[nodiscard]] bool is_there(std::uint32_t triangle, const ScreenTriangle& screen, double rx, double ry,
                              int sample) const override {
    const Triangle& t = scene_.triangles[triangle];
    const float alpha = paints_.sample(t, place(screen, rx, ry))[3];
    // In an order that jumps about the pixel. The stride shares no divisor with the count: squares of even numbers are
    // multiples of 4.
    const int count = samples_ * samples_;
    const int stride = count / 2 + (count % 2 == 0 ? 1 : 0);
    const auto mesh = static_cast<int>(paints_.mesh_of_vertex[t[0]] % 1024);
    const int rank = (sample * stride + mesh * stride * stride) % count;
    return alpha * static_cast<float>(count) > static_cast<float>(rank) + 0.5F;
  }
  [[nodiscard]] Paints::Impl::Place place(const ScreenTriangle& screen, double rx, double ry) const {
    return {barycentrics(screen, rx, ry), barycentrics(screen, rx + step_x_, ry),
            barycentrics(screen, rx, ry + step_y_)};
  }

 private:
  const Scene& scene_;
  const Paints::Impl& paints_;
  int samples_;
  double step_x_, step_y_;
};

struct Painter {
  const Scene& scene;
  const View& view;
  const Studio& studio;
  const TriangleBins& bins;
  std::span<const Visibility> visibility;  // empty: all lit
  const GroundShadow& shadow;
  double ground;
  bool wireframe;
  const Paints::Impl* paints;  // none: colours, or the default tone
  const PaintedHoles* holes;

  [[nodiscard]] Color surface(std::uint32_t id, double px, double py) const {
    const ScreenTriangle& s = bins.screen(id);
    const Triangle& t = scene.triangles[id];
    const double rx = view.ray_x(px), ry = view.ray_y(py);
    double e[3], sum = 0;
    for (int i = 0; i < 3; ++i) sum += e[i] = std::max(0.0, s.edge[i].at(rx, ry));
    float b[3];
    for (int i = 0; i < 3; ++i) b[i] = static_cast<float>(sum > 0 ? e[i] / sum : 1.0 / 3);

    SurfacePoint p;
    Vec3f normal{};
    p.albedo = scene.colors.empty() ? default_tone_ : Color{};
    p.visibility = visibility.empty() ? Visibility{} : Visibility{0, 0};
    for (std::size_t i = 0; i < 3; ++i) {
      normal += scene.normals[t[i]] * b[i];
      if (!scene.colors.empty()) p.albedo += scene.colors[t[i]] * b[i];
      if (visibility.empty()) continue;
      p.visibility.sky += visibility[t[i]].sky * b[i];
      p.visibility.key += visibility[t[i]].key * b[i];
    }
    p.to_eye = static_cast<Vec3f>(normalized(-view.ray_direction(px, py)));
    p.inside = !s.front;
    const Vec3f &v0 = scene.positions[t[0]], &v1 = scene.positions[t[1]], &v2 = scene.positions[t[2]];
    const auto face = static_cast<Vec3f>(normalized(area_vector(v0, v1, v2)));
    normal = normalized(normal, face);
    // Normals are those of the outside; the inside shows their backs. Near the outline a smooth normal may turn away
    // from the eye by a little: it is bent back to the edge of sight.
    if (p.inside) normal = -normal;
    const float facing = dot(normal, p.to_eye);
    if (facing < 0.02F) normal = normalized(normal + p.to_eye * (0.02F - facing), p.to_eye);
    p.normal = normal;
    if (paints != nullptr) {
      const Texel texel = paints->sample(t, holes->place(s, rx, ry));
      p.albedo = {texel[0], texel[1], texel[2]};
      if (paints->paint_of(t).look.double_sided) p.inside = false;
    }
    if (!is_finite(p.albedo)) p.albedo = default_tone_;
    Color color = soft_shoulder(studio.shade(p));
    if (wireframe) color = lerp(color, kLine, line_cover(s, e));
    return color;
  }

  // Half a line inside each of the two triangles at an edge; lines fade where they would cover everything.
  [[nodiscard]] static float line_cover(const ScreenTriangle& s, const double (&e)[3]) {
    constexpr double kHalfWidth = 0.55;  // pixels
    double cover = 0;
    for (int i = 0; i < 3; ++i) {
      const double at = e[i] * s.pixels[i];
      const double fade = std::clamp(s.height[i] / 7, 0.12, 1.0);
      cover = std::max(cover, std::clamp(kHalfWidth + 0.5 - at, 0.0, 1.0) * fade);
    }
    return static_cast<float>(0.75 * cover);
  }

  [[nodiscard]] Color behind(double px, double py) const {
    const Color background = studio.background(py / view.height);
    const Vec3d d = view.ray_direction(px, py);
    const double t = (ground - view.eye.y) / d.y;  // d.y = 0 gives an infinity, which fails the test
    if (!(d.y < 0 && t > 0 && std::isfinite(t))) return background;
    return studio.floor(background, shadow.at(view.eye.x + t * d.x, view.eye.z + t * d.z));
  }

  void tile(int tile, int samples, Image& image) const {
    const TriangleBins::TileArea a = bins.area(tile);
    std::vector<std::uint32_t> ids;
    std::vector<double> depth;
    bins.visible(tile, samples, holes, ids, depth);
    const std::size_t columns = static_cast<std::size_t>(a.x1 - a.x0) * static_cast<std::size_t>(samples);
    const double step = 1.0 / samples;
    for (int y = a.y0; y < a.y1; ++y) {
      for (int x = a.x0; x < a.x1; ++x) {
        Color sum{};
        int open = 0;
        for (int sy = 0; sy < samples; ++sy) {
          for (int sx = 0; sx < samples; ++sx) {
            const std::size_t row = static_cast<std::size_t>((y - a.y0) * samples + sy);
            const std::size_t column = static_cast<std::size_t>((x - a.x0) * samples + sx);
            const std::uint32_t id = ids[row * columns + column];
            if (id == kNothing)
              ++open;
            else
              sum += surface(id, x + (sx + 0.5) * step, y + (sy + 0.5) * step);
          }
        }
        if (open > 0) sum += behind(x + 0.5, y + 0.5) * static_cast<float>(open);
        sum *= 1 / static_cast<float>(samples * samples);
        std::uint8_t* out = &image.rgb[(static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                                        static_cast<std::size_t>(x)) *
                                       3];
        for (int i = 0; i < 3; ++i) out[i] = srgb_from_linear(sum[i]);
      }
    }
  }

  const Color default_tone_ = default_tone();
  static constexpr Color kLine{0.035F, 0.04F, 0.055F};
};

}  // namespace

Image render_still(const Drawable& drawable, const Camera& camera, const RenderOptions& options,
                   const Context& context) {
  check_options(options, "render");
  const View view = make_view(camera, options.width, options.height);
  const Scene scene = gather(drawable);
  const TriangleBins bins(view, scene.positions, scene.triangles, context);
  const Paints::Impl* paints = scene.colors.empty() && drawable.paints != nullptr ? drawable.paints->impl() : nullptr;
  if (paints != nullptr && paints->mesh_of_vertex.size() != scene.positions.size())
    throw Error(ErrorCode::bad_argument, "render",
                fmt::format("the paints are those of a character with {} vertices, this one has {}",
                            paints->mesh_of_vertex.size(), scene.positions.size()));
  std::optional<PaintedHoles> holes;
  if (paints != nullptr) holes.emplace(scene, *paints, view, options.samples);
  const CutOuts* cut_outs = holes ? &*holes : nullptr;
  const Studio studio(view, !scene.colors.empty() || paints != nullptr);
  context.check_cancelled();

  const double ground = options.ground_height.value_or(scene.bounds.empty() ? 0.0 : scene.bounds.lo.y);
  std::unique_ptr<OcclusionScene> occluders;
  if ((options.ambient_occlusion || options.ground_shadow) && !scene.triangles.empty())
    occluders = std::make_unique<OcclusionScene>(scene.positions, solid_triangles(scene, paints));
  std::vector<Visibility> visibility;
  if (options.ambient_occlusion && occluders) {
    OcclusionOptions how;
    if (options.draft) how.directions = 48;
    how.to_key = studio.to_key();
    how.offset = static_cast<float>(5e-4 * diagonal(scene.bounds));
    visibility = vertex_visibility(*occluders, scene.positions, scene.normals, scene.triangles,
                                   seen_vertices(scene, bins, options.samples, cut_outs, context), how, context);
    context.check_cancelled();
  }
  GroundShadow shadow;
  // From below the floor there is no floor to see.
  if (options.ground_shadow && occluders && view.eye.y > ground)
    shadow = GroundShadow(*occluders, scene.bounds, ground, studio.to_key(), options.draft, context);
  context.check_cancelled();

  Image image;
  image.width = options.width;
  image.height = options.height;
  image.rgb.resize(static_cast<std::size_t>(options.width) * static_cast<std::size_t>(options.height) * 3);
  const Painter painter{
      scene, view, studio, bins, visibility, shadow, ground, options.wireframe, paints, holes ? &*holes : nullptr};
  parallel_for(context, static_cast<std::size_t>(bins.tiles()), 1,
               [&](std::size_t tile, std::size_t) { painter.tile(static_cast<int>(tile), options.samples, image); });
  return image;
}

}  // namespace cutis
