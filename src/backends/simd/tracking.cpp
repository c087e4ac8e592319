#include "backends/simd/track.h"

namespace cutis::simd {
namespace {

class Tracking final : public HostTracking {
 public:
  Tracking(const Rig& rig, const TrackingOptions& options, const Context& context)
      : HostTracking(rig, options, context) {
    restart();
  }

 private:
  [[nodiscard]] TrackStep& step() override { return step_; }
  [[nodiscard]] const TrackStep& step() const override { return step_; }
  void set_pose(const PosedBones&) override {}
  void control() override { track_control(rig_, rest_, step_, context_); }
  void awake() override { track_awake(rig_, rest_, step_, context_); }
  void project(int steps, float limit) override { track_project(rest_, steps, limit, step_, context_); }
  void relax() override { track_relax(rig_, rest_, options_.inner, step_, context_); }
  void narrow(float least) override { track_narrow(rest_, least, step_); }
  [[nodiscard]] std::size_t live() const override { return step_.live_count; }
  void settle() override { track_settle(rest_, step_, context_); }

  Step step_;
};

}  // namespace

std::string_view missing(const TrackingOptions& options) {
  if (options.contact == ContactModel::composed) return "contact by operators";
  if (options.relaxation == Relaxation::jacobi) return "relaxation by Jacobi steps";
  return {};
}

std::unique_ptr<TrackBackend> make_tracking(const Rig& rig, const TrackingOptions& options, const Context& context) {
  return std::make_unique<Tracking>(rig, options, context);
}

}  // namespace cutis::simd
