// Motions out of files of characters, and of skeletons without any mesh.
#include "io/clip_motion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/math.h"
#include "base/polar.h"
#include "cutis/error.h"
#include "cutis/io.h"
#include "cutis/pose_writer.h"
#include "io/gltf_samples.h"
#include "io/motion_samples.h"
#include "io/readers.h"
#include "io/retarget.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::error_of;
using test::skeleton_dae;
using test::skeleton_fbx;
using test::skeleton_gltf;
using test::SkeletonFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ClipMotion : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
    return folder_.file(name);
  }
  std::string put(const std::string& name, const std::vector<std::byte>& bytes) {
    return put(name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  /// What the moving person's clip makes of the built-in human, out of a file with the skeleton alone.
  Clip from_glb(const SkeletonFile& how, const std::string& clip, const Character& onto) {
    return load_motion(put("motion.glb", skeleton_gltf(person_, how).glb()), onto, context_,
                       {.map_file = {}, .clip = clip});
  }

  test::TemporaryFolder folder_;
  Context context_{1};
  const Character person_ = test::make_moving_person();
  const Character& human_ = human();

 private:
  static const Character& human() {
    static const Character made = make_builtin("human", Context(1));
    return made;
  }
};

struct Difference {
  double degrees = 0, metres = 0;
};
/// The largest over joints and times; of places those of joints that have a parent, against it.
Difference difference(const Skeleton& skeleton, const Clip& a, const Clip& b) {
  Difference worst;
  EXPECT_NEAR(a.end(), b.end(), 1e-3);
  for (double t = 0; t <= std::min(a.end(), b.end()); t += 1.0 / 30) {
    const auto first = world_from_joint(skeleton, sample(skeleton, a, a.start() + t));
    const auto second = world_from_joint(skeleton, sample(skeleton, b, b.start() + t));
    for (std::size_t j = 0; j < first.size(); ++j) {
      const Quatd turn =
          polar_decompose(first[j].linear).rotation * conjugate(polar_decompose(second[j].linear).rotation);
      worst.degrees = std::max(worst.degrees, 2 * std::acos(std::min(1.0, std::abs(turn.w))) / kDegree);
      worst.metres = std::max(worst.metres, distance(first[j].translation, second[j].translation));
    }
  }
  return worst;
}

TEST_F(ClipMotion, OfASkeletonAloneIsTheCharactersOwnOnItself) {
  for (const char* name : {"lively", "walk"}) {
    const Difference found = difference(person_.skeleton, from_glb({}, name, person_), person_.clip(name));
    EXPECT_LT(found.degrees, 0.1) << name;
  }
}

TEST_F(ClipMotion, GivenAsBvhOrInAnyOtherFormatMakesTheSamePoses) {
  const Clip glb = from_glb({}, "walk", human_);
  const Clip& clip = person_.clips.back();
  BvhWriter writer(folder_.file("walk.bvh"), person_.skeleton, 61, 60);
  for (int f = 0; f <= 60; ++f) writer.add(sample(person_.skeleton, clip, f / 60.0));
  writer.finish();
  const auto expect_same = [&](const std::string& file) {
    const Difference found = difference(human_.skeleton, load_motion(file, human_, context_), glb);
    EXPECT_LT(found.degrees, 0.1) << file;
    EXPECT_LT(found.metres, 0.002) << file;
  };
  Character moving = person_;
  std::erase_if(moving.clips, [](const Clip& it) { return it.name != "walk"; });
  expect_same(put("walk.gltf", skeleton_gltf(moving).gltf()));
  expect_same(put("cm.glb", skeleton_gltf(moving, {.unit = 0.01}).glb()));
  expect_same(put("walk.dae", skeleton_dae(moving)));
  expect_same(put("z_up.dae", skeleton_dae(moving, true)));
  expect_same(put("walk.fbx", skeleton_fbx(moving)));
  // BVH ends bones of feet where the shins would go on; so feet are left out of this one.
  Clip bvh = load_motion(folder_.file("walk.bvh"), human_, context_), rest = glb;
  for (Clip* it : {&bvh, &rest})
    std::erase_if(it->channels, [&](const Channel& channel) {
      return human_.skeleton.joints[static_cast<std::size_t>(channel.joint)].name.starts_with("foot");
    });
  EXPECT_LT(difference(human_.skeleton, bvh, rest).degrees, 0.1);
}

TEST_F(ClipMotion, IsFoundByNameAndByNumber) {
  const std::string file = put("clips.glb", skeleton_gltf(person_).glb());
  std::vector<std::string> warnings;
  context_.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
  const auto name_of = [&](const std::string& clip) {
    return load_motion(file, human_, context_, {.map_file = {}, .clip = clip}).name;
  };
  EXPECT_EQ(name_of("walk"), "walk");
  EXPECT_EQ(name_of("1"), "lively");
  EXPECT_TRUE(warnings.empty());
  // The first has one key, as exporters write the rest pose.
  const Clip unasked = load_motion(file, human_, context_);
  EXPECT_EQ(unasked.name, "clips");
  EXPECT_LT(difference(human_.skeleton, unasked, from_glb({}, "lively", human_)).degrees, 1e-3);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], AllOf(HasSubstr("'lively' is taken, of 3 clips"), HasSubstr("--bvh-clip")));
  EXPECT_THAT(error_of([&] { (void)name_of("run"); }),
              AllOf(HasSubstr("clips.glb"), HasSubstr("no clip 'run'"), HasSubstr("rest, lively, walk")));
  EXPECT_THAT(error_of([&] { (void)name_of("3"); }), HasSubstr("rest, lively, walk"));
  EXPECT_EQ(inspect_motion(file, context_).frames, 61U);
  EXPECT_EQ(inspect_motion(file, context_).joints.size(), person_.skeleton.joints.size() + 1);
}

