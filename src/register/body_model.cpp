#include "register/body_model.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/polar.h"
#include "character/bones.h"
#include "character/welded_character.h"
#include "cutis/error.h"
#include "geometry/normals.h"
#include "register/outer_skin.h"

namespace cutis {
namespace {

constexpr std::size_t kSamples = 5000;  // 2 cm apart on a person
constexpr double kLeastWeight = 0.02;   // smaller shares of a sample's weight go to the others

// The first across axis goes along the body's left, so that the two sides mirror each other.
std::array<Vec3d, 3> frame_of(const DrivenSkeleton::Bone& bone, const BodyRoles& roles) {
  const Vec3d along = normalized(bone.end - bone.rest, roles.up);
  Vec3d side = roles.left - along * dot(roles.left, along);
  if (length(side) < 0.5) side = roles.forward - along * dot(roles.forward, along);
  side = normalized(side, any_perpendicular(along));
  return {along, side, cross(along, side)};
}

// How far joints usually turn. Where others have ranges, one without is a palm, a twist or a helper; so is the first of
// four or more bones of a finger, whatever it is called.
constexpr double kUsualTurn = 1.2, kStiffTurn = 0.3, kPalmTurn = 0.12;

void find_usual_turns(BodyModel& model) {
  std::size_t ranged = 0;
  for (std::size_t b = 0; b < model.bones(); ++b) ranged += model.limits.of(static_cast<int>(b)).has_value();
  model.usual_turn.assign(model.bones(), kUsualTurn);
  for (std::size_t b = 0; b < model.bones(); ++b) {
    if (2 * ranged >= model.bones() && !model.limits.of(static_cast<int>(b))) model.usual_turn[b] = kStiffTurn;
    const Role role = model.roles.roles[b];
    if (role.part != Part::finger || role.index < 10) continue;
    const int p = model.parent[b];
    if (p >= 0 && model.roles.roles[slot(p)].part == Part::finger) continue;
    int length = 0;
    for (int at = static_cast<int>(b); at >= 0 && model.own_share[slot(at)] > 0; ++length) {
      const auto& below = model.children[slot(at)];
      at = below.size() == 1 ? below[0] : -1;
    }
    if (length >= 4) model.usual_turn[b] = kPalmTurn;
  }
}

/// A hand by itself, whose names do not say which one: fingers by their names; it is the left or the right one whose
/// fingers bend, and whose thumb stands out, to the side of its palm.
bool take_roles_of_hand(const Character& character, BodyModel& model) {
  constexpr std::size_t kLeastFingers = 3;
  std::vector<NamedJoint> names;
  for (const DrivenSkeleton::Bone& bone : model.skeleton.bones)
    names.push_back({"left_" + character.skeleton.joints[slot(bone.joint)].name, bone.parent});
  BodyRoles hand = model.roles;
  hand.roles = find_roles(names);
  std::vector<int> fingers;
  for (const Role& role : hand.roles) {
    if (role.part == Part::thigh || role.part == Part::spine || role.part == Part::head) return false;
    if (role.part == Part::finger && std::ranges::find(fingers, role.index / 10) == fingers.end())
      fingers.push_back(role.index / 10);
  }
  if (fingers.size() < kLeastFingers) return false;
  const Vec3d palm = hand.palm(model.skeleton, Side::left);
  double side = 0;
  for (std::size_t b = 0; b < hand.roles.size(); ++b) {
    const DrivenSkeleton::Bone& bone = model.skeleton.bones[b];
    if (hand.roles[b].part != Part::finger || bone.parent < 0) continue;
    const Vec3d along = normalized(bone.end - bone.rest),
                before = normalized(bone.rest - model.skeleton.bones[slot(bone.parent)].rest);
    side += dot(palm, hand.roles[b].index < 10 ? along : along - before);
  }
  if (side < 0)
    for (Role& role : hand.roles) role.side = Side::right;
  model.roles = hand;
  return true;
}

// A sequence of low discrepancy over the area (Roberts 2018): every beginning of it is even.
void add_samples(const Character& character, BodyModel& model) {
  const JoinedMeshes joined = join_meshes(character);
  std::vector<const Mesh*> mesh_of;
  for (const Mesh& mesh : character.meshes) mesh_of.insert(mesh_of.end(), mesh.positions.size(), &mesh);
  std::vector<std::uint32_t> outer;
  std::vector<double> until;
  double total = 0;
  for (std::uint32_t t = 0; t < joined.input_triangles.size(); ++t) {
    const Triangle& triangle = joined.input_triangles[t];
    if (!model.outer[triangle[0]] || !model.outer[triangle[1]] || !model.outer[triangle[2]]) continue;
    total += length(area_vector(joined.input_positions[triangle[0]], joined.input_positions[triangle[1]],
                                joined.input_positions[triangle[2]]));
    outer.push_back(t);
    until.push_back(total);
  }
  if (!(total > 0)) throw Error(ErrorCode::bad_character, character.source, "its skin has no area");
  model.own_share.assign(model.bones(), 0.0);
  for (std::size_t i = 0; i < kSamples; ++i) {
    const auto fraction = [&](double step) {
      const double x = static_cast<double>(i + 1) * step;
      return x - std::floor(x);
    };
    const double at = total * fraction(0.8191725133961645);
    double u = fraction(0.6710436067037893), v = fraction(0.5497004779019703);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const auto t =
        std::min(static_cast<std::size_t>(std::ranges::upper_bound(until, at) - until.begin()), until.size() - 1);
    const Triangle& triangle = joined.input_triangles[outer[t]];
    const double corner[3] = {1 - u - v, u, v};
    ModelSample sample;
    std::vector<double> weight(model.bones(), 0.0);
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t vertex = triangle[c];
      sample.position += static_cast<Vec3d>(joined.input_positions[vertex]) * corner[c];
      const Mesh& mesh = *mesh_of[vertex];
      const auto number = static_cast<std::size_t>(&mesh - character.meshes.data());
      const WeightRow row = weight_row(mesh.weights, vertex - joined.mesh_begin[number]);
      for (std::size_t k = 0; k < row.joints.size(); ++k)
        weight[slot(model.bone_of_joint[row.joints[k]])] += corner[c] * static_cast<double>(row.weights[k]);
    }
    // Of the face: files' normals may be anything.
    sample.normal = normalized(area_vector(joined.input_positions[triangle[0]], joined.input_positions[triangle[1]],
                                           joined.input_positions[triangle[2]]),
                               Vec3d{0, 1, 0});
    double sum = 0;
    for (const double w : weight) sum += w > kLeastWeight ? w : 0;
    for (std::size_t b = 0; b < weight.size(); ++b)
      if (weight[b] > kLeastWeight) {
        sample.shares.push_back({static_cast<int>(b), weight[b] / sum, sample.position - model.skeleton.bones[b].rest});
        model.own_share[b] += weight[b] / sum / static_cast<double>(kSamples);
      }
    model.samples.push_back(std::move(sample));
  }
  model.share = model.own_share;
  for (std::size_t b = model.bones(); b-- > 0;)
    if (model.parent[b] >= 0) model.share[slot(model.parent[b])] += model.share[b];
}

}  // namespace

