#include "demo_pictures.h"

#include <algorithm>

#include "worst_region.h"

namespace cutis::cli {
namespace {

constexpr double kDemoDegree = 3.14159265358979323846 / 180;

void paste(Image& into, const Image& piece, int x, int y) {
  const auto row = static_cast<std::size_t>(piece.width) * 3;
  for (int line = 0; line < piece.height; ++line)
    std::copy_n(piece.rgb.begin() + static_cast<std::ptrdiff_t>(row * static_cast<std::size_t>(line)), row,
                into.rgb.begin() + (static_cast<std::ptrdiff_t>(y + line) * into.width + x) * 3);
}

}  // namespace

DemoPictures::DemoPictures(const DemoResult& result, const Context& context) : result_(result), context_(context) {
  Box bounds;  // of the whole motion
  for (const Method method : {Method::dqs, Method::tracking})
    for (const std::vector<Vec3f>& positions : result.take(method).positions)
      for (const Vec3f& p : positions) bounds.add(static_cast<Vec3d>(p));
  ground_ = bounds.lo.y;
  const DemoScene& scene = result.scene;
  camera_ =
      frame_region(scene.focus, scene.radius, {.yaw = scene.yaw * kDemoDegree, .pitch = scene.pitch * kDemoDegree}, 1);
  const DemoTake& dqs = result.take(Method::dqs);
  const std::vector<Vec3f>& positions = dqs.positions[result.moment];
  const WorstRegion region = worst_region(positions, dqs.metrics[result.moment], result.size);
  const double radius = std::clamp(region.extent, kLeastZoom * result.size, kMostZoom * result.size);
  close_ = frame_region(mean_of(positions, region.vertices), radius,
                        {.yaw = scene.close_yaw * kDemoDegree, .pitch = scene.close_pitch * kDemoDegree}, 1);
}

Image DemoPictures::draw(Method method, std::size_t frame, const Camera& camera, RenderOptions options) const {
  const DemoTake& take = result_.take(method);
  const Color skin = color_from_srgb(0xe6c0a3), fault = color_from_srgb(0xe0201a);
  std::vector<Color> colors;
  for (const std::uint8_t crosses : take.metrics[frame].vertex_intersects) colors.push_back(crosses ? fault : skin);
  options.ground_height = ground_;
  return render_still({result_.character.get(), take.positions[frame], take.normals[frame], colors}, camera, options,
                      context_);
}

Image DemoPictures::still(Method method, int side) const {
  return draw(method, result_.moment, camera_, {.width = side, .height = side});
}

Image DemoPictures::close_up(Method method, int side) const {
  return draw(method, result_.moment, close_, {.width = side, .height = side, .ground_shadow = false, .draft = true});
}

Image DemoPictures::film(Method method, int columns, int side) const {
  const int count = static_cast<int>(result_.motion.times.size());
  Image film = make_image(columns * side, (count + columns - 1) / columns * side, color_from_srgb(0xffffff));
  const RenderOptions options{.width = side, .height = side, .samples = 2, .ambient_occlusion = false, .draft = true};
  for (int i = 0; i < count; ++i) {
    paste(film, draw(method, static_cast<std::size_t>(i), camera_, options), i % columns * side, i / columns * side);
    context_.progress("pictures", static_cast<double>(i + 1) / count);
  }
  return film;
}

Image half_size(const Image& image) {
  Image half = make_image(image.width / 2, image.height / 2, {});
  const auto at = [&](int x, int y, int k) {
    return static_cast<int>(
        image.rgb[(static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) *
                      3 +
                  static_cast<std::size_t>(k)]);
  };
  std::size_t out = 0;
  for (int y = 0; y + 1 < image.height; y += 2)
    for (int x = 0; x + 1 < image.width; x += 2)
      for (int k = 0; k < 3; ++k)
        half.rgb[out++] =
            static_cast<std::uint8_t>((at(x, y, k) + at(x + 1, y, k) + at(x, y + 1, k) + at(x + 1, y + 1, k) + 2) / 4);
  return half;
}

}  // namespace cutis::cli