TEST_F(ClipMotion, IsRefusedInASentenceWhereThereIsNone) {
  test::GltfBuilder still = skeleton_gltf(person_, {.has_skin = true});
  still.json.erase("animations");
  const auto error_with = [&](const std::string& file, const std::string& clip = {}) {
    return error_of([&] { (void)load_motion(file, human_, context_, {.map_file = {}, .clip = clip}); });
  };
  EXPECT_THAT(error_with(put("still.glb", still.glb())), HasSubstr("no animation of joints"));
  EXPECT_THAT(error_with(put("square.glb", test::square_file().glb())), HasSubstr("no animation of joints"));
  EXPECT_THAT(error_with(put("empty.gltf", R"({"asset": {"version": "2.0"}})")), HasSubstr("no animation of joints"));
  EXPECT_THAT(error_with(put("strip.glb", test::skinned_file().glb())), HasSubstr("--bvh-map"));
  EXPECT_THAT(error_with(folder_.file("gone.glb")), HasSubstr("gone.glb"));
  EXPECT_THAT(error_with(folder_.file("gone.fbx")), HasSubstr("gone.fbx"));
  BvhWriter writer(folder_.file("walk.bvh"), person_.skeleton, 1, 60);
  writer.add(default_pose(person_.skeleton));
  writer.finish();
  EXPECT_THAT(error_with(folder_.file("walk.bvh"), "walk"), HasSubstr("one motion, without a name"));

  const std::string dae = skeleton_dae(person_), fbx = skeleton_fbx(person_);
  const auto without = [](std::string text, const std::string& from, const std::string& to) {
    return text.erase(text.find(from), text.find(to) - text.find(from));
  };
  EXPECT_THAT(error_with(put("still.dae", without(dae, "<library_animations>", "<library_visual"))),
              HasSubstr("no animation of joints"));
  EXPECT_THAT(error_with(put("still.fbx", without(fbx, "\tAnimationStack", "}\nConnections"))),
              HasSubstr("no animation of joints"));
}

