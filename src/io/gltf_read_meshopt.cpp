// EXT_meshopt_compression: the codecs are meshoptimizer's; the checks before them are ours, since it takes sizes on
// trust (asserts) and only reports damaged streams.
#include <fmt/format.h>
#include <meshoptimizer.h>

#include "io/gltf_read_data.h"

#include "io/gltf_read_fail.h"

namespace cutis::gltf {
namespace {

void apply_filter(const MeshoptView& view, std::vector<std::byte>& bytes, const std::string& place) {
  const auto need = [&](bool ok) {
    if (!ok) fail(place, fmt::format("its meshopt filter {} does not fit {}-byte elements", view.filter, view.stride));
  };
  if (view.filter == "OCTAHEDRAL") {
    need(view.stride == 4 || view.stride == 8);
    meshopt_decodeFilterOct(bytes.data(), view.count, view.stride);
  } else if (view.filter == "QUATERNION") {
    need(view.stride == 8);
    meshopt_decodeFilterQuat(bytes.data(), view.count, view.stride);
  } else if (view.filter == "EXPONENTIAL") {
    need(view.stride % 4 == 0);
    meshopt_decodeFilterExp(bytes.data(), view.count, view.stride);
  } else if (!view.filter.empty() && view.filter != "NONE") {
    fail(place, fmt::format("its meshopt filter '{}' is unknown", view.filter.substr(0, 40)));
  }
}

}  // namespace

std::vector<std::byte> decode_meshopt(const MeshoptView& view, std::span<const std::byte> compressed,
                                      const std::string& place) {
  const auto* source = reinterpret_cast<const unsigned char*>(compressed.data());
  const std::size_t size = compressed.size();
  std::vector<std::byte> bytes;
  int status = 0;
  if (view.mode == "ATTRIBUTES") {
    if (view.stride == 0 || view.stride > 256 || view.stride % 4 != 0)
      fail(place, fmt::format("its meshopt stride of {} bytes is not a multiple of 4 up to 256", view.stride));
    bytes.resize(view.count * view.stride);
    if (view.count > 0) status = meshopt_decodeVertexBuffer(bytes.data(), view.count, view.stride, source, size);
    if (status == 0 && view.count > 0) apply_filter(view, bytes, place);
  } else if (view.mode == "TRIANGLES" || view.mode == "INDICES") {
    if (view.stride != 2 && view.stride != 4)
      fail(place, fmt::format("its meshopt indices have {} bytes instead of 2 or 4", view.stride));
    if (view.mode == "TRIANGLES" && view.count % 3 != 0)
      fail(place, fmt::format("its meshopt triangles have {} indices, not a multiple of 3", view.count));
    bytes.resize(view.count * view.stride);
    if (view.count > 0)
      status = view.mode == "TRIANGLES"
                   ? meshopt_decodeIndexBuffer(bytes.data(), view.count, view.stride, source, size)
                   : meshopt_decodeIndexSequence(bytes.data(), view.count, view.stride, source, size);
  } else {
    fail(place, fmt::format("its meshopt mode '{}' is unknown", view.mode.substr(0, 40)));
  }
  if (status != 0) fail(place, "its meshopt-compressed data is damaged");
  return bytes;
}

}  // namespace cutis::gltf
