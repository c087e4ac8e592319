#include "character/joint_roles.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

namespace cutis {
namespace {

struct NameParts {
  Side side = Side::none;
  std::string base;  ///< lower-case letters without side and number
  int number = -1;   ///< -1: none
  std::string digits = {};
  bool biped = false;  ///< 3ds Max: Finger0, Finger01 are the thumb's
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string_view without_namespace(std::string_view name) {
  if (const auto at = name.find_last_of(":|"); at != name.npos) name.remove_prefix(at + 1);
  return name;
}

/// Words at separators, between letters and digits, and at capitals: "LThumb_01" is l, thumb, 01.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  char before = ' ';
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool letter = is_upper(c) || is_lower(c), digit = is_digit(c);
    if (letter || digit) {
      const bool next_lower = i + 1 < name.size() && is_lower(name[i + 1]);
      const bool starts = (digit && !is_digit(before)) || (letter && !is_upper(before) && !is_lower(before)) ||
                          (is_upper(c) && (is_lower(before) || (is_upper(before) && next_lower)));
      if (starts) words.emplace_back();
      words.back() += lower_case(std::string_view(&c, 1));
    }
    before = c;
  }
  return words;
}

NameParts parts_of(std::string_view full_name) {
  // What rigging tools put around names.
  static constexpr std::array<std::string_view, 14> kPrefixes{
      "mixamorig", "bip", "def", "org", "valvebiped", "cc", "b", "bn", "jnt", "j", "sk", "c", "bind", "avg"};
  std::vector<std::string> words = words_of(without_namespace(full_name));
  std::size_t first = words.size() > 2 && words[1] == "avg" ? 1 : 0;  // SMPL: m_avg_Pelvis
  NameParts parts;
  while (first < words.size() && std::find(kPrefixes.begin(), kPrefixes.end(), words[first]) != kPrefixes.end()) {
    const bool numbered = words[first] == "bip" || words[first] == "mixamorig";
    const bool based = words[first] == "cc";
    parts.biped = parts.biped || words[first] == "bip";
    ++first;
    if (first < words.size() && ((numbered && is_digit(words[first][0])) || (based && words[first] == "base"))) ++first;
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(first));
  while (!words.empty() && (words.back() == "jnt" || words.back() == "bone" || words.back() == "bn")) words.pop_back();

  for (const std::string& word : words) {
    if (parts.side == Side::none && (word == "l" || word == "left" || word == "lft")) {
      parts.side = Side::left;
    } else if (parts.side == Side::none && (word == "r" || word == "right" || word == "rgt")) {
      parts.side = Side::right;
    } else if (is_digit(word[0])) {
      parts.number = word.size() < 6 ? std::stoi(word) : 999999;
      parts.digits = word;
    } else {
      parts.base += word;
    }
  }
  // "leftarm" in one word.
  if (parts.side == Side::none) {
    for (const auto& [prefix, side] : {std::pair{"left", Side::left}, std::pair{"right", Side::right}}) {
      if (!parts.base.starts_with(prefix)) continue;
      parts.side = side;
      parts.base.erase(0, std::string_view(prefix).size());
      break;
    }
  }
  return parts;
}

using Names = std::span<const std::string_view>;

// Earlier names win when a skeleton has several.
constexpr std::string_view kHips[] = {"hips", "pelvis", "hip", "root", "cog"};
constexpr std::string_view kSpine[] = {"spine",      "chest",       "upperchest",   "lowerback",    "abdomen",
                                       "torso",      "back",        "waist",        "thorax",       "spinelower",
                                       "spineupper", "spinemiddle", "abdomenlower", "abdomenupper", "chestlower",
                                       "chestupper", "lowerspine",  "upperspine",   "lowback",      "stomach"};
constexpr std::string_view kNeck[] = {"neck", "necklower", "neckupper"};
constexpr std::string_view kHead[] = {"head"};
constexpr std::string_view kClavicle[] = {"clavicle", "collar", "collarbone", "clav", "shoulder"};
constexpr std::string_view kUpperArm[] = {"upperarm", "uparm", "uarm", "arm", "shldr", "humerus", "shoulder"};
constexpr std::string_view kForearm[] = {"forearm", "lowerarm", "lowarm", "loarm", "farm", "elbow", "radius"};
constexpr std::string_view kHand[] = {"hand", "wrist"};
constexpr std::string_view kThigh[] = {"upleg", "thigh", "upperleg", "femur", "hip"};
constexpr std::string_view kShin[] = {"calf", "shin", "lowerleg", "lowleg", "loleg", "leg", "knee", "tibia"};
constexpr std::string_view kFoot[] = {"foot", "ankle"};
// SMPL: joints after ankle and wrist.
constexpr std::string_view kAnkle[] = {"ankle"}, kWrist[] = {"wrist"};
constexpr std::string_view kFootAsToes[] = {"toebase", "toe", "toes", "ball", "forefoot", "foot"};
constexpr std::string_view kToes[] = {"toebase", "toe", "toes", "ball", "forefoot"};

int rank_in(Names names, const std::string& base) {
  const auto at = std::find(names.begin(), names.end(), base);
  return at == names.end() ? -1 : static_cast<int>(at - names.begin());
}

bool is_chain(Part part) { return part == Part::spine || part == Part::neck || part == Part::tail; }

/// 10 * finger + phalanx, or -1.
int finger_of(const NameParts& parts) {
  std::string_view base = parts.base;
  if (parts.biped && base == "finger" && (parts.digits.size() == 1 || parts.digits.size() == 2)) {
    const int finger = parts.digits[0] - '0', phalanx = parts.digits.size() == 2 ? parts.digits[1] - '0' + 1 : 1;
    return finger < 5 && phalanx < 10 ? 10 * finger + phalanx : -1;
  }
  // Rokoko: LeftFinger1Proximal is the thumb's.
  for (const auto& [bone, phalanx] : {std::pair{"fingermetacarpal", 0}, std::pair{"fingerproximal", 1},
                                      std::pair{"fingermedial", 2}, std::pair{"fingerdistal", 3}})
    if (base == bone && parts.number >= 1 && parts.number <= 5) return 10 * (parts.number - 1) + phalanx;
  for (const std::string_view prefix : {"hand", "finger", "f"})
    if (base.starts_with(prefix) && base.size() > prefix.size() && base != "finger") {
      base.remove_prefix(prefix.size());
      break;
    }
  int phalanx = parts.number < 0 ? 1 : parts.number;
  for (const auto& [suffix, number] : {std::pair{"metacarpal", 0}, std::pair{"proximal", 1},
                                       std::pair{"intermediate", 2}, std::pair{"distal", 3}, std::pair{"finger", -1}}) {
    if (!base.ends_with(suffix)) continue;
    base.remove_suffix(std::string_view(suffix).size());
    if (number >= 0) phalanx = number;
    break;
  }
  for (const std::string_view suffix : {"phalanx", "finger"})  // WebXR: index-finger-phalanx-proximal
    if (base.ends_with(suffix)) base.remove_suffix(suffix.size());
  if (phalanx > 9) return -1;
  constexpr std::string_view kNames[5][3] = {{"thumb", "thumb", "thumb"},
                                             {"index", "pointer", "index"},
                                             {"middle", "mid", "middle"},
                                             {"ring", "ring", "ring"},
                                             {"pinky", "little", "pinkie"}};
  for (int finger = 0; finger < 5; ++finger)
    for (const std::string_view known : kNames[finger])
      if (base == known) return 10 * finger + phalanx;
  return -1;
}

}  // namespace

