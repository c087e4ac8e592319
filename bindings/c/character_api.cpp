// Characters from arrays, from memory and by name; what is in them; poses and clips.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cutis/assemble.h"
#include "cutis/builtin.h"
#include "cutis/io.h"
#include "support.h"

using namespace cutis;
using namespace cutis::c;

namespace {

constexpr std::size_t kMostItems = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMostInfluences = 1024;
// Rows of floats that were made to sum to 1 do so to this: they stay as they are, to the bit.
constexpr double kSumsToOne = 1e-6;

Weights weights_of(const cutis_mesh_arrays& from, const std::string& place) {
  Weights weights;
  need(from.joints, "joints");
  need(from.weights, "weights");
  weights.row_begin.push_back(0);
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < from.vertices; ++v) {
    const std::uint32_t* joint = from.joints + v * from.influences;
    const float* weight = from.weights + v * from.influences;
    order.clear();
    double sum = 0;
    for (std::size_t i = 0; i < from.influences; ++i) {
      if (!std::isfinite(weight[i]) || weight[i] < 0)
        refuse(fmt::format("{}: vertex {} has a weight that is negative or not a number", place, v));
      if (weight[i] > 0) order.push_back(i);
      sum += static_cast<double>(weight[i]);
    }
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
    const bool is_one = std::abs(sum - 1) <= kSumsToOne;
    for (const std::size_t i : order) {
      weights.joint.push_back(joint[i]);
      weights.weight.push_back(is_one ? weight[i] : static_cast<float>(static_cast<double>(weight[i]) / sum));
    }
    weights.row_begin.push_back(static_cast<std::uint32_t>(weights.joint.size()));
  }
  return weights;
}

Mesh mesh_of(const cutis_mesh_arrays& from, const std::string& place) {
  Mesh mesh;
  mesh.name = from.name == nullptr ? "mesh" : from.name;
  if (from.vertices > kMostItems || from.triangles > kMostItems || from.influences > kMostInfluences)
    refuse(fmt::format("{}: {} vertices, {} triangles and {} influences a vertex are too many", place, from.vertices,
                       from.triangles, from.influences));
  mesh.positions = points(from.positions, from.position_stride, from.vertices, from.vertices, "positions");
  if (from.triangles > 0) need(from.corners, "corners");
  mesh.triangles.resize(from.triangles);
  read_strided(std::span<Triangle>(mesh.triangles), from.corners, 0, "corners");
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const std::uint32_t v : mesh.triangles[t])
      if (v >= from.vertices)
        refuse(fmt::format("{}: triangle {} uses vertex {}, but there are only {}", place, t, v, from.vertices));
  mesh.had_normals = from.normals != nullptr;
  mesh.normals = mesh.had_normals ? points(from.normals, from.normal_stride, from.vertices, from.vertices, "normals")
                                  : smooth_normals(mesh);
  if (from.influences > 0) mesh.weights = weights_of(from, place);
  return mesh;
}

Affine3d read_matrix(const double* m, const std::string& place) {
  for (int i = 0; i < 16; ++i)
    if (!std::isfinite(m[i])) refuse(place + ": its rest frame has a number that is not finite");
  return {{{Vec3d{m[0], m[4], m[8]}, Vec3d{m[1], m[5], m[9]}, Vec3d{m[2], m[6], m[10]}}}, {m[3], m[7], m[11]}};
}

Skeleton skeleton_of(const cutis_character_arrays& from) {
  Skeleton skeleton;
  if (from.joints == 0) return skeleton;
  if (from.joints > kMostItems) refuse(fmt::format("{} joints are too many", from.joints));
  need(from.joint_names, "joint_names");
  need(from.parents, "parents");
  need(from.rest, "rest");
  std::vector<Affine3d> world;
  for (std::size_t j = 0; j < from.joints; ++j) {
    Joint joint;
    joint.name = needed_text(from.joint_names[j], "joint_names");
    const std::string place = fmt::format("joint '{}'", joint.name);
    joint.parent = from.parents[j];
    if (joint.parent < -1 || joint.parent >= static_cast<int>(j))
      refuse(place + ": comes before its parent; joints must be ordered from the root to the leaves");
    joint.world_from_rest = read_matrix(from.rest + 16 * j, place);
    joint.is_bone = from.is_bone == nullptr || from.is_bone[j] != 0;
    world.push_back(joint.world_from_rest);
    skeleton.joints.push_back(std::move(joint));
  }
  cutis_pose pose{sizeof(cutis_pose), CUTIS_POSE_TRS, from.joints, from.default_pose, 0};
  const Pose start = from.default_pose == nullptr ? pose_from_world(skeleton, world) : pose_of(skeleton, pose);
  for (std::size_t j = 0; j < from.joints; ++j) skeleton.joints[j].local = start.local[j];
  return skeleton;
}

