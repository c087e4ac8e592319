// The usual places of the Plug-in Gait full-body markers. Each is where a ray from inside the body, from a joint or
// between two of them, leaves the skin in an anatomical direction.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/math.h"
#include "character/welded_character.h"
#include "cutis/error.h"
#include "cutis/marker_solver.h"
#include "volume/body_roles.h"
#include "volume/marker_map.h"
#include "volume/solid.h"

namespace cutis {
namespace {

constexpr const char* kPlugInGait[] = {"LFHD", "RFHD", "LBHD", "RBHD", "C7",   "T10",  "CLAV", "STRN", "RBAK", "LSHO",
                                       "LUPA", "LELB", "LFRM", "LWRA", "LWRB", "LFIN", "RSHO", "RUPA", "RELB", "RFRM",
                                       "RWRA", "RWRB", "RFIN", "LASI", "RASI", "LPSI", "RPSI", "LTHI", "LKNE", "LTIB",
                                       "LANK", "LHEE", "LTOE", "RTHI", "RKNE", "RTIB", "RANK", "RHEE", "RTOE"};

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

class Places {
 public:
  Places(const Character& character, const DrivenSkeleton& skeleton)
      : character_(character),
        skeleton_(skeleton),
        body_(find_body_roles(character.skeleton, skeleton)),
        welded_(weld_character(character)),
        solid_(welded_.positions, welded_.topology.triangles) {
    torso();
    head();
    for (const Side side : {Side::left, Side::right}) {
      arm(side);
      leg(side);
    }
  }
  [[nodiscard]] const std::map<std::string, MarkerPlace>& all() const { return places_; }

 private:
  [[nodiscard]] const Vec3d& at(int bone) const { return skeleton_.bones[static_cast<std::size_t>(bone)].rest; }
  [[nodiscard]] const Vec3d& end(int bone) const { return skeleton_.bones[static_cast<std::size_t>(bone)].end; }

  /// A marker on the skin, out from `from` along `direction`, moved by `bone`.
  void add(const std::string& name, int bone, const Vec3d& from, const Vec3d& direction) {
    if (bone < 0) return;
    const double most = 0.25 * solid_.size();
    const Vec3d d = normalized(direction, body_.forward);
    // Through mouths and sockets to the outer skin.
    const double bit = 1e-4 * solid_.size(), deep = 0.01 * solid_.size();
    double far = solid_.room(from, d, bit, most);
    while (far < most) {
      const double next = far + solid_.room(from + d * far, d, bit, most - far);
      if (next >= most || (next - far > deep && !solid_.contains(from + d * (far + 0.5 * deep)))) break;
      far = next;
    }
    if (far >= most) far = 0.03 * solid_.size();  // no skin that way: about a limb's radius
    MarkerPlace place;
    place.marker = name;
    const DrivenSkeleton::Bone& b = skeleton_.bones[static_cast<std::size_t>(bone)];
    place.bone = character_.skeleton.joints[static_cast<std::size_t>(b.joint)].name;
    place.offset = from + d * far - b.rest;
    places_[name] = place;
  }

