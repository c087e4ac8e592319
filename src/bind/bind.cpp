// Freezes a character: weld ► choose bones ► pack influences ► nest ► partition ► fields ► surface ► layers ► tree ►
// iso-values.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/math.h"
#include "base/parallel_for.h"
#include "base/timer.h"
#include "bind/elasticity.h"
#include "bind/fence.h"
#include "bind/layers.h"
#include "bind/nest.h"
#include "bind/rules.h"
#include "bind/surface.h"
#include "character/bones.h"
#include "character/partition.h"
#include "character/welded_character.h"
#include "cutis/bind.h"
#include "cutis/error.h"
#include "cutis/option_rows.h"
#include "field/character_patches.h"
#include "field/part_field.h"
#include "field/sphere_model.h"
#include "rig/parts.h"
#include "rig/rig.h"
#include "rig/rig_file.h"
#include "rig/skin_links.h"

namespace cutis {
namespace {

// Bones in joint order, so parents come first; returns the bone of each joint, or -1.
std::vector<int> choose_bones(const Skeleton& skeleton, Rig& rig) {
  std::vector<int> bone_of(skeleton.joints.size(), -1);
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (!joint.is_bone) continue;
    bone_of[j] = static_cast<int>(rig.bones.size());
    const int parent = parent_bone(skeleton, static_cast<int>(j));
    rig.bones.push_back({static_cast<int>(j), parent < 0 ? -1 : bone_of[static_cast<std::size_t>(parent)],
                         inverse(joint.world_from_rest), joint.world_from_rest.translation,
                         joint.world_from_rest.translation});
  }
  return bone_of;
}

void pack_influences(const WeightRow& row, const std::vector<int>& bone_of, std::vector<InfluenceBlock>& blocks) {
  for (std::size_t i = 0; i < row.joints.size(); i += 4) {
    InfluenceBlock block;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t source = i + k < row.joints.size() ? i + k : i;
      block.bone[k] = static_cast<std::uint32_t>(bone_of[row.joints[source]]);
      block.weight[k] = i + k < row.joints.size() ? row.weights[i + k] : 0.0F;
    }
    blocks.push_back(block);
  }
}

// The segment of every bone, in the order of the rig's bones.
std::vector<BoneSegment> segments_of(const Character& character, const std::vector<int>& bone_of, Rig& rig) {
  std::vector<BoneSegment> segments(rig.bones.size());
  for (std::size_t b = 0; b < rig.bones.size(); ++b)
    segments[b] = {rig.bones[b].joint, rig.bones[b].rest_origin, rig.bones[b].rest_origin, false};
  for (const BoneSegment& s : bone_segments(character)) {
    const int b = bone_of[static_cast<std::size_t>(s.joint)];
    if (b >= 0) segments[static_cast<std::size_t>(b)] = s;
  }
  for (std::size_t b = 0; b < rig.bones.size(); ++b) rig.bones[b].rest_end = segments[b].to;
  return segments;
}

const std::string& name_of(const Rig& rig, const RigBone& bone) {
  return rig.skeleton.joints[static_cast<std::size_t>(bone.joint)].name;
}

RigField freeze(const PartField& field) {
  RigField frozen;
  if (field.empty() || field.grid().empty()) return frozen;
  frozen.nodes = field.grid().nodes();
  frozen.grid = field.grid().view();
  frozen.grid.nodes = nullptr;
  return frozen;
}

FitOptions fit_options(const Preset& preset, const std::string& joint) {
  const JointPreset& settings = preset.of(joint);
  FitOptions fit;
  fit.shape = settings.shape == PartForm::spheres ? ShapeChoice::spheres : ShapeChoice::automatic;
  fit.sampling.target = settings.samples;
  fit.sampling.cap = cap_of(settings, preset);
  fit.support.factor = settings.support_factor * preset.support_factor;
  fit.support.radius = settings.support_radius * fit.support.factor;
  return fit;
}

// Fits take time and grids memory: of more parts than this those with the most vertices have fields, and the skin of
// the others follows smooth skinning.
constexpr std::size_t kManyParts = 1024, kFieldsOfMany = 256;

