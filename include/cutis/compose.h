// Composition operators g(f1, f2): how two fields become one, and the controllers that choose an operator's parameter
// from the angle between the fields' gradients.
//
// Fields are in [0,1], 0.5 on the surface. Papers: Tracking 4 (contact, bulge, free form), Implicit 3.4 (union, blend).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/context.h"
#include "cutis/operator_kind.h"
#include "cutis/option_rows.h"
#include "cutis/types.h"

namespace cutis {

struct OperatorView;  // src/kernels/compose.h: what a kernel reads

[[nodiscard]] std::string_view name_of(OperatorKind kind);
[[nodiscard]] std::optional<OperatorKind> operator_kind(std::string_view name);

// ---- profiles ----

struct ProfilePoint {
  double f1 = 0, f2 = 0;
};

/// Where g = 0.5 at d = 1, in the half f1 >= f2; the other half mirrors it. A clamped cubic B-spline from (0.5, 0) to a
/// point of the diagonal, f2 rising from point to point. f1 < 0.5 bulges the skin, f1 > 0.5 dents it.
struct OperatorProfile {
  std::string name = {};
  std::vector<ProfilePoint> points = {};  ///< 2 to 64 control points
  double contact_depth = 1;               ///< in [0,1]: 0 no contact line, 1 to its full depth; in steps of 1/14
};

/// The profiles of the contact and of the bulge operator.
[[nodiscard]] OperatorProfile contact_profile();
[[nodiscard]] OperatorProfile bulge_profile();

/// {"name": "...", "points": [[f1, f2], ...], "contact_depth": 1}. Reading throws Error(bad_file) that names `place`.
[[nodiscard]] std::string to_json(const OperatorProfile& profile);
[[nodiscard]] OperatorProfile profile_from_json(std::string_view text, const std::string& place);

// ---- operators ----

struct OperatorOptions {
  OperatorProfile profile = {};  ///< for OperatorKind::profile
  bool monotone = true;          ///< tables: bounds on slopes; false: the plain bi-harmonic solution of the paper
  /// Where tables are kept. None: $XDG_CACHE_HOME/cutis or ~/.cache/cutis. Empty: nowhere.
  std::optional<std::string> cache_folder = {};
};

enum class CacheUse {
  none,          ///< closed form, or no folder
  found,         ///< read
  stored,        ///< built and written
  repaired,      ///< the file was damaged: built and written anew
  not_writable,  ///< built; the folder could not be written
};

struct OperatorReport {
  CacheUse cache = CacheUse::none;
  double milliseconds = 0;  ///< to build or to read
  std::size_t bytes = 0;    ///< of the table
};

/// Immutable; shared by any number of threads.
class CompositionOperator {
 public:
  ~CompositionOperator();

  [[nodiscard]] OperatorKind kind() const;
  [[nodiscard]] const OperatorReport& report() const;

  /// Values outside [0,1] are clamped, NaN counts as 0.
  [[nodiscard]] Composed operator()(float f1, float f2, float parameter) const;
  /// Many points; all spans of one length. Throws Error(bad_argument) when the lengths differ.
  void evaluate(std::span<const float> f1, std::span<const float> f2, std::span<const float> parameter,
                std::span<Composed> out, const Context& context) const;

  /// Where g = 0.5 for this parameter: from (0.5, 0) to the diagonal.
  [[nodiscard]] std::vector<ProfilePoint> profile(double parameter) const;
  /// End of the contact line on the diagonal; the crossing itself when there is none.
  [[nodiscard]] double contact_end(double parameter) const;

  /// Points into this object.
  [[nodiscard]] const OperatorView& view() const;

  struct Impl;
  explicit CompositionOperator(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

/// Builds or reads the operator. Throws Error(bad_argument) for a profile that cannot be used.
[[nodiscard]] std::shared_ptr<const CompositionOperator> make_operator(OperatorKind kind, const Context& context,
                                                                       const OperatorOptions& options = {});

// ---- controllers ----

struct ControllerPoint {
  double angle = 0;  ///< between the gradients, radians
  double value = 0;  ///< d in [0,1], or the opening angle theta in radians
};

/// A C1 curve through its points that rises and falls only where they do; constant before the first and after the last.
struct Controller {
  std::vector<ControllerPoint> points = {};  ///< 1 to 64, angles rising in [0, pi]
  [[nodiscard]] double operator()(double angle) const;
};

/// The curves of one kind of joint.
struct ControllerPreset {
  std::string name = {};
  Controller contact = {};  ///< d_c(alpha)
  Controller bulge = {};    ///< d_b(alpha)
  Controller opening = {};  ///< theta(alpha) in [0, pi/4]
};

[[nodiscard]] std::vector<std::string> controller_preset_names();  ///< default, elbow, knee, shoulder, hip, finger
/// Throws Error(bad_argument) with the names there are.
[[nodiscard]] ControllerPreset controller_preset(std::string_view name);

/// {"name": "...", "contact": [[degrees, d], ...], "bulge": [[degrees, d], ...], "opening": [[degrees, degrees], ...]}.
/// Reading: a curve that is absent is that of the preset named by "like" (else "default"). Throws Error(bad_file).
[[nodiscard]] std::string to_json(const ControllerPreset& preset);
[[nodiscard]] ControllerPreset controller_preset_from_json(std::string_view text, const std::string& place);

/// The opening curve of Implicit 3.4.2, figure 10, exactly as printed; angles in radians.
struct OpeningCurve {
  double alpha0 = 0.39269908169872414, alpha1 = 1.5707963267948966, alpha2 = 1.5707963267948966;
  double theta0 = 0.7853981633974483, theta1 = 0.3141592653589793, theta2 = 0.3141592653589793;
  double omega0 = 0.5, omega1 = 1;
  [[nodiscard]] double operator()(double alpha) const;
};

/// The angle between two gradients in [0, pi]; 0 where one has no direction.
[[nodiscard]] double gradient_angle(const Vec3d& grad1, const Vec3d& grad2);

template <>
[[nodiscard]] std::span<const OptionRow<OperatorOptions>> option_rows();

}  // namespace cutis
