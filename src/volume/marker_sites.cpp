// Anatomical places on a character: where a ray from inside the body, from a joint or between two of them, leaves the
// skin.
#include "volume/marker_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/math.h"
#include "character/welded_character.h"
#include "volume/body_roles.h"
#include "volume/solid.h"

namespace cutis {
namespace {

class Finder {
 public:
  Finder(const Character& character, const DrivenSkeleton& skeleton)
      : character_(character),
        skeleton_(skeleton),
        body_(find_body_roles(character, skeleton)),
        welded_(weld_character(character)),
        solid_(welded_.positions, welded_.topology.triangles) {
    torso();
    head();
    for (const Side side : {Side::left, Side::right}) {
      arm(side);
      leg(side);
    }
  }
  [[nodiscard]] MarkerSites take() { return std::move(places_); }

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
    add("T2", chest, along(0.9), -body_.forward);
    add("T7", bone_at(0.72), along(0.72), -body_.forward);
    add("L1", bone_at(0.4), along(0.4), -body_.forward);
    add("L3", bone_at(0.28), along(0.28), -body_.forward);
    add("L5", hips, along(0.12), -body_.forward);
    const int arm = body_.find(Part::upper_arm, Side::right);
    if (arm >= 0) {
      const double half = dot(along(0.8) - at(arm), body_.left);
      add("RBAK", chest, along(0.74) - body_.left * (0.5 * half), -body_.forward);
      add("LBAK", chest, along(0.74) + body_.left * (0.5 * half), -body_.forward);
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
      if (side == Side::left) add("SACR", hips, crest, -body_.forward);
      const Vec3d outward = body_.left * (out < 0 ? -1.0 : 1.0);
      add(l + "ILC", hips, crest + body_.left * (0.5 * out) + body_.up * (0.25 * height), outward);
      add(l + "TRO", hips, at(thigh), outward);
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
    add("HTOP", head, middle, body_.up);
    add("HFRT", head, middle, body_.forward);
    add("HBCK", head, middle, -body_.forward);
    add("LHSD", head, middle, body_.left);
    add("RHSD", head, middle, -body_.left);
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
    add(l + "ELM", arm, lerp(at(arm), at(forearm), 0.98), across(-outer, upper_axis));
    add(l + "SHB", arm, lerp(at(arm), at(forearm), 0.1), -body_.forward);
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
    add(l + "HND", hand, lerp(at(hand), middle, 0.5), -palm);
    const int index = body_.find(Part::finger, side, 11), pinky = body_.find(Part::finger, side, 41);
    if (index >= 0) add(l + "HM2", hand, lerp(at(hand), at(index), 0.95), normalized(thumb - palm));
    if (pinky >= 0) add(l + "HM5", hand, lerp(at(hand), at(pinky), 0.95), normalized(-thumb - palm));
    if (index < 0) add(l + "HM2", hand, middle, thumb);
    if (pinky < 0) add(l + "HM5", hand, middle, -thumb);
    // Fingers: over each joint on the back of the hand, and the tips. LF11 is the knuckle of the left index finger.
    for (int finger = 0; finger < 5; ++finger) {
      int last = -1;
      for (int phalanx = 1; phalanx <= 3; ++phalanx) {
        const int bone = body_.find(Part::finger, side, 10 * finger + phalanx);
        if (bone < 0) continue;
        last = bone;
        const Vec3d axis = normalized(end(bone) - at(bone));
        add(fmt::format("{}F{}{}", l, finger, phalanx), bone, lerp(at(bone), end(bone), 0.05),
            across(finger == 0 ? normalized(thumb - palm) : -palm, axis));
      }
      if (last >= 0) add(fmt::format("{}F{}4", l, finger), last, lerp(at(last), end(last), 0.5), end(last) - at(last));
    }
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
    add(l + "THF", thigh, lerp(at(thigh), at(shin), 0.5), across(body_.forward, thigh_axis));
    add(l + "KNE", thigh, lerp(at(thigh), at(shin), 0.98), across(out, thigh_axis));
    add(l + "KNM", thigh, lerp(at(thigh), at(shin), 0.98), across(-out, thigh_axis));
    if (foot < 0) return;
    const Vec3d shin_axis = normalized(at(foot) - at(shin));
    add(l + "TIB", shin, lerp(at(shin), at(foot), side == Side::left ? 0.55 : 0.45), across(out, shin_axis));
    add(l + "TTC", shin, lerp(at(shin), at(foot), 0.15), across(body_.forward, shin_axis));
    add(l + "HFB", shin, lerp(at(shin), at(foot), 0.1), across(out, shin_axis));
    add(l + "SHN", shin, lerp(at(shin), at(foot), 0.5), across(body_.forward, shin_axis));
    add(l + "ANK", shin, lerp(at(shin), at(foot), 0.97), across(out, shin_axis));
    add(l + "ANM", shin, lerp(at(shin), at(foot), 0.97), across(-out, shin_axis));
    const Vec3d sole = toes >= 0 ? at(toes) : end(foot);
    const Vec3d foot_axis = normalized(across(sole - at(foot), body_.up), body_.forward);
    add(l + "HEE", foot, lerp(at(foot), at(foot) + body_.up * dot(sole - at(foot), body_.up), 0.5), -foot_axis);
    // The second knuckle of the foot, from above.
    add(l + "TOE", foot, lerp(at(foot), sole, 0.9), body_.up + foot_axis * 0.2);
    const Vec3d sideways = normalized(across(out, foot_axis), out);
    add(l + "MT1", foot, lerp(at(foot), sole, 0.9), -sideways + body_.up * 0.3);
    add(l + "MT5", foot, lerp(at(foot), sole, 0.75), sideways + body_.up * 0.3);
    add(l + "MTB", foot, lerp(at(foot), sole, 0.55), body_.up + foot_axis * 0.2);  // base of the second metatarsal
    add(l + "HEL", foot, lerp(at(foot), at(foot) + body_.up * dot(sole - at(foot), body_.up), 0.5),
        sideways - foot_axis);
    add(l + "HEM", foot, lerp(at(foot), at(foot) + body_.up * dot(sole - at(foot), body_.up), 0.5),
        -sideways - foot_axis);
    const int front = toes >= 0 ? toes : foot;
    add(l + "HLX", front, sole, foot_axis - sideways * 0.35);
  }

  const Character& character_;
  const DrivenSkeleton& skeleton_;
  BodyRoles body_;
  WeldedCharacter welded_;
  Solid solid_;
  MarkerSites places_;
};

}  // namespace

MarkerSites find_marker_sites(const Character& character, const DrivenSkeleton& skeleton) {
  return Finder(character, skeleton).take();
}

}  // namespace cutis
