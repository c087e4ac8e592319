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
// Triangles that meet and are no more rings than these apart along the skin are a crease that is crumpled: there is no
// side on which either belongs. Its vertices and so many rings around them are drawn to the mean of their neighbours,
// by so much in each of some passes a step.
constexpr int kCreaseRings = 4;
constexpr int kIronRings = 2;
constexpr double kIron = 0.5;
constexpr int kIronPasses = 3;

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
  for (auto* flags : {&inside_, &met_, &pushed_, &listed_, &in_crease_, &seen_}) flags->assign(n, 0);
  touched_.clear();
  region_.clear();
  moved_.clear();
}

bool PressApart::near_along_skin(const Triangle& a, const Triangle& b) {
  const Adjacency& around = surface_.topology().vertex_neighbours;
  reached_.assign(a.begin(), a.end());
  for (const std::uint32_t v : reached_) seen_[v] = 1;
  bool near = false;
  for (std::size_t ring = 0, begin = 0; ring < kCreaseRings && !near; ++ring)
    for (const std::size_t end = reached_.size(); begin < end && !near; ++begin)
      for (const std::uint32_t w : around.row(reached_[begin])) {
        if (seen_[w] != 0) continue;
        seen_[w] = 1;
        reached_.push_back(w);
        near = near || w == b[0] || w == b[1] || w == b[2];
      }
  for (const std::uint32_t v : reached_) seen_[v] = 0;
  return near;
}

void PressApart::tell_creases(std::span<const MeetingTriangles> meeting) {
  const auto triangles = surface_.triangles();
  creased_.clear();
  facing_.clear();
  for (const MeetingTriangles& pair : meeting)
    (near_along_skin(triangles[pair[0]], triangles[pair[1]]) ? creased_ : facing_).push_back(pair);
}

// The crumpled skin of creases, smoothed where it is.
void PressApart::iron() {
  const Adjacency& around = surface_.topology().vertex_neighbours;
  crease_.clear();
  const auto take = [&](std::uint32_t v) {
    if (in_crease_[v] == 0) crease_.push_back(v);
    in_crease_[v] = 1;
  };
  for (const MeetingTriangles& pair : creased_)
    for (const std::uint32_t t : pair)
      for (const std::uint32_t v : surface_.triangles()[t]) take(v);
  std::size_t begin = 0;
  for (int ring = 0; ring < kIronRings; ++ring)
    for (const std::size_t end = crease_.size(); begin < end; ++begin)
      for (const std::uint32_t w : around.row(crease_[begin])) take(w);
  for (int pass = 0; pass < kIronPasses; ++pass) {
    for (const std::uint32_t v : crease_) {
      Vec3d sum;
      const auto ring = around.row(v);
      for (const std::uint32_t w : ring) sum += static_cast<Vec3d>(at_[w]);
      next_[v] = ring.empty() ? Vec3d{} : (sum / static_cast<double>(ring.size()) - static_cast<Vec3d>(at_[v])) * kIron;
    }
    for (const std::uint32_t v : crease_) {
      start_[v] += static_cast<Vec3f>(next_[v]);
      at_[v] += static_cast<Vec3f>(next_[v]);
    }
  }
  for (const std::uint32_t v : crease_) in_crease_[v] = 0;
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

// Nearly no two of the triangles that meet face each other.
bool PressApart::is_deep(std::span<const MeetingTriangles> meeting) const {
  const auto triangles = surface_.triangles();
  const auto steep = std::ranges::count_if(meeting, [&](const MeetingTriangles& pair) {
    return dot(normalized(face_normal<double>(at_, triangles[pair[0]])),
               normalized(face_normal<double>(at_, triangles[pair[1]]))) > kFacing;
  });
  return static_cast<double>(steep) > kMostSteep * static_cast<double>(meeting.size());
}

// False: nearly all would be inside.
bool PressApart::find_inside(std::span<const MeetingTriangles> meeting) {
  for (const std::uint32_t v : touched_) {
    votes_[v] = 0;
    met_[v] = 0;
    away_[v] = {};
  }
  touched_.clear();
  cut_.clear();
  const auto triangles = surface_.triangles();
  for (const auto& [a, b] : meeting) {
    read_sides(triangles[a], triangles[b]);
    read_sides(triangles[b], triangles[a]);
  }
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
  tell_creases(search.triangles());
  if (!facing_.empty() && is_deep(search.triangles())) return false;
  for (int press = 0, worse = 0; press < kMostPresses && worse < kPressPatience; ++press) {
    tell_creases(search.triangles());
    if (!facing_.empty() && (!find_inside(facing_) || !push(kPressEdges, at_))) return false;
    if (!creased_.empty()) iron();
    const bool still = meets(at_);
    if (stopped()) return false;
    if (!still) {
      // A little farther, so that the skins are not in touch at once.
      if (!moved_.empty() && push(kPressEdges, further_) && !meets(further_) && !stopped()) at_.swap(further_);
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
