#include "render/paints.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "base/math.h"
#include "cutis/error.h"

namespace cutis {
namespace {

const VertexAttribute* find_attribute(const Mesh& mesh, const std::string& name, int components) {
  for (const VertexAttribute& a : mesh.attributes)
    if (a.name == name && a.components >= components &&
        a.values.size() == mesh.positions.size() * static_cast<std::size_t>(a.components))
      return &a;
  return nullptr;
}

float within(float x, float fallback) { return std::isfinite(x) ? std::clamp(x, 0.0F, 1.0F) : fallback; }

}  // namespace

Paints::Paints() = default;

Paints::Paints(const Character& character, std::span<const MeshLook> looks, const Context& context) {
  if (looks.size() != character.meshes.size())
    throw Error(
        ErrorCode::bad_argument, "paints",
        fmt::format("{} looks were given for {} meshes; give one per mesh", looks.size(), character.meshes.size()));
  auto impl = std::make_shared<Impl>();
  impl->uv.resize(character.vertex_count());
  std::map<std::pair<const unsigned char*, std::size_t>, const Texture*> decoded;  // pictures that meshes share
  std::size_t base = 0;
  for (std::size_t m = 0; m < looks.size(); ++m) {
    const Mesh& mesh = character.meshes[m];
    Impl::MeshPaint paint{looks[m]};
    for (std::size_t k = 0; k < 4; ++k) paint.look.color[k] = within(looks[m].color[k], 1);
    paint.cos = std::cos(looks[m].uv_rotation);
    paint.sin = std::sin(looks[m].uv_rotation);
    const VertexAttribute* uv = find_attribute(mesh, fmt::format("TEXCOORD_{}", looks[m].uv_set), 2);
    const std::span<const unsigned char> file = looks[m].picture;
    if (!file.empty() && uv != nullptr) {
      const auto [found, fresh] = decoded.try_emplace({file.data(), file.size()}, nullptr);
      if (fresh) {
        std::string fault;
        if (std::optional<Texture> texture = Texture::decode(file, fault)) {
          impl->textures.push_back(std::make_unique<Texture>(std::move(*texture)));
          found->second = impl->textures.back().get();
        } else {
          context.warn(fmt::format("{}: the picture '{}' {}; what it covers is drawn in one colour", character.source,
                                   looks[m].picture_name, fault));
        }
      }
      paint.texture = found->second;
    } else if (!looks[m].picture_name.empty()) {
      context.warn(fmt::format("{} › mesh '{}': its picture is left out: {}", character.source, mesh.name,
                               file.empty() ? looks[m].picture_name + " cannot be read"
                                            : fmt::format("it has no TEXCOORD_{}", looks[m].uv_set)));
    }
    if (uv != nullptr)
      for (std::size_t v = 0; v < mesh.positions.size(); ++v)
        impl->uv[base + v] = {uv->values[v * static_cast<std::size_t>(uv->components)],
                              uv->values[v * static_cast<std::size_t>(uv->components) + 1]};
    const VertexAttribute* color = find_attribute(mesh, "COLOR_0", 3);
    if (color != nullptr) {
      impl->colors.resize(character.vertex_count(), {1, 1, 1, 1});
      const auto n = static_cast<std::size_t>(color->components);
      for (std::size_t v = 0; v < mesh.positions.size(); ++v)
        for (std::size_t k = 0; k < std::min<std::size_t>(n, 4); ++k)
          impl->colors[base + v][k] = within(color->values[v * n + k], 1);
    }
    paint.see_through = looks[m].alpha != AlphaMode::opaque;
    // One colour for all says no more than the default skin does.
    if (paint.texture != nullptr || color != nullptr || paint.look.color != looks[0].color || paint.see_through)
      impl->plain = false;
    impl->mesh_of_vertex.insert(impl->mesh_of_vertex.end(), mesh.positions.size(), static_cast<std::uint32_t>(m));
    impl->meshes.push_back(std::move(paint));
    base += mesh.positions.size();
  }
  impl_ = std::move(impl);
}

bool Paints::empty() const { return impl_ == nullptr || impl_->plain; }

Texel Paints::Impl::sample(const Triangle& t, const Place& place) const {
  const MeshPaint& paint = paint_of(t);
  Texel result = paint.look.color;
  if (!colors.empty())
    for (std::size_t k = 0; k < 4; ++k) {
      double c = 0;
      for (std::size_t i = 0; i < 3; ++i) c += place.at[i] * static_cast<double>(colors[t[i]][k]);
      result[k] *= static_cast<float>(c);
    }
  if (paint.texture != nullptr) {
    const MeshLook& look = paint.look;
    const auto uv_at = [&](const std::array<double, 3>& b) {
      double raw[2] = {};
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 2; ++k) raw[k] += b[i] * static_cast<double>(uv[t[i]][k]);
      const double x = static_cast<double>(look.uv_scale[0]) * raw[0],
                   y = static_cast<double>(look.uv_scale[1]) * raw[1];
      const auto c = static_cast<double>(paint.cos), s = static_cast<double>(paint.sin);
      return std::array<double, 2>{static_cast<double>(look.uv_offset[0]) + c * x + s * y,
                                   static_cast<double>(look.uv_offset[1]) - s * x + c * y};
    };
    const std::array<double, 2> at = uv_at(place.at), right = uv_at(place.right), below = uv_at(place.below);
    const auto texels = [&](const std::array<double, 2>& to) {
      return std::hypot((to[0] - at[0]) * paint.texture->width(), (to[1] - at[1]) * paint.texture->height());
    };
    const double level = std::log2(std::max({texels(right), texels(below), 1e-6}));
    const Texel texel = paint.texture->at(at[0], at[1], level, look.wrap_u, look.wrap_v, look.nearest);
    for (std::size_t k = 0; k < 4; ++k) result[k] *= texel[k];
  }
  if (paint.look.alpha == AlphaMode::opaque) result[3] = 1;
  if (paint.look.alpha == AlphaMode::mask) result[3] = result[3] >= paint.look.cutoff ? 1.0F : 0.0F;
  return result;
}

float Paints::Impl::mean_alpha(const Triangle& triangle) const {
  if (!paint_of(triangle).see_through) return 1;
  float sum = 0;
  constexpr std::array<std::array<double, 3>, 4> kPlaces = {
      {{1.0 / 3, 1.0 / 3, 1.0 / 3}, {0.6, 0.2, 0.2}, {0.2, 0.6, 0.2}, {0.2, 0.2, 0.6}}};
  for (const std::array<double, 3>& b : kPlaces) sum += sample(triangle, {b, b, b})[3] / 4;
  return sum;
}

}  // namespace cutis
