// Weights: each vertex starts with the bone of its tube alone; a few averaging steps over the mesh then blend bones
// at the joints. Averages keep the sum at 1, and as they travel along the surface only, no bone reaches across a gap.
// Edges are short where limbs are thin, so the blend scales with the limb.
#include "character/builtin/skin.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/tree.h"
#include "character/builtin/skeleton_builder.h"
#include "cutis/error.h"
#include "geometry/isosurface.h"
#include "geometry/normals.h"
#include "geometry/remesh.h"
#include "geometry/topology.h"

namespace cutis::builtin {
namespace {

constexpr int kRemeshRounds = 10;
constexpr std::size_t kMaxInfluences = 4;
constexpr double kLeastWeight = 0.004;
constexpr int kStripRings = 3;
/// Inner vertices of a symmetric half keep this distance from the mirror plane.
constexpr double kOffPlane = 1e-4;

/// Grid lines from lo to hi: fine spacing between fine_lo and fine_hi, coarse elsewhere.
std::vector<double> grid_lines(double lo, double hi, double fine_lo, double fine_hi, double coarse, double fine) {
  std::vector<double> lines{lo};
  while (lines.back() < hi) {
    const double x = lines.back();
    lines.push_back(x + (x >= fine_lo - coarse && x < fine_hi ? fine : coarse));
  }
  return lines;
}

// Whether the work is cancelled: some milliseconds of it.
constexpr std::size_t kValuesBetweenQuestions = 1024;

SurfaceMesh make_surface(const Shape& shape, const SkinOptions& options, const Context& context) {
  const Box box = shape.bounds();
  const auto lines = [&](int k, double lo) {
    return grid_lines(lo, box.hi[k] + 2 * options.coarse_cell, options.fine.lo[k], options.fine.hi[k],
                      options.coarse_cell, options.fine_cell);
  };
  const double margin = 2 * options.coarse_cell;
  // Half of a symmetric shape is enough; its border lies exactly on the plane x = 0.
  const GridAxes axes{lines(0, shape.symmetric() ? 0.0 : box.lo.x - margin), lines(1, box.lo.y - margin),
                      lines(2, box.lo.z - margin)};
  std::size_t asked = 0;
  const auto value = [&](const Vec3d& p) {
    if (++asked % kValuesBetweenQuestions == 0) context.check_cancelled();
    return shape.value(p);
  };
  SurfaceMesh mesh = trace_isosurface(value, axes, options.inside);
  RemeshOptions remeshing;
  remeshing.iterations = kRemeshRounds;
  remeshing.edge_length = [&](const Vec3d& p) { return shape.edge_length(p); };
  remeshing.project = [&](const Vec3d& p, bool on_border) {
    if (on_border) return shape.project({0, p.y, p.z}, true);
    Vec3d q = shape.project(p, false);
    if (shape.symmetric()) q.x = std::max(q.x, kOffPlane);
    return q;
  };
  return remesh(std::move(mesh), remeshing, context);
}

/// Dense rows: one weight per joint.
using DenseWeights = std::vector<std::vector<double>>;

DenseWeights diffuse(const Topology& topology, const std::vector<int>& bone, const std::vector<int>& softness,
                     std::size_t joints, const Context& context) {
  DenseWeights w(bone.size(), std::vector<double>(joints, 0.0));
  for (std::size_t v = 0; v < bone.size(); ++v) w[v][static_cast<std::size_t>(bone[v])] = 1;
  const int steps = softness.empty() ? 0 : *std::max_element(softness.begin(), softness.end());
  DenseWeights next = w;
  for (int step = 0; step < steps; ++step) {
    parallel_for(context, w.size(), 512, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (softness[v] <= step) continue;
        const auto around = topology.vertex_neighbours.row(v);
        for (std::size_t j = 0; j < joints; ++j) {
          double sum = 0;
          for (const std::uint32_t n : around) sum += w[n][j];
          next[v][j] = 0.5 * w[v][j] + 0.5 * sum / static_cast<double>(around.size());
        }
      }
    });
    w = next;
  }
  return w;
}

