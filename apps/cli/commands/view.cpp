#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "common.h"
#include "cutis/cutis.h"
#include "cutis/files.h"
#include "loopback.h"
#include "option_flags.h"
#include "report.h"
#include "signals.h"
#include "viewer_page.h"

namespace cutis::cli {
namespace {

struct ViewArguments {
  CommonOptions common;
  std::string file, folder = "view", clip, bvh, page, preset;
  MotionOptions retarget{};
  bool serve = false;
  std::uint16_t port = 0;
};

bool ends_with(const std::string& file, std::string_view extension) {
  std::string end = std::filesystem::path(file).extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return end == extension;
}

/// The bytes that the page reads: the file's own where it can, else the character written as .glb.
std::string bytes_for_page(const ViewArguments& options, Character& character, const Session& session) {
  if (options.bvh.empty() && (ends_with(options.file, ".glb") || ends_with(options.file, ".vrm"))) {
    std::string bytes = read_file(options.file);
    const auto has = [&](std::string_view text) { return bytes.find(text) != std::string::npos; };
    // Those two are not decoded in a browser.
    if (!has("KHR_draco_mesh_compression") && !has("EXT_meshopt_compression")) return bytes;
  }
  const std::string written = (std::filesystem::path(options.folder) / "character.glb").string();
  write_character(written, character, session.context());
  return read_file(written);
}

void run_view(const ViewArguments& options) {
  Session session(options.common);
  const std::string found = options.page.empty() ? find_viewer_page() : options.page;
  if (found.empty())
    throw Error(ErrorCode::io, "view",
                "the viewer's page was not built; build it with `make wasm`, or name one with --page");
  const std::string empty_page = read_file(found);
  check_viewer_page(empty_page, found);
  make_folder(options.folder);

  Character character = load_character(options.file, session.context(), {.attached = true});
  if (!character.has_weights())
    throw Error(ErrorCode::bad_character, options.file, "has no weights; make them with `cutis weights` first");
  std::string clip = options.clip;
  if (!options.bvh.empty()) {
    Clip motion = load_motion(options.bvh, character, session.context(), options.retarget);
    clip = motion.name;
    std::erase_if(character.clips, [&](const Clip& own) { return own.name == clip; });
    character.clips.push_back(std::move(motion));
  } else if (!clip.empty()) {
    clip = character.clip(clip).name;
  }
  std::string preset;
  if (!options.preset.empty()) {
    const Preset given = load_preset(options.preset);
    check_preset(given, character.skeleton);
    // As it was written; a file of spheres that it names is not there for a page.
    preset = given.spheres.empty() ? read_file(options.preset) : to_json(given);
  }
  const bool is_builtin = options.file.starts_with("builtin:") && options.bvh.empty();
  const std::string name =
      is_builtin ? options.file : std::filesystem::path(options.file).filename().replace_extension(".glb").string();
  const std::string bytes = is_builtin ? "" : bytes_for_page(options, character, session);
  const std::string page = viewer_page_of(empty_page, {.name = name, .bytes = bytes, .clip = clip, .preset = preset});
  const std::string file = (std::filesystem::path(options.folder) / "index.html").string();
  write_file(file, page);
  std::optional<Loopback> server;
  if (options.serve) server.emplace(options.port);
  const std::string url = server ? fmt::format("http://127.0.0.1:{}/", server->port()) : "";
  const double size = static_cast<double>(page.size()) / 1e6;
  session.say(server ? fmt::format("{}: {:.1f} MB; at {} until this ends (Ctrl C)", file, size, url)
                     : fmt::format("{}: {:.1f} MB; open it in a browser, no server is needed", file, size));
  Json document = {
      {"file", options.file}, {"page", file}, {"bytes", page.size()}, {"clip", clip}, {"warnings", session.warnings()}};
  if (server) document["url"] = url;
  session.print(document);
  if (!server) return;
  std::fflush(stdout);
  server->serve(page, [] { return stop_signal() != 0; });
}

}  // namespace

void add_view(CLI::App& app) {
  auto options = std::make_shared<ViewArguments>();
  CLI::App* verb =
      app.add_subcommand("view", "A page with the character in it: pose it and watch its skin, live, in a browser");
  verb->add_option("FILE", options->file, "Character: .glb .gltf .vrm .fbx .dae, or builtin:NAME")->required();
  verb->add_option("-o,--output", options->folder, "Folder of the page, index.html")->capture_default_str();
  auto* clip = verb->add_option("--clip", options->clip, "Clip to begin with, by name or number");
  auto* bvh =
      verb->add_option("--bvh,--motion", options->bvh,
                       "Motion of any such body as a clip: .bvh, .vrma, or a clip of a .glb .gltf .vrm .fbx .dae")
          ->excludes(clip);
  add_option_flags(*verb, option_fields(options->retarget));
  for (const char* flag : {"--bvh-map", "--bvh-clip"}) flag_of(*verb, flag)->needs(bvh);
  verb->add_option("-p,--preset", options->preset, "Preset to begin with, as `bind` and the viewer write it");
  verb->add_option("--page", options->page, "The viewer's page, where it is not beside the program");
  auto* serve =
      verb->add_flag("--serve", options->serve,
                     "Also serve it on 127.0.0.1, to this machine alone, with the headers of an isolated page, until "
                     "a signal ends it");
  verb->add_option("--port", options->port, "Port of --serve; 0: a free one")->capture_default_str()->needs(serve);
  add_common_options(*verb, options->common);
  verb->footer(
      "Examples:\n"
      "  cutis view builtin:hand --serve\n"
      "  cutis view builtin:hand --clip fist -o hand\n"
      "  cutis view character.glb -p preset.json -o page\n"
      "  cutis view character.glb --bvh walk.bvh -o page");
  verb->callback([options] { run_view(*options); });
}

}  // namespace cutis::cli
