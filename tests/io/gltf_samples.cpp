#include "io/gltf_samples.h"

#include <draco/compression/encode.h>
#include <meshoptimizer.h>

#include <stdexcept>

namespace cutis::test {
namespace {

using Json = GltfBuilder::Json;

const std::vector<float> kCorners{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
const std::vector<float> kNormals{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
const std::vector<std::uint16_t> kIndices{0, 1, 2, 0, 2, 3};
const std::vector<std::uint8_t> kJoints{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
const std::vector<float> kWeights{1, 0, 0, 0, 1, 0, 0, 0, 0.75F, 0.25F, 0, 0, 0.75F, 0.25F, 0, 0};

void add_skin(GltfBuilder& b) {
  const std::vector<float> inverse_bind{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,     0, 1,
                                        1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.5F, 0, 1};
  b.json["nodes"][0]["name"] = "skinned";
  b.json["nodes"][0]["skin"] = 0;
  b.add("nodes", {{"name", "lower"}, {"children", {2}}});
  b.add("nodes", {{"name", "upper"}, {"translation", {0, 0.5, 0}}});
  b.add("skins", {{"inverseBindMatrices", b.add_accessor(inverse_bind, "MAT4")}, {"joints", {1, 2}}});
  b.json["scenes"] = {{{"nodes", {0, 1}}}};
  b.json["scene"] = 0;
}

void add_turn(GltfBuilder& b) {
  const float half = 0.70710678F;
  const int times = b.add_accessor(std::vector<float>{0, 1}, "SCALAR");
  const int turns = b.add_accessor(std::vector<float>{0, 0, 0, 1, 0, 0, half, half}, "VEC4");
  b.add("animations", {{"name", "turn"},
                       {"samplers", {{{"input", times}, {"output", turns}}}},
                       {"channels", {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "rotation"}}}}}}});
}

template <class T>
std::uint32_t add_draco_attribute(draco::Mesh& mesh, draco::GeometryAttribute::Type type, int components,
                                  draco::DataType data_type, const std::vector<T>& values) {
  draco::GeometryAttribute attribute;
  attribute.Init(type, nullptr, static_cast<std::int8_t>(components), data_type, false,
                 static_cast<std::int64_t>(sizeof(T)) * components, 0);
  const int id = mesh.AddAttribute(attribute, true, 4);
  for (std::uint32_t i = 0; i < 4; ++i)
    mesh.attribute(id)->SetAttributeValue(draco::AttributeValueIndex(i),
                                          &values[i * static_cast<std::size_t>(components)]);
  return mesh.attribute(id)->unique_id();
}

}  // namespace

GltfBuilder square_file() {
  GltfBuilder b;
  const int position = b.add_accessor(kCorners, "VEC3");
  const int normal = b.add_accessor(kNormals, "VEC3");
  const int index = b.add_accessor(kIndices, "SCALAR");
  b.add("meshes",
        {{"name", "square"},
         {"primitives", {{{"attributes", {{"POSITION", position}, {"NORMAL", normal}}}, {"indices", index}}}}});
  b.add("nodes", {{"mesh", 0}});
  return b;
}

GltfBuilder skinned_file() {
  GltfBuilder b = square_file();
  add_skin(b);
  Json& attributes = b.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["JOINTS_0"] = b.add_accessor(kJoints, "VEC4");
  attributes["WEIGHTS_0"] = b.add_accessor(kWeights, "VEC4");
  add_turn(b);
  return b;
}

GltfBuilder attached_file() {
  GltfBuilder b = skinned_file();
  const std::size_t plain = b.add("meshes", b.json["meshes"][0]);
  for (const char* name : {"JOINTS_0", "WEIGHTS_0"}) b.json["meshes"][plain]["primitives"][0]["attributes"].erase(name);
  const std::size_t hat = b.add("nodes", {{"name", "hat"}, {"mesh", plain}, {"translation", {0, 2, 0}}});
  const std::size_t handle =
      b.add("nodes", {{"name", "handle"}, {"translation", {1, 0, 3}}, {"children", GltfBuilder::Json::array({hat})}});
  const std::size_t joint = b.json["skins"][0]["joints"][1];
  b.json["nodes"][joint]["children"].push_back(handle);
  return b;
}

