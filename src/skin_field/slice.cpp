// Values over a rectangle, and the contact surfaces that it cuts. On a contact surface the field has a valley whose
// floor is 0.5 and that no iso-line shows; there the two sides of a node are felt equally, so it is where their
// difference changes sign.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/alive.h"
#include "base/math.h"
#include "cutis/error.h"
#include "cutis/skin_field.h"
#include "geometry/disjoint_sets.h"
#include "rig/parts.h"
#include "skin_field/skin_field_impl.h"

namespace cutis {
namespace {

// In the middle of a joint the fields of two bones face each other as two skins do, and the angle between gradients
// takes that for a contact. A contact of skins begins where the skin does: between bones that are near in the skeleton,
// a line that is nowhere this near to the outside (cells) is none.
constexpr int kNearSkin = 12;  // the wedge at the end of a fold is thinner than a cell

/// Where the two sides of a node are felt equally, in units of cells.
template <class Meet>
std::vector<FieldSlice::Line> contact_lines(const std::vector<SkinFieldSample>& samples, int columns, int rows,
                                            const Meet& meet) {
  const auto at = [&](int i, int j) -> const SkinFieldSample& {
    return samples[static_cast<std::size_t>(j) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(i)];
  };
  const auto outside_near = [&](int i, int j) {
    for (int y = std::max(0, j - kNearSkin); y <= std::min(rows - 1, j + 1 + kNearSkin); ++y)
      for (int x = std::max(0, i - kNearSkin); x <= std::min(columns - 1, i + 1 + kNearSkin); ++x)
        if (at(x, y).value < 0.5F) return true;
    return false;
  };
  std::vector<FieldSlice::Line> lines;
  std::vector<std::uint32_t> cell_of;  // per line
  std::vector<std::uint32_t> lines_in(samples.size(), 0);
  DisjointSets sets(samples.size());
  std::vector<char> real(samples.size(), 0);
  for (int j = 0; j + 1 < rows; ++j)
    for (int i = 0; i + 1 < columns; ++i) {
      constexpr int kX[4] = {0, 1, 1, 0}, kY[4] = {0, 0, 1, 1};
      std::array<float, 4> difference{};
      const int contact = std::abs(at(i, j).side);
      bool whole = contact != 0;
      for (std::size_t c = 0; c < 4; ++c) {
        const SkinFieldSample& s = at(i + kX[c], j + kY[c]);
        whole = whole && std::abs(s.side) == contact;
        difference[c] = s.side < 0 ? -s.across : s.across;
      }
      if (!whole) continue;
      std::vector<std::pair<double, double>> ends;
      for (std::size_t c = 0; c < 4; ++c) {
        const std::size_t d = (c + 1) % 4;
        if ((difference[c] < 0) == (difference[d] < 0)) continue;
        const double t = difference[c] / (static_cast<double>(difference[c]) - difference[d]);
        ends.emplace_back(i + kX[c] + t * (kX[d] - kX[c]), j + kY[c] + t * (kY[d] - kY[c]));
      }
      const auto cell = static_cast<std::uint32_t>(j * columns + i);
      for (std::size_t e = 0; e + 1 < ends.size(); e += 2) {
        lines.push_back({ends[e].first, ends[e].second, ends[e + 1].first, ends[e + 1].second});
        cell_of.push_back(cell);
        ++lines_in[cell];
      }
      if (lines_in[cell] == 0) continue;
      real[cell] = !meet(at(i, j).joint, at(i, j).other) || outside_near(i, j) ? 1 : 0;
      if (i > 0 && lines_in[cell - 1] > 0) sets.join(cell, cell - 1);
      for (int x = std::max(0, i - 1); x <= i + 1 && j > 0; ++x) {
        const auto below = static_cast<std::uint32_t>((j - 1) * columns + x);
        if (lines_in[below] > 0) sets.join(cell, below);
      }
    }
  std::vector<char> reaches(samples.size(), 0);
  for (std::uint32_t c = 0; c < samples.size(); ++c)
    if (real[c] != 0) reaches[sets.find(c)] = 1;
  std::vector<FieldSlice::Line> kept;
  for (std::size_t l = 0; l < lines.size(); ++l)
    if (reaches[sets.find(cell_of[l])] != 0) kept.push_back(lines[l]);
  return kept;
}

}  // namespace

FieldSlice SkinField::slice(const SlicePlane& plane, int columns, const Context& context) const {
  (void)alive(impl_, "skin field");
  if (columns < 2 || columns > 4096 || !(plane.width > 0) || !(plane.height > 0))
    throw Error(ErrorCode::bad_argument, "slice", "needs 2 to 4096 columns and a rectangle of some size");
  FieldSlice slice;
  slice.columns = columns;
  slice.rows = std::clamp(static_cast<int>(std::lround(columns * plane.height / plane.width)), 2, 4096);
  const auto x_of = [&](double i) { return (i / (slice.columns - 1) - 0.5) * plane.width; };
  const auto y_of = [&](double j) { return (j / (slice.rows - 1) - 0.5) * plane.height; };
  std::vector<Vec3f> points;
  for (int j = 0; j < slice.rows; ++j)
    for (int i = 0; i < slice.columns; ++i)
      points.push_back(static_cast<Vec3f>(plane.center + plane.right * x_of(i) + plane.up * y_of(j)));
  std::vector<SkinFieldSample> samples(points.size());
  evaluate(points, samples, context);
  slice.values.resize(samples.size());
  std::ranges::transform(samples, slice.values.begin(), &SkinFieldSample::value);

  const Rig& rig = *impl_->rig;
  const auto parent_of = [&](int joint) {  // the nearest ancestor with a part
    const int bone = parent_part(rig, static_cast<std::size_t>(impl_->bone_of(joint)));
    return bone < 0 ? -1 : rig.bones[static_cast<std::size_t>(bone)].joint;
  };
  const auto meet = [&](int a, int b) {  // at most one part between them
    const int above_a = parent_of(a), above_b = parent_of(b);
    return above_a == b || above_b == a || above_a == above_b || (above_a >= 0 && parent_of(above_a) == b) ||
           (above_b >= 0 && parent_of(above_b) == a);
  };
  slice.contacts = contact_lines(samples, slice.columns, slice.rows, meet);
  for (FieldSlice::Line& line : slice.contacts) line = {x_of(line.x0), y_of(line.y0), x_of(line.x1), y_of(line.y1)};
  return slice;
}

}  // namespace cutis
