// endurance METHOD FRAMES [CHARACTER]: that many frames in one process, of random motions one after the other, with
// contact; what the process holds after the first tenth (at most 1,000 frames) is what it holds at the end, within a
// megabyte, and a frame takes as long at the end as at the beginning. endurance large METHOD LEVELS [CHARACTER]: a body
// subdivided so many times, each with four times the vertices, bound and played for three frames; the most memory that
// it took. METHOD+contact: with contact, of which `large` has none else. endurance solvers N: as many solvers of one
// rig, one after the other.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "bench/subdivide.h"
#include "cutis/cutis.h"

namespace {

using namespace cutis;

constexpr double kMostGrowth = 1024 * 1024;
constexpr std::size_t kSettled = 1000;

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

struct Watch {
  explicit Watch(std::size_t n) : ms(n) {}  // all of it now: what grows is to be theirs

  double settled = 0, most = 0;
  std::vector<double> ms;

  void take(std::size_t i, std::size_t n, double milliseconds) {
    const std::size_t settled_at = std::min(kSettled, n / 10);
    ms[i] = milliseconds;
    if (i + 1 == settled_at) settled = resident_bytes();
    if (i + 1 > settled_at && (i % 100 == 0 || i + 1 == n)) most = std::max(most, resident_bytes());
  }
  int judge(const char* what) const {
    const auto tenth = static_cast<std::ptrdiff_t>(ms.size() / 10);
    const double first = median({ms.begin() + tenth, ms.begin() + 2 * tenth}),
                 last = median({ms.end() - tenth, ms.end()});
    std::printf(
        "%s: %zu, memory %.2f MB after the first %zu, at most %.2f MB after; median %.3f ms in the second tenth, %.3f "
        "in the last\n",
        what, ms.size(), settled / kMostGrowth, std::min(kSettled, ms.size() / 10), most / kMostGrowth, first, last);
    if (most > settled + kMostGrowth) std::printf("memory grew by %.2f MB\n", (most - settled) / kMostGrowth);
    return most > settled + kMostGrowth ? 1 : 0;
  }
};

int run_solvers(std::size_t n, const Character& character, const Context& context) {
  const auto rig = bind(character, context);
  Watch watch(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto start = std::chrono::steady_clock::now();
    Solver solver(rig, {}, context);
    (void)solver.solve(sample(character.skeleton, character.clips.front(), 0.5));
    watch.take(i, n, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return watch.judge("solvers");
}

int run_large(Method method, bool contact, int levels, Character character, const Context& context) {
  for (int i = 0; i < levels; ++i) character = bench::subdivided(character);
  const double vertices = static_cast<double>(character.vertex_count()), before = resident_bytes();
  SolveOptions options{.method = method};
  options.contact_pass = contact;
  const std::clock_t start = std::clock();
  const auto rig = bind(character, context, {.implicit_skin = needs_skin(method)});
  const double bind_seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  Solver solver(rig, options, context);
  const Clip& clip = character.clips.front();
  std::size_t nonfinite = 0;
  const std::clock_t frames = std::clock();
  for (const double time : {0.0, 1.0 / 30, 2.0 / 30})
    nonfinite += solver.solve(sample(character.skeleton, clip, time)).report.nonfinite;
  const double frame_seconds = static_cast<double>(std::clock() - frames) / CLOCKS_PER_SEC / 3;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double most = static_cast<double>(usage.ru_maxrss) * 1024;
  std::printf(
      "%s: %.0f vertices, %.0f MB before bind, at most %.0f MB, %.0f bytes a vertex in all; bind %.2f s, %.0f ms a "
      "frame of the processor\n",
      (std::string(to_string(method)) + (contact ? "+contact" : "")).c_str(), vertices, before / kMostGrowth,
      most / kMostGrowth, most / vertices, bind_seconds, 1000 * frame_seconds);
  return nonfinite > 0 ? 1 : 0;
}

int run_frames(Method method, std::size_t n, const Character& character, const Context& context) {
  SolveOptions options{.method = method};
  options.contact_pass = true;
  Solver solver(bind(character, context), options, context);
  Watch watch(n);
  Clip clip;
  constexpr std::size_t kFramesOfAClip = 120;  // four seconds
  std::size_t nonfinite = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % kFramesOfAClip == 0)
      clip = *random_motion(character.skeleton, "random:" + std::to_string(i / kFramesOfAClip));
    const Pose pose = sample(character.skeleton, clip, static_cast<double>(i % kFramesOfAClip) / 30);
    const auto start = std::chrono::steady_clock::now();
    const Frame& frame = solver.solve(pose);
    watch.take(i, n, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    nonfinite += frame.report.nonfinite;
  }
  if (nonfinite > 0) std::printf("%zu positions were not finite\n", nonfinite);
  return watch.judge(std::string(to_string(method)).c_str()) | (nonfinite > 0 ? 1 : 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const Context context(1);
  if (std::strcmp(argv[1], "large") == 0) {
    if (argc < 4) return 2;
    const std::string method(argv[2]), name = method.substr(0, method.find('+'));
    return run_large(method_from_string(name), name != method, std::atoi(argv[3]),
                     load_character(argc > 4 ? argv[4] : "builtin:human", context), context);
  }
  const std::size_t n = std::strtoul(argv[2], nullptr, 10);
  const Character character = load_character(argc > 3 ? argv[3] : "builtin:cylinder:600", context);
  if (std::strcmp(argv[1], "solvers") == 0) return run_solvers(n, character, context);
  return run_frames(method_from_string(argv[1]), n, character, context);
}
