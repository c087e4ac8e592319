#include "io/motion_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/math.h"

namespace cutis::test {
namespace {

constexpr double kRate = 60;

/// 4 x 4, row by row.
std::string rows_of(const Affine3d& m) {
  std::string text;
  for (int r = 0; r < 3; ++r)
    text += fmt::format("{:.9g} {:.9g} {:.9g} {:.9g} ", m.linear.col[0][r], m.linear.col[1][r], m.linear.col[2][r],
                        m.translation[r]);
  return text + "0 0 0 1";
}

std::vector<double> key_times(const Clip& clip) { return sample_times(clip, 0, kRate); }

/// Degrees about x, y, z with R = Rz Ry Rx.
Vec3d euler_xyz(const Quatd& q) {
  const Mat3d m = to_matrix(q);
  return Vec3d{std::atan2(m.col[1].z, m.col[2].z), -std::asin(std::clamp(m.col[0].z, -1.0, 1.0)),
               std::atan2(m.col[0].y, m.col[0].x)} /
         kDegree;
}

Channel turning(const Character& c, const std::string& joint, const std::vector<float>& times,
                const std::function<Quatd(float)>& turn) {
  Channel channel;
  channel.joint = c.skeleton.find(joint);
  channel.path = ChannelPath::rotation;
  channel.times = times;
  const Joint& it = c.skeleton.joints[static_cast<std::size_t>(channel.joint)];
  const Quatd above =
      to_quaternion(it.world_from_rest.linear) * conjugate(it.local.rotation);  // of the parent, at rest
  for (const float t : times) {
    const Quatd q = conjugate(above) * turn(t) * above * it.local.rotation;
    for (const double x : {q.x, q.y, q.z, q.w}) channel.values.push_back(static_cast<float>(x));
  }
  return channel;
}

}  // namespace

Character make_figure(const std::vector<Stick>& sticks) {
  Character c;
  c.source = "figure";
  std::vector<Affine3d> world;
  for (std::size_t i = 0; i < sticks.size(); ++i) {
    const Quatd turn =
        axis_angle(normalized(Vec3d{1, 0.3 * static_cast<double>(i), 0.5}), 0.7 + static_cast<double>(i));
    Joint joint;
    joint.name = sticks[i].name;
    joint.parent = sticks[i].parent;
    joint.is_bone = true;
    joint.world_from_rest = {to_matrix(turn), sticks[i].place};
    const Affine3d parent = joint.parent < 0 ? Affine3d{} : world[static_cast<std::size_t>(joint.parent)];
    const Affine3d local = inverse(parent) * joint.world_from_rest;
    joint.local.translation = local.translation;
    joint.local.rotation = to_quaternion(local.linear);
    world.push_back(joint.world_from_rest);
    c.skeleton.joints.push_back(joint);
  }
  Mesh mesh;  // the ground is where the lowest vertex is
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}};
  c.meshes.push_back(mesh);
  return c;
}

Character make_person() {
  return make_figure({{"Root", -1, {0, 0, 0}},
                      {"pelvis", 0, {0, 1.0, 0}},
                      {"thigh_l", 1, {0.1, 0.95, 0}},
                      {"calf_l", 2, {0.12, 0.5, 0.02}},
                      {"foot_l", 3, {0.14, 0.08, 0}},
                      {"thigh_r", 1, {-0.1, 0.95, 0}},
                      {"calf_r", 5, {-0.12, 0.5, 0.02}},
                      {"foot_r", 6, {-0.14, 0.08, 0}},
                      {"spine_01", 1, {0, 1.1, -0.02}},
                      {"spine_02", 8, {0, 1.25, 0}},
                      {"neck_01", 9, {0, 1.5, 0}},
                      {"head", 10, {0, 1.6, 0.03}},
                      {"upperarm_l", 9, {0.2, 1.4, 0}},
                      {"lowerarm_l", 12, {0.4, 1.2, 0}},
                      {"hand_l", 13, {0.55, 1.0, 0.05}},
                      {"upperarm_r", 9, {-0.2, 1.4, 0}},
                      {"lowerarm_r", 15, {-0.4, 1.2, 0}},
                      {"hand_r", 16, {-0.55, 1.0, 0.05}}});
}