bool on_one_branch(const Skeleton& skeleton, int a, int b) {
  return hangs_on(skeleton.joints, a, b) || hangs_on(skeleton.joints, b, a);
}

/// Where two branches meet on the surface (the webs between fingers, the crotch), a strip goes to the bone that carries
/// both.
void part_branches(const Topology& topology, const Skeleton& skeleton, std::vector<int>& bone) {
  for (int round = 0; round < kStripRings; ++round) {
    const std::vector<int> before = bone;
    for (std::size_t v = 0; v < bone.size(); ++v) {
      for (const std::uint32_t n : topology.vertex_neighbours.row(v))
        while (!on_one_branch(skeleton, bone[v], before[n]))
          bone[v] = skeleton.joints[static_cast<std::size_t>(bone[v])].parent;
    }
  }
}

struct Influence {
  std::uint32_t joint = 0;
  double weight = 0;
};
void normalize(std::vector<Influence>& row) {
  double sum = 0;
  for (const Influence& i : row) sum += i.weight;
  for (Influence& i : row) i.weight /= sum;
}

/// A vertex follows bones on its own branch only: its finger's neighbours and the other leg are dropped.
std::vector<Influence> own_branch(const Skeleton& skeleton, int bone, const std::vector<double>& row) {
  for (std::size_t j = 0; j < row.size(); ++j)
    if (row[j] > 0.5) bone = static_cast<int>(j);
  std::vector<Influence> result;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const int joint = static_cast<int>(j);
    if (row[j] < kLeastWeight) continue;
    if (!on_one_branch(skeleton, joint, bone)) continue;
    result.push_back({static_cast<std::uint32_t>(j), row[j]});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
  if (result.size() > kMaxInfluences) result.resize(kMaxInfluences);
  normalize(result);
  return result;
}

/// On the centre line, a bone of one side stays only with its mirror image.
void drop_unpaired(std::vector<Influence>& row, const std::vector<int>& mirrored) {
  const std::vector<Influence> all = row;
  std::erase_if(row, [&](const Influence& i) {
    return std::none_of(all.begin(), all.end(),
                        [&](const Influence& other) { return static_cast<int>(other.joint) == mirrored[i.joint]; });
  });
  normalize(row);
}

void append_row(Weights& weights, const std::vector<Influence>& row) {
  if (weights.row_begin.empty()) weights.row_begin.push_back(0);
  for (const Influence& i : row) {
    weights.joint.push_back(i.joint);
    weights.weight.push_back(static_cast<float>(i.weight));
  }
  weights.row_begin.push_back(static_cast<std::uint32_t>(weights.joint.size()));
}

/// The mirror image of every joint; itself for those on the centre line.
std::vector<int> mirror_joints(const Skeleton& skeleton) {
  std::vector<int> result;
  for (const Joint& joint : skeleton.joints) {
    const std::string name = other_side(joint.name);
    const auto it = std::find_if(skeleton.joints.begin(), skeleton.joints.end(),
                                 [&](const Joint& other) { return other.name == name; });
    if (it == skeleton.joints.end()) throw Error(ErrorCode::bad_character, joint.name, "it has no mirror image");
    result.push_back(static_cast<int>(it - skeleton.joints.begin()));
  }
  return result;
}