std::string normalised_name(std::string_view name) {
  std::string out;
  for (const char c : lower_case(without_namespace(name)))
    if (is_lower(c) || is_digit(c)) out += c;
  if (out.starts_with("mixamorig")) out.erase(0, 9);
  return out;
}

std::vector<Role> find_roles(const std::vector<NamedJoint>& joints) {
  std::vector<Role> roles(joints.size());
  std::vector<NameParts> parts;
  for (const NamedJoint& joint : joints) parts.push_back(parts_of(joint.name));

  const auto assign = [&](Part part, Names names, Side side) {
    int best = -1;
    std::pair<int, int> least{1 << 30, 0};
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (roles[j].part != Part::none || parts[j].side != side) continue;
      const int rank = rank_in(names, parts[j].base);
      if (rank < 0 || std::pair{rank, parts[j].number} >= least) continue;
      least = {rank, parts[j].number};
      best = static_cast<int>(j);
    }
    if (best >= 0) roles[static_cast<std::size_t>(best)] = {part, side, 0};
  };
  const auto assign_chain = [&](Part part, Names names) {
    int index = 0;
    for (std::size_t j = 0; j < joints.size(); ++j)
      if (roles[j].part == Part::none && parts[j].side == Side::none && rank_in(names, parts[j].base) >= 0)
        roles[j] = {part, Side::none, index++};
  };

  /// Whether `below` is a joint under `above`.
  const auto has_both = [&](std::string_view above, std::string_view below, Side side) {
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const int p = joints[j].parent;
      if (parts[j].side != side || parts[j].base != below || p < 0) continue;
      if (parts[static_cast<std::size_t>(p)].side == side && parts[static_cast<std::size_t>(p)].base == above)
        return true;
    }
    return false;
  };

  assign(Part::hips, kHips, Side::none);
  assign_chain(Part::spine, kSpine);
  assign_chain(Part::neck, kNeck);
  assign(Part::head, kHead, Side::none);
  for (const Side side : {Side::left, Side::right}) {
    assign(Part::upper_arm, kUpperArm, side);  // before the clavicle: a "shoulder" may be either
    assign(Part::clavicle, kClavicle, side);
    assign(Part::forearm, kForearm, side);
    assign(Part::hand, has_both("wrist", "hand", side) ? Names(kWrist) : Names(kHand), side);
    assign(Part::thigh, kThigh, side);
    assign(Part::shin, kShin, side);
    const bool foot_is_toes = has_both("ankle", "foot", side);
    assign(Part::foot, foot_is_toes ? Names(kAnkle) : Names(kFoot), side);
    assign(Part::toes, foot_is_toes ? Names(kFootAsToes) : Names(kToes), side);
    std::set<int> taken;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (roles[j].part != Part::none || parts[j].side != side) continue;
      if (const int finger = finger_of(parts[j]); finger >= 0 && taken.insert(finger).second)
        roles[j] = {Part::finger, side, finger};
    }
  }
  return roles;
}

