#include "io/gltf_read_draco.h"

#include "io/gltf_read_fail.h"

#include <draco/compression/decode.h>
#include <draco/compression/point_cloud/point_cloud_decoder.h>
#include <draco/core/varint_decoding.h>
#include <draco/metadata/metadata_decoder.h>
#include <fmt/format.h>

#include <exception>

namespace cutis::gltf {
namespace {

// The decoder allocates by the counts in the stream's header before it meets the end of the data. Entropy coding
// spends well over a quarter of a byte on a triangle with its attributes; only small regular sheets need less.
constexpr std::uint64_t kFreeFaces = 65536, kMaxFacesPerByte = 32;
// Corner table, traversal state and attribute maps, in 4-byte numbers.
constexpr std::uint64_t kNumbersPerFace = 24, kNumbersPerVertex = 16;

/// Reads ahead to the claimed counts.
void check_claims(std::span<const std::byte> bytes, Data& data, const std::string& place) {
  const auto damaged = [&] { fail(place, "its Draco-compressed data is damaged"); };
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  draco::DracoHeader header;
  if (!draco::PointCloudDecoder::DecodeHeader(&buffer, &header).ok()) damaged();
  if (header.encoder_type != draco::TRIANGULAR_MESH) fail(place, "its Draco-compressed data is not a triangle mesh");
  if (header.version_major != 2 || header.version_minor != 2)
    fail(place, fmt::format("its Draco data has version {}.{}, but glTF demands 2.2", header.version_major,
                            header.version_minor));
  buffer.set_bitstream_version(DRACO_BITSTREAM_VERSION(header.version_major, header.version_minor));
  if ((header.flags & METADATA_FLAG_MASK) != 0) {
    draco::GeometryMetadata metadata;
    if (!draco::MetadataDecoder().DecodeGeometryMetadata(&buffer, &metadata)) damaged();
  }
  std::uint32_t first = 0, second = 0, faces = 0, vertices = 0;
  std::uint8_t traversal = 0;
  const bool is_edgebreaker = header.encoder_method == draco::MESH_EDGEBREAKER_ENCODING;
  if (is_edgebreaker && !buffer.Decode(&traversal)) damaged();
  if (!draco::DecodeVarint(&first, &buffer) || !draco::DecodeVarint(&second, &buffer)) damaged();
  faces = is_edgebreaker ? second : first;
  vertices = is_edgebreaker ? first : second;
  const std::uint64_t limit = kFreeFaces + kMaxFacesPerByte * bytes.size();
  if (faces > limit || vertices > 3 * limit)
    fail(place,
         fmt::format("its Draco data claims {} triangles and {} vertices in {} bytes", faces, vertices, bytes.size()));
  data.charge(faces * kNumbersPerFace + vertices * kNumbersPerVertex, place);
}

DracoMesh::Attribute copy_attribute(const draco::Mesh& mesh, const draco::PointAttribute& from, Data& data,
                                    const std::string& place) {
  DracoMesh::Attribute to;
  to.components = from.num_components();
  to.is_normalized = from.normalized();
  if (to.components < 1 || to.components > 16)
    fail(place, "its Draco attribute has an impossible number of components");
  const std::size_t n = static_cast<std::size_t>(to.components);
  data.charge(2 * n * mesh.num_points(), place);
  to.values.resize(n * mesh.num_points());
  for (std::uint32_t i = 0; i < mesh.num_points(); ++i) {
    const draco::AttributeValueIndex at = from.mapped_index(draco::PointIndex(i));
    if (at.value() >= from.size() || !from.ConvertValue<double>(at, static_cast<std::int8_t>(n), &to.values[i * n]))
      fail(place, "its Draco-compressed data is damaged");
  }
  return to;
}

}  // namespace

DracoMesh decode_draco(const DracoSource& source, Data& data, const std::string& place) {
  const auto bytes = data.view(source.view, place);
  try {
    check_claims(bytes, data, place);
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok())
      fail(place, fmt::format("its Draco-compressed data is damaged: {}", decoded.status().error_msg_string()));
    const draco::Mesh& mesh = *decoded.value();

    DracoMesh result;
    result.vertex_count = mesh.num_points();
    data.charge(std::uint64_t{3} * mesh.num_faces(), place);
    result.indices.reserve(std::size_t{3} * mesh.num_faces());
    for (std::uint32_t i = 0; i < mesh.num_faces(); ++i)
      for (const draco::PointIndex& corner : mesh.face(draco::FaceIndex(i))) result.indices.push_back(corner.value());
    for (const auto& [name, id] : source.unique_id) {
      const draco::PointAttribute* attribute = mesh.GetAttributeByUniqueId(id);
      if (attribute == nullptr) fail(place, fmt::format("its Draco data has no attribute {} for {}", id, name));
      result.attributes.emplace(name, copy_attribute(mesh, *attribute, data, place));
    }
    return result;
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {  // allocation failures inside the decoder
    fail(place, "its Draco-compressed data is damaged");
  }
}

}  // namespace cutis::gltf
