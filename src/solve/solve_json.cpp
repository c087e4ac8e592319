// SolveOptions in JSON: the options of the methods are objects within it.
#include "base/option_json.h"
#include "cutis/solve.h"

namespace cutis {

using namespace json_input;

std::string to_json(const SolveOptions& given) {
  SolveOptions options = given;
  Json json = option_json::write(option_fields(options));
  json["implicit"] = option_json::write(option_fields(options.implicit));
  json["tracking"] = option_json::write(option_fields(options.tracking));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

SolveOptions solve_options_from_json(std::string_view text, const std::string& place) {
  SolveOptions options;
  const auto read = [](const Json& json, const std::vector<OptionField>& fields, const std::string& where,
                       std::vector<std::string> others) {
    need_object(json, where);
    const std::vector<std::string> keys = option_json::keys(fields);
    others.insert(others.begin(), keys.begin(), keys.end());
    allow_only(json, others, where);
    option_json::read(json, fields, where);
  };
  const Json json = parse_object(text, place);
  read(json, option_fields(options), place, {"implicit", "tracking"});
  if (json.contains("implicit")) read(json["implicit"], option_fields(options.implicit), place + " › implicit", {});
  if (json.contains("tracking")) read(json["tracking"], option_fields(options.tracking), place + " › tracking", {});
  return options;
}

}  // namespace cutis
