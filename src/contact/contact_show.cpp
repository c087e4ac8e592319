// What is shown of the valid mesh. See docs/algorithms/contact.md, "What is shown is never torn".
#include <limits>

#include "base/math.h"
#include "contact/contact_pass_impl.h"

namespace cutis {
namespace {

// Of the way from torn skin to where it is drawn together.
constexpr float kPartWay[] = {0.25F, 0.5F, 0.75F, 1};
// Pairs of triangles around an edge or two that were drawn together: more is a fold that would close through itself.
constexpr std::size_t kFewPairs = 8;

}  // namespace

// Draws `skin` together where it is stretched too far. Returns how many vertices were looked at.
std::size_t ContactPass::Impl::draw_together(std::vector<Vec3f>& skin, const Context& context) {
  const auto stretched = strain.find_suspects(skin, context);
  if (stretched.empty()) return 0;
  const std::vector<Vec3f>* smooth = &raw;  // a shape that was given is as it is meant
  if (!options.shape) {
    turn_bones(asked_motion, turns);
    plain.resize(mesh.size());
    for (const std::uint32_t v : stretched) plain[v] = static_cast<Vec3f>(smooth_place(v, asked_motion, turns));
    if (!strain.may_act(plain, skin)) return 0;
    find_plain(asked_motion, context);
    smooth = &plain;
  }
  for (std::size_t v = 0; v < skin.size(); ++v)
    if (!is_finite(skin[v]) || !is_finite((*smooth)[v])) return 0;
  return strain.apply(*smooth, skin, context);
}

// A shape that was given and cannot be followed for certain is shown as it is where less of that meets.
bool ContactPass::Impl::is_worse_than_shape(const Context& context) {
  const auto count = [&](const std::vector<Vec3f>& skin) {
    constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
    for (const Vec3f& p : skin)
      if (!is_finite(p)) return kUnknown;
    WorkMeter own;
    own.start(kLookWork * mesh.size(), 0);
    std::size_t pairs = 0;
    for (const MeetingParts& m : meeting_search.find(
             skin, [](std::uint32_t, std::uint32_t) { return false; }, context, &own))
      pairs += m.pairs;
    return own.stopped() ? kUnknown : pairs;
  };
  const std::size_t ours = count(shown);
  return ours > 0 && count(raw) < ours;
}

// The valid mesh stays what contact goes on from. What is shown is whole first: where it had to be drawn together, it
// is looked at again, and what intersects then is not certified, and named. Skin that is stretched, but not torn, is
// whole: it stays as it is if drawing it together would make it meet. Torn skin goes only as far as it must, and stays,
// too, if more than a few pairs met then.
void ContactPass::Impl::show(ContactReport& report, const Context& context) {
  shown = mesh;
  const std::size_t drawn = draw_together(shown, context);
  if (drawn == 0 || !report.certified) return;
  const auto ignored = [&](std::uint32_t a, std::uint32_t b) { return safe.released(a, b); };
  WorkMeter own;  // a look at all that intersects is not the frame's work, and has a bound of its own
  own.start(kLookWork * mesh.size(), 0);
  const auto look = [&] {
    suspect_moved(mesh, shown);  // the valid mesh does not intersect
    return meeting_search.find_near(suspects, shown, ignored, context, &own);
  };
  auto meeting = look();
  if ((!meeting.empty() || own.stopped()) && longest_stretch(mesh) < kSurelyTorn) {
    const std::vector<Vec3f>& smooth = options.shape ? raw : plain;
    drawn_together.swap(shown);
    shown = mesh;
    if (own.stopped() || !strain.is_torn(smooth, mesh)) return;
    for (const float share : kPartWay) {
      for (std::size_t v = 0; v < mesh.size(); ++v) shown[v] = lerp(mesh[v], drawn_together[v], share);
      if (!strain.is_torn(smooth, shown)) break;
    }
    meeting = look();
    std::size_t count = 0;
    for (const auto& [parts, pairs] : meeting) count += pairs;
    if (own.stopped() || count > kFewPairs) {
      shown = mesh;
      return;
    }
  }
  report.certified = meeting.empty() && !own.stopped();
  if (own.stopped()) return;
  for (const auto& [parts, pairs] : meeting) {
    if (parts[0] >= rig.bones.size() || parts[1] >= rig.bones.size()) continue;
    report.released.push_back({rig.bones[parts[0]].joint, rig.bones[parts[1]].joint});
  }
}

}  // namespace cutis
