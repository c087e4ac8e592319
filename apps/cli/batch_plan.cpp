#include "batch_plan.h"

#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cutis/files.h"
#include "cutis/text.h"
#include "report.h"

namespace cutis::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTasks = 1'000'000;
constexpr std::size_t kLongestName = 150;
// Keys of a shot that are no flags of `animate`.
constexpr const char* kOwnKeys[] = {"name", "character", "outputs", "split", "measure"};
// Flags whose values are files, and may be patterns.
constexpr const char* kFileKeys[] = {"bvh", "motion", "bvh-map", "spheres", "sphere-model", "options", "preset"};
// Flags that a batch sets itself.
constexpr const char* kRefused[] = {"output",  "range",   "help",       "json",        "quiet",
                                    "threads", "backend", "max-memory", "max-vertices"};

template <class List>
bool is_one_of(const List& list, const std::string& key) {
  return std::ranges::any_of(list, [&](const char* k) { return key == k; });
}

[[noreturn]] void fail(const std::string& place, const std::string& sentence) {
  throw Error(ErrorCode::bad_file, place, sentence);
}

Json parse(std::string_view text, const std::string& file) {
  if (const std::string fault = json_fault(text, true); !fault.empty()) fail(file, "is not JSON: " + fault);
  Json json = Json::parse(text, nullptr, false, true);
  if (!json.is_object()) fail(file, "must be a JSON object {...}");
  return json;
}

bool is_pattern(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

std::string absolute(const fs::path& folder, const std::string& name) {
  if (name.starts_with("builtin:")) return name;
  return (fs::path(name).is_absolute() ? fs::path(name) : folder / name).lexically_normal().string();
}

std::vector<std::string> files_of(const fs::path& folder, const std::string& name, const std::string& place) {
  const std::string path = absolute(folder, name);
  if (!is_pattern(name) || name.starts_with("builtin:") || fs::exists(path)) return {path};
  glob_t found{};
  const int status = ::glob(path.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + (status == 0 ? found.gl_pathc : 0));
  ::globfree(&found);
  if (files.empty()) fail(place, fmt::format("'{}' matches no file; check the pattern and the folder", name));
  std::ranges::sort(files);
  return files;
}

// A value of a flag, as the words of a command line have it.
std::string word_of(const Json& value, const std::string& place) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  fail(place, "must be text, a number, true, or a list of those");
}

// The shot before its lists are multiplied out: one entry a key, with all its values.
struct Choice {
  std::string key;
  std::vector<std::string> values;
  bool is_switch = false;
};

std::vector<std::string> values_of(const Json& value, const std::string& place) {
  std::vector<std::string> values;
  if (value.is_array()) {
    for (const Json& one : value) values.push_back(word_of(one, place));
    if (values.empty()) fail(place, "is an empty list; give a value, or leave the key out");
  } else {
    values.push_back(word_of(value, place));
  }
  return values;
}

std::vector<std::string> clips_like(const std::string& character, const std::string& pattern, const std::string& place,
                                    const Context& context) {
  std::vector<std::string> names;
  for (const Clip& clip : load_character(character, context).clips)
    if (::fnmatch(pattern.c_str(), clip.name.c_str(), 0) == 0) names.push_back(clip.name);
  if (names.empty()) fail(place, fmt::format("'{}' matches no clip of {}", pattern, character));
  return names;
}

// What {KEY} stands for: of files the name without folder and extension.
std::string shown_value(const std::string& key, const std::string& value) {
  if (value.starts_with("builtin:")) return value.substr(8);
  return key == "character" || is_one_of(kFileKeys, key) ? fs::path(value).stem().string() : value;
}

