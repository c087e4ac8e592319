// The tables of the solver's options.
#include "base/option_table.h"
#include "cutis/solve.h"

namespace cutis {
namespace {

constexpr double kHalfTurn = 3.14159265358979323846;

constexpr std::string_view kMethodChoices[] = {"lbs", "dqs", "ddm", "implicit", "tracking"};
constexpr std::string_view kInitialChoices[] = {"lbs", "dqs"};
constexpr std::string_view kContactChoices[] = {"own-side", "operator"};
constexpr std::string_view kHistoryChoices[] = {"playback", "stateless", "canonical"};
constexpr std::string_view kRelaxationChoices[] = {"conjugate-gradients", "jacobi"};

constexpr OptionRow<SolveOptions> kSolveRows[] = {
    on("--method", choice_row<&SolveOptions::method>(
                       "method", kMethodChoices,
                       "how the skin follows the bones: linear blend (lbs), dual quaternion (dqs), direct delta mush "
                       "(ddm), projected on the implicit skin (implicit) or following it (tracking)")),
    other_row<SolveOptions>("implicit", "options of their own"),
    other_row<SolveOptions>("tracking", "options of their own"),
    on("--contact-pass,!--no-contact-pass",
       flag_row<&SolveOptions::contact_pass>(
           "contact_pass",
           "skins that touch do not pass through each other: no intersections in any frame (history stateless: fewer); "
           "empty: on with tracking on its own side")),
    of(kOfRelief,
       on("--relief-cap", number_row<&SolveOptions::relief_cap>(
                              "relief_cap", "sizes of the character", {.least = 0, .most = 0.2},
                              "how far bones that a pose drives into each other are moved apart at most; 0: never"))),
    of(kOfContact,
       on("--swell on|off",
          flag_row<&SolveOptions::swell>(
              "swell", "flesh that is pressed in where skins touch comes out around it, so that volume is kept"))),
    of(kOfBudget,
       on("--frame-budget",
          number_row<&SolveOptions::frame_budget_ms>(
              "frame_budget_ms", "ms", {.least = 0, .most = 1e9},
              "time that a frame may take, 0 for any; when it runs out the frame is the last skin carried on "
              "by the bones, and the report says so. Results then depend on the machine's speed"))),
};

constexpr std::string_view kContactHelp =
    "how a vertex finds that it touches a part: each on its part's side (own-side), or in the papers' composed field "
    "(operator)";

constexpr OptionRow<ImplicitOptions> kImplicitRows[] = {
    of(kOfImplicit, on("--initial", choice_row<&ImplicitOptions::initial>("initial", kInitialChoices,
                                                                          "where the projection starts"))),
    of(kOfBoth, on("--contact", choice_row<&ImplicitOptions::contact>("contact", kContactChoices, kContactHelp))),
    of(kOfImplicit, flag_row<&ImplicitOptions::blend>("blend", "own-side: parts of a joint swell into each other")),
    of(kOfImplicit, on("--opening", text_row<&ImplicitOptions::controllers>(
                                        "controllers",
                                        "how far blending opens with the bend: the curve of a controller preset, "
                                        "finger as in EPFL's figure 10, hip fully at 90 degrees"))),
    of(kOfImplicit, number_row<&ImplicitOptions::turn>("turn", "rad", {.least = 0, .most = kHalfTurn},
                                                       "operator: turn of the gradient in a step that means contact")),
    of(kOfImplicit, count_row<&ImplicitOptions::rounds>("rounds", 0, 100, "of relaxation and projection")),
    of(kOfImplicit,
       count_row<&ImplicitOptions::inner>("inner", 1, 1000, "own-side: conjugate gradient steps a relaxation")),
    of(kOfImplicit, count_row<&ImplicitOptions::rings>("rings", 0, 100, "around what moves that are solved for too")),
    of(kOfImplicit, count_row<&ImplicitOptions::smoothing>("smoothing", 0, 100, "passes over the skin around contact")),
    of(kOfImplicit,
       number_row<&ImplicitOptions::tolerance>("tolerance", "", {.least = 1e-6, .most = 0.1}, "on |f - iso|")),
};

constexpr OptionRow<TrackingOptions> kTrackingRows[] = {
    of(kOfTracking, on("--history", choice_row<&TrackingOptions::history>(
                                        "history", kHistoryChoices,
                                        "each frame starts from the last one (playback), from smooth skinning "
                                        "(stateless) or from rest along a fixed path (canonical)"))),
    of(kOfBoth, on("--contact", choice_row<&TrackingOptions::contact>("contact", kContactChoices, kContactHelp))),
    of(kOfTracking, choice_row<&TrackingOptions::relaxation>(
                        "relaxation", kRelaxationChoices, "how skin relaxes in its surface; jacobi as in the paper")),
    of(kOfTracking, number_row<&TrackingOptions::step>("step", "rad", {.least = 0, .most = 1, .above_least = true},
                                                       "that a joint may turn in a sub-step")),
    of(kOfTracking,
       count_row<&TrackingOptions::canonical_steps>("canonical_steps", 1, 1000, "least number of sub-steps from rest")),
    of(kOfTracking, count_row<&TrackingOptions::halvings>(
                        "halvings", 0, 5, "of a sub-step that leaves inverted triangles or misses its surface")),
    of(kOfTracking,
       count_row<&TrackingOptions::projections>("projections", 1, 100, "Newton steps at the start of a sub-step")),
    of(kOfTracking,
       count_row<&TrackingOptions::relaxations>("relaxations", 0, 10000, "a sub-step, each followed by projection")),
    of(kOfTracking, count_row<&TrackingOptions::inner>("inner", 1, 1000, "conjugate gradient steps a relaxation")),
    of(kOfTracking, count_row<&TrackingOptions::rings>("rings", 0, 100, "around what moves that are solved for too")),
    of(kOfTracking, count_row<&TrackingOptions::smoothing>("smoothing", 0, 100, "passes over the skin around contact")),
};

}  // namespace

template <>
std::span<const OptionRow<SolveOptions>> option_rows() {
  return kSolveRows;
}
template <>
std::span<const OptionRow<ImplicitOptions>> option_rows() {
  return kImplicitRows;
}
template <>
std::span<const OptionRow<TrackingOptions>> option_rows() {
  return kTrackingRows;
}

}  // namespace cutis