TEST_F(ClipMotion, OfADamagedFileIsRefusedInASentence) {
  const std::vector<std::byte> whole = skeleton_gltf(person_).glb();
  for (std::size_t cut = 1; cut < 40; ++cut) {
    const std::vector<std::byte> part(whole.begin(),
                                      whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * cut / 40));
    EXPECT_THAT(error_of([&] { (void)read_gltf_motion_memory(part, "cut.glb", context_); }), HasSubstr("cut.glb"))
        << cut;
  }
  const std::string dae = skeleton_dae(person_);
  for (const std::string& text : {std::string(), std::string("no"), dae.substr(0, dae.size() / 2)})
    EXPECT_THAT(error_of([&] { (void)read_assimp_motion_memory(text, "cut.dae", context_); }), HasSubstr("cut.dae"));

  // Far away, and far too long for its keys.
  test::GltfBuilder far = skeleton_gltf(person_);
  far.json["nodes"].back()["scale"] = {1e200, 1e200, 1e200};
  far.json["nodes"][0]["scale"] = {1e200, 1e200, 1e200};
  EXPECT_THAT(error_of([&] { (void)load_motion(put("far.glb", far.glb()), human_, context_); }), HasSubstr("far.glb"));
  Character eternal = person_;
  eternal.clips[0].channels[0].times = {0, 9e5F};
  auto& values = eternal.clips[0].channels[0].values;
  values.insert(values.end(), {0, 0, 0, 1});
  EXPECT_THAT(error_of([&] { (void)load_motion(put("long.glb", skeleton_gltf(eternal).glb()), human_, context_); }),
              HasSubstr("too long for a file of its size"));
}

// Exporters leave the nodes of a skeleton without a mesh as they are in a frame, and say nothing of how it rests.
TEST_F(ClipMotion, WhoseNodesAreLeftInAFrameIsMeasuredAtTheStraightest) {
  const Clip& own = person_.clip("walk");
  const Clip posed = from_glb({.posed_at = 0}, "walk", person_);
  // Directions of bones are the motion's to the bit; what nobody can know is the twist at rest.
  const auto bone = [&](const Clip& clip, const char* from, const char* to, double t) {
    const auto world = world_from_joint(person_.skeleton, sample(person_.skeleton, clip, t));
    const auto at = [&](const char* name) {
      return world[static_cast<std::size_t>(person_.skeleton.find(name))].translation;
    };
    return normalized(at(to) - at(from));
  };
  for (double t = 0; t < 1; t += 0.1)
    for (const auto& [from, to] : {std::pair{"thigh_l", "calf_l"}, std::pair{"calf_r", "foot_r"},
                                   std::pair{"upperarm_r", "lowerarm_r"}, std::pair{"lowerarm_l", "hand_l"}})
      EXPECT_LT(distance(bone(own, from, to, t), bone(posed, from, to, t)), 2e-3) << from;
  EXPECT_LT(difference(person_.skeleton, posed, own).degrees, 35);
  // A skin that nobody wears says it all the same.
  EXPECT_LT(difference(person_.skeleton, from_glb({.has_skin = true, .posed_at = 0}, "walk", person_), own).degrees,
            0.1);
  EXPECT_LT(
      difference(person_.skeleton, from_glb({.has_skin = true, .posed_at = 0, .unit = 0.01}, "walk", person_), own)
          .degrees,
      0.1);
}

// Biped skeletons hang their collars on the neck, which does not point where they do.
TEST_F(ClipMotion, BendsNecksThatCollarsHangOnLikeAnyOther) {
  Character biped = human_;
  std::vector<Joint>& joints = biped.skeleton.joints;
  const auto neck = static_cast<std::size_t>(biped.skeleton.find("neck"));
  const Affine3d in_neck = inverse(joints[neck].world_from_rest);
  for (const char* name : {"shoulder_l", "shoulder_r"}) {
    Joint& collar = joints[static_cast<std::size_t>(biped.skeleton.find(name))];
    const Affine3d local = in_neck * collar.world_from_rest;
    collar.parent = static_cast<int>(neck);
    collar.local.translation = local.translation;
    collar.local.rotation = polar_decompose(local.linear).rotation;
  }
  const std::vector<std::byte> motion = skeleton_gltf(human_, {.posed_at = 0}).glb();
  const std::string file = put("motion.glb", motion);
  for (const Clip& clip : human_.clips) {
    const auto turned = [&](const Character& body) {
      return load_motion(file, body, context_, {.map_file = {}, .clip = clip.name});
    };
    const Clip plain = turned(human_), hung = turned(biped);
    for (double t = 0; t <= plain.end(); t += 0.2) {
      const auto a = world_from_joint(human_.skeleton, sample(human_.skeleton, plain, t));
      const auto b = world_from_joint(biped.skeleton, sample(biped.skeleton, hung, t));
      for (const char* name : {"neck", "head", "shoulder_l", "upper_arm_r"}) {
        const auto j = static_cast<std::size_t>(human_.skeleton.find(name));
        const Quatd by = polar_decompose(a[j].linear).rotation * conjugate(polar_decompose(b[j].linear).rotation);
        EXPECT_LT(2 * std::acos(std::min(1.0, std::abs(by.w))) / kDegree, 0.5) << clip.name << " " << name << " " << t;
      }
    }
  }
}