std::string filled_in(std::string text, const std::vector<std::pair<std::string, std::string>>& values,
                      const std::string& place) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('{', at), close = text.find('}', open);
    if (open == std::string::npos || close == std::string::npos) {
      result += text.substr(at);
      break;
    }
    result += text.substr(at, open - at);
    const std::string key = text.substr(open + 1, close - open - 1);
    const auto found = std::ranges::find(values, key, &std::pair<std::string, std::string>::first);
    if (found == values.end())
      fail(place, fmt::format("{{{}}} stands for nothing; there are the keys of the shot, as {{character}}", key));
    result += found->second;
    at = close + 1;
  }
  return result;
}

std::string file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '+';
    name += plain ? c : '_';
  }
  if (name.starts_with('.') || name.starts_with('-')) name[0] = '_';
  return name;
}

int whole_number(const Json& shot, const char* key, int standard, int most, const std::string& place) {
  if (!shot.contains(key)) return standard;
  const Json& value = shot[key];
  if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() > most)
    fail(fmt::format("{} › \"{}\"", place, key), fmt::format("must be a whole number from 0 to {}", most));
  return value.get<int>();
}

class Planner {
 public:
  Planner(const std::string& file, const Context& context)
      : file_(file), context_(context), folder_(fs::absolute(file).parent_path()) {}

  BatchPlan plan(std::string_view text) {
    const Json json = parse(text, file_);
    for (const auto& [key, value] : json.items())
      if (key != "folder" && key != "defaults" && key != "shots")
        fail(file_, fmt::format("\"{}\" is not known; there are folder, defaults, shots", key));
    if (json.contains("folder") && !json["folder"].is_string()) fail(file_, "\"folder\" must be text");
    out_ = absolute(folder_, json.value("folder", std::string(".")));
    const Json defaults = json.value("defaults", Json::object());
    if (!defaults.is_object()) fail(file_, "\"defaults\" must be an object: keys of shots");
    if (!json.contains("shots") || !json["shots"].is_array() || json["shots"].empty())
      fail(file_, "has no \"shots\"; add a list of them");
    plan_.folder = (fs::path(out_) / (fs::path(file_).stem().string() + ".batch")).lexically_normal().string();
    std::size_t number = 0;
    for (const Json& shot : json["shots"]) {
      place_ = fmt::format("{} › shot {}", file_, ++number);
      if (!shot.is_object()) fail(place_, "must be an object {...}");
      Json whole = defaults;
      for (const auto& [key, value] : shot.items()) whole[key] = value;
      add_shot(whole);
    }
    return std::move(plan_);
  }

 private:
  void add_shot(const Json& shot) {
    if (!shot.contains("character")) fail(place_, "has no \"character\"; name a file, or builtin:NAME");
    if (!shot.contains("outputs")) fail(place_, "has no \"outputs\"; name at least one file");
    std::vector<std::string> characters;
    for (const std::string& name : values_of(shot["character"], key_place("character")))
      for (const std::string& file : files_of(folder_, name, key_place("character"))) characters.push_back(file);
    for (const std::string& character : characters) {
      std::vector<Choice> choices{{"character", {character}, false}};
      for (const auto& [key, value] : shot.items())
        if (!is_one_of(kOwnKeys, key)) add_choice(key, value, character, choices);
      multiply(shot, choices);
    }
  }

  void add_choice(const std::string& key, const Json& value, const std::string& character,
                  std::vector<Choice>& choices) const {
    if (is_one_of(kRefused, key)) fail(key_place(key), "is set by the batch itself; leave it out");
    if (value.is_boolean()) {
      if (value.get<bool>()) choices.push_back({key, {""}, true});
      return;
    }
    Choice choice{key, {}, false};
    for (const std::string& text : values_of(value, key_place(key))) {
      std::vector<std::string> more{text};
      if (is_one_of(kFileKeys, key)) more = files_of(folder_, text, key_place(key));
      if (key == "clip" && is_pattern(text)) more = clips_like(character, text, key_place(key), context_);
      choice.values.insert(choice.values.end(), more.begin(), more.end());
    }
    choices.push_back(std::move(choice));
  }