Character make_moving_person() {
  Character c = make_person();
  std::vector<float> times;
  for (int k = 0; k <= 60; ++k) times.push_back(static_cast<float>(k / kRate));
  Clip rest, lively, walk;
  rest.name = "rest";
  rest.channels.push_back(turning(c, "head", {0}, [](float) { return Quatd{}; }));
  lively.name = "lively";
  walk.name = "walk";
  for (std::size_t j = 1; j < c.skeleton.joints.size(); ++j) {
    const Vec3d axis =
        normalized(Vec3d{1, std::sin(2.0 * static_cast<double>(j)), std::cos(3.0 * static_cast<double>(j))});
    lively.channels.push_back(turning(c, c.skeleton.joints[j].name, times, [&](float t) {
      return axis_angle(axis, 0.5 * std::sin(static_cast<double>(t) * (2 + 0.3 * static_cast<double>(j))));
    }));
  }
  const auto swing = [&](const char* joint, const Vec3d& axis, double from, double by, double phase) {
    walk.channels.push_back(turning(c, joint, times, [&](float t) {
      return axis_angle(axis, from + by * std::sin(2 * kPi * static_cast<double>(t) + phase));
    }));
  };
  for (const auto& [side, sign] : {std::pair{"_l", 1.0}, std::pair{"_r", -1.0}}) {
    const std::string s = side;
    swing(("thigh" + s).c_str(), {1, 0, 0}, -0.1, 0.45 * sign, 0.7);
    swing(("calf" + s).c_str(), {1, 0, 0}, 0.5, 0.4 * sign, 0.2);
    swing(("upperarm" + s).c_str(), normalized(Vec3d{0.4, 0, -sign}), 0.55, 0.25 * sign, 0.7);
    swing(("lowerarm" + s).c_str(), {1, 0, 0}, -0.5, 0.2 * sign, 0.9);
  }
  swing("spine_01", {1, 0, 0}, 0.12, 0.03, 0.3);
  Channel path;
  path.joint = c.skeleton.find("pelvis");
  path.path = ChannelPath::translation;
  path.times = times;
  const Joint& pelvis = c.skeleton.joints[static_cast<std::size_t>(path.joint)];
  const Joint& root = c.skeleton.joints[static_cast<std::size_t>(pelvis.parent)];
  for (const float t : times) {
    const Vec3d place =
        transform_point(inverse(root.world_from_rest),
                        pelvis.world_from_rest.translation + Vec3d{0, -0.04, 0.9 * static_cast<double>(t)});
    for (const double x : {place.x, place.y, place.z}) path.values.push_back(static_cast<float>(x));
  }
  walk.channels.push_back(path);
  c.clips = {rest, lively, walk};
  return c;
}

GltfBuilder skeleton_gltf(const Character& character, const SkeletonFile& how) {
  GltfBuilder b;
  const auto& joints = character.skeleton.joints;
  Pose pose = default_pose(character.skeleton);
  if (how.posed_at >= 0) pose = sample(character.skeleton, character.clips.back(), character.clips.back().start());
  const auto count = static_cast<int>(joints.size());
  for (int j = 0; j < count; ++j) {
    const Trsd& local = pose.local[static_cast<std::size_t>(j)];
    const Vec3d p = local.translation / how.unit;
    const Quatd& q = local.rotation;
    GltfBuilder::Json node = {{"name", joints[static_cast<std::size_t>(j)].name},
                              {"translation", {p.x, p.y, p.z}},
                              {"rotation", {q.x, q.y, q.z, q.w}}};
    for (int c = 0; c < count; ++c)
      if (joints[static_cast<std::size_t>(c)].parent == j) node["children"].push_back(c);
    b.add("nodes", node);
  }
  GltfBuilder::Json top = {{"name", "Armature"}, {"scale", {how.unit, how.unit, how.unit}}};
  for (int j = 0; j < count; ++j)
    if (joints[static_cast<std::size_t>(j)].parent < 0) top["children"].push_back(j);
  b.add("scenes", {{"nodes", {b.add("nodes", top)}}});
  b.json["scene"] = 0;
  if (how.has_skin) {
    std::vector<float> matrices;
    GltfBuilder::Json skin;
    for (int j = 0; j < count; ++j) {
      Affine3d rest = joints[static_cast<std::size_t>(j)].world_from_rest;
      rest.linear = rest.linear * how.unit;
      const Affine3d m = inverse(rest);
      for (int col = 0; col < 4; ++col)
        for (int row = 0; row < 4; ++row)
          matrices.push_back(row == 3   ? (col == 3 ? 1.0F : 0.0F)
                             : col == 3 ? static_cast<float>(m.translation[row])
                                        : static_cast<float>(m.linear.col[static_cast<std::size_t>(col)][row]));
      skin["joints"].push_back(j);
    }
    skin["inverseBindMatrices"] = b.add_accessor(matrices, "MAT4");
    b.add("skins", skin);
  }
  for (const Clip& clip : character.clips) {
    GltfBuilder::Json animation = {{"name", clip.name}};
    for (const Channel& channel : clip.channels) {
      std::vector<float> values = channel.values;
      const bool turns = channel.path == ChannelPath::rotation;
      if (!turns)
        for (float& v : values) v = static_cast<float>(static_cast<double>(v) / how.unit);
      animation["channels"].push_back(
          {{"sampler", animation["channels"].size()},
           {"target", {{"node", channel.joint}, {"path", turns ? "rotation" : "translation"}}}});
      animation["samplers"].push_back({{"input", b.add_accessor(channel.times, "SCALAR")},
                                       {"output", b.add_accessor(values, turns ? "VEC4" : "VEC3")}});
    }
    b.add("animations", animation);
  }
  return b;
}

