#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "io/gltf_read_primitive.h"

#include "io/gltf_read_fail.h"

namespace cutis::gltf {
PrimitiveSource::PrimitiveSource(const File& file, Data& data, const Primitive& primitive, std::string place)
    : file_(&file), data_(&data), primitive_(&primitive), place_(std::move(place)) {
  if (primitive.draco) draco_ = decode_draco(*primitive.draco, data, place_);
}

bool PrimitiveSource::has(const std::string& attribute) const { return primitive_->attributes.contains(attribute); }

int PrimitiveSource::components(const std::string& attribute) const {
  return file_->accessors[primitive_->attributes.at(attribute)].components;
}

const DracoMesh::Attribute* PrimitiveSource::draco_attribute(const std::string& attribute) const {
  if (!draco_) return nullptr;
  const auto it = draco_->attributes.find(attribute);
  return it == draco_->attributes.end() ? nullptr : &it->second;
}

void PrimitiveSource::check_count(std::size_t count, std::size_t vertices, const std::string& attribute) const {
  if (vertices != 0 && count != vertices)
    fail(place_, fmt::format("{} has {} elements, POSITION has {}", attribute, count, vertices));
}

std::vector<float> PrimitiveSource::draco_floats(const DracoMesh::Attribute& from, const std::string& attribute,
                                                 int components, bool normalize) const {
  if (from.components != components)
    fail(place_,
         fmt::format("{} has {} components in the Draco data instead of {}", attribute, from.components, components));
  const ComponentType type = file_->accessors[primitive_->attributes.at(attribute)].type;
  std::vector<float> values(from.values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] =
        normalize && !from.is_normalized ? decode_normalized(from.values[i], type) : static_cast<float>(from.values[i]);
  return values;
}

std::vector<float> PrimitiveSource::floats(const std::string& attribute, int components, std::size_t vertices) {
  const std::size_t accessor = primitive_->attributes.at(attribute);
  std::vector<float> values;
  if (const auto* from = draco_attribute(attribute))
    values = draco_floats(*from, attribute, components, file_->accessors[accessor].normalized);
  else
    values = data_->floats(accessor, components, place_ + " › " + attribute);
  check_count(values.size() / static_cast<std::size_t>(components), vertices, attribute);
  return values;
}

std::vector<float> PrimitiveSource::weights(const std::string& attribute, std::size_t vertices) {
  const Accessor& accessor = file_->accessors[primitive_->attributes.at(attribute)];
  if (accessor.type == ComponentType::f32 || accessor.normalized) return floats(attribute, 4, vertices);
  std::vector<float> values = floats(attribute, 4, vertices);
  for (float& value : values) value = decode_normalized(static_cast<double>(value), accessor.type);
  return values;
}

std::vector<std::uint32_t> PrimitiveSource::integers(const std::string& attribute, int components,
                                                     std::size_t vertices) {
  std::vector<std::uint32_t> values;
  if (const auto* from = draco_attribute(attribute)) {
    if (from->components != components)
      fail(place_, fmt::format("{} has {} components in the Draco data instead of {}", attribute, from->components,
                               components));
    values.reserve(from->values.size());
    for (const double value : from->values) {
      if (!(value >= 0 && value <= 4294967295.0) || value != std::floor(value))
        fail(place_, fmt::format("{} holds something other than whole numbers", attribute));
      values.push_back(static_cast<std::uint32_t>(value));
    }
  } else {
    values = data_->integers(primitive_->attributes.at(attribute), components, place_ + " › " + attribute);
  }
  check_count(values.size() / static_cast<std::size_t>(components), vertices, attribute);
  return values;
}

std::vector<std::uint32_t> PrimitiveSource::indices(std::size_t vertices) {
  std::vector<std::uint32_t> result;
  if (draco_) {
    result = draco_->indices;
  } else if (primitive_->indices >= 0) {
    result = data_->integers(static_cast<std::size_t>(primitive_->indices), 1, place_ + " › indices");
  } else {
    data_->charge(vertices, place_);
    result.resize(vertices);
    std::iota(result.begin(), result.end(), 0U);
  }
  for (std::size_t i = 0; i < result.size(); ++i)
    if (result[i] >= vertices)
      fail(place_, fmt::format("index {} points to vertex {}, but there are only {}", i, result[i], vertices));
  return result;
}

}  // namespace cutis::gltf