  // Every combination of the values; those of --set go together.
  void multiply(const Json& shot, const std::vector<Choice>& choices) {
    std::vector<std::size_t> at(choices.size(), 0);
    while (true) {
      add_tasks(shot, choices, at);
      std::size_t k = choices.size();
      while (k > 0) {
        --k;
        if (choices[k].key != "set" && ++at[k] < choices[k].values.size()) break;
        at[k] = 0;
        if (k == 0) return;
      }
    }
  }

  void add_tasks(const Json& shot, const std::vector<Choice>& choices, const std::vector<std::size_t>& at) {
    BatchTask task;
    std::vector<std::pair<std::string, std::string>> shown;
    std::string standard_name = "{character}";
    for (std::size_t k = 0; k < choices.size(); ++k) {
      const Choice& choice = choices[k];
      const std::string& value = choice.values[at[k]];
      shown.emplace_back(choice.key, shown_value(choice.key, value));
      if (choice.key == "character") {
        task.character = value;
        continue;
      }
      if (choice.key == "clip" || choice.key == "bvh" || choice.key == "motion" || choice.key == "spheres" ||
          (choice.values.size() > 1 && choice.key != "set"))
        standard_name += fmt::format("-{{{}}}", choice.key);
      if (choice.key == "set") {
        for (const std::string& one : choice.values) task.arguments.push_back("--set=" + one);
      } else {
        task.arguments.push_back(choice.is_switch ? "--" + choice.key : fmt::format("--{}={}", choice.key, value));
      }
    }
    std::string name_pattern = standard_name;
    if (shot.contains("name")) {
      if (!shot["name"].is_string()) fail(key_place("name"), "must be text");
      name_pattern = shot["name"].get<std::string>();
    }
    task.name = file_name(filled_in(name_pattern, shown, key_place("name")));
    if (task.name.empty() || task.name.size() > kLongestName)
      fail(key_place("name"), fmt::format("must have 1 to {} characters", kLongestName));
    if (!names_.insert(task.name).second)
      fail(place_, fmt::format("two tasks are named '{}'; give the shot a \"name\" with what tells them apart, as "
                               "\"{{character}}-{{clip}}-{{method}}\"",
                               task.name));
    shown.emplace_back("name", task.name);
    for (const std::string& output : values_of(shot["outputs"], key_place("outputs"))) {
      task.outputs.push_back(absolute(out_, filled_in(output, shown, key_place("outputs"))));
      if (!outputs_.insert(task.outputs.back()).second)
        fail(place_, fmt::format("two tasks write {}; put what tells them apart into \"outputs\", as {{name}}",
                                 task.outputs.back()));
    }
    task.measure = whole_number(shot, "measure", task.measure, 1'000'000, place_);
    const int split = whole_number(shot, "split", 0, 1'000'000, place_);
    AnimateArguments arguments;
    try {
      arguments = animate_arguments(task);
    } catch (const Error& error) {
      fail(place_, error.what());
    }
    if (split == 0) {
      add(std::move(task));
      return;
    }
    const Method method = arguments.contact.solve.method;
    if (depends_on_earlier_frames(solve_options(method, arguments.contact)))
      fail(key_place("split"),
           "needs frames that do not depend on earlier ones: \"history\": \"canonical\" or \"stateless\", or a method "
           "without history");
    add_pieces(std::move(task), static_cast<std::size_t>(split), count_frames(arguments, context_));
  }

  void add_pieces(BatchTask whole, std::size_t split, std::size_t frames) {
    for (std::size_t first = 0; first < frames; first += split) {
      BatchTask piece = whole;
      const std::size_t end = std::min(first + split, frames);
      piece.name = fmt::format("{}+{:06}", whole.name, first);
      piece.range = fmt::format("{}:{}", first, end);
      piece.outputs = {(fs::path(plan_.folder) / (piece.name + ".frames")).string()};
      piece.pieces.clear();
      piece.whole = whole.name;
      whole.pieces.push_back(piece.name);
      add(std::move(piece));
    }
    add(std::move(whole));
  }