BodyModel make_body_model(const Character& character, const Context& context) {
  if (!character.has_weights() || character.meshes.empty())
    throw Error(ErrorCode::bad_character, character.source,
                "has no weights for all of its skin; make them with 'cutis weights' first");
  BodyModel model;
  model.skeleton = make_driven_skeleton(character);
  model.extent = diagonal(character.bounds());
  model.roles = find_body_roles(character.skeleton, model.skeleton);
  if (!take_roles_of_hand(character, model)) {
    model.roles = find_body_roles(character, model.skeleton);
    model.is_body = has_limbs(model.roles);
  }
  model.limits = human_limits(model.skeleton, model.roles);
  const std::size_t bones = model.skeleton.bones.size();
  model.children.resize(bones);
  for (std::size_t b = 0; b < bones; ++b) {
    const DrivenSkeleton::Bone& bone = model.skeleton.bones[b];
    model.parent.push_back(bone.parent < 0 && b > 0 ? 0 : bone.parent);
    if (model.parent[b] >= 0) model.children[slot(model.parent[b])].push_back(static_cast<int>(b));
    model.frame.push_back(frame_of(bone, model.roles));
  }
  model.mirror.assign(bones, -1);
  for (std::size_t b = 0; b < bones; ++b) {
    const Role role = model.roles.roles[b];
    if (role.part == Part::none || role.side == Side::none) continue;
    model.mirror[b] = model.roles.find(role.part, role.side == Side::left ? Side::right : Side::left, role.index);
  }
  const Skeleton& skeleton = character.skeleton;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    int at = static_cast<int>(j);
    while (at >= 0 && model.skeleton.bone_of_joint[slot(at)] < 0)
      at = skeleton.joints[slot(at)].alias_of >= 0 ? skeleton.joints[slot(at)].alias_of
                                                   : skeleton.joints[slot(at)].parent;
    model.bone_of_joint.push_back(at < 0 ? 0 : model.skeleton.bone_of_joint[slot(at)]);
  }
  model.outer = outer_vertices(character, context);
  add_samples(character, model);
  find_usual_turns(model);
  return model;
}