Character character_of(const cutis_character_arrays& from) {
  Character character;
  character.source = from.name == nullptr ? "arrays" : from.name;
  character.skeleton = skeleton_of(from);
  if (from.meshes == 0) return character;
  const std::size_t size = structure(from.mesh, "mesh").struct_size;
  const auto* bytes = reinterpret_cast<const char*>(from.mesh);
  for (std::size_t i = 0; i < from.meshes; ++i) {
    const auto* at = reinterpret_cast<const cutis_mesh_arrays*>(bytes + i * size);
    if (at->struct_size != size) refuse(fmt::format("mesh {}: its struct_size is not that of the first", i));
    const cutis_mesh_arrays mesh = structure(at, "mesh");
    character.meshes.push_back(
        mesh_of(mesh, fmt::format("{} › mesh '{}'", character.source, mesh.name == nullptr ? "mesh" : mesh.name)));
  }
  return character;
}

// What `cutis info` counts of the influences.
std::size_t most_influences(const Character& character) {
  if (!character.has_weights()) return 0;
  std::size_t most = 0;
  for (const Mesh& mesh : character.meshes)
    most = std::max(most, static_cast<std::size_t>(mesh.weights.max_influences()));
  return most;
}

Json description(const Character& character) {
  Json meshes = Json::array(), joints = Json::array(), clips = Json::array();
  std::size_t vertex = 0, triangle = 0;
  for (const Mesh& mesh : character.meshes) {
    meshes.push_back({{"name", mesh.name},
                      {"first_vertex", vertex},
                      {"vertices", mesh.positions.size()},
                      {"first_triangle", triangle},
                      {"triangles", mesh.triangles.size()}});
    vertex += mesh.positions.size();
    triangle += mesh.triangles.size();
  }
  for (const Joint& joint : character.skeleton.joints)
    joints.push_back({{"name", joint.name}, {"parent", joint.parent}, {"is_bone", joint.is_bone}});
  for (const Clip& clip : character.clips)
    clips.push_back({{"name", clip.name}, {"start", number(clip.start())}, {"end", number(clip.end())}});
  return {{"name", character.source}, {"meshes", meshes}, {"joints", joints}, {"clips", clips}};
}

}  // namespace

cutis_status cutis_character_from_arrays(cutis_context context, const cutis_character_arrays* arrays,
                                         cutis_character* character) {
  return guarded([&] {
    need(character, "character");
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    Character made = character_of(structure(arrays, "arrays"));
    validate(made);
    give(character, std::make_shared<CharacterObject>(std::move(made)));
  });
}

cutis_status cutis_character_from_memory(cutis_context context, const void* bytes, size_t size, const char* name,
                                         const char* options, cutis_character* character) {
  return guarded([&] {
    need(character, "character");
    need(bytes, "bytes");
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    ReadOptions reading;
    read_options(options, option_fields(reading), "options");
    const std::span<const std::byte> file(static_cast<const std::byte*>(bytes), size);
    give(character, std::make_shared<CharacterObject>(
                        load_gltf(file, name == nullptr ? "memory" : name, object->context, reading)));
  });
}

cutis_status cutis_character_builtin(cutis_context context, const char* name, cutis_character* character) {
  return guarded([&] {
    need(character, "character");
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    Character made = make_builtin(needed_text(name, "name"), object->context);
    give(character, std::make_shared<CharacterObject>(std::move(made)));
  });
}

cutis_status cutis_character_counts(cutis_character character, cutis_counts* counts) {
  return guarded([&] {
    const auto c = take<CharacterObject>(character)->get();
    (void)structure(counts, "counts");
    counts->vertices = c->vertex_count();
    counts->triangles = c->triangle_count();
    counts->meshes = c->meshes.size();
    counts->joints = c->skeleton.joints.size();
    counts->clips = c->clips.size();
    counts->influences = most_influences(*c);
  });
}

cutis_status cutis_character_describe(cutis_character character, const char** json) {
  return guarded([&] {
    need(json, "json");
    give_json(json, description(*take<CharacterObject>(character)->get()));
  });
}

cutis_status cutis_character_vertices(cutis_character character, size_t vertices, float* positions,
                                      size_t position_stride, float* normals, size_t normal_stride) {
  return guarded([&] {
    const auto c = take<CharacterObject>(character)->get();
    need_count(vertices, c->vertex_count(), "vertices", "vertices");
    check_stride(position_stride, sizeof(Vec3f), "positions");
    check_stride(normal_stride, sizeof(Vec3f), "normals");
    std::size_t first = 0;
    for (const Mesh& mesh : c->meshes) {
      const auto place = [&](float* to, std::size_t stride) {
        return reinterpret_cast<char*>(to) + first * (stride == 0 ? sizeof(Vec3f) : stride);
      };
      if (positions != nullptr)
        write_strided(std::span<const Vec3f>(mesh.positions), place(positions, position_stride), position_stride);
      if (normals != nullptr)
        write_strided(std::span<const Vec3f>(mesh.normals), place(normals, normal_stride), normal_stride);
      first += mesh.positions.size();
    }
  });
}

