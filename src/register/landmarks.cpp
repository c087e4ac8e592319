#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/register.h"
#include "cutis/text.h"

namespace cutis {

std::vector<ScanLandmark> load_landmarks(const std::string& file) { return landmarks_from_json(read_file(file), file); }

std::vector<ScanLandmark> landmarks_from_json(std::string_view text, const std::string& file) {
  if (const std::string fault = json_fault(text); !fault.empty())
    throw Error(ErrorCode::bad_file, file, "is not JSON: " + fault);
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) throw Error(ErrorCode::bad_file, file, "is not a JSON object {\"NAME\": [x, y, z], ...}");
  std::vector<ScanLandmark> landmarks;
  for (const auto& [name, place] : json.items()) {
    const bool three =
        place.is_array() && place.size() == 3 && place[0].is_number() && place[1].is_number() && place[2].is_number();
    if (!three) throw Error(ErrorCode::bad_file, file + " › " + name, "is not three numbers [x, y, z]");
    landmarks.push_back({name, {place[0].get<double>(), place[1].get<double>(), place[2].get<double>()}});
  }
  return landmarks;
}

}  // namespace cutis