  void torso() {
    const int hips = body_.find(Part::hips);
    const std::vector<int> spine = body_.chain(Part::spine), neck = body_.chain(Part::neck);
    if (hips < 0 || spine.empty()) return;
    const int chest = spine.back();
    const int head = body_.find(Part::head);
    const Vec3d top = !neck.empty() ? at(neck.front()) : head >= 0 ? at(head) : end(chest);
    // The spinal curve from the hips to the neck, by height.
    const auto along = [&](double t) {
      std::vector<Vec3d> curve{at(hips)};
      for (const int s : spine) curve.push_back(at(s));
      curve.push_back(top);
      const double low = dot(curve.front(), body_.up), high = dot(curve.back(), body_.up);
      const double wanted = low + t * (high - low);
      for (std::size_t k = 0; k + 1 < curve.size(); ++k) {
        const double a = dot(curve[k], body_.up), b = dot(curve[k + 1], body_.up);
        if (wanted <= b || k + 2 == curve.size())
          return lerp(curve[k], curve[k + 1], b > a ? std::clamp((wanted - a) / (b - a), 0.0, 1.0) : 0.0);
      }
      return top;
    };
    // The bone of the spine whose piece holds that height.
    const auto bone_at = [&](double t) {
      int bone = hips;
      const double wanted = dot(along(t), body_.up);
      for (const int s : spine)
        if (dot(at(s), body_.up) <= wanted) bone = s;
      return bone;
    };
    add("C7", chest, along(0.97), -body_.forward);
    add("T10", bone_at(0.58), along(0.58), -body_.forward);
    add("CLAV", chest, along(0.87), body_.forward);
    add("STRN", bone_at(0.62), along(0.62), body_.forward);
    const int arm = body_.find(Part::upper_arm, Side::right);
    if (arm >= 0) {
      const double half = dot(along(0.8) - at(arm), body_.left);
      add("RBAK", chest, along(0.74) - body_.left * (0.5 * half), -body_.forward);
    }
    for (const Side side : {Side::left, Side::right}) {
      const int thigh = body_.find(Part::thigh, side);
      if (thigh < 0) continue;
      const std::string l = side == Side::left ? "L" : "R";
      const double out = dot(at(thigh) - at(hips), body_.left);
      const double height = 0.14 * distance(at(hips), top);
      const double low = dot(at(thigh), body_.up) - dot(at(hips), body_.up);
      const Vec3d crest = at(hips) + body_.up * (std::max(low, -0.2 * distance(at(hips), top)) + height);
      add(l + "ASI", hips, crest + body_.left * (1.15 * out), body_.forward);
      add(l + "PSI", hips, crest + body_.left * (0.5 * out), -body_.forward);
    }
  }

  void head() {
    const int head = body_.find(Part::head);
    if (head < 0) return;
    const double height = solid_.room(at(head), body_.up, 1e-4 * solid_.size(), 0.3 * solid_.size());
    const Vec3d middle = at(head) + body_.up * (0.65 * height);
    for (const auto& [name, side, front] :
         {std::tuple{"LFHD", 1.0, 1.0}, {"RFHD", -1.0, 1.0}, {"LBHD", 1.0, -1.0}, {"RBHD", -1.0, -1.0}})
      add(name, head, middle, body_.forward * front + body_.left * (0.55 * side));
  }

  void arm(Side side) {
    const std::string l = side == Side::left ? "L" : "R";
    const int shoulder = body_.find(Part::clavicle, side), arm = body_.find(Part::upper_arm, side),
              forearm = body_.find(Part::forearm, side), hand = body_.find(Part::hand, side);
    if (arm < 0 || forearm < 0) return;
    // With palms forward and arms down the outer side of the elbow is where its axis comes out.
    const Vec3d outer = body_.elbow_axis(skeleton_, side) * (side == Side::left ? -1.0 : 1.0);
    const auto across = [](const Vec3d& d, const Vec3d& axis) { return normalized(d - axis * dot(d, axis)); };
    const Vec3d upper_axis = normalized(at(forearm) - at(arm));
    add(l + "SHO", shoulder >= 0 ? shoulder : arm, at(arm), body_.up);
    add(l + "UPA", arm, lerp(at(arm), at(forearm), side == Side::left ? 0.55 : 0.45), across(outer, upper_axis));
    add(l + "ELB", arm, lerp(at(arm), at(forearm), 0.98), across(outer, upper_axis));
    if (hand < 0) return;
    const Vec3d lower_axis = normalized(at(hand) - at(forearm));
    const Vec3d palm = body_.palm(skeleton_, side);
    // The thumb's side of the wrist.
    const Vec3d thumb = normalized(cross(palm, lower_axis) * (side == Side::left ? 1.0 : -1.0), outer);
    add(l + "FRM", forearm, lerp(at(forearm), at(hand), 0.6), across(normalized(thumb - palm), lower_axis));
    add(l + "WRA", forearm, lerp(at(forearm), at(hand), 0.97), thumb);
    add(l + "WRB", forearm, lerp(at(forearm), at(hand), 0.97), -thumb);
    const int knuckle = body_.find(Part::finger, side, 21);
    const Vec3d middle = knuckle >= 0 ? lerp(at(hand), at(knuckle), 0.9) : lerp(at(hand), end(hand), 0.5);
    add(l + "FIN", hand, middle, -palm);
  }