cutis_status cutis_character_triangles(cutis_character character, size_t triangles, uint32_t* corners) {
  return guarded([&] {
    const auto c = take<CharacterObject>(character)->get();
    need_count(triangles, c->triangle_count(), "triangles", "triangles");
    if (triangles > 0) need(corners, "corners");
    std::uint32_t first = 0;
    for (const Mesh& mesh : c->meshes) {
      for (const Triangle& t : mesh.triangles)
        for (const std::uint32_t v : t) *corners++ = first + v;
      first += static_cast<std::uint32_t>(mesh.positions.size());
    }
  });
}

cutis_status cutis_character_weights(cutis_character character, size_t vertices, size_t influences, uint32_t* joints,
                                     float* weights) {
  return guarded([&] {
    const auto c = take<CharacterObject>(character)->get();
    need(joints, "joints");
    need(weights, "weights");
    need_count(vertices, c->vertex_count(), "weights", "vertices");
    const std::size_t most = most_influences(*c);
    if (most == 0) refuse("weights: the character has none");
    if (influences < most)
      refuse(fmt::format("weights: a vertex has {} influences, and there is room for {}", most, influences));
    std::fill_n(joints, vertices * influences, 0U);
    std::fill_n(weights, vertices * influences, 0.0F);
    for (const Mesh& mesh : c->meshes)
      for (std::size_t v = 0; v < mesh.weights.rows(); ++v, joints += influences, weights += influences)
        for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i) {
          joints[i - mesh.weights.row_begin[v]] = mesh.weights.joint[i];
          weights[i - mesh.weights.row_begin[v]] = mesh.weights.weight[i];
        }
  });
}

cutis_status cutis_character_joints(cutis_character character, size_t joints, double* rest, double* default_pose,
                                    int32_t* parents, uint8_t* is_bone) {
  return guarded([&] {
    const auto c = take<CharacterObject>(character)->get();
    need_count(joints, c->skeleton.joints.size(), "joints", "joints");
    for (std::size_t j = 0; j < joints; ++j) {
      const Joint& joint = c->skeleton.joints[j];
      if (rest != nullptr) write_matrix(joint.world_from_rest, rest + 16 * j);
      if (default_pose != nullptr) write_trs({&joint.local, 1}, default_pose + 10 * j);
      if (parents != nullptr) parents[j] = joint.parent;
      if (is_bone != nullptr) is_bone[j] = joint.is_bone ? 1 : 0;
    }
  });
}

cutis_status cutis_character_destroy(cutis_character character) { return destroy<CharacterObject>(character); }

cutis_status cutis_character_sample(cutis_character character, const char* clip, double time, cutis_pose_kind kind,
                                    size_t joints, double* values) {
  return guarded([&] {
    const auto c = take<CharacterObject>(character)->get();
    need(values, "values");
    need_count(joints, c->skeleton.joints.size(), "values", "joints");
    if (!std::isfinite(time)) refuse("time: is not finite");
    Clip room;
    const Pose pose = sample(c->skeleton, clip_of(*c, clip, room), time);
    if (kind == CUTIS_POSE_TRS) {
      write_trs(pose.local, values);
      return;
    }
    if (kind != CUTIS_POSE_LOCAL && kind != CUTIS_POSE_WORLD)
      refuse(fmt::format("pose: there is no kind {}", static_cast<int>(kind)));
    Skeleton flat = c->skeleton;  // without parents, frames in the scene are those to the parents
    if (kind == CUTIS_POSE_LOCAL)
      for (Joint& joint : flat.joints) joint.parent = -1;
    const std::vector<Affine3d> frames = world_from_joint(flat, pose);
    for (std::size_t j = 0; j < joints; ++j) write_matrix(frames[j], values + 16 * j);
  });
}

cutis_status cutis_character_times(cutis_character character, const char* clip, int frames, double fps, double* times,
                                   size_t capacity, size_t* count) {
  return guarded([&] {
    const auto c = take<CharacterObject>(character)->get();
    need(count, "count");
    Clip room;
    const std::vector<double> all = sample_times(clip_of(*c, clip, room), frames, fps);
    if (times != nullptr) {
      if (capacity < all.size()) refuse(fmt::format("times: there are {}, and room for {}", all.size(), capacity));
      std::ranges::copy(all, times);
    }
    *count = all.size();
  });
}

cutis_status cutis_character_add_clip(cutis_character character, const char* name, const cutis_pose* poses,
                                      const double* times, size_t count) {
  return guarded([&] {
    const Use<CharacterObject> object(character);  // one writer at a time
    const auto c = object->get();
    need(times, "times");
    Clip clip =
        clip_from_poses(c->skeleton, poses_of(c->skeleton, poses, count), {times, count}, needed_text(name, "name"));
    Character changed = *c;
    std::erase_if(changed.clips, [&](const Clip& other) { return other.name == clip.name; });
    changed.clips.push_back(std::move(clip));
    validate(changed);
    object->set(std::move(changed));
  });
}