/// Vertices of the half mesh, then the mirror images of those off the plane; image[v] is v itself on the plane.
struct MirroredMesh {
  SurfaceMesh mesh;
  std::vector<std::uint32_t> image;
};
MirroredMesh sew_mirror_image(SurfaceMesh half) {
  MirroredMesh result;
  const std::size_t n = half.positions.size();
  result.image.resize(n);
  result.mesh = std::move(half);
  SurfaceMesh& mesh = result.mesh;
  for (std::size_t v = 0; v < n; ++v) {
    const Vec3d p = mesh.positions[v];
    result.image[v] = static_cast<std::uint32_t>(p.x == 0 ? v : mesh.positions.size());
    if (p.x != 0) mesh.positions.push_back({-p.x, p.y, p.z});
  }
  const std::size_t faces = mesh.triangles.size();
  for (std::size_t f = 0; f < faces; ++f) {
    const Triangle t = mesh.triangles[f];
    mesh.triangles.push_back({result.image[t[0]], result.image[t[2]], result.image[t[1]]});
  }
  return result;
}

}  // namespace

Mesh make_skin(const Shape& shape, const Skeleton& skeleton, const SkinOptions& options, const Context& context) {
  SurfaceMesh half = make_surface(shape, options, context);
  const std::size_t own = half.positions.size();
  MirroredMesh whole;
  if (shape.symmetric()) {
    whole = sew_mirror_image(std::move(half));
  } else {
    whole.mesh = std::move(half);
  }
  const SurfaceMesh& surface = whole.mesh;

  const std::vector<int> mirrored = shape.symmetric() ? mirror_joints(skeleton) : std::vector<int>{};
  std::vector<int> bone(surface.positions.size()), softness(surface.positions.size());
  for (std::size_t v = 0; v < own; ++v) {
    const Shape::Owner owner = shape.owner_at(surface.positions[v]);
    int joint = skeleton.find(owner.bone);
    if (joint < 0) throw Error(ErrorCode::bad_character, owner.bone, "there is no such joint");
    if (shape.symmetric()) {
      // On the centre line neither side may win.
      if (surface.positions[v].x == 0)
        while (mirrored[static_cast<std::size_t>(joint)] != joint)
          joint = skeleton.joints[static_cast<std::size_t>(joint)].parent;
      bone[whole.image[v]] = mirrored[static_cast<std::size_t>(joint)];
      softness[whole.image[v]] = owner.softness;
    }
    bone[v] = joint;
    softness[v] = owner.softness;
  }

  Mesh mesh;
  mesh.name = options.name;
  mesh.triangles = surface.triangles;
  for (const Vec3d& p : surface.positions) mesh.positions.push_back(static_cast<Vec3f>(p));
  const Topology topology = build_topology(mesh.positions.size(), mesh.triangles);
  part_branches(topology, skeleton, bone);
  DenseWeights dense = diffuse(topology, bone, softness, skeleton.joints.size(), context);

  std::vector<std::vector<Influence>> rows(dense.size());
  for (std::size_t v = 0; v < own; ++v) {
    if (shape.symmetric() && whole.image[v] == v) {
      for (std::size_t j = 0; j < mirrored.size(); ++j) {
        const auto m = static_cast<std::size_t>(mirrored[j]);
        if (m > j) dense[v][j] = dense[v][m] = 0.5 * (dense[v][j] + dense[v][m]);
      }
    }
    rows[v] = own_branch(skeleton, bone[v], dense[v]);
    if (shape.symmetric() && whole.image[v] == v) drop_unpaired(rows[v], mirrored);
    if (!shape.symmetric() || whole.image[v] == v) continue;
    rows[whole.image[v]] = rows[v];
    for (Influence& i : rows[whole.image[v]]) i.joint = static_cast<std::uint32_t>(mirrored[i.joint]);
  }
  for (const auto& row : rows) append_row(mesh.weights, row);

  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  for (std::size_t v = 0; v < (shape.symmetric() ? own : 0); ++v) {
    Vec3f& n = mesh.normals[v];
    if (whole.image[v] == v)
      n = normalized(Vec3f{0, n.y, n.z});
    else
      mesh.normals[whole.image[v]] = {-n.x, n.y, n.z};
  }
  mesh.had_normals = true;
  return mesh;
}

}  // namespace cutis::builtin
