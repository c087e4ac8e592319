// Bodies and motions that cost next to nothing.
#pragma once

#include <cmath>

#include "cutis/character.h"

namespace cutis::fuzz {

/// Two bones, a part of it for each.
inline Character make_tube() {
  Character c;
  c.source = "tube";
  for (int j = 0; j < 2; ++j) {
    Joint joint;
    joint.name = j == 0 ? "lower" : "upper";
    joint.parent = j - 1;
    joint.is_bone = true;
    joint.world_from_rest.translation = {0, static_cast<double>(j), 0};
    joint.local.translation = {0, static_cast<double>(j), 0};
    c.skeleton.joints.push_back(joint);
  }
  Mesh mesh;
  mesh.name = "tube";
  constexpr int kRings = 9, kSides = 6;
  mesh.weights.row_begin.push_back(0);
  for (int r = 0; r < kRings; ++r)
    for (int s = 0; s < kSides; ++s) {
      const float angle = 6.2831853F * static_cast<float>(s) / kSides;
      const Vec3f out{std::cos(angle), 0, std::sin(angle)};
      mesh.positions.push_back({0.3F * out.x, 0.25F * static_cast<float>(r), 0.3F * out.z});
      mesh.normals.push_back(out);
      mesh.weights.joint.push_back(r < 4 ? 0 : 1);
      mesh.weights.weight.push_back(1);
      mesh.weights.row_begin.push_back(static_cast<std::uint32_t>(mesh.weights.joint.size()));
      if (r + 1 == kRings) continue;
      const auto v = [&](int i, int j) { return static_cast<std::uint32_t>(i * kSides + j % kSides); };
      mesh.triangles.push_back({v(r, s), v(r + 1, s), v(r, s + 1)});
      mesh.triangles.push_back({v(r, s + 1), v(r + 1, s), v(r + 1, s + 1)});
    }
  c.meshes.push_back(mesh);
  return c;
}

/// With three keys a channel at most: what reads a key reads a thousand.
inline Character few_keys(Character character) {
  constexpr std::size_t kMost = 3;
  for (Clip& clip : character.clips)
    for (Channel& channel : clip.channels) {
      if (channel.times.size() <= kMost) continue;
      channel.values.resize(channel.values.size() / channel.times.size() * kMost);
      channel.times.resize(kMost);
    }
  return character;
}

}  // namespace cutis::fuzz
