#include "demo_page.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report.h"

namespace cutis::cli {
namespace {

constexpr const char* kPlayerStyle = R"(
.pair{display:grid;grid-template-columns:1fr 1fr;gap:.8rem;margin:.8rem 0}
@media(max-width:520px){.pair{gap:.3rem}figcaption{font-size:.8rem}}
.view{aspect-ratio:1;border-radius:6px;overflow:hidden;background-repeat:no-repeat}
.view img{width:100%;height:100%;border-radius:0}
.pair figcaption{font-size:1rem}.count{font-weight:650}.some{color:var(--bad)}.none{color:var(--good)}
.viewer{width:100%;height:34rem;max-height:90vh;border:1px solid #8884;border-radius:6px}
.bar{display:flex;gap:.8rem;align-items:center;margin:.2rem 0 1rem}.bar[hidden]{display:none}
.bar input{flex:1;min-width:0}.bar button{font:inherit;padding:.25rem 1rem;min-width:5.5rem}
.bar output{font-variant-numeric:tabular-nums;min-width:4rem;text-align:right}
)";

// A slider and a button move a window over the film; at the scene's moment the large still is shown. The bar is hidden
// until the script runs.
constexpr const char* kPlayerScript = R"(
for (const player of document.querySelectorAll('.player')) {
  const times = player.dataset.times.split(',').map(Number), moment = +player.dataset.moment;
  const columns = +player.dataset.columns, rows = Math.ceil(times.length / columns);
  const bar = player.querySelector('.bar'), slider = bar.querySelector('input');
  const button = bar.querySelector('button'), clock = bar.querySelector('output');
  let timer = 0;
  const percent = (i, n) => n > 1 ? 100 * i / (n - 1) + '%' : '0%';
  function show(i) {
    for (const pane of player.querySelectorAll('.pane')) {
      const view = pane.querySelector('.view'), count = pane.querySelector('.count');
      view.style.backgroundImage = 'url("' + view.dataset.film + '")';
      view.style.backgroundSize = columns * 100 + '% ' + rows * 100 + '%';
      view.style.backgroundPosition = percent(i % columns, columns) + ' ' + percent(Math.floor(i / columns), rows);
      view.querySelector('img').style.visibility = i === moment && !timer ? 'visible' : 'hidden';
      const pairs = +pane.dataset.pairs.split(',')[i];
      count.textContent = pairs + (pairs === 1 ? ' intersecting pair' : ' intersecting pairs');
      count.className = 'count ' + (pairs ? 'some' : 'none');
    }
    slider.value = i;
    clock.textContent = times[i].toFixed(2) + ' s';
  }
  function stop() { clearInterval(timer); timer = 0; button.textContent = 'Play'; }
  slider.addEventListener('input', () => { stop(); show(+slider.value); });
  button.addEventListener('click', () => {
    if (timer) { stop(); show(+slider.value); return; }
    button.textContent = 'Pause';
    const step = 1000 * (times[times.length - 1] - times[0]) / (times.length - 1);
    timer = setInterval(() => show((+slider.value + 1) % times.length), step);
  });
  bar.hidden = false;
  show(moment);
}
)";

std::string count_class(std::size_t pairs) { return pairs > 0 ? "count some" : "count none"; }

std::string long_name(Method method) {
  switch (method) {
    case Method::lbs:
      return "linear blend (lbs)";
    case Method::dqs:
      return "dual quaternions (dqs)";
    case Method::ddm:
      return "direct delta mush (ddm)";
    case Method::implicit:
      return "implicit";
    case Method::tracking:
      return "tracking";
  }
  return {};
}

std::string pane(const DemoResult& result, const DemoFiles& files, Method method) {
  const DemoTake& take = result.take(method);
  std::vector<std::size_t> pairs;
  for (std::size_t i = 0; i < take.metrics.size(); ++i) pairs.push_back(take.pairs(i));
  const std::size_t now = take.pairs(result.moment);
  return fmt::format(
      "<figure class=\"pane\" data-pairs=\"{}\"><div class=\"view\" data-film=\"{}\"><img src=\"{}\" alt=\"{}, {} at "
      "{:.2f} seconds\"></div><figcaption>{}: <span class=\"{}\">{}</span></figcaption></figure>\n",
      fmt::join(pairs, ","), files.film(method), files.still(method), escape_html(result.scene.title),
      escape_html(long_name(method)), result.motion.times[result.moment], escape_html(long_name(method)),
      count_class(now), pairs_text(now));
}

std::string player(const DemoResult& result, const DemoFiles& files) {
  std::vector<std::string> times;
  for (const double t : result.motion.times) times.push_back(fmt::format("{:.3f}", t));
  return fmt::format(
      "<div class=\"player\" data-times=\"{}\" data-moment=\"{}\" data-columns=\"{}\">\n<div class=\"pair\">\n{}{}"
      "</div>\n<div class=\"bar\" hidden><button type=\"button\">Play</button><input type=\"range\" min=\"0\" "
      "max=\"{}\" value=\"{}\" aria-label=\"time\"><output></output></div>\n</div>\n",
      fmt::join(times, ","), result.moment, files.columns, pane(result, files, Method::dqs),
      pane(result, files, Method::tracking), result.motion.times.size() - 1, result.moment);
}

std::string close_ups(const DemoFiles& files) {
  std::string html = "<div class=\"pair\">\n";
  for (const Method method : {Method::dqs, Method::tracking})
    html += fmt::format("<figure><img src=\"{}\" alt=\"close-up, {}\"><figcaption>{}</figcaption></figure>\n",
                        files.close_up(method), escape_html(long_name(method)), escape_html(long_name(method)));
  return html + "</div>\n";
}

std::vector<std::vector<std::string>> number_rows(const DemoResult& result) {
  std::vector<std::vector<std::string>> rows{
      {"method", "intersecting pairs", "folds", "roughness", "scars", "volume", "longest stretch", "ms a frame"}};
  for (const DemoTake& t : result.takes)
    rows.push_back({std::string(to_string(t.method)), fmt::format("{:.0f}", t.worst("intersecting_pairs")),
                    fmt::format("{:.0f}", t.worst("folds")), fmt::format("{:.2f}°", t.worst("roughness")),
                    fmt::format("{:.0f}", t.worst("scars")), fmt::format("{:+.1f}%", 100 * t.worst("volume_change")),
                    fmt::format("{:.2f}", t.worst("stretch_max")), fmt::format("{:.2f}", t.median_ms)});
  return rows;
}

void add_scene(HtmlReport& report, const DemoResult& result, const DemoFiles& files) {
  report.section(result.scene.title, result.scene.text);
  report.html(player(result, files));
  report.html("<h3>Numbers of the worst frame</h3>\n");
  report.table(number_rows(result), result.takes.size());
  report.command(measure_command(result.scene));
  report.html("<h3>Close up, where dual quaternions are worst</h3>\n");
  report.html(close_ups(files));
  report.html("<h3>Every method at the same moment</h3>\n");
  report.picture(files.methods(), fmt::format("{} at {:.2f} seconds, {} vertices.", result.scene.title,
                                              result.motion.times[result.moment], result.character->vertex_count()));
}

void add_viewer(HtmlReport& report, const std::string& viewer) {
  report.section(
      "Live",
      "The same solver, in this page: play the fist, click a joint and drag a ring, try the methods. Nothing "
      "leaves this machine.");
  report.html(fmt::format(
      "<iframe class=\"viewer\" src=\"{}\" title=\"A hand to pose, live\" loading=\"lazy\"></iframe>\n", viewer));
  report.link(viewer, "In a window of its own");
}

void add_next_steps(HtmlReport& report, const DemoResult& animated, const std::string& animation) {
  report.section("Take it with you",
                 fmt::format("{} holds the tracked skin of \"{}\" as one morph target a frame, with materials and "
                             "normals: any glTF viewer, engine or editor plays it.",
                             animation, animated.scene.title));
  report.link(animation, animation);
  report.html(
      "<ul>\n<li>Blender: File › Import › glTF 2.0, choose the file, press Space to play.</li>\n"
      "<li>Engines and web pages: load it as any animated glTF; three.js, Babylon and Godot play morph targets as they "
      "are.</li>\n<li>Other programs: <code>cutis animate</code> writes .usda .pc2 .mdd .obj .ply too.</li>\n</ul>\n");
  report.section("Your own character",
                 "A rigged file (.glb .gltf .vrm .fbx .dae) with a clip, or with a BVH motion, is enough.");
  report.command(
      "cutis info character.glb\n"
      "cutis animate character.glb --clip walk -o walk.glb\n"
      "cutis measure character.glb --clip walk --methods dqs,tracking --frames 12\n"
      "cutis render character.glb --clip walk --methods dqs,tracking --zoom worst -o walk.png");
}

void add_meanings(HtmlReport& report, int threads) {
  report.section("What the numbers mean", "");
  report.html(
      "<ul>\n<li><b>Intersecting pairs</b>: pairs of triangles that share no vertex and have a point in common, "
      "decided "
      "exactly. Skin that passes through skin.</li>\n"
      "<li><b>Folds</b>: edges folded by more than 120 degrees that were not at rest.</li>\n"
      "<li><b>Roughness</b>: how much the angles between neighbouring triangles changed, root mean square, away from "
      "where skin touches. A bend needs some; less is smoother.</li>\n"
      "<li><b>Volume</b>: of the whole body against the rest pose.</li>\n"
      "<li><b>Longest stretch</b>: of an edge, as a multiple of its length at rest.</li>\n</ul>\n");
  report.paragraph(fmt::format(
      "Each column has its own worst frame; times are medians over the frames, positions and normals, on {} thread{}. "
      "Tracking follows the clip at 30 frames a second and includes contact.",
      threads, threads == 1 ? "" : "s"));
}

}  // namespace

