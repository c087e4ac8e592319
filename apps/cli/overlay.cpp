#include "overlay.h"

#include <cmath>
#include <limits>
#include <optional>

#include "common.h"

namespace cutis::cli {
namespace {

double length_of(const Vec3d& v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }
Vec3d cross_of(const Vec3d& a, const Vec3d& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

Vec3d apply(const Affine3d& a, const Vec3d& p) {
  return a.linear.col[0] * p.x + a.linear.col[1] * p.y + a.linear.col[2] * p.z + a.translation;
}

// Of a matrix without shear or flattening: what joints of characters have.
Affine3d inverse_of(const Affine3d& a) {
  const Vec3d &x = a.linear.col[0], &y = a.linear.col[1], &z = a.linear.col[2];
  const Vec3d yz = cross_of(y, z), zx = cross_of(z, x), xy = cross_of(x, y);
  const double d = 1 / (x.x * yz.x + x.y * yz.y + x.z * yz.z);
  Affine3d result;
  for (int k = 0; k < 3; ++k) result.linear.col[k] = Vec3d{yz[k] * d, zx[k] * d, xy[k] * d};
  result.translation = {};
  result.translation = apply(result, a.translation) * -1.0;
  return result;
}

double size_of(const Character& character) {
  const Box box = character.bounds();
  return length_of(box.hi - box.lo);
}

}  // namespace

// An octahedron, split once: round enough for a ball of a few pixels.
void add_ball(Mesh& mesh, const Vec3d& center, double radius) {
  static const Vec3d axis[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  static const int face[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                 {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  const auto corner = [&](Vec3d d) {
    d = d / std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    mesh.positions.push_back(static_cast<Vec3f>(center + d * radius));
    mesh.normals.push_back(static_cast<Vec3f>(d));
    return static_cast<std::uint32_t>(mesh.positions.size() - 1);
  };
  for (const auto& f : face) {
    const Vec3d &a = axis[f[0]], &b = axis[f[1]], &c = axis[f[2]];
    const std::uint32_t p = corner(a), q = corner(b), r = corner(c), pq = corner(a + b), qr = corner(b + c),
                        rp = corner(c + a);
    mesh.triangles.push_back({p, pq, rp});
    mesh.triangles.push_back({pq, q, qr});
    mesh.triangles.push_back({rp, qr, r});
    mesh.triangles.push_back({pq, qr, rp});
  }
}

void add_bone(Overlay& overlay, const Vec3d& from, const Vec3d& to, const Color& color) {
  const Vec3d along = to - from;
  const double length = length_of(along);
  if (!(length > 0)) return;
  const Vec3d axis = along / length;
  Vec3d side = cross_of(axis, std::abs(axis.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0});
  side = side / length_of(side);
  const Vec3d up = cross_of(side, axis);
  const Vec3d middle = from + along * 0.15;
  const double thick = 0.07 * length;
  const Vec3d ring[4] = {middle + side * thick, middle + up * thick, middle - side * thick, middle - up * thick};
  const auto face = [&](const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d n = cross_of(b - a, c - a);
    const double size = length_of(n);
    const auto first = static_cast<std::uint32_t>(overlay.mesh.positions.size());
    for (const Vec3d* p : {&a, &b, &c}) {
      overlay.mesh.positions.push_back(static_cast<Vec3f>(*p));
      overlay.mesh.normals.push_back(size > 0 ? static_cast<Vec3f>(n / size) : Vec3f{0, 1, 0});
      overlay.colors.push_back(color);
    }
    overlay.mesh.triangles.push_back({first, first + 1, first + 2});
  };
  for (int k = 0; k < 4; ++k) {
    face(from, ring[k], ring[(k + 1) % 4]);
    face(to, ring[(k + 1) % 4], ring[k]);
  }
}

namespace {

// Bones that move skin; and where those without children end, at rest: as far beyond the middle of their vertices as
// that is from the joint.
struct DrawnBones {
  std::vector<char> moves;
  std::vector<std::optional<Vec3d>> ends;
};

DrawnBones drawn_bones(const Character& character) {
  const auto& joints = character.skeleton.joints;
  std::vector<Vec3d> sum(joints.size());
  std::vector<double> weight(joints.size(), 0.0);
  DrawnBones drawn{std::vector<char>(joints.size(), 0), std::vector<std::optional<Vec3d>>(joints.size())};
  for (const Mesh& mesh : character.meshes)
    for (std::size_t v = 0; v + 1 < mesh.weights.row_begin.size(); ++v)
      for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i) {
        const auto w = static_cast<double>(mesh.weights.weight[i]);
        if (w > 0) drawn.moves[mesh.weights.joint[i]] = 1;
        if (w < 0.5) continue;  // its own
        sum[mesh.weights.joint[i]] += static_cast<Vec3d>(mesh.positions[v]) * w;
        weight[mesh.weights.joint[i]] += w;
      }
  std::vector<char> has_child(joints.size(), 0);
  for (const Joint& joint : joints)
    if (joint.parent >= 0 && joint.is_bone) has_child[static_cast<std::size_t>(joint.parent)] = 1;
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (has_child[j] == 0 && weight[j] > 0)
      drawn.ends[j] = sum[j] / weight[j] * 2.0 - joints[j].world_from_rest.translation;
  return drawn;
}

}  // namespace

void add_bones(Overlay& overlay, const Character& character, std::span<const Affine3d> world_from_joint) {
  std::vector<Color> colors = joint_colors(character.skeleton);
  for (Color& color : colors) color *= 0.5F;  // to be told from the part around it
  const double ball = 0.006 * size_of(character);
  const auto& joints = character.skeleton.joints;
  const auto [moves, ends] = drawn_bones(character);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (moves[j] == 0) continue;
    const Vec3d& at = world_from_joint[j].translation;
    if (ends[j])
      add_bone(overlay, at, apply(world_from_joint[j], apply(inverse_of(joints[j].world_from_rest), *ends[j])),
               colors[j]);
    add_ball(overlay.mesh, at, ball);
    overlay.colors.resize(overlay.mesh.positions.size(), colors[j]);
    const int parent = joints[j].parent;
    if (parent >= 0 && moves[static_cast<std::size_t>(parent)] != 0)
      add_bone(overlay, world_from_joint[static_cast<std::size_t>(parent)].translation, at,
               colors[static_cast<std::size_t>(parent)]);
  }
}

void add_samples(Overlay& overlay, const Character& character, const BindOptions& options,
                 std::span<const Affine3d> world_from_joint, const Context& context) {
  BindReport report;
  (void)bind(character, context, options, report);
  const double ball = 0.0022 * size_of(character);
  for (const PartReport& part : report.parts) {
    const int joint = character.skeleton.find(part.joint);
    if (joint < 0) continue;
    const auto j = static_cast<std::size_t>(joint);
    const Affine3d rest = inverse_of(character.skeleton.joints[j].world_from_rest);
    const auto carry = [&](const Vec3d& p) { return apply(world_from_joint[j], apply(rest, p)); };
    for (const FitPoint& p : part.points) {
      const Color color = color_from_srgb(p.kind == FitPoint::Kind::surface ? 0xf2c230
                                          : p.kind == FitPoint::Kind::cap   ? 0xd4281c
                                                                            : 0x2f6fd0);
      add_ball(overlay.mesh, carry(p.position), ball);
      overlay.colors.resize(overlay.mesh.positions.size(), color);
      add_bone(overlay, carry(p.position), carry(p.position + p.normal * (6 * ball)), color);
    }
  }
}

SphereModel sphere_model_of(const Character& character, const BindOptions& options, const Context& context) {
  BindReport report;
  (void)bind(character, context, options, report);
  if (report.preset.spheres.empty())
    throw Error(ErrorCode::bad_argument, character.source,
                "its parts are made of no spheres; use --fields spheres or --sphere-model");
  return report.preset.spheres;
}

namespace {

/// Where a part of the sphere model is now, and how its directions have turned.
struct HullPlace {
  Affine3d world_from_joint, joint_from_rest;
  Overlay* overlay;

  std::uint32_t add(const Vec3d& center, const Vec3d& way, double radius) const {
    const auto at = [&](double far) { return apply(world_from_joint, apply(joint_from_rest, center + way * far)); };
    const Vec3d p = at(radius), q = at(2 * radius);
    const double size = length_of(q - p);
    overlay->mesh.positions.push_back(static_cast<Vec3f>(p));
    overlay->mesh.normals.push_back(size > 0 ? static_cast<Vec3f>((q - p) / size) : Vec3f{0, 1, 0});
    return static_cast<std::uint32_t>(overlay->mesh.positions.size() - 1);
  }
};

double dot_of(const Vec3d& a, const Vec3d& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// Faces are short everywhere: light is found at their corners, and some of those are inside other hulls.
constexpr std::uint32_t kAlong = 20;

/// The hull of two balls, in rows around the line between them: a cap of each up to where a cone touches both, and the
/// cone. Of one ball, when the other is inside: that ball.
void add_bisphere(const HullPlace& place, const SphereModel::Ball& a, const SphereModel::Ball& b) {
  constexpr std::uint32_t kAround = 60, kRows = 12;  // rows: of each cap
  const Vec3d between = b.center - a.center;
  const double apart = length_of(between), lift = apart > 0 ? (a.radius - b.radius) / apart : 2;
  const double seam = std::abs(lift) < 1 ? std::asin(lift) : lift > 0 ? 90 * kDegree : -90 * kDegree;
  const Vec3d along = apart > 0 ? between / apart : Vec3d{0, 1, 0};
  Vec3d side = cross_of(along, std::abs(along.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0});
  side = side / length_of(side);
  const Vec3d other = cross_of(along, side);
  const auto first = static_cast<std::uint32_t>(place.overlay->mesh.positions.size());
  std::uint32_t rows = 0;
  const auto add_row = [&](const Vec3d& center, double radius, double up) {
    for (std::uint32_t column = 0; column <= kAround; ++column) {
      const double turn = 360 * kDegree * column / kAround;
      place.add(center,
                along * std::sin(up) + side * (std::cos(up) * std::cos(turn)) + other * (std::cos(up) * std::sin(turn)),
                radius);
    }
    ++rows;
  };
  const auto cap = [&](const SphereModel::Ball& ball, double from, double to) {
    for (std::uint32_t row = 0; row <= kRows && to > from; ++row)
      add_row(ball.center, ball.radius, from + (to - from) * row / kRows);
  };
  cap(a, -90 * kDegree, seam);
  for (std::uint32_t row = 1; row < kAlong && std::abs(lift) < 1; ++row) {
    const double t = static_cast<double>(row) / kAlong;
    add_row(a.center + between * t, a.radius + (b.radius - a.radius) * t, seam);
  }
  cap(b, seam, 90 * kDegree);
  for (std::uint32_t row = 0; row + 1 < rows; ++row)
    for (std::uint32_t column = 0; column < kAround; ++column) {
      const std::uint32_t p = first + row * (kAround + 1) + column, q = p + kAround + 1;
      place.overlay->mesh.triangles.push_back({p, p + 1, q});
      place.overlay->mesh.triangles.push_back({p + 1, q + 1, q});
    }
}

/// The two planes that touch three balls, between the places where they do; none where no plane does.
void add_tangent_triangles(const HullPlace& place, const std::array<const SphereModel::Ball*, 3>& balls) {
  const Vec3d e = balls[1]->center - balls[0]->center, f = balls[2]->center - balls[0]->center, m = cross_of(e, f);
  const double area = dot_of(m, m);
  if (!(area > 0)) return;
  // n.e and n.f are what radii differ by; the rest of n stands across the plane of the centres.
  const double re = balls[0]->radius - balls[1]->radius, rf = balls[0]->radius - balls[2]->radius;
  const Vec3d within = cross_of(f, m) * (re / area) + cross_of(m, e) * (rf / area);
  const double left = 1 - dot_of(within, within);
  if (!(left > 0)) return;
  for (const double sign : {-1.0, 1.0}) {
    const Vec3d n = within + m * (sign * std::sqrt(left / area));
    const auto first = static_cast<std::uint32_t>(place.overlay->mesh.positions.size());
    for (std::uint32_t row = 0; row <= kAlong; ++row)
      for (std::uint32_t column = 0; column <= row; ++column) {
        const double q = static_cast<double>(column) / kAlong, p = static_cast<double>(row) / kAlong - q;
        place.add(balls[0]->center + e * p + f * q, n, balls[0]->radius - re * p - rf * q);
      }
    const auto at = [&](std::uint32_t row, std::uint32_t column) { return first + row * (row + 1) / 2 + column; };
    const auto face = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
      place.overlay->mesh.triangles.push_back(sign < 0 ? Triangle{a, c, b} : Triangle{a, b, c});
    };
    for (std::uint32_t row = 0; row < kAlong; ++row)
      for (std::uint32_t column = 0; column <= row; ++column) {
        face(at(row, column), at(row + 1, column), at(row + 1, column + 1));
        if (column < row) face(at(row, column), at(row + 1, column + 1), at(row, column + 1));
      }
  }
}

}  // namespace

void add_hulls(Overlay& overlay, const Character& character, const SphereModel& model,
               std::span<const Affine3d> world_from_joint) {
  const std::vector<Color> colors = joint_colors(character.skeleton);
  for (const SphereModel::Block& block : model.blocks) {
    const int joint = character.skeleton.find(block.joint);
    if (joint < 0) continue;
    const auto j = static_cast<std::size_t>(joint);
    const HullPlace place{world_from_joint[j], inverse_of(character.skeleton.joints[j].world_from_rest), &overlay};
    const auto ball = [&](std::size_t k) { return &model.balls[block.balls[k]]; };
    const std::size_t n = block.balls.size();
    if (n == 1) add_bisphere(place, *ball(0), *ball(0));
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a + 1; b < n; ++b) {
        add_bisphere(place, *ball(a), *ball(b));
        for (std::size_t c = b + 1; c < n; ++c) add_tangent_triangles(place, {ball(a), ball(b), ball(c)});
      }
    overlay.colors.resize(overlay.mesh.positions.size(), colors[j]);
  }
}

Image draw_through(const Image& skin, const Drawable& below, const Overlay& overlay, const Camera& camera,
                   const RenderOptions& options, const Context& context) {
  if (overlay.mesh.triangles.empty()) return skin;
  RenderOptions plain = options;
  plain.ambient_occlusion = plain.ground_shadow = plain.wireframe = false;
  Character alone;
  alone.meshes.push_back(overlay.mesh);
  const std::vector<Vec3f> nowhere(overlay.mesh.positions.size(), Vec3f{std::numeric_limits<float>::quiet_NaN(), 0, 0});
  const Image over = render_still({&alone, {}, {}, overlay.colors}, camera, plain, context);
  const Image background = render_still({&alone, nowhere, {}, overlay.colors}, camera, plain, context);
  // Both together, to know what is in front.
  Character both = *below.character;
  both.meshes.push_back(overlay.mesh);
  std::vector<Vec3f> positions(below.positions.begin(), below.positions.end()),
      normals(below.normals.begin(), below.normals.end());
  positions.insert(positions.end(), overlay.mesh.positions.begin(), overlay.mesh.positions.end());
  if (!normals.empty()) normals.insert(normals.end(), overlay.mesh.normals.begin(), overlay.mesh.normals.end());
  std::vector<Color> colors(below.colors.begin(), below.colors.end());
  colors.resize(below.positions.size(), color_from_srgb(0xd8b49a));
  colors.insert(colors.end(), overlay.colors.begin(), overlay.colors.end());
  const Image together = render_still({&both, positions, normals, colors}, camera, options, context);
  Image result = together;
  for (std::size_t i = 0; i < result.rgb.size(); i += 3) {
    const bool covered = over.rgb[i] != background.rgb[i] || over.rgb[i + 1] != background.rgb[i + 1] ||
                         over.rgb[i + 2] != background.rgb[i + 2];
    for (std::size_t k = i; k < i + 3 && covered; ++k)
      result.rgb[k] = static_cast<std::uint8_t>((together.rgb[k] + over.rgb[k] + 1) / 2);
  }
  return result;
}

}  // namespace cutis::cli
