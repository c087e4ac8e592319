// Colours for the parts of a skeleton.
//
// Hues step by the golden ratio, so that any few in a row are far apart; each bone takes, of the next few free ones,
// the colour that looks most unlike its parent, grandparent and siblings. Bones whose names differ in their side only
// share a hue and differ a little in lightness.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "base/math.h"
#include "character/bones.h"
#include "cutis/error.h"
#include "cutis/render.h"
#include "render/color.h"
#include "render/light.h"

namespace cutis {
namespace {

enum class Side { none, left, right };

bool is_alpha(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// "upperarm_L", "LeftArm", "hand.right" -> side and the name without it. A lone L or R counts only between
// separators; a word only at an end of the name or beside a separator or a change of case.
Side split_side(const std::string& name, std::string& rest) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  const auto take = [&](std::size_t at, std::size_t count, Side side) {
    rest = lower.substr(0, at) + "*" + lower.substr(at + count);
    return side;
  };
  for (const auto& [word, side] : {std::pair{std::string("left"), Side::left}, {std::string("right"), Side::right}}) {
    for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool begins = at == 0 || !is_alpha(name[at - 1]) || std::isupper(static_cast<unsigned char>(name[at])) != 0;
      const bool ends =
          end == name.size() || !is_alpha(name[end]) || std::isupper(static_cast<unsigned char>(name[end]));
      if (begins && ends) return take(at, word.size(), side);
    }
  }
  for (std::size_t at = 0; at < lower.size(); ++at) {
    if (lower[at] != 'l' && lower[at] != 'r') continue;
    const bool alone = (at == 0 || !is_alpha(lower[at - 1])) && (at + 1 == lower.size() || !is_alpha(lower[at + 1]));
    if (alone && lower.size() > 1) return take(at, 1, lower[at] == 'l' ? Side::left : Side::right);
  }
  rest = lower;
  return Side::none;
}

struct Tone {
  double lightness = 0, chroma = 0, hue = 0;
};

Tone tone(int k) {
  // Three levels of lightness beside the hue: two colours of near hues are never of the same lightness.
  constexpr double kLightness[3] = {0.72, 0.58, 0.83}, kChroma[3] = {0.135, 0.145, 0.105};
  const double turn = 0.08 + 0.61803398875 * k;
  const int level = k % 3;
  const double hue = 2 * kPi * (turn - std::floor(turn));
  // Dark yellow is a muddy brown: yellows stay lighter than the other hues.
  const double yellow = std::max(0.0, std::cos(hue - 1.6));
  return {kLightness[level] + (level == 2 ? 0.03 : 0.11) * yellow, kChroma[level], hue};
}

Color color_of(const Tone& t, Side side) {
  const double shift = side == Side::left ? 0.025 : side == Side::right ? -0.045 : 0;
  return color_from_oklch(t.lightness + shift, t.chroma, t.hue);
}

}  // namespace

std::vector<Color> joint_colors(const Skeleton& skeleton) {
  const std::size_t count = skeleton.joints.size();
  std::vector<Color> colors(count, default_tone());
  std::vector<int> bone_parent(count, -1);
  std::map<std::string, Tone> by_name;
  int next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Joint& joint = skeleton.joints[i];
    if (joint.alias_of >= 0 && static_cast<std::size_t>(joint.alias_of) < i) {
      colors[i] = colors[static_cast<std::size_t>(joint.alias_of)];
      continue;
    }
    const int parent = bone_parent[i] = parent_bone(skeleton, static_cast<int>(i));
    if (!joint.is_bone) continue;

    std::string rest;
    const Side side = split_side(joint.name, rest);
    const auto known = by_name.find(rest);
    const int grandparent = parent >= 0 ? bone_parent[static_cast<std::size_t>(parent)] : -1;
    const auto contrast = [&](const Color& c) {
      double least = 1;
      if (parent >= 0) least = std::min(least, color_distance(c, colors[static_cast<std::size_t>(parent)]));
      if (grandparent >= 0)
        least = std::min(least, 1.3 * color_distance(c, colors[static_cast<std::size_t>(grandparent)]));
      for (std::size_t j = 0; j < i; ++j)
        if (skeleton.joints[j].is_bone && bone_parent[j] == parent)
          least = std::min(least, 1.3 * color_distance(c, colors[j]));
      return least;
    };
    // A twin keeps its hue unless it would run into its own parent (a chain of equal names).
    if (side != Side::none && known != by_name.end()) {
      const Color twin = color_of(known->second, side);
      if (parent < 0 || color_distance(twin, colors[static_cast<std::size_t>(parent)]) > 0.1) {
        colors[i] = twin;
        continue;
      }
    }
    int best = next;
    double best_contrast = -1;
    for (int k = next; k < next + 6; ++k) {
      const double c = contrast(color_of(tone(k), side));
      if (c > best_contrast + 1e-9) {
        best_contrast = c;
        best = k;
      }
    }
    next = best == next ? next + 1 : next + 2;
    by_name[rest] = tone(best);
    colors[i] = color_of(tone(best), side);
  }
  return colors;
}

std::vector<Color> colors_by_part(const Character& character) {
  const std::vector<Color> palette = joint_colors(character.skeleton);
  std::vector<Color> colors;
  for (const Mesh& mesh : character.meshes) {
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      Color color = default_tone();
      float largest = 0;
      if (!mesh.weights.empty()) {
        for (std::uint32_t k = mesh.weights.row_begin[v]; k < mesh.weights.row_begin[v + 1]; ++k) {
          if (!(mesh.weights.weight[k] > largest)) continue;
          largest = mesh.weights.weight[k];
          color = palette[mesh.weights.joint[k]];
        }
      }
      colors.push_back(color);
    }
  }
  return colors;
}

std::vector<Color> colors_by_weight(const Character& character, int joint) {
  if (joint >= static_cast<int>(character.skeleton.joints.size()))
    throw Error(ErrorCode::bad_argument, character.source,
                fmt::format("there is no joint {}; the skeleton has {}", joint, character.skeleton.joints.size()));
  const std::vector<Color> palette = joint < 0 ? joint_colors(character.skeleton) : std::vector<Color>{};
  std::vector<Color> colors;
  for (const Mesh& mesh : character.meshes) {
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      if (mesh.weights.empty()) {
        colors.push_back(joint < 0 ? default_tone() : map_color(0));
        continue;
      }
      Color blend{};
      float weight = 0, sum = 0;
      for (std::uint32_t k = mesh.weights.row_begin[v]; k < mesh.weights.row_begin[v + 1]; ++k) {
        const float w = mesh.weights.weight[k];
        sum += w;
        if (joint < 0) blend += palette[mesh.weights.joint[k]] * w;
        if (static_cast<int>(mesh.weights.joint[k]) == joint) weight += w;
      }
      if (joint >= 0)
        colors.push_back(map_color(weight));
      else
        colors.push_back(sum > 0 ? blend / sum : default_tone());
    }
  }
  return colors;
}

}  // namespace cutis