TEST_F(ClipMotion, TakesAlongWhatOnlyAScaleMoves) {
  // The pelvis grows, and the thighs go apart without keys of their own.
  test::GltfBuilder file = skeleton_gltf(person_);
  const int pelvis = person_.skeleton.find("pelvis");
  const int times = file.add_accessor(std::vector<float>{0, 1}, "SCALAR");
  const int sizes = file.add_accessor(std::vector<float>{1, 1, 1, 2, 2, 2}, "VEC3");
  file.add("animations", {{"name", "grow"},
                          {"samplers", {{{"input", times}, {"output", sizes}}}},
                          {"channels", {{{"sampler", 0}, {"target", {{"node", pelvis}, {"path", "scale"}}}}}}});
  const ClipSource source = read_gltf_motion_memory(file.glb(), "grow.glb", context_);
  const BvhMotion motion = motion_of_clip(source, source.body.clip("grow"), context_);
  const auto place = [&](const char* name, std::size_t frame) {
    const auto at =
        std::find_if(motion.joints.begin(), motion.joints.end(), [&](const BvhJoint& j) { return j.name == name; });
    return motion.pose(frame).position[static_cast<std::size_t>(at - motion.joints.begin())];
  };
  const double before = distance(place("thigh_l", 0), place("thigh_r", 0));
  EXPECT_NEAR(distance(place("thigh_l", 60), place("thigh_r", 60)), 2 * before, 1e-6);
  EXPECT_NEAR(distance(place("calf_l", 60), place("thigh_l", 60)),
              2 * distance(place("calf_l", 0), place("thigh_l", 0)), 1e-6);
}

TEST_F(ClipMotion, LeavesOutCopiesOfJoints) {
  Character c = person_;
  Joint copy = c.skeleton.joints[2];
  copy.alias_of = copy.parent = 2;
  copy.name += "#2";
  copy.local = {};
  c.skeleton.joints.push_back(copy);
  const BvhMotion motion = motion_of_clip({c, true, 1 << 20}, c.clips[1], context_);
  EXPECT_EQ(motion.joints.size(), person_.skeleton.joints.size());
  EXPECT_EQ(motion.body.size(), motion.joints.size());
}

// ---- real files ----

TEST_F(ClipMotion, OfMakeHumanIsItsOwnOnItselfToTheLastFinger) {
  CUTIS_NEEDS_SHARED_DATA();
  const std::string file = (test::shared_data() / "makehuman_male/makehuman_male.glb").string();
  const Character body = load_character(file, context_);
  for (const char* name : {"fist_both", "deep_squat", "cmu_13_29_twists_squats"}) {
    const Clip again = load_motion(file, body, context_, {.map_file = {}, .clip = name});
    EXPECT_LT(difference(body.skeleton, again, body.clip(name)).degrees, 0.1) << name;
  }
}

