// The region that is inside the other skin is what the contour of the intersection encloses (Baraff, Witkin, Kass
// 2003): from the corners behind the triangles that they meet, over all edges that do not pass through the other skin.
// At the contour vertices go away from the triangles that theirs meet, along the difference of the normals, or out
// along the other's where the skins do not face each other; elsewhere in, along their own. Step by step; the skin
// around goes along, less and less.
#include "contact/press_apart.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "geometry/normals.h"

namespace cutis {
namespace {

// Pairs of triangles, and vertices of the regions inside, per vertex of the mesh: more is not a little.
constexpr double kMostPairs = 0.08, kMostInside = 0.1;
// A step, in local edges; so many at most, and no farther than so many radii of the part.
constexpr double kPressEdges = 0.2;
constexpr int kMostPresses = 20;
constexpr double kMostRadii = 0.4;
// Skins that face each other: cosine of the normals of two triangles that meet. Where nearly all do not, the skins
// are deep in each other.
constexpr double kFacing = -0.2;
constexpr double kMostSteep = 0.8;
// From the contour inwards; where it is open, a crease, only so far.
constexpr int kAllRings = 1000, kOpenRings = 2;
// So many rings go along, and what was pushed is drawn to the mean around it by so much in each of as many passes.
constexpr int kRingsAlong = 5;
constexpr double kDrawn = 0.3;
// Steps without fewer pairs before it is given up.
constexpr int kPressPatience = 5;

}  // namespace

void PressApart::start(const std::vector<Vec3f>& mesh) {
  const std::size_t n = mesh.size();
  start_ = at_ = mesh;
  further_.resize(n);
  away_.assign(n, Vec3d{});
  offset_.assign(n, Vec3d{});
  smooth_.assign(n, Vec3d{});
  next_.assign(n, Vec3d{});
  votes_.assign(n, 0);
  for (auto* flags : {&inside_, &met_, &pushed_, &listed_}) flags->assign(n, 0);
  touched_.clear();
  region_.clear();
  moved_.clear();
}

// Which corners of one triangle are behind the other: those of its edges that pass through it.
void PressApart::read_sides(const Triangle& of, const Triangle& against) {
  const std::array<Vec3d, 3> x{static_cast<Vec3d>(at_[against[0]]), static_cast<Vec3d>(at_[against[1]]),
                               static_cast<Vec3d>(at_[against[2]])};
  const Vec3d across = cross(x[1] - x[0], x[2] - x[0]), n = normalized(across),
              own = normalized(face_normal<double>(at_, of));
  const bool facing = dot(n, own) < kFacing;
  const auto height = [&](std::uint32_t v) { return dot(static_cast<Vec3d>(at_[v]) - x[0], n); };
  const auto passes_through = [&](const Vec3d& p) {
    for (std::size_t k = 0; k < 3; ++k)
      if (dot(cross(x[(k + 1) % 3] - x[k], p - x[k]), across) < 0) return false;
    return true;
  };
  for (std::size_t k = 0; k < 3; ++k) {
    const std::uint32_t v = of[k], w = of[(k + 1) % 3];
    const double h = height(v), g = height(w);
    if (met_[v] == 0) touched_.push_back(v);
    met_[v] = 1;
    if (facing)
      away_[v] += n - own;
    else if (h < 0)
      away_[v] += n;
    if ((h < 0) == (g < 0)) continue;
    if (!passes_through(lerp(static_cast<Vec3d>(at_[v]), static_cast<Vec3d>(at_[w]), h / (h - g)))) continue;
    votes_[v] += h < 0 ? 1 : -1;
    votes_[w] += g < 0 ? 1 : -1;
    cut_.push_back(pair_key(v, w));
  }
}

// False: skins are deep in each other.
bool PressApart::find_inside(std::span<const MeetingTriangles> meeting, bool first) {
  for (const std::uint32_t v : touched_) {
    votes_[v] = 0;
    met_[v] = 0;
    away_[v] = {};
  }
  touched_.clear();
  cut_.clear();
  const auto triangles = surface_.triangles();
  std::size_t steep = 0;
  for (const auto& [a, b] : meeting) {
    const Vec3d x = normalized(face_normal<double>(at_, triangles[a])),
                y = normalized(face_normal<double>(at_, triangles[b]));
    if (dot(x, y) > kFacing) ++steep;
    read_sides(triangles[a], triangles[b]);
    read_sides(triangles[b], triangles[a]);
  }
  if (first && static_cast<double>(steep) > kMostSteep * static_cast<double>(meeting.size())) return false;
  std::ranges::sort(cut_);
  return fill_inside(kAllRings) || fill_inside(kOpenRings);
}

// False: the contour is open, and nearly all would be inside.
bool PressApart::fill_inside(int rings) {
  const auto most = static_cast<std::size_t>(kMostInside * static_cast<double>(at_.size()));
  for (const std::uint32_t v : region_) inside_[v] = 0;
  region_.clear();
  for (const std::uint32_t v : touched_)
    if (votes_[v] > 0) {
      inside_[v] = 1;
      region_.push_back(v);
    }
  for (std::size_t begin = 0; begin < region_.size() && rings > 0; --rings) {
    for (const std::size_t end = region_.size(); begin < end; ++begin) {
      if (region_.size() > most) return false;
      const std::uint32_t v = region_[begin];
      for (const std::uint32_t w : surface_.topology().vertex_neighbours.row(v)) {
        if (inside_[w] != 0 || votes_[w] < 0) continue;
        if (std::binary_search(cut_.begin(), cut_.end(), pair_key(v, w))) continue;
        inside_[w] = 1;
        region_.push_back(w);
      }
    }
  }
  return true;
}

// What is inside and what meets, by `step` local edges more. False: too far.
bool PressApart::push(double step, std::vector<Vec3f>& to) {
  const Topology& topology = surface_.topology();
  const auto press = [&](std::uint32_t v, const Vec3d& way) {
    offset_[v] += normalized(way) * (step * static_cast<double>(surface_.edge_length()[v]));
    pushed_[v] = 1;
    if (listed_[v] == 0) moved_.push_back(v);
    listed_[v] = 1;
    return !(length(offset_[v]) > kMostRadii * static_cast<double>(radius_[surface_.part()[v]]));
  };
  const auto inwards = [&](std::uint32_t v) {
    Vec3d sum;
    for (const std::uint32_t f : topology.vertex_faces.row(v)) sum += face_normal<double>(at_, topology.triangles[f]);
    return -sum;
  };
  for (const std::uint32_t v : touched_)
    if (!press(v, away_[v])) return false;
  for (const std::uint32_t v : region_)
    if (met_[v] == 0 && !press(v, inwards(v))) return false;
  take_along();
  to = start_;
  for (const std::uint32_t v : moved_) to[v] = static_cast<Vec3f>(static_cast<Vec3d>(start_[v]) + smooth_[v]);
  return true;
}

void PressApart::take_along() {
  const Adjacency& around = surface_.topology().vertex_neighbours;
  std::size_t begin = 0;
  for (int ring = 0; ring < kRingsAlong; ++ring)
    for (const std::size_t end = moved_.size(); begin < end; ++begin)
      for (const std::uint32_t w : around.row(moved_[begin])) {
        if (listed_[w] == 0) moved_.push_back(w);
        listed_[w] = 1;
      }
  for (const std::uint32_t v : moved_) smooth_[v] = next_[v] = offset_[v];
  for (int pass = 0; pass < kRingsAlong; ++pass) {
    for (const std::uint32_t v : moved_) {
      Vec3d sum;
      const auto ring = around.row(v);
      for (const std::uint32_t w : ring) sum += smooth_[w];
      const Vec3d mean = ring.empty() ? offset_[v] : sum / static_cast<double>(ring.size());
      next_[v] = pushed_[v] != 0 ? lerp(offset_[v], mean, kDrawn) : mean;
    }
    for (const std::uint32_t v : moved_) smooth_[v] = next_[v];
  }
}

bool PressApart::run(std::vector<Vec3f>& mesh, MeetingSearch& search, const MeetingSearch::PartsPredicate& ignored,
                     const Context& context, WorkMeter* meter) {
  const auto meets = [&](const std::vector<Vec3f>& skin) {
    return !search.find(skin, ignored, context, meter).empty();
  };
  const auto stopped = [&] { return meter != nullptr && meter->stopped(); };
  std::size_t fewest = search.triangles().size();
  if (static_cast<double>(fewest) > kMostPairs * static_cast<double>(mesh.size())) return false;
  start(mesh);
  for (int press = 0, worse = 0; press < kMostPresses && worse < kPressPatience; ++press) {
    if (!find_inside(search.triangles(), press == 0) || !push(kPressEdges, at_)) return false;
    const bool still = meets(at_);
    if (stopped()) return false;
    if (!still) {
      // A little farther, so that the skins are not in touch at once.
      if (push(kPressEdges, further_) && !meets(further_) && !stopped()) at_.swap(further_);
      mesh.swap(at_);
      return true;
    }
    const std::size_t pairs = search.triangles().size();
    worse = pairs < fewest ? 0 : worse + 1;
    fewest = std::min(fewest, pairs);
  }
  return false;
}

}  // namespace cutis
