#include "weights/atlas_skeleton.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace cutis {
namespace {

/// Shorter than this, relative to the size, is no length.
constexpr double kNoLength = 1e-6;
/// Mirrored bones have lengths that differ by no more than this, relative to the size.
constexpr double kTwins = 1e-3;

}  // namespace

std::vector<AtlasBone> atlas_skeleton(const WeightProblem& problem) {
  const std::size_t n = problem.bones.size();
  const double none = kNoLength * problem.size;
  std::vector<AtlasBone> skeleton(n);
  for (std::size_t i = 0; i < n; ++i) skeleton[i].active = !problem.bones[i].point;
  if (n > 0 && std::none_of(skeleton.begin(), skeleton.end(), [](const AtlasBone& b) { return b.active; }))
    skeleton[0].active = true;

  for (std::size_t i = 0; i < n; ++i) {
    const WeightBone& bone = problem.bones[i];
    AtlasBone& b = skeleton[i];
    b.parent = bone.parent;
    while (b.parent >= 0 && !skeleton[static_cast<std::size_t>(b.parent)].active)
      b.parent = problem.bones[static_cast<std::size_t>(b.parent)].parent;
    b.upper = b.lower = normalized(bone.to - bone.from, Vec3d{0, 1, 0});
    if (b.parent < 0) continue;
    const Vec3d up = bone.from - problem.bones[static_cast<std::size_t>(b.parent)].from;
    if (!(length(up) > none)) continue;
    b.upper_length = length(up);
    b.upper = up / b.upper_length;
    if (bone.leaf) b.lower = b.upper;
  }
  return skeleton;
}

std::vector<Strut> struts_of(const WeightProblem& problem, const std::vector<AtlasBone>& skeleton) {
  std::vector<Strut> struts;
  std::vector<char> has_child(skeleton.size(), 0);
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    if (!skeleton[i].active || skeleton[i].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(skeleton[i].parent);
    has_child[parent] = 1;
    struts.push_back({skeleton[i].parent, static_cast<int>(i), problem.bones[parent].from, problem.bones[i].from});
  }
  for (std::size_t i = 0; i < skeleton.size(); ++i)
    if (skeleton[i].active && has_child[i] == 0)
      struts.push_back({static_cast<int>(i), -1, problem.bones[i].from, problem.bones[i].to});
  return struts;
}

std::vector<int> twins_of(const WeightProblem& problem, const std::vector<AtlasBone>& skeleton) {
  const double close = kTwins * problem.size;
  const auto length_of = [&](std::size_t b) { return distance(problem.bones[b].from, problem.bones[b].to); };
  std::vector<int> twin(skeleton.size(), -1);
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    int found = 0;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
      if (i == j || !skeleton[i].active || !skeleton[j].active) continue;
      if (skeleton[i].parent < 0 || skeleton[i].parent != skeleton[j].parent) continue;
      if (std::abs(skeleton[i].upper_length - skeleton[j].upper_length) > close) continue;
      if (std::abs(length_of(i) - length_of(j)) > close) continue;
      twin[i] = ++found == 1 ? static_cast<int>(j) : -1;
    }
  }
  for (std::size_t i = 0; i < twin.size(); ++i)
    if (twin[i] >= 0 && twin[static_cast<std::size_t>(twin[i])] != static_cast<int>(i)) twin[i] = -1;
  return twin;
}

}  // namespace cutis
