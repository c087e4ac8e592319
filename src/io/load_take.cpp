#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/math.h"
#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/io.h"
#include "cutis/option_rows.h"
#include "cutis/text.h"
#include "io/bvh_read.h"
#include "io/c3d_read.h"
#include "io/take_space.h"
#include "io/text_scan.h"
#include "io/trc_read.h"

namespace cutis {
namespace {

std::string extension_of(std::string_view file) { return lower_case(std::filesystem::path(file).extension().string()); }

/// Joint centres. The unit is the file's own: BVH states none.
MarkerTake take_of_bvh(const std::string& file, const Context& context, const TakeOptions& options) {
  const BvhMotion motion = read_bvh(file, context);
  MarkerTake take;
  take.source = file;
  if (motion.frames == 0) throw Error(ErrorCode::bad_file, file, "has no frames");
  take.rate = motion.frame_time > 0 ? 1 / motion.frame_time : 30;
  take.frames = motion.frames;
  take.up = options.up == 0 ? 'y' : options.up;
  for (const BvhJoint& joint : motion.joints) take.names.push_back(joint.name);
  take.kinds.assign(take.names.size(), PointKind::marker);
  for (std::size_t f = 0; f < motion.frames; ++f)
    for (const Vec3d& p : motion.pose(f).position)
      take.positions.push_back(to_scene(p, take.up) * options.unit.value_or(1.0));
  take.residuals.assign(take.positions.size(), 0.0F);
  return take;
}

}  // namespace

MarkerTake take_from_json(std::string_view text, const std::string& file, const TakeOptions& options) {
  const auto fail = [&](const std::string& place, const std::string& sentence) {
    throw Error(ErrorCode::bad_file, place.empty() ? file : file + " › " + place, sentence);
  };
  if (const std::string fault = json_fault(text); !fault.empty()) fail("", "is not JSON: " + fault);
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("frames") || !json["frames"].is_array() || json["frames"].empty())
    fail("", "has no \"frames\"; expected {\"rate\": 30, \"frames\": [{\"NAME\": [x, y, z], ...}, ...]}");
  MarkerTake take;
  take.source = file;
  take.rate = 30;
  if (json.contains("rate")) {
    if (!json["rate"].is_number() || !(json["rate"].get<double>() > 0) || json["rate"].get<double>() > 1e6)
      fail("rate", "is not a positive number");
    take.rate = json["rate"].get<double>();
  }
  take.up = options.up == 0 ? 'y' : options.up;
  std::map<std::string, std::size_t> index;
  for (const auto& frame : json["frames"]) {
    if (!frame.is_object()) fail(fmt::format("frame {}", take.frames), "is not an object of points");
    for (const auto& [name, value] : frame.items())
      if (index.emplace(name, take.names.size()).second) take.names.push_back(name);
    ++take.frames;
  }
  if (take.names.empty()) fail("frames", "name no points");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  take.kinds.assign(take.names.size(), PointKind::marker);
  if (!may_unfold(take.frames, take.names.size(), text.size()))
    fail("frames", fmt::format("are {}, and {} points are named in all, hardly any of them in each frame", take.frames,
                               take.names.size()));
  take.positions.assign(take.frames * take.names.size(), {nan, nan, nan});
  take.residuals.assign(take.positions.size(), 0.0F);
  std::size_t f = 0;
  for (const auto& frame : json["frames"]) {
    for (const auto& [name, value] : frame.items()) {
      if (value.is_null()) continue;
      Vec3d p;
      bool good = value.is_array() && value.size() == 3;
      for (int k = 0; good && k < 3; ++k) {
        const auto& number = value[static_cast<std::size_t>(k)];
        good = number.is_number() && std::abs(number.get<double>()) < 1e9;
        if (good) p[k] = number.get<double>();
      }
      if (!good) fail(fmt::format("frame {} › {}", f, in_quotes(name)), "is not three numbers");
      take.at(f, index[name]) = to_scene(p, take.up) * options.unit.value_or(1.0);
    }
    ++f;
  }
  return take;
}

double metres_of_unit(std::string_view unit, const std::string& file, const Context& context) {
  const std::string name = lower_case(trimmed(unit));
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"mm", 1e-3},          {"millimeters", 1e-3}, {"millimetres", 1e-3}, {"cm", 1e-2},
      {"centimeters", 1e-2}, {"centimetres", 1e-2}, {"dm", 1e-1},          {"m", 1.0},
      {"meters", 1.0},       {"metres", 1.0},       {"in", 0.0254},        {"inches", 0.0254},
      {"ft", 0.3048},        {"feet", 0.3048},      {"um", 1e-6}};
  for (const auto& [known, metres] : kUnits)
    if (name == known) return metres;
  context.warn(name.empty()
                   ? fmt::format("{}: states no unit; millimetres are assumed", file)
                   : fmt::format("{}: its unit {} is not known; millimetres are assumed", file, in_quotes(unit)));
  return 1e-3;
}

bool is_take_file(std::string_view file) {
  const std::string extension = extension_of(file);
  return extension == ".c3d" || extension == ".trc";
}

MarkerTake load_take(const std::string& file, const Context& context, const TakeOptions& options) {
  if (options.up != 0 && (options.up < 'x' || options.up > 'z'))
    throw Error(ErrorCode::bad_argument, "up axis", "has to be x, y or z");
  check_options(options, "take");
  const std::string extension = extension_of(file);
  if (extension == ".c3d") return read_c3d(file, context, options);
  if (extension == ".trc") return read_trc(file, context, options);
  if (extension == ".bvh") return take_of_bvh(file, context, options);
  if (extension == ".json") return take_from_json(read_file(file), file, options);
  throw Error(ErrorCode::bad_argument, file,
              "is not a take that can be read; the extension has to be .c3d .trc .bvh or .json");
}

}  // namespace cutis