std::vector<std::uint32_t> owners_with_fields(const std::vector<std::uint32_t>& owner, std::size_t bones,
                                              const Context& context) {
  std::vector<std::size_t> vertices(bones, 0);
  for (const std::uint32_t b : owner)
    if (b < bones) ++vertices[b];
  std::vector<std::uint32_t> order;
  for (std::uint32_t b = 0; b < bones; ++b)
    if (vertices[b] > 0) order.push_back(b);
  if (order.size() <= kManyParts) return owner;
  context.warn(
      fmt::format("{} bones own skin; the {} with the most vertices have fields, the skin of the others follows dual "
                  "quaternions",
                  order.size(), kFieldsOfMany));
  std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t b) { return vertices[b]; });
  std::vector<char> kept(bones, 0);
  for (std::size_t i = 0; i < kFieldsOfMany; ++i) kept[order[i]] = 1;
  std::vector<std::uint32_t> result = owner;
  for (std::uint32_t& b : result)
    if (b < bones && kept[b] == 0) b = RigSurface::kNoBone;
  return result;
}

void fence_fields(const Context& context, Rig& rig) {
  std::vector<std::vector<Vec3f>> own(rig.bones.size());
  std::vector<double> edge(rig.bones.size(), 0.0);
  for (std::size_t v = 0; v < rig.surface.size(); ++v) {
    const std::uint32_t b = rig.surface.owner[v];
    if (b == RigSurface::kNoBone) continue;
    own[b].push_back(rig.surface.positions[v]);
    edge[b] = std::max(edge[b], static_cast<double>(rig.surface.edge[v]));
  }
  parallel_for(context, rig.fields.size(), 1, [&](std::size_t b, std::size_t) {
    fence_field(rig.fields[b], own[b], rig.bones[b].rest_origin, rig.bones[b].rest_end, edge[b]);
  });
}

// A model of another character, or of this one in another place or size, would leave the skin without fields.
void check_model(const SphereModel& model, const Skeleton& skeleton, double size) {
  for (const SphereModel::Ball& ball : model.balls) {
    const auto joint = static_cast<std::size_t>(skeleton.find(ball.joint));
    const double off = distance(ball.center, skeleton.joints[joint].world_from_rest.translation);
    if (off > size)
      throw Error(ErrorCode::bad_argument, fmt::format("preset › sphere '{}'", ball.name),
                  fmt::format("is {:.3g} m from joint '{}', more than the whole character's size; give the model at "
                              "this character's rest pose, in metres",
                              off, ball.joint));
  }
}

// The preset's spheres, connected; and those of parts whose shape says so, fitted.
SphereModel make_spheres(const Preset& preset, const Rig& rig, std::span<const PartPatch> patches,
                         const WeldedCharacter& welded, double size) {
  SphereModel model = preset.spheres;
  std::vector<SpherePart> parts;
  std::vector<int> part_of(rig.bones.size(), -1);
  for (std::size_t b = 0; b < patches.size(); ++b) {
    const bool given =
        std::ranges::any_of(model.balls, [&](const auto& ball) { return ball.joint == patches[b].name; });
    if (patches[b].own_points == 0 || given || preset.of(patches[b].name).shape != PartForm::spheres) continue;
    int above = rig.bones[b].parent;
    while (above >= 0 && part_of[static_cast<std::size_t>(above)] < 0)
      above = rig.bones[static_cast<std::size_t>(above)].parent;
    part_of[b] = static_cast<int>(parts.size());
    parts.push_back({&patches[b], above < 0 ? -1 : part_of[static_cast<std::size_t>(above)]});
  }
  if (model.empty() && parts.empty()) return model;
  check_model(model, rig.skeleton, size);
  const Flesh flesh(welded.positions, welded.topology.triangles);
  (void)connect_balls(model, &flesh);
  SphereModel fitted = fit_sphere_model(parts, flesh);
  const auto first = static_cast<std::uint32_t>(model.balls.size());
  for (SphereModel::Block& block : fitted.blocks) {
    for (std::uint32_t& ball : block.balls) ball += first;
    model.blocks.push_back(std::move(block));
  }
  model.balls.insert(model.balls.end(), fitted.balls.begin(), fitted.balls.end());
  return model;
}

