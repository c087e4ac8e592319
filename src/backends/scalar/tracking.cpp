#include "backends/posed_field.h"
#include "backends/scalar/track.h"

namespace cutis::scalar {
namespace {

class Tracking final : public HostTracking {
 public:
  Tracking(const Rig& rig, const TrackingOptions& options, const Context& context)
      : HostTracking(rig, options, context), composed_(rig) {
    restart();
  }

 private:
  [[nodiscard]] TrackStep& step() override { return step_; }
  [[nodiscard]] const TrackStep& step() const override { return step_; }
  [[nodiscard]] bool is_composed() const { return options_.contact == ContactModel::composed; }
  void set_pose(const PosedBones& pose) override {
    if (is_composed()) composed_.set_pose(pose.motion);
  }
  void control() override { track_control(rig_, rest_, step_, context_); }
  void awake() override { track_awake(step_); }
  void project(int steps, float limit) override {
    track_project(rig_, rest_, steps, limit, is_composed() ? &composed_ : nullptr, step_, context_);
  }
  void relax() override { track_relax(rig_, rest_, options_, step_, context_); }
  void narrow(float least) override { track_narrow(rig_, least, step_); }
  [[nodiscard]] std::size_t live() const override { return step_.live.size(); }
  void settle() override {}  // all is there already

  Step step_;
  PosedField composed_;  // the paper's field, where the options ask for it
};

}  // namespace

std::unique_ptr<TrackBackend> make_tracking(const Rig& rig, const TrackingOptions& options, const Context& context) {
  return std::make_unique<Tracking>(rig, options, context);
}

}  // namespace cutis::scalar