std::string DemoFiles::still(Method method) const { return fmt::format("{}_{}.png", scene, to_string(method)); }
std::string DemoFiles::film(Method method) const { return fmt::format("{}_{}_film.jpg", scene, to_string(method)); }
std::string DemoFiles::close_up(Method method) const {
  return fmt::format("{}_{}_close.png", scene, to_string(method));
}
std::string DemoFiles::methods() const { return fmt::format("{}_methods.png", scene); }

std::string pairs_text(std::size_t pairs) {
  return fmt::format("{} intersecting pair{}", pairs, pairs == 1 ? "" : "s");
}

std::string measure_command(const DemoScene& scene) {
  return fmt::format("cutis measure builtin:{} --clip {} --frames {} --methods {}", scene.character, scene.clip,
                     scene.frames, fmt::join(method_names(), ","));
}

Json demo_numbers(const DemoResult& result) {
  Json methods = Json::object();
  for (const DemoTake& t : result.takes) {
    Json pairs = Json::array();
    for (std::size_t i = 0; i < t.metrics.size(); ++i) pairs.push_back(t.pairs(i));
    Json numbers{{"pairs", pairs}};
    for (const char* metric : {"intersecting_pairs", "folds", "roughness", "scars", "volume_change", "stretch_max"})
      numbers[metric] = rounded(t.worst(metric));
    numbers["ms"] = rounded(t.median_ms);
    methods[std::string(to_string(t.method))] = std::move(numbers);
  }
  return {{"character", result.scene.character},
          {"clip", result.scene.clip},
          {"frames", result.motion.times.size()},
          {"moment", result.moment},
          {"time", rounded(result.motion.times[result.moment])},
          {"command", measure_command(result.scene)},
          {"methods", methods}};
}