std::string skeleton_dae(const Character& character, bool z_up) {
  const Skeleton& skeleton = character.skeleton;
  const Clip& clip = character.clips.back();
  const Affine3d turn{to_matrix(axis_angle(Vec3d{1, 0, 0}, z_up ? kPi / 2 : 0)), {}};
  const auto local_of = [&](const Pose& pose, std::size_t j) {
    return (skeleton.joints[j].parent < 0 ? turn : Affine3d{}) * to_affine(pose.local[j]);
  };
  std::string nodes, animations, times;
  for (const double t : key_times(clip)) times += fmt::format("{:.9g} ", t);
  const std::size_t keys = key_times(clip).size();
  const std::function<void(int)> add = [&](int parent) {
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
      if (skeleton.joints[j].parent != parent) continue;
      const std::string& name = skeleton.joints[j].name;
      nodes += fmt::format(
          "<node id=\"{0}\" name=\"{0}\" sid=\"{0}\" type=\"JOINT\"><matrix sid=\"transform\">{1}</matrix>\n", name,
          rows_of(local_of(default_pose(skeleton), j)));
      add(static_cast<int>(j));
      nodes += "</node>\n";
      std::string matrices, words;
      for (const double t : key_times(clip)) {
        matrices += rows_of(local_of(sample(skeleton, clip, t), j)) + " ";
        words += "LINEAR ";
      }
      const auto source = [&](const char* what, const char* kind, const std::string& values, std::size_t count,
                              std::size_t stride, const char* type) {
        return fmt::format(
            "<source id=\"{0}-{1}\"><{2}_array id=\"{0}-{1}-a\" count=\"{3}\">{4}</{2}_array><technique_common>"
            "<accessor source=\"#{0}-{1}-a\" count=\"{5}\" stride=\"{6}\"><param type=\"{7}\"/></accessor>"
            "</technique_common></source>\n",
            name, what, kind, count * stride, values, count, stride, type);
      };
      animations += fmt::format("<animation id=\"{0}-anim\">\n", name) + source("t", "float", times, keys, 1, "float") +
                    source("o", "float", matrices, keys, 16, "float4x4") + source("i", "Name", words, keys, 1, "name") +
                    fmt::format(
                        "<sampler id=\"{0}-s\"><input semantic=\"INPUT\" source=\"#{0}-t\"/><input semantic=\"OUTPUT\" "
                        "source=\"#{0}-o\"/><input semantic=\"INTERPOLATION\" source=\"#{0}-i\"/></sampler>"
                        "<channel source=\"#{0}-s\" target=\"{0}/transform\"/></animation>\n",
                        name);
    }
  };
  add(-1);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
      "version=\"1.4.1\">\n<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>"
      "<unit name=\"meter\" meter=\"1\"/><up_axis>{}</up_axis></asset>\n<library_animations>\n{}"
      "</library_animations>\n<library_visual_scenes><visual_scene id=\"scene\" name=\"scene\">\n{}"
      "</visual_scene></library_visual_scenes>\n<scene><instance_visual_scene url=\"#scene\"/></scene>\n</COLLADA>\n",
      z_up ? "Z_UP" : "Y_UP", animations, nodes);
}

