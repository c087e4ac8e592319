#include "io/gltf_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>

namespace cutis::test {
namespace {

using Json = nlohmann::json;

std::vector<unsigned char> bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<unsigned char> from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> out;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    const auto digit = digits.find(c);
    if (digit == std::string::npos) break;
    bits = bits * 64 + static_cast<unsigned>(digit);
    if ((held += 6) >= 8) out.push_back(static_cast<unsigned char>(bits >> (held -= 8)));
  }
  return out;
}

std::array<double, 16> multiply(const std::array<double, 16>& a, const std::array<double, 16>& b) {
  std::array<double, 16> c{};
  for (std::size_t j = 0; j < 4; ++j)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 4; ++k) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}

std::array<double, 16> identity() { return {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}; }

template <std::size_t N>
std::array<double, N> fixed(const Json& j) {
  return j.get<std::array<double, N>>();
}

}  // namespace

GltfReference::GltfReference(const std::string& file) {
  const auto bytes = bytes_of(file);
  if (bytes.size() > 20 && std::memcmp(bytes.data(), "glTF", 4) == 0) {
    std::uint32_t length = 0, binary = 0;
    std::memcpy(&length, &bytes[12], 4);
    json_ = Json::parse(bytes.begin() + 20, bytes.begin() + 20 + length);
    std::memcpy(&binary, &bytes[20 + length], 4);
    const auto begin = bytes.begin() + 28 + length;
    buffers_.emplace_back(begin, begin + binary);
  } else {
    json_ = Json::parse(bytes);
    for (const Json& buffer : json_["buffers"]) {
      const auto uri = buffer["uri"].get<std::string>();
      buffers_.push_back(from_base64(uri.substr(uri.find(',') + 1)));
    }
  }
}