PartReport report_of(const PartField& field, const JointPreset& settings) {
  const FitReport& fit = field.report();
  const GridReport& grid = field.grid().report();
  PartReport part;
  part.shape = fit.kind == FitKind::hrbf ? "hrbf" : fit.kind == FitKind::spheres ? "spheres" : "none";
  part.op = settings.op;
  part.controller = settings.controller;
  part.vertices = fit.points;
  part.samples = fit.samples;
  part.caps = fit.caps;
  for (std::size_t i = 0; i < fit.fitted.size() && fit.kind == FitKind::hrbf; ++i)
    part.points.push_back({fit.fitted[i].position, fit.fitted[i].normal,
                           i < fit.samples              ? FitPoint::Kind::surface
                           : i < fit.samples + fit.caps ? FitPoint::Kind::cap
                                                        : FitPoint::Kind::tuck});
  part.attempts = fit.attempts;
  part.median = fit.median;
  part.p95 = fit.p95;
  part.worst = fit.worst;
  part.radius = fit.radius;
  part.bulge = fit.bulge;
  part.stray_pieces = fit.stray_pieces;
  part.voids = fit.voids;
  part.grid_nodes = grid.nodes;
  part.grid_cell = grid.cell;
  part.grid_error = grid.worst;
  part.grid_bound = grid.bound;
  part.remarks = fit.remarks;
  if (!field.empty() && !grid.met)
    part.remarks.push_back(
        fmt::format("its grid would be too large: error {:.2g} instead of {:.2g}", grid.worst, grid.bound));
  return part;
}

// In thicknesses of the part.
double turn_width(TurnWeights turn) { return turn == TurnWeights::smooth ? 0.5 : 0.0; }

// What a skin is made of: the body alone, where something rides on it.
struct SkinSource {
  Roles roles;
  bool layered = false;  // some pieces are not body
  BodyCharacter body;
  WeldedCharacter body_welded;
};

SkinSource find_source(const Character& character, const Preset& preset, const Context& context) {
  SkinSource source;
  context.check_cancelled();
  source.roles = find_roles(character, preset.roles);
  context.check_cancelled();
  source.layered = std::ranges::any_of(source.roles.pieces, [](const Piece& p) { return p.role != PieceRole::body; });
  if (!source.layered) return source;
  source.body = take_body(character, source.roles);
  source.body_welded = weld_character(source.body.character, &context);
  return source;
}

void make_skin(const Character& whole, const WeldedCharacter& whole_welded, const SkinSource& source,
               const std::vector<BoneSegment>& segments, const std::vector<int>& bone_of,
               const BindOptions& bind_options, const Context& context, Rig& rig, BindReport& report) {
  const Preset& preset = bind_options.preset;
  const bool layered = source.layered;
  const Character& character = layered ? source.body.character : whole;
  const WeldedCharacter& welded = layered ? source.body_welded : whole_welded;
  report.pieces = source.roles.pieces;
  const Partition partition = make_partition(character, welded);
  report.islands = partition.islands;
  const std::vector<std::uint32_t> owner = bones_of(partition, segments);
  context.progress("bind: fields", 0.05);
  FieldOptions options;
  const std::vector<PartPatch> patches =
      cut_patches(character, welded, segments, owners_with_fields(owner, rig.bones.size(), context));
  const SphereModel spheres = make_spheres(preset, rig, patches, welded, diagonal(character.bounds()));
  for (std::size_t b = 0; b < patches.size(); ++b) {
    options.per_part.push_back(fit_options(preset, name_of(rig, rig.bones[b])));
    if (patches[b].own_points > 0) options.per_part.back().given = sphere_set(spheres, patches[b].name);
  }
  const std::vector<PartField> fields = make_fields(patches, options, context);
  context.progress("bind: surface", 0.75);
  std::vector<double> radius;
  for (std::size_t b = 0; b < fields.size(); ++b) {
    rig.fields.push_back(freeze(fields[b]));
    radius.push_back(fields[b].empty() ? 0.0 : fields[b].support().radius);
    const std::string& name = name_of(rig, rig.bones[b]);
    report.parts.push_back(report_of(fields[b], preset.of(name)));
    report.parts.back().joint = name;
  }
  report.preset = preset_in_force(preset, report.parts, spheres);
  rig.surface = make_surface(welded, owner);
  if (layered) make_layers(whole, whole_welded, source.roles, source.body, bone_of, rig);
  if (bind_options.turn == TurnWeights::skin)
    take_turns(rig, rig.surface);
  else
    spread_turns(radius, turn_width(bind_options.turn), context, rig.surface);
  fence_fields(context, rig);
  const std::vector<float> coarse = coarse_parts(rig);
  for (std::size_t b = 0; b < coarse.size(); ++b) {
    report.parts[b].coarse = static_cast<double>(coarse[b]);
    if (coarse[b] > 0.5F)
      report.parts[b].remarks.emplace_back("hardly a triangle is its own: its skin is shown nearer to smooth skinning");
  }
  std::vector<char> spanned(rig.bones.size(), 0);
  const std::vector<std::uint32_t> piece = coarse_pieces(rig);
  for (std::size_t v = 0; v < piece.size(); ++v)
    if (piece[v] != kNotCoarse && rig.surface.owner[v] != RigSurface::kNoBone) spanned[rig.surface.owner[v]] = 1;
  for (std::size_t b = 0; b < spanned.size(); ++b)
    if (spanned[b] != 0)
      report.parts[b].remarks.emplace_back("edges span it: smooth skinning is shown where that keeps its shape better");
  add_muscles(preset, rig);
  paint_skin(whole, preset, rig);
  context.progress("bind: operators", 0.9);
  compose_fields(preset, context, rig, report);
  context.progress("bind", 1);
}