ModelState rest_state(const BodyModel& model) {
  return {model.skeleton.bones[0].rest, std::vector<Quatd>(model.bones()), 0, std::vector<BoneShape>(model.bones())};
}

PlacedBones place_bones(const BodyModel& model, const ModelState& state) {
  PlacedBones placed;
  const std::size_t bones = model.bones();
  placed.place.resize(bones);
  placed.map.resize(bones);
  placed.stretch.resize(bones);
  placed.reach.resize(bones);
  for (std::size_t b = 0; b < bones; ++b) {
    const auto stretch = [&](double along) {
      Mat3d m{{Vec3d{}, Vec3d{}, Vec3d{}}};
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3d& f = model.frame[b][k];
        const double s = std::exp(state.size + (k == 0 ? along : state.shape[b][k]));
        for (int c = 0; c < 3; ++c) m.col[static_cast<std::size_t>(c)] += f * (s * f[c]);
      }
      return m;
    };
    placed.stretch[b] = stretch(state.shape[b][0]);
    placed.reach[b] = stretch(state.shape[b][3]);
    placed.map[b] = to_matrix(state.turn[b]) * placed.stretch[b];
    if (const int p = model.parent[b]; p < 0) {
      placed.place[b] = state.root;
    } else {
      const Vec3d offset = model.skeleton.bones[b].rest - model.skeleton.bones[slot(p)].rest;
      placed.place[b] = placed.place[slot(p)] + (model.extra_root(static_cast<int>(b))
                                                     ? rotate(state.turn[slot(p)], offset) * std::exp(state.size)
                                                     : rotate(state.turn[slot(p)], placed.reach[slot(p)] * offset));
    }
  }
  return placed;
}

BonePose to_bone_pose(const BodyModel& model, const ModelState& state) {
  return {state.turn, place_bones(model, state).place};
}

Vec3d place_of(const ModelSample& sample, const PlacedBones& bones) {
  Vec3d p;
  for (const ModelSample::Share& s : sample.shares)
    p += (bones.place[slot(s.bone)] + bones.map[slot(s.bone)] * s.offset) * s.weight;
  return p;
}

Vec3d normal_of(const ModelSample& sample, const ModelState& state) {
  Vec3d n;
  for (const ModelSample::Share& s : sample.shares) n += rotate(state.turn[slot(s.bone)], sample.normal) * s.weight;
  return normalized(n, sample.normal);
}

