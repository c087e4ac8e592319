// Skins that pass through each other a little, pressed apart: each goes away from the other where it is inside it,
// until they do not meet. What was let go for a frame or two, and where the method's own skin overlaps (an armpit, a
// hip), can be held again so. Skins that are deep in each other are left as they are.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "contact/meeting_search.h"

namespace cutis {

class PressApart {
 public:
  /// The surface and the radii (per part, metres) must outlive this.
  PressApart(const ContactSurface& surface, std::span<const float> radius) : surface_(surface), radius_(radius) {}

  /// `mesh`: finite; `search` has looked at all of it last, without the parts that are ignored. True: it intersects
  /// nowhere any more, but where it does at rest and in those parts. False: it is as it was; `search` knows who is
  /// left.
  bool run(std::vector<Vec3f>& mesh, MeetingSearch& search, const MeetingSearch::PartsPredicate& ignored,
           const Context& context, WorkMeter* meter);

 private:
  void start(const std::vector<Vec3f>& mesh);
  void tell_creases(std::span<const MeetingTriangles> meeting);
  [[nodiscard]] bool near_along_skin(const Triangle& a, const Triangle& b);
  void iron();
  [[nodiscard]] bool is_deep(std::span<const MeetingTriangles> meeting) const;
  bool find_inside(std::span<const MeetingTriangles> meeting);
  void read_sides(const Triangle& of, const Triangle& against);
  bool fill_inside(int rings);
  bool push(double step, std::vector<Vec3f>& to);
  void take_along();

  const ContactSurface& surface_;
  std::span<const float> radius_;
  std::vector<MeetingTriangles> creased_, facing_;  // of those that meet: near each other along the skin, the others
  std::vector<std::uint32_t> crease_, reached_;     // vertices
  std::vector<std::uint8_t> in_crease_, seen_;      // per vertex
  std::vector<Vec3f> start_, at_, further_;
  std::vector<Vec3d> away_;           // from the skin that a vertex's triangles meet; a sum
  std::vector<Vec3d> offset_;         // metres that a vertex was pushed
  std::vector<Vec3d> smooth_, next_;  // that, smoothed
  std::vector<int> votes_;            // behind the triangles that it meets, or in front
  std::vector<std::uint8_t> inside_, met_, pushed_;
  std::vector<std::uint64_t> cut_;               // edges that pass through the other skin; sorted
  std::vector<std::uint32_t> region_, touched_;  // inside; of triangles that meet
  std::vector<std::uint32_t> moved_;             // pushed, and what goes along
  std::vector<std::uint8_t> listed_;             // in that
};

}  // namespace cutis