std::string demo_page(const std::vector<DemoResult>& results, const std::vector<DemoFiles>& files,
                      const std::string& animation, const std::string& viewer, int threads) {
  std::vector<std::string> dqs, tracking;
  for (const DemoResult& r : results) {
    dqs.push_back(fmt::format("{}", r.take(Method::dqs).pairs(r.moment)));
    tracking.push_back(fmt::format("{}", r.take(Method::tracking).pairs(r.moment)));
  }
  HtmlReport report(
      "Cutis: skin that touches and does not pass through",
      fmt::format(
          "Cutis deforms a character's mesh with its skeleton, frame by frame. Where limbs meet, smooth skinning "
          "drives skin through skin; Cutis tracks the skin, stops it at contact and keeps it whole. The same "
          "three motions of the built-in characters, dual quaternion skinning beside tracking: intersecting "
          "pairs of triangles at the worst moment {} against {}.",
          fmt::join(dqs, ", "), fmt::join(tracking, ", ")));
  report.style(kPlayerStyle);
  if (!viewer.empty()) add_viewer(report, viewer);
  for (std::size_t i = 0; i < results.size(); ++i) add_scene(report, results[i], files[i]);
  add_meanings(report, threads);
  for (const DemoResult& r : results)
    if (animation.starts_with(r.scene.name())) add_next_steps(report, r, animation);
  report.script(kPlayerScript);
  return report.str();
}

}  // namespace cutis::cli
