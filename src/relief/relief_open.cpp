// Limbs that are in each other, taken apart: a pose near the one that is wanted, in which skins do not meet and from
// which contact can close on it. Skin in skin says which limbs and where to: along the mean of the normals of the
// triangles that meet. The limbs go that way as wholes, so that they come back on it without catching on each other.
#include <limits>

#include "base/math.h"
#include "relief/relief.h"

namespace cutis {
namespace {

// Of a joint, radians.
constexpr double kOpenTurn = 1.2;
// How far beyond the other's surface, in radii of the thick part.
constexpr double kClearance = 0.25;
// How often is looked for what the turns bring together, and how often all limbs are pushed in between.
constexpr int kOpenRounds = 3, kOpenSweeps = 10;
// Of the way that is wanted, that is as good as all of it.
constexpr double kArrived = 0.05;
// Normals that cancel out say nothing: the mean's share of their lengths.
constexpr double kOneWay = 0.1;

}  // namespace

std::span<const Quatd> Relief::open(std::span<const Affine3d> motion, std::span<const SkinMeeting> meetings,
                                    double far) {
  struct Opening {
    Vec3d way;  // of limbs[0], world
    double all = 0;
  };
  struct Meeting {
    std::uint32_t thin = 0, thick = 0;
    Vec3d at, way;  // of the thin part, world
    double far = 0;
  };
  std::map<Limbs, Opening> openings;
  const auto side = [&](std::uint32_t part, const Limbs& limbs) { return hangs_on(part, limbs[1]) ? -1.0 : 1.0; };
  int meeting_at = -1;
  for (const SkinMeeting& m : meetings) {
    if (m.a == m.b || m.a >= radius_.size() || m.b >= radius_.size()) continue;
    const Limbs limbs = limbs_of(m.a, m.b, meeting_at);
    openings[limbs].way += m.away * side(m.a, limbs);
    openings[limbs].all += length(m.away);
  }
  Ways ways;
  std::erase_if(openings, [](const auto& o) { return !(length(o.second.way) > kOneWay * o.second.all); });
  if (openings.empty()) return {};
  const ReliefState before = save_state();
  const ReliefReport report = report_;
  for (Quatd& turn : turn_) turn = {};
  prepare(motion, {});
  std::vector<Meeting> all;
  for (const SkinMeeting& m : meetings) {
    if (m.a == m.b || m.a >= radius_.size() || m.b >= radius_.size() || usable_[m.a] == 0 || usable_[m.b] == 0)
      continue;
    const Limbs limbs = limbs_of(m.a, m.b, meeting_at);
    const auto opening = openings.find(limbs);
    if (opening == openings.end()) continue;
    const Vec3d way = normalized(opening->second.way);
    const std::uint32_t thin = radius_[m.a] <= radius_[m.b] ? m.a : m.b, thick = thin == m.a ? m.b : m.a;
    all.push_back({thin, thick, m.at, way * side(thin, limbs), far * radius_[thin]});
    const Vec3d local =
        meeting_at < 0 ? all.back().way : inverse(motion[static_cast<std::size_t>(meeting_at)].linear) * all.back().way;
    if (is_finite(local)) ways[limbs] = normalized(local) * (hangs_on(thin, limbs[0]) ? 1.0 : -1.0);
  }
  const double cap = cap_;
  cap_ = std::numeric_limits<double>::infinity();
  most_turn_ = kOpenTurn;
  clearance_ = kClearance;
  for (int round = 0; round < kOpenRounds; ++round) {
    prepare(motion, ways);
    for (int sweep = 0; sweep < kOpenSweeps; ++sweep) {
      settle(motion);
      bool any = false;
      for (const Meeting& m : all) {
        const Vec3d thin = transform_point(carry(m.thin, turn_), m.at),
                    thick = transform_point(carry(m.thick, turn_), m.at);
        const double left = m.far - dot(thin - thick, m.way);
        if (left > kArrived * m.far) any = push(m.thin, m.thick, thin, m.way, left) || any;
      }
      if (!any) break;
    }
  }
  opened_ = turn_;
  cap_ = cap;
  most_turn_ = kReliefTurn;
  clearance_ = 0;
  restore_state(before);
  report_ = report;
  return opened_;
}

}  // namespace cutis
