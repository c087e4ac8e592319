#include "base/option_json.h"

namespace cutis {
namespace option_json {
namespace {

OptionValue value_of(const Json& json, const OptionInfo& option, const std::string& place) {
  OptionValue value;
  if (json.is_null() && option.may_be_empty) return value;
  std::string fault;
  const bool named = option.kind == OptionKind::choice || option.kind == OptionKind::text;
  const bool measured = option.kind == OptionKind::count || option.kind == OptionKind::number;
  if (named && json.is_string()) {
    fault = read_option(option, json.get<std::string>(), value);
  } else if (option.kind == OptionKind::flag && json.is_boolean()) {
    value = json.get<bool>() ? 1.0 : 0.0;
  } else if (measured && json.is_number()) {
    value = json.get<double>();
    fault = option_fault(option, json.get<double>());
  } else {
    fault = fmt::format("{} is {}; it must be {}", option.name,
                        printable(json.dump(-1, ' ', false, Json::error_handler_t::replace), 60), option_range(option));
  }
  if (!fault.empty()) json_input::fail(place, fault);
  return value;
}

Json json_of(const OptionInfo& option, const OptionValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return nullptr;
  if (option.kind == OptionKind::flag) return std::get<double>(value) != 0;
  if (option.kind == OptionKind::count) return static_cast<std::int64_t>(std::get<double>(value));
  if (option.kind == OptionKind::number) return std::get<double>(value);
  return option_text(option, value);
}

}  // namespace

Json write(std::span<const OptionField> fields) {
  Json json = Json::object();
  for (const OptionField& field : fields) json[std::string(field.info->name)] = json_of(*field.info, field.get());
  return json;
}

void read(const Json& json, std::span<const OptionField> fields, const std::string& place) {
  for (const OptionField& field : fields) {
    const auto found = json.find(field.info->name);
    if (found != json.end()) field.set(value_of(*found, *field.info, place));
  }
}

std::vector<std::string> keys(std::span<const OptionField> fields) {
  std::vector<std::string> names;
  for (const OptionField& field : fields) names.emplace_back(field.info->name);
  return names;
}

}  // namespace option_json

std::string options_to_json(std::span<const OptionField> fields) {
  return option_json::write(fields).dump(2, ' ', false, option_json::Json::error_handler_t::replace) + "\n";
}

std::string option_to_json(const OptionInfo& option, const OptionValue& standard) {
  using option_json::Json;
  Json row = {
      {"name", option.name}, {"kind", to_string(option.kind)}, {"default", option_json::json_of(option, standard)}};
  if (option.may_be_empty) row["may_be_empty"] = true;
  if (option.kind == OptionKind::count || option.kind == OptionKind::number) {
    row["unit"] = option.unit;
    row["least"] = option.least;
    row["most"] = option.most;
    row["above_least"] = option.above_least;
  }
  if (!option.choices.empty()) row["choices"] = option.choices;
  row["concerns"] = option.concerns;
  row["help"] = option.help;
  return row.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void options_from_json(std::string_view text, std::span<const OptionField> fields, const std::string& place) {
  const option_json::Json json = json_input::parse_object(text, place);
  json_input::allow_only(json, option_json::keys(fields), place);
  option_json::read(json, fields, place);
}

}  // namespace cutis
