#include "volume/marker_support.h"

#include "base/math.h"

namespace cutis::test {

MarkerTake plug_in_gait_names() {
  MarkerTake take;
  take.source = "virtual";
  take.rate = 30;
  for (const char* name :
       {"LFHD", "RFHD", "LBHD", "RBHD", "C7",   "T10",  "CLAV", "STRN", "RBAK", "LSHO", "LUPA", "LELB", "LFRM",
        "LWRA", "LWRB", "LFIN", "RSHO", "RUPA", "RELB", "RFRM", "RWRA", "RWRB", "RFIN", "LASI", "RASI", "LPSI",
        "RPSI", "LTHI", "LKNE", "LTIB", "LANK", "LHEE", "LTOE", "RTHI", "RKNE", "RTIB", "RANK", "RHEE", "RTOE"})
    take.names.emplace_back(name);
  take.kinds.assign(take.names.size(), PointKind::marker);
  return take;
}

MarkerMap markers_on_vertices(const Character& character, const Context& context) {
  MarkerMap map = default_marker_map(character, plug_in_gait_names(), context);
  const auto& positions = character.meshes[0].positions;
  for (MarkerPlace& place : map.places) {
    const auto joint = static_cast<std::size_t>(character.skeleton.find(place.bone));
    const Vec3d p = character.skeleton.joints[joint].world_from_rest.translation + place.offset;
    std::size_t best = 0;
    for (std::size_t v = 0; v < positions.size(); ++v)
      if (distance(static_cast<Vec3d>(positions[v]), p) < distance(static_cast<Vec3d>(positions[best]), p)) best = v;
    place.vertex = static_cast<std::int64_t>(best);
    place.bone.clear();
    place.offset = {};
  }
  return map;
}

MarkerTake capture(const Character& character, const MarkerMap& map, const std::string& clip_name, int frames,
                   const Context& context) {
  MarkerTake take;
  take.source = "virtual";
  const Clip& clip = character.clip(clip_name);
  const std::vector<double> times = sample_times(clip, frames, 30);
  take.rate = times.size() > 1 ? 1 / (times[1] - times[0]) : 30;
  take.frames = times.size();
  for (const MarkerPlace& place : map.places) take.names.push_back(place.marker);
  take.kinds.assign(take.names.size(), PointKind::marker);
  Solver solver(bind(character, context, {.implicit_skin = false}), {.method = Method::dqs}, context);
  for (const double time : times) {
    const Frame& frame = solver.solve(sample(character.skeleton, clip, time));
    for (const MarkerPlace& place : map.places)
      take.positions.push_back(static_cast<Vec3d>(frame.positions[static_cast<std::size_t>(place.vertex)]));
  }
  take.residuals.assign(take.positions.size(), 0.0F);
  return take;
}

}  // namespace cutis::test
