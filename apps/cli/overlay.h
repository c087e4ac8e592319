// What pictures show besides the skin: balls, bones, samples of fields; drawn through the skin where it hides them.
#pragma once

#include <span>
#include <vector>

#include "cutis/bind.h"
#include "cutis/render.h"

namespace cutis::cli {

/// A mesh with a colour per vertex.
struct Overlay {
  Mesh mesh;
  std::vector<Color> colors;
};

void add_ball(Mesh& mesh, const Vec3d& center, double radius);
/// A long double pyramid, as bones are drawn.
void add_bone(Overlay& overlay, const Vec3d& from, const Vec3d& to, const Color& color);
/// The skeleton in a pose: every joint to each of its children.
void add_bones(Overlay& overlay, const Character& character, std::span<const Affine3d> world_from_joint);
/// What the fields of the parts were fitted through, carried by the bones.
void add_samples(Overlay& overlay, const Character& character, const BindOptions& options,
                 std::span<const Affine3d> world_from_joint, const Context& context);

/// The spheres that the parts of a character are made of. Throws Error(bad_argument) when they are made of none.
[[nodiscard]] SphereModel sphere_model_of(const Character& character, const BindOptions& options,
                                          const Context& context);
/// The blocks of a sphere model, carried by their bones, in the colours of the parts.
void add_hulls(Overlay& overlay, const Character& character, const SphereModel& model,
               std::span<const Affine3d> world_from_joint);

/// `skin` is the picture of `below`. What of the overlay is in front of it is drawn fully, what is behind by half.
[[nodiscard]] Image draw_through(const Image& skin, const Drawable& below, const Overlay& overlay, const Camera& camera,
                                 const RenderOptions& options, const Context& context);

}  // namespace cutis::cli