GltfBuilder draco_file() {
  GltfBuilder b = skinned_file();
  draco::Mesh mesh;
  mesh.SetNumFaces(2);
  mesh.set_num_points(4);
  for (std::uint32_t f = 0; f < 2; ++f)
    mesh.SetFace(draco::FaceIndex(f), {draco::PointIndex(kIndices[3 * f]), draco::PointIndex(kIndices[3 * f + 1]),
                                       draco::PointIndex(kIndices[3 * f + 2])});
  const Json ids = {
      {"POSITION", add_draco_attribute(mesh, draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32, kCorners)},
      {"NORMAL", add_draco_attribute(mesh, draco::GeometryAttribute::NORMAL, 3, draco::DT_FLOAT32, kNormals)},
      {"JOINTS_0", add_draco_attribute(mesh, draco::GeometryAttribute::GENERIC, 4, draco::DT_UINT8, kJoints)},
      {"WEIGHTS_0", add_draco_attribute(mesh, draco::GeometryAttribute::GENERIC, 4, draco::DT_FLOAT32, kWeights)}};
  draco::Encoder encoder;
  encoder.SetEncodingMethod(draco::MESH_SEQUENTIAL_ENCODING);  // keeps the order of the vertices
  draco::EncoderBuffer buffer;
  if (!encoder.EncodeMeshToBuffer(mesh, &buffer).ok()) throw std::runtime_error("the Draco encoder failed");
  const int view = b.add_view(std::as_bytes(std::span(buffer.data(), buffer.size())));
  Json& primitive = b.json["meshes"][0]["primitives"][0];
  // The uncompressed data goes away; accessors keep only their shape.
  for (const auto& item : primitive["attributes"].items())
    b.json["accessors"][item.value().get<std::size_t>()].erase("bufferView");
  b.json["accessors"][primitive["indices"].get<std::size_t>()].erase("bufferView");
  primitive["extensions"]["KHR_draco_mesh_compression"] = {{"bufferView", view}, {"attributes", ids}};
  b.json["extensionsUsed"] = b.json["extensionsRequired"] = {"KHR_draco_mesh_compression"};
  return b;
}

