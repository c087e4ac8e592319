#include "solve/unheeded.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/math.h"
#include "cutis/compose.h"
#include "rig/rig_tree.h"

namespace cutis {
namespace {

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > kMost ? fmt::format("{} and {} more", text, names.size() - kMost) : text;
}

// Whether a controller is the curve that joints have unless a preset says otherwise.
bool is_default(const Rig& rig, const TreeNode& node) {
  static const Controller curve = controller_preset("default").contact;
  for (int degrees = 0; degrees <= 180; degrees += 5) {
    const double angle = degrees * kPi / 180;
    const float value = evaluate_controller(rig.tree.knots.data() + node.knots, static_cast<int>(node.knot_count),
                                            static_cast<float>(angle));
    if (std::abs(static_cast<double>(value) - curve(angle)) > 1e-3) return false;
  }
  return true;
}

}  // namespace

void warn_of_unheeded(const Rig& rig, const SolveOptions& options, const Context& context) {
  const bool tracks = options.method == Method::tracking && options.tracking.contact == ContactModel::own_side;
  const bool projects = options.method == Method::implicit && options.implicit.contact == ContactModel::own_side;
  if (!rig.has_skin() || (!tracks && !projects)) return;
  const auto joints = [&](const std::function<bool(const TreeNode&, const TreeOperator&)>& which) {
    std::vector<std::string> names;
    for (std::uint32_t b = 0; b < rig.bones.size(); ++b) {
      const TreeNode* const node = joint_node(rig, b);
      if (node != nullptr && which(*node, rig.tree.operators[node->op].view()))
        names.push_back(rig.skeleton.joints[static_cast<std::size_t>(rig.bones[b].joint)].name);
    }
    return names;
  };
  const auto unions = joints([](const TreeNode&, const TreeOperator& op) {
    return op.view.form == OperatorForm::unite || op.view.form == OperatorForm::clean_union;
  });
  if (tracks && !unions.empty())
    context.warn(
        fmt::format("tracking keeps skins apart at every joint: the union of {} does what 'contact' does; "
                    "--contact operator follows the preset's union",
                    listed(unions)));
  const auto shapes = joints([&](const TreeNode&, const TreeOperator& op) {
    return shapes_skin(op.view) && !(options.implicit.blend && op.view.form == OperatorForm::blend);
  });
  if (projects && !shapes.empty())
    context.warn(
        fmt::format("implicit on the own side does not use the operators of {} (bulge, blend or a profile); "
                    "tracking does, and --contact operator, and --operator blend",
                    listed(shapes)));
  const auto controlled = joints([&](const TreeNode& node, const TreeOperator& op) {
    return op.view.form == OperatorForm::table && !shapes_skin(op.view) && !is_default(rig, node);
  });
  if (!controlled.empty())
    context.warn(
        fmt::format("{} on the own side finds contact from the pose: the contact curve of the controller of {} "
                    "is not used; --contact operator uses it",
                    tracks ? "tracking" : "implicit", listed(controlled)));
}

}  // namespace cutis
