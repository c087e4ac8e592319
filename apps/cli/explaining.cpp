#include "explaining.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "terminal.h"

namespace cutis::cli {
namespace {

constexpr std::size_t kShownRows = 20;

std::string name_of(const Skeleton& skeleton, int joint) {
  return joint < 0 ? "(no bone)" : skeleton.joints[static_cast<std::size_t>(joint)].name;
}

std::string_view meaning(const std::string& cause) {
  if (cause == "same_part") return "folds onto itself";
  if (cause == "joint") return "fold at the joint";
  if (cause == "rest_overlap") return "reach into each other at rest";
  if (cause == "bone_inside") return "the pose drives a bone in";
  return "touch";
}

}  // namespace

std::vector<ExplainedRow> explained_rows(const Skeleton& skeleton, const std::vector<std::vector<PairGroup>>& frames) {
  std::map<std::tuple<int, int, PairCause>, ExplainedRow> rows;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    for (const PairGroup& g : frames[f]) {
      auto [it, fresh] = rows.try_emplace({g.joint_a, g.joint_b, g.cause});
      ExplainedRow& row = it->second;
      if (fresh) {
        row.part_a = name_of(skeleton, g.joint_a);
        row.part_b = name_of(skeleton, g.joint_b);
        row.cause = to_string(g.cause);
        row.first_frame = f;
      }
      row.last_frame = f;
      row.pairs += g.pairs;
      row.own_side += g.own_side;
      if (g.pairs > row.worst_pairs) {
        row.worst_pairs = g.pairs;
        row.worst_frame = f;
      }
      if (g.depth > row.depth) {
        row.depth = g.depth;
        row.inside = name_of(skeleton, g.inside);
      }
    }
  }
  std::vector<ExplainedRow> sorted;
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ExplainedRow& a, const ExplainedRow& b) { return a.pairs > b.pairs; });
  return sorted;
}

Json to_json(const std::vector<ExplainedRow>& rows) {
  Json json = Json::array();
  for (const ExplainedRow& r : rows) {
    Json row{{"parts", {r.part_a, r.part_b}},
             {"cause", r.cause},
             {"pairs", r.pairs},
             {"own_side", r.own_side},
             {"frames", {r.first_frame, r.last_frame}},
             {"worst_frame", r.worst_frame},
             {"worst_pairs", r.worst_pairs}};
    if (r.depth > 0) {
      row["bone_inside"] = r.inside;
      row["depth"] = rounded(r.depth);
    }
    json.push_back(std::move(row));
  }
  return json;
}

void print_explanation(const std::string& method, const std::vector<ExplainedRow>& rows) {
  if (rows.empty()) {
    tell("{}: no intersecting pairs\n", method);
    return;
  }
  std::size_t total = 0;
  for (const ExplainedRow& r : rows) total += r.pairs;
  tell("{}: {} intersecting pairs over all frames, by cause\n", method, total);
  tell("  {:>8} {:>8}  {:<30} {:<14} {:<30} {}\n", "pairs", "worst", "parts", "frames", "cause", "");
  for (std::size_t i = 0; i < std::min(rows.size(), kShownRows); ++i) {
    const ExplainedRow& r = rows[i];
    std::string note = r.own_side > 0 ? fmt::format("{} with all vertices on their own side", r.own_side) : "";
    if (r.depth > 0)
      note =
          fmt::format("bone {} up to {:.3g} mm inside{}{}", r.inside, r.depth * 1000, note.empty() ? "" : "; ", note);
    tell("  {:>8} {:>8}  {:<30} {:<14} {:<30} {}\n", r.pairs, fmt::format("@{}", r.worst_frame),
         r.part_a == r.part_b ? r.part_a : r.part_a + " / " + r.part_b,
         fmt::format("{}-{}", r.first_frame, r.last_frame), meaning(r.cause), note);
  }
  if (rows.size() > kShownRows) tell("  and {} more in --json\n", rows.size() - kShownRows);
}

Json to_json(const ContactReport& report, const Skeleton& skeleton) {
  Json relief = Json::array(), released = Json::array(), overlaps = Json::array();
  for (const BoneOffset& b : report.relief)
    relief.push_back({{"bone", name_of(skeleton, b.joint)},
                      {"offset", {rounded(b.offset.x), rounded(b.offset.y), rounded(b.offset.z)}}});
  for (const auto& [a, b] : report.released) released.push_back({name_of(skeleton, a), name_of(skeleton, b)});
  for (const BoneOverlap& o : report.overlaps)
    overlaps.push_back({{"thin", name_of(skeleton, o.thin)},
                        {"thick", name_of(skeleton, o.thick)},
                        {"depth", rounded(o.depth)},
                        {"left", rounded(o.left)}});
  Json regions = Json::array();
  for (const TouchingRegion& r : report.regions)
    regions.push_back({{"part", name_of(skeleton, r.joint)},
                       {"touches", name_of(skeleton, r.other)},
                       {"vertices", r.vertices},
                       {"depth", rounded(r.depth)}});
  return {{"certified", report.certified},
          {"limit", to_string(report.limit)},
          {"work", report.work},
          {"substeps", report.substeps},
          {"halvings", report.halvings},
          {"candidates", report.candidates},
          {"hits", report.hits},
          {"tests", report.tests},
          {"truncated", report.truncated},
          {"freed", report.freed},
          {"untangled", report.untangled},
          {"touching_vertices", report.touching_vertices},
          {"regions", regions},
          {"released", released},
          {"relief", relief},
          {"overlaps", overlaps},
          {"ms", rounded(report.milliseconds)}};
}

}  // namespace cutis::cli