namespace {

/// Unposed: sizes about the scene's origin, so that what stands on the ground still does, about.
PlacedBones place_unposed(const BodyModel& model, const ModelState& state) {
  ModelState unposed = state;
  std::ranges::fill(unposed.turn, Quatd{});
  unposed.root = model.skeleton.bones[0].rest * std::exp(state.size);
  return place_bones(model, unposed);
}

void reshape_skin(const BodyModel& model, const PlacedBones& placed, Mesh& mesh) {
  if (mesh.weights.empty()) return;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const auto rest = static_cast<Vec3d>(mesh.positions[v]);
    Vec3d p;
    for (std::uint32_t i = mesh.weights.row_begin[v]; i < mesh.weights.row_begin[v + 1]; ++i) {
      const std::size_t b = slot(model.bone_of_joint[mesh.weights.joint[i]]);
      const Vec3d moved = placed.place[b] + placed.stretch[b] * (rest - model.skeleton.bones[b].rest);
      p += moved * static_cast<double>(mesh.weights.weight[i]);
    }
    mesh.positions[v] = static_cast<Vec3f>(p);
  }
}

}  // namespace

std::vector<Vec3f> thinner_skin(const Character& character, const BodyModel& model, const ModelState& state) {
  // Joints where the state has them, and no bone thicker than what carries it: toes of a narrow foot are as narrow.
  PlacedBones placed = place_unposed(model, state);
  ModelState thin = state;
  for (std::size_t b = 0; b < model.bones(); ++b) {
    BoneShape& shape = thin.shape[b];
    double least = std::min(shape[1], shape[2]);
    if (const int p = model.parent[b]; p >= 0) least = std::min(least, thin.shape[slot(p)][1]);
    shape[1] = shape[2] = least;
  }
  placed.stretch = place_unposed(model, thin).stretch;
  std::vector<Vec3f> skin;
  for (Mesh mesh : character.meshes) {
    reshape_skin(model, placed, mesh);
    skin.insert(skin.end(), mesh.positions.begin(), mesh.positions.end());
  }
  return skin;
}

Character reshaped(const Character& character, const BodyModel& model, const ModelState& state) {
  const PlacedBones placed = place_unposed(model, state);
  Character result = character;
  result.document.reset();                                     // its file says nothing of the new shape
  std::vector<Mat3d> local(character.skeleton.joints.size());  // on translations
  for (std::size_t j = 0; j < character.skeleton.joints.size(); ++j) {
    Joint& joint = result.skeleton.joints[j];
    const Joint& before = character.skeleton.joints[j];
    // A joint moves with the bone that carries it: its parent's, or its own at the top.
    const auto own = slot(model.bone_of_joint[j]);
    const bool driven = model.skeleton.bone_of_joint[j] >= 0;
    bool below = false;  // of the body at all?
    for (int at = before.parent; at >= 0 && !below; at = character.skeleton.joints[slot(at)].parent)
      below = model.skeleton.bone_of_joint[slot(at)] >= 0;
    if (driven || below || before.alias_of >= 0) {
      joint.world_from_rest.translation =
          placed.place[own] + placed.reach[own] * (before.world_from_rest.translation - model.skeleton.bones[own].rest);
    } else {
      joint.world_from_rest.translation = before.world_from_rest.translation * std::exp(state.size);
    }
    Mat3d scene = Mat3d{} * std::exp(state.size);
    if (below) scene = placed.reach[slot(model.bone_of_joint[slot(before.parent)])];
    if (before.parent >= 0) {
      const Mat3d& axes = character.skeleton.joints[slot(before.parent)].world_from_rest.linear;
      local[j] = std::abs(determinant(axes)) > 1e-30 ? inverse(axes) * scene * axes : scene;
    } else {
      local[j] = scene;
    }
    joint.local.translation = local[j] * before.local.translation;
  }
  for (Mesh& mesh : result.meshes) reshape_skin(model, placed, mesh);
  for (Clip& clip : result.clips)
    for (Channel& channel : clip.channels) {
      if (channel.path != ChannelPath::translation || channel.joint < 0) continue;
      for (std::size_t i = 0; i + 2 < channel.values.size(); i += 3) {
        const Vec3d t = local[slot(channel.joint)] * Vec3d{static_cast<double>(channel.values[i]),
                                                           static_cast<double>(channel.values[i + 1]),
                                                           static_cast<double>(channel.values[i + 2])};
        for (int k = 0; k < 3; ++k) channel.values[i + static_cast<std::size_t>(k)] = static_cast<float>(t[k]);
      }
    }
  return result;
}

}  // namespace cutis
