#include "animating.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "cutis/files.h"
#include "cutis/version.h"

namespace cutis::cli {
namespace {

// "10:20": the frames 10 to 19.
FrameRange parse_range(const std::string& text) {
  if (text.empty()) return {};
  FrameRange range;
  const char* const last = text.data() + text.size();
  const auto [colon, fault] = std::from_chars(text.data(), last, range.first);
  const char* const after = colon == last ? last : colon + 1;
  const auto [end, end_fault] = std::from_chars(after, last, range.end);
  if (fault != std::errc() || colon == last || *colon != ':' || end_fault != std::errc() || end != last ||
      range.end <= range.first)
    throw Error(ErrorCode::bad_argument, "--range", fmt::format("'{}' is no range; give FIRST:END, as 100:200", text));
  return range;
}

class Writers {
 public:
  Writers(const std::vector<std::string>& files, const AnimationHeader& header, const Context& context) {
    for (const std::string& file : files) writers_.push_back(make_animation_writer(file, header, context));
  }
  void add(std::span<const Vec3f> positions, std::span<const Vec3f> normals, std::span<const SkinContact> contact) {
    for (const auto& writer : writers_) writer->add_frame(positions, normals, contact);
  }
  void finish() {
    for (const auto& writer : writers_) writer->finish();
  }

 private:
  std::vector<std::unique_ptr<AnimationWriter>> writers_;
};

void check_outputs(const AnimateArguments& arguments) {
  std::vector<std::string> names = arguments.outputs;
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    throw Error(ErrorCode::bad_argument, *twice, "is named twice as an output");
  for (const std::string& output : arguments.outputs) Session::check_output(arguments.file, output);
}

void check_contact_data(const AnimateArguments& arguments, Method method) {
  if (!arguments.contact_data) return;
  if (!arguments.contact.touches(method))
    throw Error(ErrorCode::bad_argument, "--contact-data", "needs contact; add --contact-pass");
  if (method == Method::tracking && arguments.contact.solve.tracking.history == History::stateless)
    throw Error(ErrorCode::bad_argument, "--contact-data",
                "has nothing to tell of --history stateless; use playback or canonical");
}

std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;  // FNV-1a
  return hash;
}

// What a piece of a shot has in common with its other pieces and with no others: what was read, the poses, the method
// and its options.
std::uint64_t shot_hash(const Character& character, const Motion& motion, Method method, const ContactChoice& contact) {
  std::uint64_t hash = shape_hash(character);
  for (const InputRecord& input : recorded_inputs()) hash = mixed(hash, fmt::format("{:016x}", input.hash));
  if (character.source.starts_with("builtin:")) hash = mixed(hash, character.source);
  hash = mixed(hash, motion.clip.name);
  hash = mixed(hash, {reinterpret_cast<const char*>(motion.times.data()), motion.times.size() * sizeof(double)});
  for (const double time : motion.times) {
    const Pose pose = sample(character.skeleton, motion.clip, time);
    for (const Trsd& local : pose.local) hash = mixed(hash, {reinterpret_cast<const char*>(&local), sizeof(local)});
  }
  hash = mixed(hash, to_json(solve_options(method, contact)));
  hash = mixed(hash, to_json(bind_options({method}, contact).preset));
  return mixed(hash, fmt::format("{} {}", static_cast<int>(contact.bind.turn), version()));
}

}  // namespace

void add_animate_options(CLI::App& verb, AnimateArguments& arguments) {
  verb.add_option("FILE", arguments.file, "Character: .glb .gltf .vrm .fbx .dae, or builtin:NAME")->required();
  verb.add_option("-o,--output", arguments.outputs,
                  "Result: .glb .gltf .pc2 .mdd .usda .obj .ply (last two: numbered), .frames (a piece for 'cutis "
                  "join'); several: -o A -o B")
      ->required()
      ->allow_extra_args(false)
      ->type_name("TEXT");
  add_option_flags(verb, option_fields(arguments.reading));
  add_motion_options(verb, arguments.motion);
  add_contact_options(verb, arguments.contact, false, true);
  verb.add_flag(
      "--contact-data", arguments.contact_data,
      "Write where skin touches and how deep it is pressed in, per vertex and frame: attribute _CONTACT (glTF), "
      "primvars contact and contactDepth (USD), properties (PLY)");
  verb.add_option("--range", arguments.range,
                  "FIRST:END: only these frames of the shot, counted from 0, END not included; not of --history "
                  "playback, whose frames depend on earlier ones");
}

std::size_t count_frames(const AnimateArguments& arguments, const Context& context) {
  const Character character =
      fit_to_motion(load_character(arguments.file, context, arguments.reading), arguments.motion, context);
  return choose_motion(character, arguments.motion, context).times.size();
}

