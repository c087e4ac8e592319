// Every character of the data folder, one core, processor time: what binding takes, and a frame of tracking with
// contact while all joints swing alike; beside the same of a clean body, vertex by vertex.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/hash.h"
#include "bench/motion.h"
#include "bench/play.h"
#include "rig/rig.h"

namespace cutis::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kAvatarFrames = 24, kAvatarWarmUp = 4;  // a swing takes 20
constexpr int kBinds = 3;
// Binding, in seconds; a vertex and frame, in those of the body; the worst frame, in medians.
constexpr double kBindSmall = 1, kBindLarge = 4, kOfTheBody = 3, kWorst = 50;
constexpr std::size_t kSmall = 15'000;
constexpr const char* kBody = "makehuman_male/makehuman_male.glb";
// What the folder is known to have: said when it is not there.
constexpr const char* kKnown[] = {
    kBody,
    "makehuman_male/makehuman_male_hires.glb",
    "hand_webxr/hand_left_poses.glb",
    "cesium_man/cesium_man.glb",
    "fox/fox.glb",
    "rigged_figure/rigged_figure.glb",
    "avatars/rocketbox_male.glb",
    "avatars/spider.glb",
    "avatars/platformer_character.glb",
    "avatars/astronaut_draco.glb",
    "avatars/robot_expressive.glb",
    "avatars/lumberjack.glb",
    "avatars/rabbit.vrm",
    "avatars/rabbit.fbx",
};

// The body first: the others are held against it.
std::vector<fs::path> files_in(const Bench& bench) {
  std::vector<fs::path> files;
  for (const char* name : kKnown) {
    const std::string file = bench.data_file(name, "its rows are left out");
    if (!file.empty()) files.emplace_back(file);
  }
  if (bench.data().empty()) return files;
  std::vector<fs::path> more;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(bench.data())) {
    const std::string ending = entry.path().extension().string();
    const bool holds = ending == ".glb" || ending == ".gltf" || ending == ".vrm" || ending == ".fbx";
    const auto is_same = [&](const fs::path& file) { return fs::equivalent(file, entry.path()); };
    if (holds && entry.is_regular_file() && std::ranges::none_of(files, is_same)) more.push_back(entry.path());
  }
  std::ranges::sort(more);
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

std::vector<double> scaled(std::vector<double> values, double by) {
  for (double& v : values) v *= by;
  return values;
}

class Avatars {
 public:
  explicit Avatars(const Bench& bench) : bench_(bench) {}

  void add(const fs::path& file) {
    const std::string name = fmt::format("avatars/{}", file.filename().string());
    const bool is_body = file.generic_string().ends_with(kBody);
    if (!bench_.wants(name) && !is_body) return;
    Character character;
    try {
      character = load_character(file.string(), bench_.context());
    } catch (const Error& error) {
      bench_.context().warn(fmt::format("{} is left out: {}", name, error.what()));
      return;
    }
    const bool has_skin = std::ranges::none_of(character.meshes, [](const Mesh& m) { return m.weights.empty(); });
    if (character.meshes.empty() || character.skeleton.joints.empty() || !has_skin) {
      bench_.context().warn(fmt::format("{} is left out: it has no skeleton or no weights", name));
      return;
    }
    const std::shared_ptr<const Rig> rig = bind_row(name, character);
    frame_row(name, character, rig, is_body);
  }

 private:
  std::shared_ptr<const Rig> bind_row(const std::string& name, const Character& character) const {
    std::shared_ptr<const Rig> rig;
    std::vector<double> seconds;
    BindReport report;
    for (int i = 0; i < kBinds; ++i) {
      const double start = cpu_seconds();
      rig = bind(character, bench_.alone(), {}, report);
      seconds.push_back(cpu_seconds() - start);
    }
    Row row;
    row.name = name + "/bind";
    row.unit = "s";
    row.budget = report.vertices <= kSmall ? kBindSmall : kBindLarge;
    row.cpu = median(seconds);
    set_values(row, std::move(seconds));
    row.hash = hash_span(std::span<const float>(rig->surface.iso));
    row.quality = {{"vertices", static_cast<double>(report.vertices)}, {"bytes", static_cast<double>(report.bytes)}};
    bench_.emit(row);
    return rig;
  }

  void frame_row(const std::string& name, const Character& character, const std::shared_ptr<const Rig>& rig,
                 bool is_body) {
    const SolveOptions options{.method = Method::tracking, .contact_pass = true};
    const std::vector<Pose> poses = swing(character, moving_joints(character), kAvatarFrames);
    Solver solver(rig, options, bench_.alone());
    solver.foresee(poses);
    Row row;
    row.name = name + "/frame";
    row.unit = "ns/vertex";
    row.hash = kHashSeed;
    std::vector<double> ms;
    std::vector<FrameReport> reports;
    std::size_t vertices = 0;
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const double start = cpu_seconds();
      const Frame& frame = solver.solve(poses[i]);
      const double used = (cpu_seconds() - start) * 1e3;
      vertices = frame.positions.size();
      row.hash = hash_span(std::span<const Vec3f>(frame.positions), row.hash);
      if (i < kAvatarWarmUp) continue;
      ms.push_back(used);
      if (bench_.profile()) reports.push_back(frame.report);
    }
    const double frame_ms = median(ms);
    set_values(row, scaled(std::move(ms), 1e6 / static_cast<double>(vertices)));
    row.cpu = row.median;
    if (is_body) body_ = row.median;
    row.budget = kOfTheBody * body_;
    row.quality = {{"ms_per_frame", frame_ms}};
    if (bench_.profile()) row.profile = profile_of(reports);
    if (body_ > 0) row.quality.push_back({"of_the_body's", row.median / body_});
    bench_.emit(row);
    Row worst = single_value(name + "/worst_frame", "medians", row.worst / row.median, row.hash);
    worst.budget = kWorst;
    bench_.emit(worst);
  }

  const Bench& bench_;
  double body_ = 0;  // of a vertex and frame, ns; 0: the body is absent
};

}  // namespace

void avatars(const Bench& bench) {
  Avatars rows(bench);
  for (const fs::path& file : files_in(bench)) rows.add(file);
}

}  // namespace cutis::bench
