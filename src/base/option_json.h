// Options in JSON, through their tables (cutis/option_rows.h).
#pragma once

#include <span>
#include <string>

#include "base/json_input.h"
#include "cutis/option_rows.h"

namespace cutis::option_json {

using Json = json_input::Json;

/// A member a field, in the order of the table; null: empty.
[[nodiscard]] Json write(std::span<const OptionField> fields);
/// Sets and checks the fields whose members are there. Members that are no field are left to the caller.
void read(const Json& json, std::span<const OptionField> fields, const std::string& place);
/// Names of the fields, for json_input::allow_only().
[[nodiscard]] std::vector<std::string> keys(std::span<const OptionField> fields);

}  // namespace cutis::option_json