std::string skeleton_fbx(const Character& character) {
  constexpr double kTicks = 46186158000;  // a second
  const Skeleton& skeleton = character.skeleton;
  const Clip& clip = character.clips.back();
  const std::vector<double> times = key_times(clip);
  std::string objects, connections, key_list;
  for (const double t : times)
    key_list += fmt::format("{}{}", key_list.empty() ? "" : ",", static_cast<long long>(std::llround(t * kTicks)));
  const auto numbers = [](const Vec3d& v) { return fmt::format("{:.9g},{:.9g},{:.9g}", v.x, v.y, v.z); };
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    const std::size_t model = 2000 + j, attribute = 3000 + j;
    objects += fmt::format(
        "\tModel: {}, \"Model::{}\", \"LimbNode\" {{\n\t\tVersion: 232\n\t\tProperties70:  {{\n"
        "\t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",{}\n"
        "\t\t\tP: \"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",{}\n\t\t}}\n\t}}\n"
        "\tNodeAttribute: {}, \"NodeAttribute::{}\", \"LimbNode\" {{\n\t\tTypeFlags: \"Skeleton\"\n\t}}\n",
        model, joint.name, numbers(joint.local.translation * 100.0), numbers(euler_xyz(joint.local.rotation)),
        attribute, joint.name);
    connections += fmt::format("\tC: \"OO\",{},{}\n\tC: \"OO\",{},{}\n", model,
                               joint.parent < 0 ? 0 : 2000 + static_cast<std::size_t>(joint.parent), attribute, model);
    for (const bool turns : {true, false}) {
      const std::size_t node = 100010 + 10 * j + (turns ? 0 : 5);
      objects += fmt::format("\tAnimationCurveNode: {}, \"AnimCurveNode::{}\", \"\" {{\n\t\tProperties70:  {{\n", node,
                             turns ? "R" : "T");
      std::vector<Vec3d> values;
      for (const double t : times) {
        const Trsd local = sample(skeleton, clip, t).local[j];
        values.push_back(turns ? euler_xyz(local.rotation) : local.translation * 100.0);
        // Angles in step with those before: curves are interpolated as numbers.
        for (int k = 0; turns && k < 3 && values.size() > 1; ++k)
          values.back()[k] -= 360 * std::round((values.back()[k] - values[values.size() - 2][k]) / 360);
      }
      for (const char* axis : {"X", "Y", "Z"})
        objects += fmt::format("\t\t\tP: \"d|{}\", \"Number\", \"\", \"A\",{:.9g}\n", axis, values[0][*axis - 'X']);
      objects += "\t\t}\n\t}\n";
      connections += fmt::format("\tC: \"OO\",{},4001\n\tC: \"OP\",{},{}, \"Lcl {}\"\n", node, node, model,
                                 turns ? "Rotation" : "Translation");
      for (int k = 0; k < 3; ++k) {
        std::string list;
        for (const Vec3d& v : values) list += fmt::format("{}{:.9g}", list.empty() ? "" : ",", v[k]);
        objects += fmt::format(
            "\tAnimationCurve: {}, \"AnimCurve::\", \"\" {{\n\t\tDefault: 0\n\t\tKeyVer: 4008\n"
            "\t\tKeyTime: *{} {{\n\t\t\ta: {}\n\t\t}}\n\t\tKeyValueFloat: *{} {{\n\t\t\ta: {}\n\t\t}}\n"
            "\t\tKeyAttrFlags: *1 {{\n\t\t\ta: 260\n\t\t}}\n\t\tKeyAttrDataFloat: *4 {{\n\t\t\ta: 0,0,0,0\n"
            "\t\t}}\n\t\tKeyAttrRefCount: *1 {{\n\t\t\ta: {}\n\t\t}}\n\t}}\n",
            node + 1 + static_cast<std::size_t>(k), times.size(), key_list, times.size(), list, times.size());
        connections += fmt::format("\tC: \"OP\",{},{}, \"d|{}\"\n", node + 1 + static_cast<std::size_t>(k), node,
                                   static_cast<char>('X' + k));
      }
    }
  }
  const auto stop = static_cast<long long>(std::llround(times.back() * kTicks));
  return fmt::format(
      "; FBX 7.3.0 project file\nFBXHeaderExtension:  {{\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7300\n}}\n"
      "GlobalSettings:  {{\n\tVersion: 1000\n\tProperties70:  {{\n"
      "\t\tP: \"UpAxis\", \"int\", \"Integer\", \"\",1\n\t\tP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n"
      "\t\tP: \"FrontAxis\", \"int\", \"Integer\", \"\",2\n\t\tP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",1\n"
      "\t\tP: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n\t\tP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n"
      "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",1\n\t\tP: \"TimeMode\", \"enum\", \"\", \"\",3\n"
      "\t}}\n}}\nDefinitions:  {{\n\tVersion: 100\n\tCount: 1\n}}\nObjects:  {{\n{}"
      "\tAnimationStack: 4000, \"AnimStack::{}\", \"\" {{\n\t\tProperties70:  {{\n"
      "\t\t\tP: \"LocalStop\", \"KTime\", \"Time\", \"\",{}\n\t\t\tP: \"ReferenceStop\", \"KTime\", \"Time\", "
      "\"\",{}\n\t\t}}\n\t}}\n\tAnimationLayer: 4001, \"AnimLayer::base\", \"\" {{\n\t}}\n}}\n"
      "Connections:  {{\n{}\tC: \"OO\",4001,4000\n}}\n",
      objects, clip.name, stop, stop, connections);
}

}  // namespace cutis::test