  void leg(Side side) {
    const std::string l = side == Side::left ? "L" : "R";
    const int thigh = body_.find(Part::thigh, side), shin = body_.find(Part::shin, side),
              foot = body_.find(Part::foot, side), toes = body_.find(Part::toes, side);
    if (thigh < 0 || shin < 0) return;
    const Vec3d out = body_.left * (side == Side::left ? 1.0 : -1.0);
    const auto across = [](const Vec3d& d, const Vec3d& axis) { return normalized(d - axis * dot(d, axis)); };
    const Vec3d thigh_axis = normalized(at(shin) - at(thigh));
    add(l + "THI", thigh, lerp(at(thigh), at(shin), side == Side::left ? 0.6 : 0.45), across(out, thigh_axis));
    add(l + "KNE", thigh, lerp(at(thigh), at(shin), 0.98), across(out, thigh_axis));
    if (foot < 0) return;
    const Vec3d shin_axis = normalized(at(foot) - at(shin));
    add(l + "TIB", shin, lerp(at(shin), at(foot), side == Side::left ? 0.55 : 0.45), across(out, shin_axis));
    add(l + "ANK", shin, lerp(at(shin), at(foot), 0.97), across(out, shin_axis));
    const Vec3d sole = toes >= 0 ? at(toes) : end(foot);
    const Vec3d foot_axis = normalized(across(sole - at(foot), body_.up), body_.forward);
    add(l + "HEE", foot, lerp(at(foot), at(foot) + body_.up * dot(sole - at(foot), body_.up), 0.5), -foot_axis);
    // The second knuckle of the foot, from above.
    add(l + "TOE", foot, lerp(at(foot), sole, 0.9), body_.up + foot_axis * 0.2);
  }

  const Character& character_;
  const DrivenSkeleton& skeleton_;
  BodyRoles body_;
  WeldedCharacter welded_;
  Solid solid_;
  std::map<std::string, MarkerPlace> places_;
};

/// Joints of a take onto joints of the same role.
MarkerMap joint_map(const Character& character, const DrivenSkeleton& skeleton, const MarkerTake& take) {
  std::vector<NamedJoint> mine, theirs;
  for (const DrivenSkeleton::Bone& bone : skeleton.bones)
    mine.push_back({character.skeleton.joints[static_cast<std::size_t>(bone.joint)].name, bone.parent});
  for (const std::string& name : take.names) theirs.push_back({std::string(without_subject(name)), -1});
  MarkerMap map;
  for (const auto& [a, b] : match_joints(mine, theirs)) {
    MarkerPlace place;
    place.marker = std::string(without_subject(take.names[static_cast<std::size_t>(b)]));
    place.bone = mine[static_cast<std::size_t>(a)].name;
    map.places.push_back(place);
  }
  return map;
}

}  // namespace

MarkerMap default_marker_map(const Character& character, const MarkerTake& take, const Context& context) {
  const DrivenSkeleton skeleton = make_driven_skeleton(character);
  std::set<std::string> known;
  for (const char* name : kPlugInGait) known.insert(name);
  std::map<std::string, std::size_t> in_take;
  std::set<std::string> twice;
  for (std::size_t i = 0; i < take.names.size(); ++i) {
    const std::string name = upper(without_subject(take.names[i]));
    if (known.contains(name) && take.kinds[i] == PointKind::marker && !in_take.emplace(name, i).second)
      twice.insert(name);
  }
  if (!twice.empty())
    context.warn(fmt::format("{}: has {} more than once; the first is taken", take.source, fmt::join(twice, ", ")));
  MarkerMap map;
  if (in_take.size() >= 3) {
    const Places places(character, skeleton);
    std::vector<std::string> absent, homeless;
    for (const char* name : kPlugInGait) {
      const auto place = places.all().find(name);
      if (!in_take.contains(name)) {
        absent.push_back(name);
      } else if (place == places.all().end()) {
        homeless.push_back(name);
      } else {
        map.places.push_back(place->second);
      }
    }
    if (!absent.empty())
      context.warn(fmt::format("{}: does not have {}; the others drive", take.source, fmt::join(absent, ", ")));
    if (!homeless.empty())
      context.warn(fmt::format("{}: its joints have no place for {}; name them in a map", character.source,
                               fmt::join(homeless, ", ")));
  } else {
    map = joint_map(character, skeleton, take);
  }
  if (map.places.size() < 3)
    throw Error(ErrorCode::bad_argument, take.source,
                fmt::format("fewer than three of its points have a usual place on {}; give a map with --map",
                            character.source));
  return map;
}

}  // namespace cutis