  void add(BatchTask task) {
    if (plan_.tasks.size() >= kMostTasks) fail(file_, "gives more than a million tasks; split it");
    plan_.tasks.push_back(std::move(task));
  }

  [[nodiscard]] std::string key_place(const std::string& key) const { return fmt::format("{} › \"{}\"", place_, key); }

  std::string file_;
  const Context& context_;
  fs::path folder_;
  std::string out_, place_;
  BatchPlan plan_;
  std::set<std::string> names_, outputs_;
};

std::vector<std::string> texts_of(const Json& json, const char* key, const std::string& file) {
  std::vector<std::string> texts;
  if (!json.contains(key) || !json[key].is_array()) fail(file, fmt::format("has no list \"{}\"; write it again", key));
  for (const Json& text : json[key]) {
    if (!text.is_string()) fail(file, fmt::format("\"{}\" must be a list of texts", key));
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

std::string text_of(const Json& json, const char* key, const std::string& file) {
  if (!json.contains(key) || !json[key].is_string()) fail(file, fmt::format("has no text \"{}\"; write it again", key));
  return json[key].get<std::string>();
}

}  // namespace

BatchPlan plan_batch(const std::string& jobs_file, const Context& context) {
  return plan_batch(read_file(jobs_file), jobs_file, context);
}

BatchPlan plan_batch(std::string_view text, const std::string& jobs_file, const Context& context) {
  return Planner(jobs_file, context).plan(text);
}

std::string task_file(const BatchPlan& plan, const BatchTask& task) {
  return (fs::path(plan.folder) / (task.name + ".task.json")).string();
}

void write_task_files(const BatchPlan& plan) {
  make_folder(plan.folder);
  for (const BatchTask& task : plan.tasks) {
    const Json json = {{"name", task.name},       {"character", task.character}, {"arguments", task.arguments},
                       {"outputs", task.outputs}, {"measure", task.measure},     {"range", task.range},
                       {"pieces", task.pieces},   {"whole", task.whole}};
    const std::string file = task_file(plan, task), text = json_text(json, 1);
    std::error_code ignored;
    if (fs::file_size(file, ignored) == text.size() && read_file(file) == text) continue;
    write_text(file, text);
  }
}

BatchTask read_task_file(const std::string& file) { return read_task(read_file(file), file); }

BatchTask read_task(std::string_view text, const std::string& file) {
  const Json json = parse(text, file);
  BatchTask task;
  task.name = text_of(json, "name", file);
  task.character = text_of(json, "character", file);
  task.arguments = texts_of(json, "arguments", file);
  task.outputs = texts_of(json, "outputs", file);
  task.measure = whole_number(json, "measure", 10, 1'000'000, file);
  task.range = text_of(json, "range", file);
  task.pieces = texts_of(json, "pieces", file);
  task.whole = text_of(json, "whole", file);
  if (task.name != file_name(task.name) || task.whole != file_name(task.whole) || task.outputs.empty())
    fail(file, "is damaged; write it again");
  return task;
}

AnimateArguments animate_arguments(const BatchTask& task) {
  CLI::App app;
  AnimateArguments arguments;
  CLI::App* verb = app.add_subcommand("animate", "");
  add_animate_options(*verb, arguments);
  check_switches(*verb);
  std::vector<std::string> words = task.arguments;
  words.insert(words.begin(), {"animate", task.character});
  for (const std::string& output : task.outputs) words.push_back("--output=" + output);
  if (!task.range.empty()) words.push_back("--range=" + task.range);
  std::ranges::reverse(words);
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    std::string sentence = error.what();
    std::ranges::replace(sentence, '\n', ' ');
    throw Error(ErrorCode::bad_argument, "", sentence + " (keys are the flags of 'cutis animate')");
  }
  return arguments;
}

}  // namespace cutis::cli
