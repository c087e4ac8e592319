// Sources of names: Vicon Plug-in Gait product guide; CMU motion capture lab; Motion Analysis Helen Hayes; Leardini et
// al. 2007 and 2011 (IOR, Istituto Ortopedico Rizzoli: gait, multi-segment trunk, foot); Qualisys sports and animation
// sets; OptiTrack Baseline and Core; OpenSim's gait models. Names of one set never mean two sites; sets may differ in
// what a name means.
#include "volume/marker_sets.h"

#include <algorithm>

namespace cutis {
namespace {

using Entry = MarkerSet::Entry;

constexpr Entry kPlugInGait[] = {
    {"?FHD", "?FHD"}, {"?BHD", "?BHD"}, {"C7", "C7"},     {"T10", "T10"},   {"CLAV", "CLAV"}, {"STRN", "STRN"},
    {"RBAK", "RBAK"}, {"?SHO", "?SHO"}, {"?UPA", "?UPA"}, {"?ELB", "?ELB"}, {"?FRM", "?FRM"}, {"?WRA", "?WRA"},
    {"?WRB", "?WRB"}, {"?FIN", "?FIN"}, {"?ASI", "?ASI"}, {"?PSI", "?PSI"}, {"?THI", "?THI"}, {"?KNE", "?KNE"},
    {"?TIB", "?TIB"}, {"?ANK", "?ANK"}, {"?HEE", "?HEE"}, {"?TOE", "?TOE"}};

/// Newer Plug-in Gait models add these; not every take has them.
constexpr Entry kPlugInGaitMore[] = {
    {"?FHD", "?FHD"}, {"?BHD", "?BHD"},  {"C7", "C7"},      {"T10", "T10"},    {"CLAV", "CLAV"},  {"STRN", "STRN"},
    {"RBAK", "RBAK"}, {"?SHO", "?SHO"},  {"?UPA", "?UPA"},  {"?ELB", "?ELB"},  {"?FRM", "?FRM"},  {"?WRA", "?WRA"},
    {"?WRB", "?WRB"}, {"?FIN", "?FIN"},  {"?ASI", "?ASI"},  {"?PSI", "?PSI"},  {"?THI", "?THI"},  {"?KNE", "?KNE"},
    {"?TIB", "?TIB"}, {"?ANK", "?ANK"},  {"?HEE", "?HEE"},  {"?TOE", "?TOE"},  {"SACR", "SACR"},  {"?MED", "?ANM"},
    {"?KNM", "?KNM"}, {"?ELM", "?ELM"},  {"LBAK", "LBAK"},  {"?MELB", "?ELM"}, {"?MKNE", "?KNM"}, {"?MANK", "?ANM"},
    {"?UPB", "?UPA"}, {"?THIP", "?THI"}, {"?TIBP", "?TIB"}, {"?MMA", "?ANM"},  {"?SMH", "?TOE"}};

constexpr Entry kCmu[] = {{"?FHD", "?FHD"}, {"?BHD", "?BHD"}, {"C7", "C7"},     {"T10", "T10"},   {"CLAV", "CLAV"},
                          {"STRN", "STRN"}, {"RBAC", "RBAK"}, {"?SHO", "?SHO"}, {"?UPA", "?UPA"}, {"?ELB", "?ELB"},
                          {"?FRM", "?FRM"}, {"?WRA", "?WRA"}, {"?WRB", "?WRB"}, {"?FIN", "?FIN"}, {"?FWT", "?ASI"},
                          {"?BWT", "?PSI"}, {"?THI", "?THI"}, {"?KNE", "?KNE"}, {"?SHN", "?TIB"}, {"?ANK", "?ANK"},
                          {"?HEE", "?HEE"}, {"?TOE", "?TOE"}, {"?MT5", "?MT5"}, {"?THMB", "?F03"}};

/// Of body shops and of motion libraries: two markers a shoulder, wrist and hand, a belt of four to six.
constexpr Entry kProduction[] = {
    {"ARIEL", "HTOP"}, {"?FHD", "?FHD"}, {"?BHD", "?BHD"}, {"C7", "C7"},       {"T10", "T10"},     {"CLAV", "CLAV"},
    {"STRN", "STRN"},  {"?FSH", "?SHO"}, {"?BSH", "?SHB"}, {"?UPA", "?UPA"},   {"?ELB", "?ELB"},   {"?IEL", "?ELM"},
    {"?FRM", "?FRM"},  {"?IWR", "?WRA"}, {"?OWR", "?WRB"}, {"?IHAND", "?HM2"}, {"?OHAND", "?HM5"}, {"?FWT", "?ASI"},
    {"?BWT", "?PSI"},  {"MBWT", "SACR"}, {"?MWT", "?ILC"}, {"?THI", "?THI"},   {"?KNE", "?KNE"},   {"?KNI", "?KNM"},
    {"?SHN", "?TIB"},  {"?ANK", "?ANK"}, {"?HEL", "?HEE"}, {"?TOE", "?TOE"},   {"?MT1", "?MT1"},   {"?MT5", "?MT5"}};

constexpr Entry kHelenHayes[] = {
    {"TOPHEAD", "HTOP"},     {"FRONTHEAD", "HFRT"}, {"REARHEAD", "HBCK"},     {"?SHOULDER", "?SHO"},
    {"?OFFSET", "RBAK"},     {"?ELBOW", "?ELB"},    {"?ELBOWMEDIAL", "?ELM"}, {"?WRIST", "?WRB"},
    {"?RADIUS", "?WRA"},     {"?ULNA", "?WRB"},     {"?ASIS", "?ASI"},        {"VSACRAL", "SACR"},
    {"SACRAL", "SACR"},      {"?PSIS", "?PSI"},     {"?THIGH", "?THI"},       {"?KNEE", "?KNE"},
    {"?KNEEMEDIAL", "?KNM"}, {"?SHANK", "?TIB"},    {"?ANKLE", "?ANK"},       {"?ANKLEMEDIAL", "?ANM"},
    {"?HEEL", "?HEE"},       {"?TOE", "?TOE"},      {"?TOELATERAL", "?MT5"},  {"?TOEMEDIAL", "?MT1"},
    {"?SCAPULA", "?BAK"},    {"?BICEPS", "?UPA"},   {"?FOREARM", "?FRM"},     {"?HAND", "?FIN"},
    {"?TROC", "?TRO"},       {"STERNUM", "STRN"}};

/// OpenSim's gait models: clusters of three on thighs and shanks, of which the sides and fronts have a site.
constexpr Entry kOpenSim[] = {
    {"TOPHEAD", "HTOP"},     {"STERNUM", "STRN"},   {"?ACROMIUM", "?SHO"}, {"?ELBOW", "?ELB"},
    {"?WRIST", "?WRB"},      {"?ASIS", "?ASI"},     {"VSACRAL", "SACR"},   {"?THIGHUPPER", "?THI"},
    {"?THIGHFRONT", "?THF"}, {"?KNEELAT", "?KNE"},  {"?KNEEMED", "?KNM"},  {"?SHANKUPPER", "?TIB"},
    {"?SHANKFRONT", "?SHN"}, {"?ANKLELAT", "?ANK"}, {"?ANKLEMED", "?ANM"}, {"?HEEL", "?HEE"},
    {"?TOELAT", "?MT5"},     {"?TOEMED", "?MT1"},   {"?TOETIP", "?HLX"}};

constexpr Entry kIor[] = {
    {"?IAS", "?ASI"}, {"?IPS", "?PSI"}, {"?FTC", "?TRO"}, {"?FLE", "?KNE"}, {"?FME", "?KNM"}, {"?FAX", "?HFB"},
    {"?TTC", "?TTC"}, {"?FAL", "?ANK"}, {"?TAM", "?ANM"}, {"?FCC", "?HEE"}, {"?FM1", "?MT1"}, {"?FM2", "?TOE"},
    {"?FM5", "?MT5"}, {"?HF", "?HFB"},  {"?TT", "?TTC"},  {"?LM", "?ANK"},  {"?MM", "?ANM"},  {"?CA", "?HEE"},
    {"CV7", "C7"},    {"TV2", "T2"},    {"TV7", "T7"},    {"MAI", "T7"},    {"TV10", "T10"},  {"LV1", "L1"},
    {"LV3", "L3"},    {"LV5", "L5"},    {"SJN", "CLAV"},  {"SXS", "STRN"},  {"?CAJ", "?SHO"}, {"?SAE", "?SHO"},
    {"?HLE", "?ELB"}, {"?HME", "?ELM"}, {"?RSP", "?WRA"}, {"?USP", "?WRB"}, {"?HM2", "?HM2"}, {"?HM5", "?HM5"},
    {"?HL5", "?HM5"}, {"?HD", "?HSD"},  {"?AH", "?FHD"},  {"?PH", "?BHD"},  {"SGL", "HFRT"},  {"?FT1", "?HLX"},
    {"?ICT", "?ILC"}, {"?UA", "?UPA"},  {"?TH1", "?THI"}, {"?SK1", "?TIB"}};

constexpr Entry kQualisys[] = {
    {"HEAD?", "?HSD"},          {"HEADTOP", "HTOP"},        {"HEADFRONT", "HFRT"},    {"HEADBACK", "HBCK"},
    {"?SHOULDERTOP", "?SHO"},   {"?SHOULDERBACK", "?SHB"},  {"?ARM", "?UPA"},         {"?ELBOWOUT", "?ELB"},
    {"?ELBOWIN", "?ELM"},       {"?ELBOW", "?ELB"},         {"?WRISTOUT", "?WRB"},    {"?WRISTIN", "?WRA"},
    {"?HANDOUT", "?HM5"},       {"?HANDIN", "?HM2"},        {"?HAND2", "?HM2"},       {"?HAND5", "?HM5"},
    {"?HAND", "?FIN"},          {"CHEST", "CLAV"},          {"SPINETOP", "C7"},       {"BACK?", "?BAK"},
    {"SPINETHORACIC2", "T2"},   {"SPINETHORACIC12", "T10"}, {"SPINETHORACIC7", "T7"}, {"WAIST?FRONT", "?ASI"},
    {"WAIST?BACK", "?PSI"},     {"WAISTBACK", "SACR"},      {"WAIST?", "?ILC"},       {"?THIGH", "?THI"},
    {"?THIGHFRONTLOW", "?THF"}, {"?KNEEOUT", "?KNE"},       {"?KNEEIN", "?KNM"},      {"?SHIN", "?SHN"},
    {"?SHINFRONTHIGH", "?TTC"}, {"?ANKLEOUT", "?ANK"},      {"?ANKLEIN", "?ANM"},     {"?HEELBACK", "?HEE"},
    {"?FOREFOOT2", "?TOE"},     {"?FOREFOOT5", "?MT5"},     {"?FOREFOOT1", "?MT1"},   {"?FOREFOOTOUT", "?MT5"},
    {"?FOREFOOTIN", "?MT1"},    {"?TOETIP", "?HLX"}};

/// Baseline 37 and Core 50 share their names; Core has more of them.
constexpr Entry kOptiTrackBaseline[] = {{"HEADTOP", "HTOP"},       {"HEADFRONT", "HFRT"},  {"HEADSIDE", "LHSD"},
                                        {"BACKTOP", "C7"},         {"BACK?", "?BAK"},      {"CHEST", "STRN"},
                                        {"WAIST?FRONT", "?ASI"},   {"WAIST?BACK", "?PSI"}, {"?SHOULDERTOP", "?SHO"},
                                        {"?SHOULDERBACK", "?SHB"}, {"?UARMHIGH", "?UPA"},  {"?ELBOWOUT", "?ELB"},
                                        {"?WRISTOUT", "?WRB"},     {"?WRISTIN", "?WRA"},   {"?HANDOUT", "?HM5"},
                                        {"?THIGH", "?THI"},        {"?KNEEOUT", "?KNE"},   {"?SHIN", "?SHN"},
                                        {"?ANKLEOUT", "?ANK"},     {"?TOEOUT", "?MT5"},    {"?TOEIN", "?MT1"}};

constexpr Entry kOptiTrackCore[] = {
    {"HEADTOP", "HTOP"},      {"HEADFRONT", "HFRT"},     {"HEADSIDE", "LHSD"},    {"BACKTOP", "C7"},
    {"BACK?", "?BAK"},        {"CHEST", "STRN"},         {"WAIST?FRONT", "?ASI"}, {"WAIST?BACK", "?PSI"},
    {"?SHOULDERTOP", "?SHO"}, {"?SHOULDERBACK", "?SHB"}, {"?UARMHIGH", "?UPA"},   {"?ELBOWOUT", "?ELB"},
    {"?ELBOWIN", "?ELM"},     {"?FARM", "?FRM"},         {"?WRISTOUT", "?WRB"},   {"?WRISTIN", "?WRA"},
    {"?HANDOUT", "?HM5"},     {"?HANDIN", "?HM2"},       {"?THIGHFRONT", "?THF"}, {"?THIGHSIDE", "?THI"},
    {"?THIGH", "?THI"},       {"?KNEEOUT", "?KNE"},      {"?KNEEIN", "?KNM"},     {"?SHIN", "?SHN"},
    {"?ANKLEOUT", "?ANK"},    {"?ANKLEIN", "?ANM"},      {"?TOEOUT", "?MT5"},     {"?TOEIN", "?MT1"},
    {"?TOETIP", "?HLX"},      {"?HEEL", "?HEE"}};

constexpr Entry kRizzoliFoot[] = {
    {"?HF", "?HFB"},  {"?TT", "?TTC"},  {"?LM", "?ANK"},  {"?MM", "?ANM"},  {"?CA", "?HEE"},  {"?PT", "?HEL"},
    {"?ST", "?HEM"},  {"?TN", "?ANM"},  {"?FMB", "?MTB"}, {"?FMH", "?MT1"}, {"?SMB", "?MTB"}, {"?SMH", "?TOE"},
    {"?VMB", "?MT5"}, {"?VMH", "?MT5"}, {"?PM", "?HLX"},  {"?FLE", "?KNE"}, {"?FME", "?KNM"}};

/// A joint a marker: Leap-like and VICON hand models (thumb, index, middle, ring, little).
constexpr Entry kHand[] = {{"?TH1", "?F01"}, {"?TH2", "?F02"}, {"?TH3", "?F03"}, {"?TH4", "?F04"}, {"?IN1", "?F11"},
                           {"?IN2", "?F12"}, {"?IN3", "?F13"}, {"?IN4", "?F14"}, {"?MI1", "?F21"}, {"?MI2", "?F22"},
                           {"?MI3", "?F23"}, {"?MI4", "?F24"}, {"?RI1", "?F31"}, {"?RI2", "?F32"}, {"?RI3", "?F33"},
                           {"?RI4", "?F34"}, {"?LI1", "?F41"}, {"?LI2", "?F42"}, {"?LI3", "?F43"}, {"?LI4", "?F44"},
                           {"?PI1", "?F41"}, {"?PI2", "?F42"}, {"?PI3", "?F43"}, {"?PI4", "?F44"}, {"?WRA", "?WRA"},
                           {"?WRB", "?WRB"}, {"?FRM", "?FRM"}, {"?HND", "?HND"}, {"?HM2", "?HM2"}, {"?HM5", "?HM5"}};

constexpr MarkerSet kSets[] = {{"Plug-in Gait", kPlugInGait},
                               {"Plug-in Gait with inner sides", kPlugInGaitMore},
                               {"CMU 41", kCmu},
                               {"production", kProduction},
                               {"Helen Hayes", kHelenHayes},
                               {"OpenSim", kOpenSim},
                               {"IOR", kIor},
                               {"Qualisys", kQualisys},
                               {"OptiTrack Baseline 37", kOptiTrackBaseline},
                               {"OptiTrack Core 50", kOptiTrackCore},
                               {"Rizzoli foot", kRizzoliFoot},
                               {"hand", kHand}};

std::string with_side(std::string_view pattern, std::string_view side) {
  std::string text(pattern);
  if (const auto at = text.find('?'); at != text.npos) text.replace(at, 1, side);
  return text;
}

}  // namespace

std::size_t MarkerSet::size() const {
  std::size_t count = 0;
  for (const Entry& e : entries) count += e.name.find('?') == e.name.npos ? 1U : 2U;
  return count;
}

std::string MarkerSet::site_of(std::string_view name) const {
  for (const Entry& e : entries) {
    if (e.name.find('?') == e.name.npos) {
      if (e.name == name) return std::string(e.site);
      continue;
    }
    for (const auto& [side, word] : {std::pair<std::string_view, std::string_view>{"L", "LEFT"}, {"R", "RIGHT"}})
      if (with_side(e.name, side) == name || with_side(e.name, word) == name) return with_side(e.site, side);
  }
  return {};
}

std::span<const MarkerSet> marker_sets() { return kSets; }

std::string normalised_marker(std::string_view name) {
  std::string text;
  bool side_after_separator = false;
  const auto is_separator = [](char c) { return c == '.' || c == '_' || c == '-' || c == ' '; };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (is_separator(c)) continue;
    const char up = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    side_after_separator = i + 1 == name.size() && i > 0 && is_separator(name[i - 1]) && (up == 'L' || up == 'R');
    text.push_back(up);
  }
  if (side_after_separator) std::rotate(text.begin(), text.end() - 1, text.end());
  return text;
}

double set_score(const MarkerSet& set, std::span<const std::string> names) {
  std::size_t known = 0;
  for (const std::string& name : names) known += set.site_of(name).empty() ? 0U : 1U;
  return 2.0 * static_cast<double>(known) / static_cast<double>(names.size() + set.size());
}

}  // namespace cutis