GltfBuilder meshopt_file() {
  GltfBuilder b;
  b.json["buffers"] = {{{"byteLength", 0}},
                       {{"byteLength", 4096}, {"extensions", {{"EXT_meshopt_compression", {{"fallback", true}}}}}}};
  const auto add = [&](const std::vector<unsigned char>& compressed, std::size_t stride, std::size_t count,
                       const char* mode, const char* filter, bool strided) {
    const int view = b.add_view(compressed);
    Json& json = b.json["bufferViews"][static_cast<std::size_t>(view)];
    json = {{"buffer", 1},
            {"byteLength", stride * count},
            {"extensions",
             {{"EXT_meshopt_compression",
               {{"buffer", 0},
                {"byteOffset", json["byteOffset"]},
                {"byteLength", compressed.size()},
                {"byteStride", stride},
                {"count", count},
                {"mode", mode},
                {"filter", filter}}}}}};
    if (strided) json["byteStride"] = stride;
    return view;
  };
  const auto vertices = [&](const void* data, std::size_t stride, const char* filter) {
    std::vector<unsigned char> out(meshopt_encodeVertexBufferBound(4, stride));
    out.resize(meshopt_encodeVertexBuffer(out.data(), out.size(), data, 4, stride));
    return add(out, stride, 4, "ATTRIBUTES", filter, true);
  };
  std::vector<unsigned char> exponential(48), octahedral(16);
  meshopt_encodeFilterExp(exponential.data(), 4, 12, 24, kCorners.data());
  const std::vector<float> normals4{0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
  meshopt_encodeFilterOct(octahedral.data(), 4, 4, 8, normals4.data());
  const int position = b.add_accessor_on(vertices(exponential.data(), 12, "EXPONENTIAL"), 4, 5126, "VEC3");
  const int normal = b.add_accessor_on(vertices(octahedral.data(), 4, "OCTAHEDRAL"), 4, 5120, "VEC3", true);
  const std::vector<unsigned int> wide(kIndices.begin(), kIndices.end());
  std::vector<unsigned char> out(meshopt_encodeIndexBufferBound(6, 4));
  out.resize(meshopt_encodeIndexBuffer(out.data(), out.size(), wide.data(), 6));
  const int triangles = b.add_accessor_on(add(out, 2, 6, "TRIANGLES", "NONE", false), 6, 5123, "SCALAR");
  out.assign(meshopt_encodeIndexSequenceBound(6, 4), 0);
  out.resize(meshopt_encodeIndexSequence(out.data(), out.size(), wide.data(), 6));
  const int sequence = b.add_accessor_on(add(out, 4, 6, "INDICES", "NONE", false), 6, 5125, "SCALAR");
  const Json attributes = {{"POSITION", position}, {"NORMAL", normal}};
  b.add(
      "meshes",
      {{"primitives",
        {{{"attributes", attributes}, {"indices", triangles}}, {{"attributes", attributes}, {"indices", sequence}}}}});
  b.add("nodes", {{"mesh", 0}});
  b.json["extensionsUsed"] = b.json["extensionsRequired"] = {"EXT_meshopt_compression"};
  b.json["buffers"][0]["byteLength"] = b.binary.size();
  return b;
}

GltfBuilder mixed_file() {
  GltfBuilder b = skinned_file();
  Json& primitive = b.json["meshes"][0]["primitives"][0];
  const int where = b.add_view(std::vector<std::uint16_t>{2});
  const int what = b.add_view(std::vector<float>{1, 1, 0.5F});
  b.json["accessors"][0]["sparse"] = {
      {"count", 1}, {"indices", {{"bufferView", where}, {"componentType", 5123}}}, {"values", {{"bufferView", what}}}};
  const int delta =
      b.add("accessors",
            {{"componentType", 5126}, {"count", 4}, {"type", "VEC3"}, {"sparse", b.json["accessors"][0]["sparse"]}});
  primitive["targets"] = {{{"POSITION", delta}}};
  b.json["meshes"][0]["weights"] = {0.5};
  primitive["attributes"]["TEXCOORD_0"] =
      b.add_accessor(std::vector<std::uint16_t>{0, 0, 65535, 0, 65535, 65535, 0, 65535}, "VEC2", true);
  primitive["attributes"]["COLOR_0"] = b.add_accessor(std::vector<std::uint8_t>(16, 255), "VEC4", true);
  primitive["material"] = 0;
  b.add("materials", {{"name", "paint"},
                      {"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}},
                      {"extensions", {{"KHR_materials_unlit", Json::object()}}}});
  b.add("textures", {{"source", 0}, {"sampler", 0}});
  b.add("samplers", {{"wrapS", 33071}});
  b.add("images",
        {{"mimeType", "image/png"}, {"bufferView", b.add_view(std::vector<std::uint8_t>{0x89, 'P', 'N', 'G'})}});
  b.json["extensionsUsed"] = {"KHR_materials_unlit"};
  const int times = b.add_accessor(std::vector<float>{0, 1}, "SCALAR");
  const int spline = b.add_accessor(std::vector<float>(18, 0.25F), "VEC3");
  const int turns = b.add_accessor(std::vector<std::int16_t>{0, 0, 0, 32767, 0, 0, 32767, 0}, "VEC4", true);
  const int scales = b.add_accessor(std::vector<float>{1, 1, 1, 2, 2, 2}, "VEC3");
  b.add("animations", {{"samplers",
                        {{{"input", times}, {"output", spline}, {"interpolation", "CUBICSPLINE"}},
                         {{"input", times}, {"output", turns}},
                         {{"input", times}, {"output", scales}, {"interpolation", "STEP"}}}},
                       {"channels",
                        {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "translation"}}}},
                         {{"sampler", 1}, {"target", {{"node", 2}, {"path", "rotation"}}}},
                         {{"sampler", 2}, {"target", {{"node", 2}, {"path", "scale"}}}}}}});
  return b;
}

std::vector<std::pair<std::string, GltfBuilder>> all_samples() {
  return {{"square", square_file()}, {"skinned", skinned_file()}, {"attached", attached_file()},
          {"draco", draco_file()},   {"meshopt", meshopt_file()}, {"mixed", mixed_file()}};
}

}  // namespace cutis::test