std::vector<double> GltfReference::numbers(std::size_t accessor) const {
  const Json& a = json_["accessors"][accessor];
  const Json& v = json_["bufferViews"][a["bufferView"].get<std::size_t>()];
  const auto& buffer = buffers_[v["buffer"].get<std::size_t>()];
  const std::map<std::string, std::size_t> sizes{{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
  const std::size_t n = sizes.at(a["type"].get<std::string>());
  const int type = a["componentType"].get<int>();
  const std::size_t width = type <= 5121 ? 1 : type <= 5123 ? 2 : 4;
  const std::size_t stride = v.value("byteStride", n * width);
  const std::size_t begin = v.value("byteOffset", std::size_t{0}) + a.value("byteOffset", std::size_t{0});
  const bool normalized = a.value("normalized", false);
  std::vector<double> out;
  for (std::size_t i = 0; i < a["count"].get<std::size_t>(); ++i) {
    for (std::size_t c = 0; c < n; ++c) {
      const unsigned char* at = &buffer.at(begin + i * stride + c * width);
      std::uint32_t raw = 0;
      std::memcpy(&raw, at, width);
      float f = 0;
      std::memcpy(&f, &raw, 4);
      switch (type) {
        case 5120:
          out.push_back(static_cast<std::int8_t>(raw) / (normalized ? 127.0 : 1.0));
          break;
        case 5121:
          out.push_back(raw / (normalized ? 255.0 : 1.0));
          break;
        case 5122:
          out.push_back(static_cast<std::int16_t>(raw) / (normalized ? 32767.0 : 1.0));
          break;
        case 5123:
          out.push_back(raw / (normalized ? 65535.0 : 1.0));
          break;
        case 5125:
          out.push_back(raw);
          break;
        default:
          out.push_back(static_cast<double>(f));
      }
    }
  }
  return out;
}

std::size_t GltfReference::clip_count() const { return json_.contains("animations") ? json_["animations"].size() : 0; }

std::string GltfReference::clip_name(std::size_t clip) const { return json_["animations"][clip].value("name", ""); }

std::array<double, 2> GltfReference::clip_range(std::size_t clip) const {
  std::array<double, 2> range{1e300, -1e300};
  for (const Json& sampler : json_["animations"][clip]["samplers"]) {
    const auto times = numbers(sampler["input"].get<std::size_t>());
    range = {std::min(range[0], times.front()), std::max(range[1], times.back())};
  }
  return range;
}

void GltfReference::apply_channel(const Json& animation, const Json& channel, double time,
                                  std::vector<Local>& locals) const {
  const Json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
  const auto times = numbers(sampler["input"].get<std::size_t>());
  auto values = numbers(sampler["output"].get<std::size_t>());
  const auto path = channel["target"]["path"].get<std::string>();
  if (path == "weights") return;
  const std::string kind = sampler.value("interpolation", "LINEAR");
  const std::size_t n = path == "rotation" ? 4 : 3;
  const std::size_t per_key = kind == "CUBICSPLINE" ? 3 * n : n, shift = kind == "CUBICSPLINE" ? n : 0;
  // Rotations are unit quaternions; some files round them to three digits.
  if (path == "rotation" && kind == "LINEAR") {
    for (std::size_t i = 0; i < values.size(); i += 4) {
      const double length = std::sqrt(values[i] * values[i] + values[i + 1] * values[i + 1] +
                                      values[i + 2] * values[i + 2] + values[i + 3] * values[i + 3]);
      for (std::size_t c = i; c < i + 4; ++c) values[c] /= length;
    }
  }
  const double t = std::clamp(time, times.front(), times.back());
  std::size_t k = 0;
  while (k + 2 < times.size() && t >= times[k + 1]) ++k;
  std::array<double, 4> result{};
  const auto key = [&](std::size_t i, std::size_t c) { return values[i * per_key + shift + c]; };
  if (times.size() == 1) {
    for (std::size_t c = 0; c < n; ++c) result[c] = key(0, c);
  } else {
    const double d = times[k + 1] - times[k], u = (t - times[k]) / d;
    double cosine = 0;
    for (std::size_t c = 0; c < n; ++c) cosine += key(k, c) * key(k + 1, c);
    for (std::size_t c = 0; c < n; ++c) {
      if (kind == "STEP") {
        result[c] = u < 1 ? key(k, c) : key(k + 1, c);
      } else if (kind == "CUBICSPLINE") {
        const double out_tangent = values[k * per_key + 2 * n + c], in_tangent = values[(k + 1) * per_key + c];
        result[c] = (2 * u * u * u - 3 * u * u + 1) * key(k, c) + d * (u * u * u - 2 * u * u + u) * out_tangent +
                    (-2 * u * u * u + 3 * u * u) * key(k + 1, c) + d * (u * u * u - u * u) * in_tangent;
      } else if (n == 4) {
        const double sign = cosine < 0 ? -1 : 1, angle = std::acos(std::min(1.0, std::abs(cosine)));
        const double s = std::sin(angle);
        result[c] = s < 1e-9 ? key(k, c) * (1 - u) + sign * key(k + 1, c) * u
                             : (std::sin((1 - u) * angle) * key(k, c) + sign * std::sin(u * angle) * key(k + 1, c)) / s;
      } else {
        result[c] = key(k, c) * (1 - u) + key(k + 1, c) * u;
      }
    }
  }
  Local& local = locals[channel["target"]["node"].get<std::size_t>()];
  if (path == "rotation")
    local.r = result;
  else
    std::copy_n(result.begin(), 3, path == "scale" ? local.s.begin() : local.t.begin());
}

std::vector<GltfReference::Matrix> GltfReference::world_matrices(int clip, double time) const {
  const Json& nodes = json_["nodes"];
  std::vector<Local> locals(nodes.size());
  std::vector<int> parent(nodes.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].contains("translation")) locals[i].t = fixed<3>(nodes[i]["translation"]);
    if (nodes[i].contains("rotation")) locals[i].r = fixed<4>(nodes[i]["rotation"]);
    if (nodes[i].contains("scale")) locals[i].s = fixed<3>(nodes[i]["scale"]);
    if (nodes[i].contains("children"))
      for (const Json& child : nodes[i]["children"]) parent[child.get<std::size_t>()] = static_cast<int>(i);
  }
  if (clip >= 0) {
    const Json& animation = json_["animations"][static_cast<std::size_t>(clip)];
    for (const Json& channel : animation["channels"]) apply_channel(animation, channel, time, locals);
  }
  std::vector<Matrix> world(nodes.size());
  std::vector<bool> done(nodes.size(), false);
  const std::function<void(std::size_t)> visit = [&](std::size_t i) {
    if (done[i]) return;
    done[i] = true;
    Matrix m = identity();
    if (nodes[i].contains("matrix")) {
      m = fixed<16>(nodes[i]["matrix"]);
    } else {
      auto [x, y, z, w] = locals[i].r;
      const double length = std::sqrt(x * x + y * y + z * z + w * w);
      x /= length, y /= length, z /= length, w /= length;
      const std::array<double, 9> r{1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                                    2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                                    2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t row = 0; row < 3; ++row) m[4 * c + row] = r[3 * c + row] * locals[i].s[c];
      std::copy(locals[i].t.begin(), locals[i].t.end(), m.begin() + 12);
    }
    if (parent[i] >= 0) {
      visit(static_cast<std::size_t>(parent[i]));
      m = multiply(world[static_cast<std::size_t>(parent[i])], m);
    }
    world[i] = m;
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) visit(i);
  return world;
}

