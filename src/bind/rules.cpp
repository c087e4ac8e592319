#include "bind/rules.h"

#include <algorithm>

#include "backends/posed_field.h"
#include "base/timer.h"
#include "bind/elasticity.h"
#include "bind/tree.h"
#include "cutis/error.h"
#include "rig/skin_links.h"

namespace cutis {
namespace {

// Factors are folded into the numbers they act on, so that the same bits come out again.
JointPreset in_force(const Preset& preset, const std::string& joint, double radius) {
  JointPreset settings = preset.of(joint);
  settings.support_radius = radius;
  settings.support_factor = 1;
  settings.cap = cap_of(settings, preset);
  return settings;
}

// Only what fields are made of.
JointPreset field_of(const JointPreset& settings, const Preset& preset) {
  JointPreset field = settings;
  field.op = field.controller = {};
  field.cap = cap_of(settings, preset);
  field.support_factor *= preset.support_factor;
  field.support_radius *= field.support_factor;  // 0: the part's own thickness, times the factor
  return field;
}

bool same_fields(const Preset& a, const Preset& b, const Skeleton& skeleton) {
  return a.muscles == b.muscles && a.roles == b.roles && a.spheres == b.spheres &&
         std::ranges::all_of(skeleton.joints, [&](const Joint& joint) {
           return field_of(a.of(joint.name), a) == field_of(b.of(joint.name), b);
         });
}

}  // namespace

double cap_of(const JointPreset& settings, const Preset& preset) {
  return std::clamp(settings.cap * preset.cap_factor, 0.05, 4.0);
}

Preset preset_in_force(const Preset& preset, const std::vector<PartReport>& parts, const SphereModel& spheres) {
  Preset all = preset;
  all.joints.clear();
  all.support_factor = all.cap_factor = 1;
  for (const PartReport& part : parts)
    if (part.shape != "none") all.joints.emplace_back(part.joint, in_force(preset, part.joint, part.radius));
  all.all = in_force(preset, {}, preset.all.support_radius);
  all.spheres = spheres;
  return all;
}

void paint_skin(const Character& character, const Preset& preset, Rig& rig) {
  paint_regions(character, preset, rig);
  rig.targets.clear();
  add_targets(preset, rig);
}

void compose_fields(const Preset& preset, const Context& context, Rig& rig, BindReport& report) {
  rig.tree = make_tree(rig, preset, context);
  const PosedField field(rig);
  std::vector<SkinSample> samples(rig.surface.size());
  field.eval(rig.surface.positions, samples, context);
  rig.surface.iso.resize(samples.size());
  std::ranges::transform(samples, rig.surface.iso.begin(), &SkinSample::value);
  report.unreached = 0;
  for (const float iso : rig.surface.iso) report.unreached += iso > 0 ? 0 : 1;
}

std::shared_ptr<const Rig> bind_again(const Character& character, const Context& context, const BindOptions& options,
                                      const std::shared_ptr<const Rig>& rig, const BindOptions& before,
                                      BindReport& report) {
  const bool kept = rig && rig->has_skin() && options.implicit_skin && options.turn == before.turn &&
                    rig->vertex_count() == character.vertex_count() && !character.skeleton.joints.empty() &&
                    same_fields(options.preset, before.preset, rig->skeleton);
  if (!kept) return bind(character, context, options, report);
  const Timer timer;
  check_preset(options.preset, character.skeleton);
  auto made = std::make_shared<Rig>(*rig);
  BindReport now = report;
  paint_skin(character, options.preset, *made);
  compose_fields(options.preset, context, *made, now);
  made->links = link_bones(*made);
  for (PartReport& part : now.parts) {
    const JointPreset& settings = options.preset.of(part.joint);
    part.op = settings.op;
    part.controller = settings.controller;
  }
  now.preset = preset_in_force(options.preset, now.parts, report.preset.spheres);
  now.bytes = rig_bytes(*made);
  now.seconds = timer.milliseconds() / 1000;
  report = std::move(now);
  return made;
}

}  // namespace cutis
