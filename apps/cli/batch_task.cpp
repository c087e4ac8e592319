#include "batch_task.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "cutis/files.h"
#include "cutis/metrics.h"
#include "cutis/text.h"
#include "cutis/version.h"
#include "report.h"
#include "signals.h"

namespace cutis::cli {
namespace {

namespace fs = std::filesystem;

// "0.1.0+5f3c…": builds of one version differ while it is in progress.
const std::string& program_mark() {
  static const std::string mark = fmt::format("{}+{:016x}", version(), file_hash("/proc/self/exe"));
  return mark;
}

std::string record_file(const std::string& task_file) {
  constexpr std::string_view kEnd = ".task.json";
  const std::size_t length = task_file.ends_with(kEnd) ? task_file.size() - kEnd.size() : task_file.size();
  return task_file.substr(0, length) + ".record.json";
}

std::string hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

Json hashes_json(const std::map<std::string, std::uint64_t>& hashes) {
  Json json = Json::object();
  for (const auto& [file, hash] : hashes) json[file] = hex(hash);
  return json;
}

std::map<std::string, std::uint64_t> hashes_from(const Json& json) {
  std::map<std::string, std::uint64_t> hashes;
  for (const auto& [file, text] : json.items()) hashes[file] = std::stoull(text.get<std::string>(), nullptr, 16);
  return hashes;
}

Json record_json(const TaskRecord& r) {
  const ShotQuality& q = r.quality;
  return {{"state", r.done ? "done" : "failed"},
          {"sentence", r.sentence},
          {"program", r.program},
          {"arguments", r.arguments},
          {"clip", r.clip},
          {"method", r.method},
          {"frames", r.frames},
          {"vertices", r.vertices},
          {"seconds", rounded(r.seconds)},
          {"ms", {{"bind", rounded(r.bind_ms)}, {"frame_median", rounded(r.frame_ms)}}},
          {"quality",
           {{"frames", q.frames},
            {"intersecting_pairs", q.pairs},
            {"rest_intersecting_pairs", q.rest_pairs},
            {"folds", q.folds},
            {"nonfinite", q.nonfinite},
            {"stretch_max", rounded(q.stretch)},
            {"volume_change", rounded(q.volume)}}},
          {"warnings", r.warnings},
          {"inputs", hashes_json(r.inputs)},
          {"outputs", hashes_json(r.outputs)}};
}

TaskRecord record_from(const Json& json) {
  TaskRecord r;
  r.done = json.at("state") == "done";
  r.sentence = json.at("sentence");
  r.program = json.at("program");
  r.arguments = json.at("arguments").get<std::vector<std::string>>();
  r.clip = json.at("clip");
  r.method = json.at("method");
  r.frames = json.at("frames");
  r.vertices = json.at("vertices");
  const auto number = [](const Json& value) { return value.is_number() ? value.get<double>() : 0.0; };
  r.seconds = number(json.at("seconds"));
  r.bind_ms = number(json.at("ms").at("bind"));
  r.frame_ms = number(json.at("ms").at("frame_median"));
  const Json& q = json.at("quality");
  r.quality = {q.at("frames"),    q.at("intersecting_pairs"),  q.at("rest_intersecting_pairs"), q.at("folds"),
               q.at("nonfinite"), number(q.at("stretch_max")), number(q.at("volume_change"))};
  r.warnings = json.at("warnings").get<std::vector<std::string>>();
  r.inputs = hashes_from(json.at("inputs"));
  r.outputs = hashes_from(json.at("outputs"));
  return r;
}

// All that decides the result besides the contents of files.
std::vector<std::string> identity(const BatchTask& task) {
  std::vector<std::string> words{task.character};
  words.insert(words.end(), task.arguments.begin(), task.arguments.end());
  words.push_back(fmt::format("range={}", task.range));
  words.push_back(fmt::format("measure={}", task.measure));
  for (const std::string& output : task.outputs) words.push_back("output=" + output);
  return words;
}

ShotQuality together(const ShotQuality& a, const ShotQuality& b) {
  return {a.frames + b.frames,         std::max(a.pairs, b.pairs), std::max(a.rest_pairs, b.rest_pairs),
          std::max(a.folds, b.folds),  a.nonfinite + b.nonfinite,  std::max(a.stretch, b.stretch),
          std::max(a.volume, b.volume)};
}

void animate_task(const BatchTask& task, const Session& session, TaskRecord& record) {
  AnimateArguments arguments = animate_arguments(task);
  arguments.common = session.options();
  const Method method = arguments.contact.solve.method;
  record.method = label(method, arguments.contact);
  std::optional<Metrics> metrics;
  const auto watch = [&](const Character& character) -> FrameWatch {
    if (task.measure == 0) return {};
    metrics.emplace(character, session.context(), MetricsOptions{.overlap = false},
                    bind_options({method}, arguments.contact).preset.roles);
    record.quality.rest_pairs = metrics->rest().intersecting_pairs.value_or(0);
    return [&](std::size_t i, const Frame& frame) {
      record.quality.nonfinite += frame.report.nonfinite;
      if (i % static_cast<std::size_t>(task.measure) != 0) return;
      const FrameMetrics m = metrics->measure(frame.positions);
      record.quality = together(record.quality, {1, m.intersecting_pairs.value_or(0), 0, m.folds, m.nonfinite,
                                                 m.stretch_max.value_or(0), std::abs(m.volume_change.value_or(0))});
    };
  };
  const Animated done = animate(arguments, session.context(), watch);
  record.clip = done.clip;
  record.frames = done.frames;
  record.vertices = done.vertices;
  record.bind_ms = done.timing.bind_ms;
  record.frame_ms = done.timing.median_frame_ms;
}

void join_task(const BatchTask& task, const std::string& folder, const Session& session, TaskRecord& record) {
  std::vector<std::string> pieces;
  for (const std::string& name : task.pieces) {
    const std::string file = (fs::path(folder) / (name + ".task.json")).string();
    const BatchTask piece = read_task_file(file);
    const std::optional<TaskRecord> made = read_record(file);
    FileHashes hashes;
    if (!is_done(piece, made, hashes))
      throw Error(ErrorCode::io, name, "is not done; run the pieces of a shot before they are joined");
    pieces.insert(pieces.end(), piece.outputs.begin(), piece.outputs.end());
    record.inputs.insert(made->inputs.begin(), made->inputs.end());
    record.quality = together(record.quality, made->quality);
    record.method = made->method;
    record.bind_ms = std::max(record.bind_ms, made->bind_ms);
    record.frame_ms = std::max(record.frame_ms, made->frame_ms);
    record.warnings.insert(record.warnings.end(), made->warnings.begin(), made->warnings.end());
  }
  const Animated done = join_pieces(pieces, "", task.outputs, session.context());
  record.clip = done.clip;
  record.frames = done.frames;
  record.vertices = done.vertices;
}

}  // namespace

std::optional<std::uint64_t> FileHashes::of(const std::string& file) {
  const auto [it, is_new] = known_.try_emplace(file);
  if (is_new) {
    try {
      it->second = file_hash(file);
    } catch (const Error&) {  // not there: the task is not done
      it->second = std::nullopt;
    }
  }
  return it->second;
}

std::optional<TaskRecord> read_record(const std::string& task_file) {
  const std::string file = record_file(task_file);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  try {
    const std::string text = read_file(file);
    if (!json_fault(text).empty()) return std::nullopt;
    return record_from(Json::parse(text));
  } catch (const std::exception&) {  // damaged: as good as none, the task is done again
    return std::nullopt;
  }
}

bool is_done(const BatchTask& task, const std::optional<TaskRecord>& record, FileHashes& hashes) {
  if (!record || !record->done || record->program != program_mark() || record->arguments != identity(task))
    return false;
  const auto same = [&](const auto& entry) { return hashes.of(entry.first) == entry.second; };
  return std::ranges::all_of(record->inputs, same) && std::ranges::all_of(record->outputs, same);
}

bool run_task(const std::string& task_file, const Session& session, bool again) {
  const BatchTask task = read_task_file(task_file);
  FileHashes hashes;
  const std::string folder = fs::path(task_file).parent_path().string();
  if (!again && is_done(task, read_record(task_file), hashes)) return false;
  if (!again && !task.whole.empty()) {  // pieces are removed when they are joined
    const std::string whole = (fs::path(folder) / (task.whole + ".task.json")).string();
    std::error_code ignored;
    if (fs::exists(whole, ignored) && is_done(read_task_file(whole), read_record(whole), hashes)) return false;
  }
  const auto start = std::chrono::steady_clock::now();
  TaskRecord record;
  record.program = program_mark();
  record.arguments = identity(task);
  const auto keep = [&] {
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    record.warnings.insert(record.warnings.end(), session.warnings().begin(), session.warnings().end());
    for (const InputRecord& input : recorded_inputs())
      if (input.file != task_file) record.inputs[input.file] = input.hash;
    write_text(record_file(task_file), json_text(record_json(record), 1));
  };
  try {
    for (const std::string& output : task.outputs) make_folder(fs::path(output).parent_path().string());
    record_inputs();
    if (task.pieces.empty()) {
      animate_task(task, session, record);
    } else {
      join_task(task, folder, session, record);
    }
    for (const std::string& output : task.outputs)
      for (const std::string& file : animation_files(output, record.frames)) record.outputs[file] = file_hash(file);
  } catch (const std::exception& error) {
    if (stop_signal() != 0) throw;  // neither done nor failed
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    record.sentence = memory ? "there is not enough memory for this; give more with --max-memory, or run fewer at once"
                             : printable(error.what());
    record.outputs.clear();
    keep();
    throw;
  }
  record.done = true;
  keep();
  // Together they are as large as the shot, and it is done.
  for (const std::string& name : task.pieces) {
    std::error_code ignored;
    fs::remove(fs::path(folder) / (name + ".frames"), ignored);
  }
  return true;
}

}  // namespace cutis::cli