std::vector<std::array<double, 3>> GltfReference::positions(int clip, double time) const {
  const auto world = world_matrices(clip, time);
  std::vector<std::array<double, 3>> out;
  for (const Json& node : json_["nodes"]) {
    if (!node.contains("skin") || !node.contains("mesh")) continue;
    const Json& skin = json_["skins"][node["skin"].get<std::size_t>()];
    std::vector<Matrix> joint_matrices;
    std::vector<double> inverse_bind;
    if (skin.contains("inverseBindMatrices")) inverse_bind = numbers(skin["inverseBindMatrices"].get<std::size_t>());
    for (std::size_t j = 0; j < skin["joints"].size(); ++j) {
      Matrix ibm = identity();
      if (!inverse_bind.empty())
        std::copy_n(inverse_bind.begin() + static_cast<std::ptrdiff_t>(16 * j), 16, ibm.begin());
      joint_matrices.push_back(multiply(world[skin["joints"][j].get<std::size_t>()], ibm));
    }
    for (const Json& primitive : json_["meshes"][node["mesh"].get<std::size_t>()]["primitives"]) {
      const Json& attributes = primitive["attributes"];
      const auto p = numbers(attributes["POSITION"].get<std::size_t>());
      std::vector<std::vector<double>> joints, weights;
      for (int n = 0; attributes.contains("JOINTS_" + std::to_string(n)); ++n) {
        joints.push_back(numbers(attributes["JOINTS_" + std::to_string(n)].get<std::size_t>()));
        weights.push_back(numbers(attributes["WEIGHTS_" + std::to_string(n)].get<std::size_t>()));
      }
      for (std::size_t v = 0; 3 * v < p.size(); ++v) {
        std::array<double, 3> q{};
        double sum = 0;
        for (std::size_t n = 0; n < joints.size(); ++n) {
          for (std::size_t i = 4 * v; i < 4 * v + 4; ++i) {
            const double w = weights[n][i];
            if (w == 0) continue;
            sum += w;
            const Matrix& m = joint_matrices.at(static_cast<std::size_t>(joints[n][i]));
            for (std::size_t c = 0; c < 3; ++c)
              q[c] += w * (m[c] * p[3 * v] + m[4 + c] * p[3 * v + 1] + m[8 + c] * p[3 * v + 2] + m[12 + c]);
          }
        }
        for (double& c : q) c /= sum;
        out.push_back(q);
      }
    }
  }
  return out;
}

std::vector<std::array<std::uint32_t, 3>> GltfReference::triangles() const {
  std::vector<std::array<std::uint32_t, 3>> out;
  for (const Json& node : json_["nodes"]) {
    if (!node.contains("skin") || !node.contains("mesh")) continue;
    for (const Json& primitive : json_["meshes"][node["mesh"].get<std::size_t>()]["primitives"]) {
      std::vector<double> index;
      if (primitive.contains("indices")) {
        index = numbers(primitive["indices"].get<std::size_t>());
      } else {
        index.resize(json_["accessors"][primitive["attributes"]["POSITION"].get<std::size_t>()]["count"]);
        for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<double>(i);
      }
      for (std::size_t i = 0; i + 2 < index.size(); i += 3)
        out.push_back({static_cast<std::uint32_t>(index[i]), static_cast<std::uint32_t>(index[i + 1]),
                       static_cast<std::uint32_t>(index[i + 2])});
    }
  }
  return out;
}

}  // namespace cutis::test
