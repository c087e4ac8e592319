// The tables of the solver's options.
#include "base/option_table.h"
#include "cutis/solve.h"

namespace cutis {
namespace {

constexpr double kHalfTurn = 3.14159265358979323846;

constexpr std::string_view kMethodChoices[] = {"lbs", "dqs", "implicit", "tracking"};
constexpr std::string_view kInitialChoices[] = {"lbs", "dqs"};
constexpr std::string_view kContactChoices[] = {"own-side", "operator"};
constexpr std::string_view kHistoryChoices[] = {"playback", "stateless", "canonical"};
constexpr std::string_view kRelaxationChoices[] = {"conjugate-gradients", "jacobi"};

constexpr OptionRow<SolveOptions> kSolveRows[] = {
    choice_row<&SolveOptions::method>("method", kMethodChoices, "how the skin follows the bones"),
    flag_row<&SolveOptions::contact_pass>("contact_pass",
                                          "no intersections in any frame; empty: with tracking on its own side"),
    number_row<&SolveOptions::relief_cap>("relief_cap", "sizes of the character", {.least = 0, .most = 0.2},
                                          "how far bones that a pose drives into each other are moved apart at most"),
    flag_row<&SolveOptions::swell>("swell", "flesh that contact presses in comes out around it"),
    number_row<&SolveOptions::frame_budget_ms>("frame_budget_ms", "ms", {.least = 0, .most = 1e9},
                                               "that a frame may take; 0: as long as it takes"),
};

constexpr OptionRow<ImplicitOptions> kImplicitRows[] = {
    choice_row<&ImplicitOptions::initial>("initial", kInitialChoices, "where the projection starts"),
    choice_row<&ImplicitOptions::contact>("contact", kContactChoices, "how a vertex finds that it touches a part"),
    flag_row<&ImplicitOptions::blend>("blend", "own-side: parts of a joint swell into each other"),
    number_row<&ImplicitOptions::turn>("turn", "rad", {.least = 0, .most = kHalfTurn},
                                       "operator: turn of the gradient in a step that means contact"),
    count_row<&ImplicitOptions::rounds>("rounds", 0, 100, "of relaxation and projection"),
    count_row<&ImplicitOptions::inner>("inner", 1, 1000, "own-side: conjugate gradient steps a relaxation"),
    count_row<&ImplicitOptions::rings>("rings", 0, 100, "around what moves that are solved for too"),
    count_row<&ImplicitOptions::smoothing>("smoothing", 0, 100, "passes over the skin around contact"),
    number_row<&ImplicitOptions::tolerance>("tolerance", "", {.least = 1e-6, .most = 0.1}, "on |f - iso|"),
};

constexpr OptionRow<TrackingOptions> kTrackingRows[] = {
    choice_row<&TrackingOptions::history>("history", kHistoryChoices, "where a frame starts from"),
    choice_row<&TrackingOptions::contact>("contact", kContactChoices, "how a vertex finds that it touches a part"),
    choice_row<&TrackingOptions::relaxation>("relaxation", kRelaxationChoices, "how skin relaxes in its surface"),
    number_row<&TrackingOptions::step>("step", "rad", {.least = 0, .most = 1, .above_least = true},
                                       "that a joint may turn in a sub-step"),
    count_row<&TrackingOptions::canonical_steps>("canonical_steps", 1, 1000, "least number of sub-steps from rest"),
    count_row<&TrackingOptions::halvings>("halvings", 0, 5, "of a sub-step that leaves inverted triangles"),
    count_row<&TrackingOptions::projections>("projections", 1, 100, "Newton steps at the start of a sub-step"),
    count_row<&TrackingOptions::relaxations>("relaxations", 0, 10000, "a sub-step, each followed by projection"),
    count_row<&TrackingOptions::inner>("inner", 1, 1000, "conjugate gradient steps a relaxation"),
    count_row<&TrackingOptions::rings>("rings", 0, 100, "around what moves that are solved for too"),
    count_row<&TrackingOptions::smoothing>("smoothing", 0, 100, "passes over the skin around contact"),
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
