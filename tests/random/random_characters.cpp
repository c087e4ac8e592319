// random_characters SEED COUNT: that many characters from a seed, each a random body on a random skeleton, through
// every method, with and without contact, in random poses. Bodies are tubes along the bones or lumps around them, cut
// open, torn, doubled, flat, far from the origin, very large or very small; skeletons have bones of no length, joints
// on one spot, several roots, unweighted helpers. Every position is finite, every frame ends, and where contact says
// that it is certified, on a body that meets itself nowhere at rest, there is no intersecting pair. Refusing one in a
// sentence (cutis::Error) is a good answer.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/math.h"
#include "cutis/cutis.h"

namespace {

using namespace cutis;
using Random = std::mt19937;

constexpr double kLongestFrameMs = 10'000;  // of the processor, for at most a few thousand vertices: it ends

double unit(Random& random) { return static_cast<double>(random()) / 4294967296.0; }
double between(Random& random, double low, double high) { return low + (high - low) * unit(random); }
bool chance(Random& random, double p) { return unit(random) < p; }
std::size_t below(Random& random, std::size_t n) { return random() % n; }

Vec3d direction(Random& random) {
  const double z = between(random, -1, 1), a = between(random, 0, 2 * kPi), r = std::sqrt(1 - z * z);
  return {r * std::cos(a), r * std::sin(a), z};
}

Quatd turn(Random& random, double most) {
  const Vec3d axis = direction(random);
  const double half = between(random, 0, most) / 2;
  return {axis.x * std::sin(half), axis.y * std::sin(half), axis.z * std::sin(half), std::cos(half)};
}

Skeleton random_skeleton(Random& random, double size, bool straight) {
  Skeleton skeleton;
  const std::size_t count = (straight ? 2 : 1) + below(random, straight ? 5 : 14);
  std::vector<Vec3d> at;
  for (std::size_t j = 0; j < count; ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.parent = static_cast<int>(j) - 1;
    if (!straight && chance(random, 0.03)) joint.parent = -1;
    if (!straight && j > 0 && chance(random, 0.3)) joint.parent = static_cast<int>(below(random, j));
    const double length = chance(random, 0.05) ? 0 : size * between(random, 0.1, 0.5);
    const Vec3d offset = straight ? Vec3d{0, length, 0} : direction(random) * length;
    const Vec3d parent = joint.parent < 0 ? Vec3d{} : at[static_cast<std::size_t>(joint.parent)];
    at.push_back(parent + offset);
    joint.local.translation = offset;
    joint.world_from_rest.translation = at.back();
    joint.is_bone = true;
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

struct Bone {
  std::uint32_t joint = 0;
  Vec3d a, b;
};
std::vector<Bone> bones_of(const Skeleton& skeleton, double size) {
  std::vector<Bone> bones;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Vec3d a = skeleton.joints[j].world_from_rest.translation;
    bool leaf = true;
    for (const Joint& child : skeleton.joints) {
      if (child.parent != static_cast<int>(j)) continue;
      bones.push_back({static_cast<std::uint32_t>(j), a, child.world_from_rest.translation});
      leaf = false;
    }
    if (leaf) bones.push_back({static_cast<std::uint32_t>(j), a, a + Vec3d{0, 0.1 * size, 0}});
  }
  return bones;
}

double distance_to(const Vec3d& p, const Bone& bone) {
  const Vec3d d = bone.b - bone.a, v = p - bone.a;
  const double length = dot(d, d), t = length > 0 ? std::clamp(dot(v, d) / length, 0.0, 1.0) : 0;
  const Vec3d q = v - d * t;
  return std::sqrt(dot(q, q));
}

// A closed tube around a bone, or a lump where it has no length.
Mesh tube(Random& random, const Bone& bone, double radius, std::size_t most_rings = 14) {
  Mesh mesh;
  mesh.name = "tube";
  const int rings = 3 + static_cast<int>(below(random, most_rings)), sectors = 3 + static_cast<int>(below(random, 14));
  Vec3d axis = bone.b - bone.a;
  const double length = std::sqrt(dot(axis, axis));
  axis = length > 0 ? axis * (1 / length) : Vec3d{0, 1, 0};
  const Vec3d other = std::abs(axis.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  Vec3d u = cross(axis, other);
  u = u * (1 / std::sqrt(dot(u, u)));
  const Vec3d v = cross(axis, u);
  const double noise = chance(random, 0.3) ? between(random, 0, 0.4) : 0;
  for (int r = 0; r < rings; ++r) {
    const double t = 1.0 * r / (rings - 1), along = (length + 2 * radius) * t - radius;
    const double around = radius * std::sqrt(std::max(0.02, 1 - std::pow(2 * t - 1, 8)));
    for (int s = 0; s < sectors; ++s) {
      const double a = 2 * kPi * s / sectors, rr = around * (1 + noise * between(random, -1, 1));
      mesh.positions.push_back(
          static_cast<Vec3f>(bone.a + axis * along + u * (rr * std::cos(a)) + v * (rr * std::sin(a))));
    }
  }
  const auto at = [&](int r, int s) { return static_cast<std::uint32_t>(r * sectors + s % sectors); };
  for (int r = 0; r + 1 < rings; ++r)
    for (int s = 0; s < sectors; ++s) {
      mesh.triangles.push_back({at(r, s), at(r, s + 1), at(r + 1, s)});
      mesh.triangles.push_back({at(r, s + 1), at(r + 1, s + 1), at(r + 1, s)});
    }
  for (int s = 1; s + 1 < sectors; ++s) {
    mesh.triangles.push_back({at(0, 0), at(0, s + 1), at(0, s)});
    mesh.triangles.push_back({at(rings - 1, 0), at(rings - 1, s), at(rings - 1, s + 1)});
  }
  return mesh;
}

// What is wrong with meshes of real files.
void damage(Random& random, Mesh& mesh) {
  const auto triangle = [&]() -> Triangle& { return mesh.triangles[below(random, mesh.triangles.size())]; };
  if (chance(random, 0.2))  // a hole
    mesh.triangles.resize(
        std::max<std::size_t>(1, mesh.triangles.size() - below(random, mesh.triangles.size() / 2 + 1)));
  if (chance(random, 0.1)) mesh.triangles.push_back(triangle());  // twice
  if (chance(random, 0.1)) {                                      // without an area
    Triangle& t = triangle();
    t[1] = t[0];
  }
  if (chance(random, 0.1)) std::swap(triangle()[0], triangle()[1]);
  if (chance(random, 0.1))  // three triangles at an edge
    mesh.triangles.push_back(
        {triangle()[0], triangle()[1], static_cast<std::uint32_t>(below(random, mesh.positions.size()))});
  if (chance(random, 0.1))  // flat
    for (Vec3f& p : mesh.positions) p.z = mesh.positions.front().z;
  if (chance(random, 0.1))  // points on one spot
    for (int k = 0; k < 5; ++k) mesh.positions[below(random, mesh.positions.size())] = mesh.positions.front();
}

void give_weights(Random& random, Mesh& mesh, const std::vector<Bone>& bones, double radius) {
  mesh.weights.row_begin.push_back(0);
  for (const Vec3f& p : mesh.positions) {
    std::map<std::uint32_t, double> share;
    double sum = 0;
    for (const Bone& bone : bones) {
      const double w =
          std::exp(-3 * distance_to(static_cast<Vec3d>(p), bone) / radius) + (chance(random, 0.002) ? 0.3 : 0);
      share[bone.joint] += w;
      sum += w;
    }
    std::vector<std::pair<double, std::uint32_t>> row;
    for (const auto& [joint, w] : share)
      if (w / sum > 0.02) row.emplace_back(w, joint);
    if (row.empty()) row.emplace_back(1, bones.front().joint);
    std::ranges::sort(row, std::greater{});
    row.resize(std::min<std::size_t>(row.size(), 6));
    double kept = 0;
    for (const auto& [w, joint] : row) kept += w;
    for (const auto& [w, joint] : row) {
      mesh.weights.joint.push_back(joint);
      mesh.weights.weight.push_back(static_cast<float>(w / kept));
    }
    mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
  }
}

Character random_character(Random& random, const Context& context) {
  Character character;
  character.source = "random";
  const double size = chance(random, 0.8) ? 1 : std::pow(10.0, between(random, -4, 4));
  // One body along a straight chain meets itself nowhere at rest; tubes around the bones of a tree do.
  const bool straight = chance(random, 0.5);
  character.skeleton = random_skeleton(random, size, straight);
  const std::vector<Bone> bones = bones_of(character.skeleton, size);
  const double radius = size * between(random, 0.03, 0.25);
  std::vector<Bone> bodies = bones;
  if (straight) bodies = {{0, bones.front().a, bones.back().b}};
  for (const Bone& bone : bodies) {
    if (chance(random, 0.1) && !character.meshes.empty()) continue;  // a bone without skin
    Mesh mesh = tube(random, bone, radius * between(random, 0.5, 1.5), straight ? 60 : 14);
    if (chance(random, 0.4)) damage(random, mesh);
    mesh.normals.assign(mesh.positions.size(), {0, 1, 0});
    give_weights(random, mesh, bones, radius);
    character.meshes.push_back(std::move(mesh));
  }
  validate(character);
  if (chance(random, 0.3)) {
    WeightOptions options;
    options.method = chance(random, 0.5) ? WeightMethod::heat : WeightMethod::atlas;
    (void)make_weights(character, options, context);
  }
  return character;
}

Pose random_pose(Random& random, const Skeleton& skeleton, double size) {
  Pose pose = default_pose(skeleton);
  const double wild = chance(random, 0.2) ? kPi : 1.2;
  for (Trsd& local : pose.local) {
    local.rotation = turn(random, wild) * local.rotation;
    if (chance(random, 0.02)) local.scale = Vec3d{between(random, 0, 2), between(random, -1, 2), between(random, 0, 3)};
    if (chance(random, 0.02))
      local.translation = local.translation + direction(random) * (size * between(random, 0, 3));
  }
  return pose;
}

Pose on_the_way(const Pose& from, const Pose& to, double t) {
  Pose pose = to;
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    const Trsd &a = from.local[j], &b = to.local[j];
    pose.local[j].rotation = slerp(a.rotation, b.rotation, t);
    pose.local[j].translation = a.translation + (b.translation - a.translation) * t;
    pose.local[j].scale = a.scale + (b.scale - a.scale) * t;
  }
  return pose;
}

struct Count {
  std::size_t characters = 0, refused = 0, frames = 0, certified = 0;
  double worst_ms = 0;
};

struct Way {
  const char* name;
  Method method;
  bool contact;
  History history;
};

int try_one(std::uint32_t seed, const Context& context, std::map<std::string, Count>& counts) {
  Random random(seed);
  Character character;
  try {
    character = random_character(random, context);
  } catch (const Error&) {  // made unusable; said so
    ++counts["(characters refused)"].refused;
    return 0;
  }
  const Box box = character.bounds();
  const double size = std::sqrt(dot(box.hi - box.lo, box.hi - box.lo));
  std::vector<Pose> poses{default_pose(character.skeleton)};
  for (int k = 0; k < 2; ++k) {
    const Pose to = random_pose(random, character.skeleton, size), from = poses.back();
    for (int f = 1; f <= 4; ++f) poses.push_back(on_the_way(from, to, f / 4.0));
  }
  const Metrics metrics(character, context, {.overlap = false});
  const std::size_t rest_pairs = metrics.rest().intersecting_pairs.value_or(0);
  constexpr Way kWays[] = {{"lbs", Method::lbs, false, History::playback},
                           {"dqs", Method::dqs, false, History::playback},
                           {"dqs+contact", Method::dqs, true, History::playback},
                           {"implicit", Method::implicit, false, History::playback},
                           {"tracking", Method::tracking, false, History::playback},
                           {"tracking+contact", Method::tracking, true, History::playback},
                           {"tracking canonical", Method::tracking, true, History::canonical},
                           {"tracking stateless", Method::tracking, false, History::stateless}};
  int faults = 0;
  for (const Way& way : kWays) {
    Count& count = counts[way.name];
    ++count.characters;
    try {
      SolveOptions options{.method = way.method};
      options.contact_pass = way.contact;
      options.tracking.history = way.history;
      Solver solver(bind(character, context), options, context);
      const bool few = way.history == History::canonical;
      for (std::size_t i = 0; i < poses.size(); i += few ? 4 : 1) {
        const std::clock_t start = std::clock();
        const Frame& frame = solver.solve(poses[i]);
        const double ms = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        ++count.frames;
        count.worst_ms = std::max(count.worst_ms, ms);
        const auto complain = [&](const std::string& what) {
          std::printf("seed %u, %s, frame %zu: %s\n", seed, way.name, i, what.c_str());
          ++faults;
        };
        const auto is_finite = [](const Vec3f& p) {
          return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
        };
        if (!std::ranges::all_of(frame.positions, is_finite)) complain("a position is not finite");
        if (!std::ranges::all_of(frame.normals, is_finite)) complain("a normal is not finite");
        if (ms > kLongestFrameMs) complain("took " + std::to_string(ms) + " ms");
        if (!way.contact || rest_pairs > 0 || !frame.report.contact.certified || !frame.report.contact.released.empty())
          continue;
        ++count.certified;
        const std::size_t pairs = metrics.measure(frame.positions).intersecting_pairs.value_or(0);
        if (pairs > 0) complain("certified, but " + std::to_string(pairs) + " pairs");
      }
    } catch (const Error&) {  // a sentence is a good answer
      ++count.refused;
    }
  }
  return faults;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const Context context(1);
  const auto seed = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
  const auto count = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  std::map<std::string, Count> counts;
  int faults = 0;
  for (std::uint32_t i = 0; i < count; ++i) faults += try_one(seed * 100'000 + i, context, counts);
  for (const auto& [name, c] : counts)
    std::printf("%-22s %5zu characters, %4zu refused in a sentence, %6zu frames, %6zu certified, longest %.0f ms\n",
                name.c_str(), c.characters, c.refused, c.frames, c.certified, c.worst_ms);
  std::printf("%d faults\n", faults);
  return faults > 0 ? 1 : 0;
}
