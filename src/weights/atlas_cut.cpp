// Curves that cross each other would leave pieces that belong to nobody: the shorter keeps its place, the longer takes
// the best of its other planes that does not cross, or another place. Mirrored joints are treated alike.
#include "weights/atlas_cut.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "base/math.h"
#include "base/parallel_for.h"

namespace cutis {
namespace {

/// Chords of triangles: where curves run, to see whether two of them cross.
class Chords {
 public:
  explicit Chords(const PlaneSections& sections) : sections_(sections) {}

  [[nodiscard]] bool cross(const SectionCurve& curve) const {
    for (std::size_t i = 0; i < curve.faces.size(); ++i) {
      const auto at = chords_.find(curve.faces[i]);
      if (at == chords_.end()) continue;
      const auto [a, b] = chord(curve, i);
      for (const auto& [c, d] : at->second)
        // Ends that alternate around the triangle.
        if ((a < c && c < b && b < d) || (c < a && a < d && d < b)) return true;
    }
    return false;
  }
  void add(const SectionCurve& curve) {
    for (std::size_t i = 0; i < curve.faces.size(); ++i) chords_[curve.faces[i]].push_back(chord(curve, i));
  }

 private:
  // Ends as places along the border of the triangle, in [0, 3), the smaller first.
  [[nodiscard]] std::pair<double, double> chord(const SectionCurve& curve, std::size_t i) const {
    const std::uint32_t face = curve.faces[i];
    const auto place = [&](const SectionPoint& p) {
      const auto& edges = sections_.edges_of(face);
      const auto k = static_cast<std::size_t>(std::find(edges.begin(), edges.end(), p.edge) - edges.begin());
      const Triangle& t = sections_.topology().triangles[face];
      const Vec3d &a = sections_.positions()[t[k]], &b = sections_.positions()[t[(k + 1) % 3]];
      const double l = distance(a, b);
      return static_cast<double>(k) + (l > 0 ? std::min(distance(a, p.position) / l, 1.0) : 0.0);
    };
    return std::minmax({place(curve.points[i]), place(curve.points[(i + 1) % curve.points.size()])});
  }

  const PlaneSections& sections_;
  std::map<std::uint32_t, std::vector<std::pair<double, double>>> chords_;
};

bool on_one_side(const SectionCurve& curve, const Vec3d& point, const Vec3d& normal) {
  return std::all_of(curve.points.begin(), curve.points.end(),
                     [&](const SectionPoint& p) { return dot(p.position - point, normal) <= 0; });
}

/// Where the best curves of twins cross, both keep to their own side of the plane between the joints, so that neither
/// is preferred.
void part_twins(const Vec3d& joint, const Vec3d& other, const PlaneSections& sections, std::vector<CutCandidate>& mine,
                std::vector<CutCandidate>& others) {
  if (mine.empty() || others.empty()) return;
  Chords chords(sections);
  chords.add(mine.front().curve);
  if (!chords.cross(others.front().curve)) return;
  const Vec3d middle = (joint + other) * 0.5, across = normalized(other - joint);
  std::erase_if(mine, [&](const CutCandidate& c) { return !on_one_side(c.curve, middle, across); });
  std::erase_if(others, [&](const CutCandidate& c) { return !on_one_side(c.curve, middle, -across); });
}

}  // namespace

double AtlasCut::diameter() const { return perimeter / kPi; }

std::vector<AtlasCut> find_cuts(const WeightProblem& problem, const std::vector<AtlasBone>& skeleton,
                                const PlaneSections& sections, const Context& context) {
  std::vector<std::uint32_t> bones;
  std::vector<int> cut_of(skeleton.size(), -1);
  for (std::uint32_t i = 0; i < skeleton.size(); ++i) {
    if (!skeleton[i].active || skeleton[i].parent < 0) continue;
    cut_of[i] = static_cast<int>(bones.size());
    bones.push_back(i);
  }
  const std::vector<Strut> struts = struts_of(problem, skeleton);
  std::vector<std::vector<CutCandidate>> choices(bones.size());
  parallel_for(context, bones.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      choices[i] = CutSearch(problem, skeleton, struts, sections, bones[i]).first_choice();
  });

  std::vector<int> twin(bones.size(), -1);
  const std::vector<int> twin_bone = twins_of(problem, skeleton);
  for (std::size_t i = 0; i < bones.size(); ++i) {
    if (twin_bone[bones[i]] < 0) continue;
    twin[i] = cut_of[static_cast<std::size_t>(twin_bone[bones[i]])];
    const auto j = static_cast<std::size_t>(twin[i]);
    if (i < j) part_twins(problem.bones[bones[i]].from, problem.bones[bones[j]].from, sections, choices[i], choices[j]);
  }

  std::vector<std::size_t> order(bones.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto score = [&](std::size_t i) {
    return choices[i].empty() ? std::numeric_limits<double>::infinity() : choices[i].front().score;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return score(a) < score(b); });

  std::vector<AtlasCut> cuts(bones.size());
  std::vector<char> given_up(bones.size(), 0);
  for (bool again = true; again;) {
    again = false;
    Chords chords(sections);
    for (std::size_t i = 0; i < bones.size(); ++i) {
      cuts[i] = {};
      cuts[i].bone = bones[i];
    }
    const auto take = [&](std::size_t i, const std::vector<CutCandidate>& candidates) {
      for (const CutCandidate& c : candidates) {
        if (chords.cross(c.curve)) continue;
        chords.add(c.curve);
        cuts[i] = {bones[i], c.place, c.plane, c.tilt, c.curve.perimeter(), c.curve};
        return;
      }
    };
    for (const std::size_t i : order) {
      if (given_up[i] != 0) continue;
      take(i, choices[i]);
      const bool at_first_place = !choices[i].empty() && choices[i].front().place <= CutPlace::at_waist;
      if (!cuts[i].found() && at_first_place)
        take(i, CutSearch(problem, skeleton, struts, sections, bones[i]).second_choice());
      // Of two mirrored joints both are cut or none.
      if (cuts[i].found() || twin[i] < 0 || given_up[static_cast<std::size_t>(twin[i])] != 0) continue;
      given_up[i] = given_up[static_cast<std::size_t>(twin[i])] = 1;
      again = cuts[static_cast<std::size_t>(twin[i])].found();
      if (again) break;
    }
  }
  return cuts;
}

}  // namespace cutis