// A thing without a skeleton is one rigid piece on a root that nothing moves.
Character with_still_root(Character character) {
  Joint root;
  root.name = "root";
  root.is_bone = true;
  character.skeleton.joints = {root};
  for (Mesh& mesh : character.meshes) {
    mesh.weights = {};
    for (std::uint32_t v = 0; v <= mesh.positions.size(); ++v) mesh.weights.row_begin.push_back(v);
    mesh.weights.joint.assign(mesh.positions.size(), 0);
    mesh.weights.weight.assign(mesh.positions.size(), 1.0F);
  }
  return character;
}

}  // namespace

std::shared_ptr<const Rig> bind(const Character& character, const Context& context, const BindOptions& options) {
  BindReport report;
  return bind(character, context, options, report);
}

std::shared_ptr<const Rig> bind(const Character& character, const Context& context, const BindOptions& options,
                                BindReport& report) {
  const Timer timer;
  report = {};
  validate(character);
  if (character.skeleton.joints.empty()) {
    context.warn(fmt::format("{}: has no skeleton; it stays as it is", character.source));
    return bind(with_still_root(character), context, options, report);
  }
  check_options(options, "bind");
  check_preset(options.preset, character.skeleton);
  for (const Mesh& mesh : character.meshes)
    if (mesh.weights.empty())
      throw Error(ErrorCode::bad_character, fmt::format("{} › mesh '{}'", character.source, mesh.name),
                  "has no skin weights; give it a skeleton and weights before it is animated");

  auto rig = std::make_shared<Rig>();
  rig->skeleton = character.skeleton;
  for (const Mesh& mesh : character.meshes)
    for (const std::uint32_t joint : mesh.weights.joint) rig->skeleton.joints[joint].is_bone = true;
  std::vector<int> bone_of = choose_bones(rig->skeleton, *rig);

  const WeldedCharacter welded = weld_character(character, &context);
  rig->rest_positions = welded.input_positions;
  std::vector<std::uint32_t> mesh_of;
  mesh_of.reserve(rig->vertex_count());
  for (std::uint32_t m = 0; m < character.meshes.size(); ++m) {
    const Mesh& mesh = character.meshes[m];
    rig->rest_normals.insert(rig->rest_normals.end(), mesh.normals.begin(), mesh.normals.end());
    mesh_of.insert(mesh_of.end(), mesh.positions.size(), m);
  }
  rig->block_begin.push_back(0);
  for (std::size_t v = 0; v < rig->vertex_count(); ++v) {
    const std::uint32_t source = welded.weld.first_of[welded.weld.welded_of[v]];
    const std::uint32_t m = mesh_of[source];
    pack_influences(weight_row(character.meshes[m].weights, source - welded.mesh_begin[m]), bone_of, rig->blocks);
    rig->block_begin.push_back(static_cast<std::uint32_t>(rig->blocks.size()));
  }
  if (rig->blocks.size() == rig->vertex_count()) rig->block_begin.clear();

  nest_bones(*rig, bone_of);

  Character with_bones = character;
  with_bones.skeleton = nested_skeleton(*rig);
  SkinSource source = options.implicit_skin ? find_source(character, options.preset, context) : SkinSource{};
  source.body.character.skeleton = with_bones.skeleton;
  const std::vector<BoneSegment> segments =
      segments_of(source.layered ? source.body.character : with_bones, bone_of, *rig);
  if (options.implicit_skin) make_skin(with_bones, welded, source, segments, bone_of, options, context, *rig, report);
  rig->links = link_bones(*rig);
  report.vertices = rig->vertex_count();
  report.welded_vertices = welded.positions.size();
  report.bytes = rig_bytes(*rig);
  report.seconds = timer.milliseconds() / 1000;
  return rig;
}

}  // namespace cutis
