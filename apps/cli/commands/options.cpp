// The tables of options, for people, machines and docs/options.md.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common.h"
#include "cutis/error.h"
#include "option_flags.h"
#include "terminal.h"

namespace cutis::cli {
namespace {

struct Entry {
  const OptionInfo* info = nullptr;
  OptionValue standard;
};
struct Table {
  std::string name, set, what;  ///< struct, name in --set and JSON, what takes it
  std::vector<Entry> entries;
};

template <class Options>
Table table_of(std::string name, std::string set, std::string what) {
  Options options;
  Table table{std::move(name), std::move(set), std::move(what), {}};
  const std::vector<OptionField> fields = option_fields(options);
  for (const OptionRow<Options>& row : option_rows<Options>()) {
    const auto field = std::ranges::find(fields, &row, &OptionField::info);
    table.entries.push_back({&row, field == fields.end() ? OptionValue{} : field->get()});
  }
  return table;
}

// In the order of the pipeline. tests/layers/check_options.py compares it with cutis/options.h.
std::vector<Table> all_tables() {
  return {
      table_of<ReadOptions>("ReadOptions", "", "load_character()"),
      table_of<WeightOptions>("WeightOptions", "", "make_weights(); the verb weights"),
      table_of<BindOptions>("BindOptions", "", "bind()"),
      table_of<Preset>("Preset", "", "bind(); files of -p, where the factors are in \"fields\""),
      table_of<JointPreset>("JointPreset", "", "bind(); \"all_joints\" and \"joints\" of files of -p"),
      table_of<SolveOptions>("SolveOptions", "NAME", "Solver; the verbs animate, measure, render, markers"),
      table_of<ImplicitOptions>("ImplicitOptions", "implicit.NAME", "method implicit"),
      table_of<TrackingOptions>("TrackingOptions", "tracking.NAME", "method tracking"),
      table_of<OperatorOptions>("OperatorOptions", "", "make_operator(); the verb operators"),
      table_of<MotionOptions>("MotionOptions", "", "load_motion(); verbs with --bvh"),
      table_of<SpherePoseOptions>("SpherePoseOptions", "", "pose_from_spheres(), register_spheres()"),
      table_of<SphereNoiseOptions>("SphereNoiseOptions", "", "disturb(); the verb spheres"),
      table_of<RegisterOptions>("RegisterOptions", "", "register_scan(); the verb register"),
      table_of<TakeOptions>("TakeOptions", "", "load_take(); the verb markers"),
      table_of<TargetOptions>("TargetOptions", "", "prepare_targets(); the verb markers"),
      table_of<MarkerOptions>("MarkerOptions", "", "MarkerSolver; the verb markers"),
      table_of<MetricsOptions>("MetricsOptions", "", "Metrics"),
      table_of<ViewOptions>("ViewOptions", "", "frame_bounds(), frame_region()"),
      table_of<RenderOptions>("RenderOptions", "", "render_still(); the verb render"),
      table_of<SheetOptions>("SheetOptions", "", "contact_sheet()"),
      table_of<ComposeOptions>("ComposeOptions", "", "compose()"),
      table_of<PlotOptions>("PlotOptions", "", "plot_lines()"),
      table_of<IsoLinesOptions>("IsoLinesOptions", "", "draw_iso_lines()"),
  };
}

Json to_json(const std::vector<Table>& tables) {
  Json result = Json::object();
  for (const Table& table : tables) {
    Json rows = Json::array();
    for (const auto& [info, standard] : table.entries) {
      Json row = Json::parse(option_to_json(*info, standard));
      row["flag"] = flag_name(*info);
      if (turns_off(*info)) row["flag_turns_off"] = true;
      rows.push_back(std::move(row));
    }
    result[table.name] = {{"of", table.what}, {"options", std::move(rows)}};
  }
  return result;
}

std::string standard_text(const Entry& entry) {
  if (entry.info->kind == OptionKind::other) return "";
  if (std::holds_alternative<std::monostate>(entry.standard)) return "empty";
  const std::string text = option_text(*entry.info, entry.standard);
  if (entry.info->kind == OptionKind::number) return fmt::format("{:g}", std::get<double>(entry.standard));
  return text.empty() ? "\"\"" : text;
}

std::string range_text(const OptionInfo& option) {
  if (option.kind == OptionKind::other) return "see its header";
  if (option.kind == OptionKind::choice) return fmt::format("{}", fmt::join(option.choices, ", "));
  if (option.kind == OptionKind::flag || option.kind == OptionKind::text) return option_range(option);
  return fmt::format("{}{:g}, {:g}]{}{}", option.above_least ? "(" : "[", option.least, option.most,
                     option.unit.empty() ? "" : " ", option.unit);
}

std::string markdown(const std::vector<Table>& tables) {
  // A bar would end a cell.
  const auto cell = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
    return text;
  };
  std::string page =
      "# Options\n\n"
      "Every field of every options struct, from the tables that also make the program's flags, read and write JSON "
      "and\n"
      "check values. Written by `scripts/write-options`; a test compares it with the program.\n\n"
      "`cutis options --json` prints the same for machines. Options with a name in \"set\" can be given to `animate`,\n"
      "`measure`, `render` and `markers` as `--set NAME=VALUE`, or all at once in a JSON file as `--options FILE`\n"
      "([formats](formats.md)). \"of\": the methods that an option concerns, \"contact\" being the contact pass; none: "
      "all.\n"
      "A range with a round bracket does not hold its end.\n";
  for (const Table& table : tables) {
    page += fmt::format("\n## {}\n\n{}.{}\n\n| option | default | range | flag | of | |\n|---|---|---|---|---|---|\n",
                        table.name, table.what, table.set.empty() ? "" : fmt::format(" Set: `{}`.", table.set));
    for (const Entry& entry : table.entries) {
      const std::string flag = flag_name(*entry.info);
      page += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", entry.info->name, standard_text(entry),
                          range_text(*entry.info), flag.empty() ? "" : fmt::format("`{}`", flag),
                          fmt::join(entry.info->concerns, ", "), cell(std::string(entry.info->help)));
    }
  }
  return page;
}