Side side_of(std::string_view name) { return parts_of(name).side; }

double name_fit(std::string_view name, Part part) {
  const NameParts parts = parts_of(name);
  // Words that skeletons use for more than one thing.
  struct Word {
    std::string_view word;
    Part part;
    double fit;
  };
  static constexpr Word kWords[] = {{"leg", Part::shin, 0.4},
                                    {"leg", Part::thigh, 0.3},
                                    {"arm", Part::upper_arm, 0.5},
                                    {"arm", Part::forearm, 0.1},
                                    {"shoulder", Part::clavicle, 0.5},
                                    {"shoulder", Part::upper_arm, 0.4},
                                    {"foot", Part::foot, 0.5},
                                    {"foot", Part::toes, 0.3},
                                    {"hand", Part::hand, 0.6},
                                    {"hip", Part::thigh, 0.5},
                                    {"hip", Part::hips, 0.5},
                                    {"fist", Part::hand, 1},
                                    {"paw", Part::foot, 0.3},
                                    {"paw", Part::hand, 0.3},
                                    {"scapula", Part::clavicle, 1},
                                    {"humerus", Part::upper_arm, 1},
                                    {"tail", Part::tail, 1}};
  bool known = false;
  for (const Word& word : kWords) {
    if (word.word != parts.base) continue;
    if (word.part == part) return word.fit;
    known = true;
  }
  if (known) return -0.3;
  static constexpr std::pair<Part, Names> kTables[] = {
      {Part::hips, kHips},         {Part::spine, kSpine},        {Part::neck, kNeck},       {Part::head, kHead},
      {Part::clavicle, kClavicle}, {Part::upper_arm, kUpperArm}, {Part::forearm, kForearm}, {Part::hand, kHand},
      {Part::thigh, kThigh},       {Part::shin, kShin},          {Part::foot, kFoot},       {Part::toes, kToes}};
  for (const auto& [of, names] : kTables) {
    if (rank_in(names, parts.base) < 0) continue;
    if (of == part) return 1;
    known = true;
  }
  return known ? -0.5 : 0;
}