TEST_F(ClipMotion, OfOneCharacterDrivesEveryOther) {
  CUTIS_NEEDS_SHARED_DATA();
  const auto data = test::shared_data();
  const std::vector<std::pair<std::string, std::string>> sources{
      {(data / "makehuman_male/makehuman_male.glb").string(), "cmu_02_01_walk"},
      {(data / "avatars/rocketbox_male.glb").string(), "stretch_arms"},
      {(data / "avatars/platformer_character.glb").string(), "CharacterArmature|Run"},
      {(data / "avatars/astronaut_draco.glb").string(), "Walk"},
      {(data / "avatars/lumberjack.glb").string(), "Walk"},
      {(data / "avatars/robot_expressive.glb").string(), "Walking"},
      {(data / "cesium_man/cesium_man.glb").string(), ""},
      {(data / "rigged_figure/rigged_figure.glb").string(), ""}};
  std::vector<std::string> targets{"builtin:human", (data / "avatars/rabbit.vrm").string(),
                                   (data / "avatars/rabbit.fbx").string()};
  for (const auto& [file, clip] : sources) targets.push_back(file);
  struct Moving {
    ClipSource source;
    Clip clip;
    BvhMotion motion;
  };
  std::vector<Moving> moving;
  for (const auto& [file, clip] : sources) {
    ClipSource source = read_gltf_motion(file, context_);
    const Clip own = source.body.clip(clip);
    BvhMotion motion = motion_of_clip(source, own, context_);
    moving.push_back({std::move(source), own, std::move(motion)});
  }
  for (const std::string& target : targets) {
    const Character body = load_character(target, context_, {.attached = true});
    for (const auto& [source, own, motion] : moving) {
      SCOPED_TRACE(target + " < " + source.body.source);
      const JointMap map = map_joints(body, motion);
      const Clip found = retarget(body, motion, map, "motion", context_);
      const Skeleton& theirs = source.body.skeleton;
      const auto joint_of = [&](const std::string& role, bool ours) {
        for (const JointMatch& match : map)
          if (to_string(match.role) == role)
            return ours ? match.joint : theirs.find(theirs.joints[static_cast<std::size_t>(match.motion_joint)].name);
        return -1;
      };
      int bones = 0;
      for (const std::string side : {"left ", "right "})
        for (const auto& [from, to] :
             {std::pair{"upper leg", "lower leg"}, std::pair{"lower leg", "foot"}, std::pair{"upper arm", "forearm"}}) {
          const int a = joint_of(side + from, true), b = joint_of(side + to, true);
          const int c = joint_of(side + from, false), d = joint_of(side + to, false);
          if (a < 0 || b < 0 || c < 0 || d < 0) continue;
          ++bones;
          for (const double t : {0.1, 0.3, 0.5}) {  // seconds; between two of 60 frames a bone turns by a degree or so
            const auto direction = [&](const Skeleton& skeleton, const Clip& it, int p, int q) {
              const auto world = world_from_joint(skeleton, sample(skeleton, it, it.start() + t));
              return normalized(world[static_cast<std::size_t>(q)].translation -
                                world[static_cast<std::size_t>(p)].translation);
            };
            EXPECT_LT(distance(direction(body.skeleton, found, a, b), direction(theirs, own, c, d)), 0.05)
                << side << from << " at " << t;
          }
        }
      EXPECT_GE(bones, 4);
    }
  }
}

TEST_F(ClipMotion, OfAnAnimalIsRefusedWhereOnlyTrunksCorrespond) {
  CUTIS_NEEDS_SHARED_DATA();
  const std::string fox = (test::shared_data() / "fox/fox.glb").string();
  const std::string spider = (test::shared_data() / "avatars/spider.glb").string();
  EXPECT_THAT(error_of([&] { (void)load_motion(spider, human_, context_); }), HasSubstr("none of a limb"));
  EXPECT_THAT(error_of([&] { (void)load_motion(spider, load_character(fox, context_), context_); }),
              HasSubstr("none of a limb"));
  for (const std::string& file : {fox, spider}) {
    const Character body = load_character(file, context_);
    const Clip& own = body.clips.back();
    const Clip again = load_motion(file, body, context_, {.map_file = {}, .clip = own.name});
    EXPECT_LT(difference(body.skeleton, again, own).degrees, 1.5) << file;  // keys of the fox are not evenly spaced
  }
  std::vector<std::string> warnings;
  context_.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
  (void)load_motion(fox, human_, context_, {.map_file = {}, .clip = "Walk"});
  EXPECT_THAT(warnings, ::testing::Contains(HasSubstr("another kind of body")));
}

}  // namespace
}  // namespace cutis
