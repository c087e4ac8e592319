#include "bind/tree.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/math.h"
#include "compose/controller.h"
#include "cutis/error.h"
#include "kernels/compose.h"
#include "rig/parts.h"
#include "rig/rig_tree.h"

namespace cutis {
namespace {

/// Operators and controllers, each kept once.
class Rules {
 public:
  Rules(const Preset& preset, const Context& context, RigTree& tree)
      : preset_(preset), context_(context), tree_(tree) {}

  struct Rule {
    TreeNode node;         ///< without sides
    bool special = false;  ///< not the contact operator
  };

  Rule of(const std::string& joint, const JointPreset& settings) {
    const std::string place = fmt::format("preset › joint '{}'", joint);
    Rule rule;
    const Named& op = operator_of(settings.op, place);
    rule.node.op = op.number;
    rule.special = op.kind != OperatorKind::contact;
    const auto [begin, count] = knots_of(settings.controller, op.kind, place);
    rule.node.knots = begin;
    rule.node.knot_count = count;
    const float first = tree_.knots[begin].x;
    rule.node.cos_start = count > 1 ? std::min(1.0F, std::cos(first) + 1e-6F) : -1.0F;
    return rule;
  }

 private:
  struct Named {
    OperatorKind kind = OperatorKind::contact;
    std::uint32_t number = 0;
  };

  const Named& operator_of(const std::string& name, const std::string& place) {
    if (const auto it = operators_.find(name); it != operators_.end()) return it->second;
    OperatorOptions options;
    std::optional<OperatorKind> kind;
    for (const OperatorProfile& profile : preset_.profiles)
      if (profile.name == name) {
        kind = OperatorKind::profile;
        options.profile = profile;
      }
    if (!kind && name != "profile") kind = operator_kind(name);
    if (!kind)
      throw Error(ErrorCode::bad_argument, place,
                  fmt::format("there is no operator '{}'; choose contact, bulge, blend, union, clean-union, or give a "
                              "profile of that name",
                              name));
    const auto made = make_operator(*kind, context_, options);
    RigOperator op;
    op.form = made->view().form;
    if (op.form == OperatorForm::table) {
      const OperatorTableView& table = made->view().table;
      op.side = table.side;
      op.slices = table.slices;
      op.nodes.assign(table.nodes, table.nodes + static_cast<std::ptrdiff_t>(table.side) * table.side * table.slices);
      op.crossing = static_cast<float>(made->profile(1).back().f2);
      op.contact_end = static_cast<float>(made->contact_end(1));
    }
    tree_.operators.push_back(std::move(op));
    return operators_[name] = {*kind, static_cast<std::uint32_t>(tree_.operators.size() - 1)};
  }

  std::pair<std::uint32_t, std::uint32_t> knots_of(const std::string& name, OperatorKind kind,
                                                   const std::string& place) {
    const int curve = kind == OperatorKind::blend ? 2 : kind == OperatorKind::contact ? 0 : 1;
    if (const auto it = curves_.find({name, curve}); it != curves_.end()) return it->second;
    ControllerPreset preset;
    const auto own = std::ranges::find(preset_.controllers, name, &ControllerPreset::name);
    if (own != preset_.controllers.end()) {
      preset = *own;
    } else {
      try {
        preset = controller_preset(name);
      } catch (const Error& error) {
        throw Error(ErrorCode::bad_argument, place, error.what());
      }
    }
    const Controller& points = curve == 2 ? preset.opening : curve == 1 ? preset.bulge : preset.contact;
    check_controller(points, 0, curve == 2 ? kPi / 4 : 1, fmt::format("{} › controller '{}'", place, name));
    const std::vector<ControllerKnot> knots = controller_knots(points);
    const auto begin = static_cast<std::uint32_t>(tree_.knots.size());
    tree_.knots.insert(tree_.knots.end(), knots.begin(), knots.end());
    return curves_[{name, curve}] = {begin, static_cast<std::uint32_t>(knots.size())};
  }