bool is_helper_name(std::string_view name) {
  static constexpr std::string_view kHelpers[] = {"end",     "nub",  "tip",  "eff",   "effector", "site",
                                                  "endsite", "ik",   "pole", "twist", "roll",     "target",
                                                  "helper",  "ctrl", "mch",  "null",  "dummy",    "footsteps"};
  const std::vector<std::string> words = words_of(without_namespace(name));
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return std::find(std::begin(kHelpers), std::end(kHelpers), word) != std::end(kHelpers);
  });
}

std::string to_string(const Role& role) {
  static constexpr std::string_view kParts[] = {"",          "hips",      "spine",     "neck", "head",
                                                "collar",    "upper arm", "lower arm", "hand", "upper leg",
                                                "lower leg", "foot",      "toes",      "",     "tail"};
  static constexpr std::string_view kFingers[] = {"thumb", "index", "middle", "ring", "little"};
  std::string text = role.side == Side::left ? "left " : role.side == Side::right ? "right " : "";
  if (role.part == Part::finger) {
    const auto finger = static_cast<std::size_t>(role.index / 10);
    return text + std::string(kFingers[std::min<std::size_t>(finger, 4)]) + " " + std::to_string(role.index % 10);
  }
  text += kParts[static_cast<std::size_t>(role.part)];
  return is_chain(role.part) ? text + " " + std::to_string(role.index + 1) : text;
}

std::vector<std::pair<int, int>> match_joints(const std::vector<NamedJoint>& character,
                                              const std::vector<NamedJoint>& motion) {
  return match_roles(character, find_roles(character), motion, find_roles(motion));
}

std::vector<std::pair<int, int>> match_roles(const std::vector<NamedJoint>& character,
                                             const std::vector<Role>& of_character,
                                             const std::vector<NamedJoint>& motion,
                                             const std::vector<Role>& of_motion) {
  std::vector<int> partner(character.size(), -1);
  std::vector<char> taken(motion.size(), 0);
  const auto pair_up = [&](std::size_t c, std::size_t m) {
    partner[c] = static_cast<int>(m);
    taken[m] = 1;
  };

  // Chains, from end to end; a single joint corresponds to the upper end, which carries arms and head.
  for (const Part part : {Part::spine, Part::neck, Part::tail}) {
    std::vector<std::size_t> a, b;
    for (std::size_t i = 0; i < character.size(); ++i)
      if (of_character[i].part == part) a.push_back(i);
    for (std::size_t i = 0; i < motion.size(); ++i)
      if (of_motion[i].part == part) b.push_back(i);
    if (a.empty() || b.empty()) continue;
    const std::size_t n = std::min(a.size(), b.size());
    const auto pick = [n](const std::vector<std::size_t>& chain, std::size_t k) {
      return n == 1 ? chain.back() : chain[(k * (chain.size() - 1) + (n - 1) / 2) / (n - 1)];
    };
    for (std::size_t k = 0; k < n; ++k) pair_up(pick(a, k), pick(b, k));
  }

  const auto fingers_of = [&](Side side) {
    std::set<int> fingers;
    for (const Role& role : of_motion)
      if (role.part == Part::finger && role.side == side) fingers.insert(role.index / 10);
    return fingers.size();
  };
  const auto usable = [&](const Role& role) {
    if (role.part == Part::none || is_chain(role.part)) return false;
    return role.part != Part::finger || fingers_of(role.side) >= 3;
  };
  for (std::size_t c = 0; c < character.size(); ++c) {
    if (!usable(of_character[c])) continue;
    for (std::size_t m = 0; m < motion.size(); ++m)
      if (of_motion[m] == of_character[c]) pair_up(c, m);
  }

  // Names without a known role: tails, wings, props.
  std::map<std::string, std::size_t> others;
  for (std::size_t m = 0; m < motion.size(); ++m)
    if (of_motion[m].part == Part::none) others.emplace(normalised_name(motion[m].name), m);
  for (std::size_t c = 0; c < character.size(); ++c) {
    if (of_character[c].part != Part::none) continue;
    const auto found = others.find(normalised_name(character[c].name));
    if (found != others.end() && !found->first.empty() && !taken[found->second]) pair_up(c, found->second);
  }

  std::vector<std::pair<int, int>> pairs;
  for (std::size_t c = 0; c < character.size(); ++c)
    if (partner[c] >= 0) pairs.emplace_back(static_cast<int>(c), partner[c]);
  return pairs;
}

}  // namespace cutis
