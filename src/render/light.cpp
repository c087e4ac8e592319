#include "render/light.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace cutis {
namespace {

Color lerp_color(const Color& a, const Color& b, float t) { return lerp(a, b, t); }

// Light bounces between the walls of a fold: the darkness of a pale surface fills up again (geometric series).
float bounced(float visibility, float albedo) { return visibility / (1 - 0.85F * albedo * (1 - visibility)); }

// A light of some size wraps around the form: the cosine with a soft end.
float wrapped(float cosine, float wrap) {
  const float t = (cosine + wrap) / (1 + wrap);
  return t > 0 ? t * t * (1 + wrap * (1 - t)) : 0;
}

}  // namespace

Color default_tone() { return color_from_srgb(0xdcb59c); }

Studio::Studio(const View& view, bool data_colors) {
  // Upright axes around the camera, so that light comes from above in every view.
  const Vec3d y{0, 1, 0};
  const Vec3d right = normalized(cross(y, view.back), view.right);
  const Vec3d front = cross(right, y);
  const auto place = [&](double r, double u, double f) {
    return static_cast<Vec3f>(normalized(right * r + y * u + front * f));
  };
  to_key_ = place(-0.62, 0.85, 0.72);
  to_fill_ = place(0.95, 0.15, 0.55);
  to_rim_ = place(0.45, 0.55, -0.9);
  if (data_colors) {
    key_ = Color{1, 1, 1} * 0.62F;
    fill_ = Color{1, 1, 1} * 0.16F;
    rim_ = Color{1, 1, 1} * 0.12F;
    sky_ = Color{1, 1, 1} * 0.50F;
    ground_ = Color{1, 1, 1} * 0.30F;
    gloss_ = 0.05F;
  } else {
    key_ = Color{1.0F, 0.94F, 0.87F} * 1.12F;
    fill_ = Color{0.80F, 0.90F, 1.0F} * 0.33F;
    rim_ = Color{0.90F, 0.95F, 1.0F} * 0.55F;
    sky_ = Color{0.90F, 0.95F, 1.0F} * 0.37F;
    ground_ = Color{1.0F, 0.86F, 0.75F} * 0.20F;
    gloss_ = 0.09F;
  }
}

Color Studio::shade(const SurfacePoint& p) const {
  Color albedo = p.albedo;
  Visibility visibility = p.visibility;
  if (p.inside) {
    // The inside of the skin: darker, and pulled towards violet. Occlusion was measured outside and says nothing.
    const float grey = 0.25F * albedo.x + 0.6F * albedo.y + 0.15F * albedo.z;
    albedo = lerp_color(albedo * 0.55F, Color{0.42F, 0.16F, 0.50F} * (0.35F + 0.65F * grey), 0.62F);
    visibility = {0.7F, 0.6F};
  }
  const Vec3f& n = p.normal;
  const float mean_albedo = (albedo.x + albedo.y + albedo.z) / 3;
  const float sky_share = bounced(visibility.sky, mean_albedo);
  const float key_share = visibility.key;

  const float up = 0.5F + 0.5F * n.y;
  Color light = lerp_color(ground_, sky_, up * up * (3 - 2 * up)) * sky_share;
  light += key_ * (wrapped(dot(n, to_key_), 0.12F) * (0.06F + 0.94F * key_share));
  light += fill_ * (wrapped(dot(n, to_fill_), 0.35F) * sky_share);

  // The rim grazes the edge that turns away from the eye.
  const float facing = std::clamp(dot(n, p.to_eye), 0.0F, 1.0F);
  const float edge = (1 - facing) * (1 - facing);
  light += rim_ * (edge * wrapped(dot(n, to_rim_), 0.5F) * sky_share * sky_share);

  Color color = multiply(albedo, light);

  // Sheen: a broad Blinn lobe of the key and a touch of Fresnel against the sky.
  const Vec3f half = normalized(to_key_ + p.to_eye, n);
  const float h = std::max(0.0F, dot(n, half));
  const float h4 = h * h * h * h, lobe = h4 * h4 * h4 * h4 * h4 * h4;
  color += key_ * (gloss_ * lobe * key_share);
  color += sky_ * (gloss_ * 1.2F * edge * edge * up * sky_share);
  return color;
}

Color Studio::background(double v) const {
  static const Color top = color_from_srgb(0xe4e8ec), middle = color_from_srgb(0xf3f4f4),
                     bottom = color_from_srgb(0xdedfe0);
  const auto smooth = [](double t) {
    t = std::clamp(t, 0.0, 1.0);
    return static_cast<float>(t * t * (3 - 2 * t));
  };
  return v < 0.6 ? lerp_color(top, middle, smooth(v / 0.6)) : lerp_color(middle, bottom, smooth((v - 0.6) / 0.5));
}

Color Studio::floor(const Color& background, float dark) const {
  const float d = std::clamp(dark, 0.0F, 1.0F) * 0.82F;
  // Shadows of a warm key are a little blue.
  return {background.x * (1 - d), background.y * (1 - 0.97F * d), background.z * (1 - 0.93F * d)};
}

Color soft_shoulder(const Color& color) {
  Color out;
  for (int i = 0; i < 3; ++i) {
    const float x = color[i];
    constexpr float kKnee = 0.7F, kRoom = 1 - kKnee;
    out[i] = x <= kKnee ? x : kKnee + kRoom * (x - kKnee) / (x - kKnee + kRoom);
  }
  return out;
}

}  // namespace cutis