  const Preset& preset_;
  const Context& context_;
  RigTree& tree_;
  std::map<std::string, Named> operators_;
  std::map<std::pair<std::string, int>, std::pair<std::uint32_t, std::uint32_t>> curves_;
};

/// Parts joined so far.
struct Cluster {
  std::int32_t root = 0;  ///< node, or ~bone until the leaves are numbered
  int waiting = 1;        ///< sides that wait at a time (eval_tree.h)
};

class Builder {
 public:
  explicit Builder(const Rig& rig, RigTree& tree) : tree_(tree), cluster_(rig.fields.size()), of_(rig.fields.size()) {
    std::iota(of_.begin(), of_.end(), 0U);
    for (std::size_t b = 0; b < cluster_.size(); ++b) cluster_[b].root = ~static_cast<std::int32_t>(b);
  }

  void join(std::uint32_t bone, std::uint32_t other, TreeNode node) {
    std::uint32_t a = find(bone), b = find(other);
    if (a == b) return;
    if (cluster_[a].waiting < cluster_[b].waiting) std::swap(a, b);
    node.left = cluster_[a].root;
    node.right = cluster_[b].root;
    cluster_[a] = {static_cast<std::int32_t>(tree_.nodes.size()),
                   std::max(cluster_[a].waiting, cluster_[b].waiting + 1)};
    of_[b] = a;
    tree_.nodes.push_back(node);
  }

  /// Numbers the leaves from left to right.
  void finish(std::uint32_t any_bone) {
    std::vector<std::int32_t> stack = {cluster_[find(any_bone)].root};
    while (!stack.empty()) {
      const std::int32_t at = stack.back();
      stack.pop_back();
      if (at < 0) {
        tree_.leaf_bone.push_back(static_cast<std::uint32_t>(~at));
        continue;
      }
      stack.push_back(tree_.nodes[static_cast<std::size_t>(at)].right);
      stack.push_back(tree_.nodes[static_cast<std::size_t>(at)].left);
    }
    std::vector<std::int32_t> leaf_of(cluster_.size(), 0);
    for (std::size_t i = 0; i < tree_.size(); ++i) leaf_of[tree_.leaf_bone[i]] = static_cast<std::int32_t>(i);
    for (TreeNode& node : tree_.nodes)
      for (std::int32_t* side : {&node.left, &node.right})
        if (*side < 0) *side = ~leaf_of[static_cast<std::size_t>(~*side)];
    tree_.range_nodes = make_range_nodes(tree_.nodes, tree_.size()).value();
  }

 private:
  std::uint32_t find(std::uint32_t bone) const {
    while (of_[bone] != bone) bone = of_[bone];
    return bone;
  }

  RigTree& tree_;
  std::vector<Cluster> cluster_;
  std::vector<std::uint32_t> of_;
};

}  // namespace

RigTree make_tree(const Rig& rig, const Preset& preset, const Context& context) {
  RigTree tree;
  Rules rules(preset, context, tree);
  struct Meeting {
    std::uint32_t bone = 0, parent = 0;
    int depth = 0;
    Rules::Rule rule;
  };
  std::vector<Meeting> meetings;
  std::vector<std::uint32_t> parts;
  std::vector<int> depth(rig.bones.size(), 0);
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    if (rig.bones[b].parent >= 0) depth[b] = depth[static_cast<std::size_t>(rig.bones[b].parent)] + 1;
    if (rig.fields[b].empty()) continue;
    parts.push_back(static_cast<std::uint32_t>(b));
    const std::string& name = rig.skeleton.joints[static_cast<std::size_t>(rig.bones[b].joint)].name;
    const Rules::Rule rule = rules.of(name, preset.of(name));
    if (const int parent = parent_part(rig, b); parent >= 0)
      meetings.push_back({static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(parent), depth[b], rule});
  }
  if (parts.empty()) return tree;
  std::ranges::stable_sort(meetings, [](const Meeting& a, const Meeting& b) {
    return a.rule.special != b.rule.special ? a.rule.special : a.depth > b.depth;
  });
  Builder builder(rig, tree);
  for (const Meeting& m : meetings) builder.join(m.bone, m.parent, m.rule.node);
  const Rules::Rule touch = rules.of("parts that share no joint", JointPreset{});
  for (const std::uint32_t b : parts) builder.join(parts[0], b, touch.node);
  builder.finish(parts[0]);
  return tree;
}

}  // namespace cutis