std::string lines(const std::vector<Table>& tables) {
  std::string text;
  for (const Table& table : tables) {
    text += fmt::format("{}: {}\n", table.name, table.what);
    for (const Entry& entry : table.entries)
      text += fmt::format("  {:<18} {:<12} {:<34} {:<16} {}\n", entry.info->name, standard_text(entry),
                          range_text(*entry.info), flag_name(*entry.info), entry.info->help);
  }
  return text;
}

}  // namespace

void add_options(CLI::App& app) {
  struct Arguments {
    std::vector<std::string> names;
    bool json = false, markdown = false;
  };
  auto options = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("options", "Every option with its default, range, flag and meaning");
  verb->add_option("NAME", options->names, "Of these structs alone, e.g. TrackingOptions");
  auto* json = verb->add_flag("--json", options->json, "Print one JSON document on stdout");
  verb->add_flag("--markdown", options->markdown, "Print the page docs/options.md")->excludes(json);
  verb->footer("Examples:\n  cutis options TrackingOptions\n  cutis options --json");
  verb->callback([options] {
    std::vector<Table> tables = all_tables();
    for (const std::string& name : options->names)
      if (std::ranges::find(tables, name, &Table::name) == tables.end())
        throw Error(ErrorCode::bad_argument, name, "is no options struct; 'cutis options' lists them all");
    if (!options->names.empty())
      std::erase_if(tables,
                    [&](const Table& t) { return std::ranges::find(options->names, t.name) == options->names.end(); });
    put(options->json ? json_text(to_json(tables), 2) : options->markdown ? markdown(tables) : lines(tables));
  });
}

}  // namespace cutis::cli
