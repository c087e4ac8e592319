#include "volume/delaunay.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/math.h"
#include "cutis/error.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace cutis {

std::vector<Tetrahedron> delaunay_tetrahedra(std::span<const Vec3d> points) {
  const auto fail = [] {
    throw Error(ErrorCode::bad_character, "control mesh", "its points span no volume; is the mesh flat or empty?");
  };
  if (points.size() < 5) fail();
  Box box;
  for (const Vec3d& p : points) box.add(p);
  const double size = diagonal(box);
  if (!(size > 0)) fail();
  // Around the origin and of size 1, where qhull's tolerances are meant to work.
  std::vector<coordT> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3d& p : points)
    for (int k = 0; k < 3; ++k) coordinates.push_back((p[k] - 0.5 * (box.lo[k] + box.hi[k])) / size);

  // qhull writes its complaints to a file: one in memory, dropped.
  char* text = nullptr;
  std::size_t text_size = 0;
  std::FILE* messages = open_memstream(&text, &text_size);
  qhT state;
  qhT* qh = &state;
  qh_zero(qh, messages);
  char command[] = "qhull d Qbb Qc Qt Q12";
  const int code =
      qh_new_qhull(qh, 3, static_cast<int>(points.size()), coordinates.data(), False, command, nullptr, messages);
  std::vector<Tetrahedron> tetrahedra;
  if (code == 0) {
    facetT* facet = nullptr;
    FORALLfacets {
      if (facet->upperdelaunay) continue;
      Tetrahedron t{};
      std::size_t count = 0;
      vertexT* vertex = nullptr;
      vertexT** vertexp = nullptr;
      FOREACHvertex_(facet->vertices) {
        if (count < 4) t[count] = static_cast<std::uint32_t>(qh_pointid(qh, vertex->point));
        ++count;
      }
      if (count != 4) continue;
      const double volume = six_volumes(points[t[0]], points[t[1]], points[t[2]], points[t[3]]);
      if (volume < 0) std::swap(t[2], t[3]);
      // Cospherical points give some that are flat to rounding.
      if (std::abs(volume) > 1e-12 * size * size * size) tetrahedra.push_back(t);
    }
  }
  qh_freeqhull(qh, !qh_ALL);
  int current = 0, total = 0;
  qh_memfreeshort(qh, &current, &total);
  std::fclose(messages);
  std::free(text);
  if (code != 0 || tetrahedra.empty()) fail();
  return tetrahedra;
}

}  // namespace cutis