Animated animate(const AnimateArguments& arguments, const Context& context,
                 const std::function<FrameWatch(const Character&)>& watch) {
  const Method method = arguments.contact.solve.method;
  check_outputs(arguments);
  check_contact_data(arguments, method);
  FrameRange range = parse_range(arguments.range);
  record_inputs();
  const Character character =
      fit_to_motion(load_character(arguments.file, context, arguments.reading), arguments.motion, context);
  Animated done;
  const Motion motion = choose_motion(character, arguments.motion, context, &done.joints);
  done.clip = motion.clip.name;
  done.vertices = character.vertex_count();
  done.total = motion.times.size();
  if (range.first >= done.total && !arguments.range.empty())
    throw Error(ErrorCode::bad_argument, "--range",
                fmt::format("{} is beyond the shot, which has {} frames", arguments.range, done.total));
  range.end = std::min(range.end, done.total);
  done.first = range.first;
  done.frames = range.end - range.first;
  AnimationHeader header{&character, motion.clip.name, {}, arguments.contact_data, {}};
  header.times.assign(motion.times.begin() + static_cast<std::ptrdiff_t>(range.first),
                      motion.times.begin() + static_cast<std::ptrdiff_t>(range.end));
  if (std::ranges::any_of(arguments.outputs, [](const std::string& name) { return name.ends_with(".frames"); })) {
    if (arguments.motion.fit_spheres)
      throw Error(ErrorCode::bad_argument, "--fit",
                  "changes the character, which pieces only name; write another format");
    header.piece = {shot_hash(character, motion, method, arguments.contact), range.first, done.total};
  }
  Writers writers(arguments.outputs, header, context);
  const FrameWatch seen = watch ? watch(character) : FrameWatch{};
  done.timing = play(
      character, motion, method, context,
      [&](std::size_t i, const Frame& frame) {
        writers.add(frame.positions, frame.normals, frame.contact);
        if (seen) seen(i, frame);
      },
      arguments.contact, range);
  writers.finish();
  return done;
}

Animated join_pieces(const std::vector<std::string>& pieces, const std::string& character_file,
                     const std::vector<std::string>& outputs, const Context& context) {
  std::vector<FramesFile> files;
  std::vector<std::size_t> order;
  for (const std::string& piece : pieces) {
    order.push_back(files.size());
    files.emplace_back(piece);
    context.check_cancelled();
  }
  if (files.empty()) throw Error(ErrorCode::bad_argument, "join", "needs pieces; name .frames files");
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return files[i].header().piece.first; });
  const FramesFile& one = files.front();
  std::size_t next = 0;
  AnimationHeader header = one.header();
  header.times.clear();
  for (const std::size_t i : order) {
    const AnimationHeader& piece = files[i].header();
    if (piece.piece.shot != one.header().piece.shot || piece.piece.total != one.header().piece.total ||
        files[i].vertex_count() != one.vertex_count() || piece.contact != one.header().contact)
      throw Error(
          ErrorCode::bad_argument, pieces[i],
          fmt::format("is of another shot than {}: another character, motion, options or version", pieces.front()));
    if (piece.piece.first != next)
      throw Error(ErrorCode::bad_argument, pieces[i],
                  piece.piece.first < next
                      ? fmt::format("has frame {}, which another piece has too; leave one out", piece.piece.first)
                      : fmt::format("begins with frame {}, and no piece has frame {}", piece.piece.first, next));
    next += piece.times.size();
    header.times.insert(header.times.end(), piece.times.begin(), piece.times.end());
  }
  if (next != header.piece.total)
    throw Error(
        ErrorCode::bad_argument, pieces[order.back()],
        fmt::format("ends with frame {}, and the shot has {}; name all its pieces", next - 1, header.piece.total));
  const std::string source = character_file.empty() ? one.character() : character_file;
  Character character = load_character(source, context);
  if (shape_hash(character) != one.character_hash()) character = load_character(source, context, {.attached = true});
  if (shape_hash(character) != one.character_hash())
    throw Error(ErrorCode::bad_argument, character.source,
                "is not the character of the pieces; give that with --character, or make the pieces again");
  header.character = &character;
  header.piece = {};
  Writers writers(outputs, header, context);
  FramesFile::Frame frame;
  std::size_t written = 0;
  for (const std::size_t i : order) {
    for (std::size_t k = 0; k < files[i].header().times.size(); ++k) {
      files[i].read(k, frame);
      writers.add(frame.positions, frame.normals, frame.contact);
      context.progress("join", static_cast<double>(++written) / static_cast<double>(next));
    }
  }
  writers.finish();
  Animated done;
  done.clip = header.clip_name;
  done.frames = done.total = next;
  done.vertices = character.vertex_count();
  return done;
}

}  // namespace cutis::cli
