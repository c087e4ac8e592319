// Presets: what a file says is what is bound; what it does not say has a default; what is wrong is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bind/skin_support.h"
#include "cutis/bind.h"
#include "cutis/error.h"
#include "cutis/preset.h"
#include "rig/rig_file.h"

namespace cutis {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;

TEST(Preset, of_an_empty_file_is_the_default) {
  const Preset preset = preset_from_json("{}", "p.json");
  EXPECT_EQ(preset.all, JointPreset{});
  EXPECT_TRUE(preset.joints.empty());
  EXPECT_EQ(preset.support_factor, 1);
  EXPECT_EQ(preset.of("anything"), JointPreset{});
}

TEST(Preset, gives_joints_what_all_joints_say_unless_they_say_otherwise) {
  const Preset preset = preset_from_json(
      R"({"joints": {"elbow": {"operator": "bulge", "cap": 0.7}}, "all_joints": {"samples": 70, "cap": 0.9}})", "p");
  EXPECT_EQ(preset.of("knee").samples, 70);
  EXPECT_EQ(preset.of("elbow").samples, 70);
  EXPECT_EQ(preset.of("elbow").op, "bulge");
  EXPECT_EQ(preset.of("elbow").cap, 0.7);
  EXPECT_EQ(preset.of("knee").op, "contact");
}

TEST(Preset, comes_back_from_json_as_it_was) {
  Preset preset;
  preset.support_factor = 1.5;
  preset.cap_factor = 0.7;
  preset.all = {.op = "blend",
                .controller = "mine",
                .shape = PartForm::spheres,
                .support_radius = 0.1234567890123,
                .support_factor = 0.75,
                .samples = 33,
                .cap = 0.3,
                .atlas_overlap = 2};
  preset.joints = {{"a", {.op = "soft"}}, {"b", {}}};
  preset.controllers = {controller_preset("elbow")};
  preset.controllers[0].name = "mine";
  preset.profiles = {{.name = "soft", .points = {{0.5, 0}, {0.5, 0.2}, {0.4, 0.4}}, .contact_depth = 0}};
  const Preset back = preset_from_json(to_json(preset), "p");
  EXPECT_EQ(back.all, preset.all);
  EXPECT_EQ(back.joints, preset.joints);
  EXPECT_EQ(back.support_factor, preset.support_factor);
  EXPECT_EQ(back.cap_factor, preset.cap_factor);
  EXPECT_EQ(to_json(back), to_json(preset));
  ASSERT_EQ(back.profiles.size(), 1U);
  EXPECT_EQ(back.profiles[0].name, "soft");
}

TEST(Preset, refuses_what_it_does_not_know_by_name) {
  const auto error = [](const std::string& text) { return error_of([&] { (void)preset_from_json(text, "p.json"); }); };
  EXPECT_THAT(error(R"({"joint": {}})"), AllOf(HasSubstr("p.json"), HasSubstr("\"joint\""), HasSubstr("joints")));
  EXPECT_THAT(error(R"({"joints": {"elbow": {"oprator": "bulge"}}})"),
              AllOf(HasSubstr("elbow"), HasSubstr("\"oprator\""), HasSubstr("operator")));
  EXPECT_THAT(error(R"({"fields": {"factor": 1}})"), HasSubstr("\"factor\""));
  EXPECT_THAT(error(R"({"joints": {"a": {"shape": "cube"}}})"), AllOf(HasSubstr("cube"), HasSubstr("hrbf")));
  EXPECT_THAT(error(R"({"joints": {"a": {"samples": 2}}})"),
              AllOf(HasSubstr("samples"), HasSubstr("between 4 and 160")));
  EXPECT_THAT(error(R"({"joints": {"a": {"samples": 20.5}}})"), HasSubstr("whole"));
  EXPECT_THAT(error(R"({"joints": {"a": {"cap": "big"}}})"),
              HasSubstr("cap is \"big\"; it must be between 0.05 and 4"));
  EXPECT_THAT(error(R"({"joints": {"a": {}, "a": {}}})"), HasSubstr("\"a\" is given twice"));
  EXPECT_THAT(error(R"({"joints": [1]})"), HasSubstr("joints"));
  EXPECT_THAT(error(R"({"controllers": [{"contact": [[0, 0]]}]})"), AllOf(HasSubstr("controllers"), HasSubstr("name")));
  EXPECT_THAT(error("{"), HasSubstr("not JSON"));
  EXPECT_THAT(error("[]"), HasSubstr("object"));
  EXPECT_THAT(error_of([] { (void)load_preset("/no/such/preset.json"); }), HasSubstr("does not exist"));
}

TEST(Preset, that_does_not_fit_the_character_is_refused_by_bind) {
  const Context context(1);
  const Character arm = load_character("builtin:arm", context);
  const auto error = [&](const Preset& preset) {
    return error_of([&] { (void)bind(arm, context, {.preset = preset}); });
  };
  EXPECT_THAT(error({.joints = {{"tail", {}}}}), AllOf(HasSubstr("'tail'"), HasSubstr("no such joint")));
  EXPECT_THAT(error({.joints = {{"forearm", {.op = "glue"}}}}), AllOf(HasSubstr("forearm"), HasSubstr("'glue'")));
  EXPECT_THAT(error({.all = {.controller = "tentacle"}}), AllOf(HasSubstr("'tentacle'"), HasSubstr("elbow")));
  EXPECT_THAT(error({.profiles = {{.name = "bad", .points = {{0.5, 0}}}}}), HasSubstr("'bad'"));
  EXPECT_THAT(error({.profiles = {contact_profile()}}), HasSubstr("choose another"));
  EXPECT_THAT(error({.support_factor = 0}), HasSubstr("factor"));
}

TEST(Preset, changes_what_it_says) {
  const Context context(2);
  const Character arm = load_character("builtin:arm", context);
  BindReport plain, changed;
  const auto rig = bind(arm, context, {}, plain);
  Preset preset;
  preset.support_factor = 1.5;
  preset.joints = {{"forearm", {.shape = PartForm::spheres, .samples = 80, .cap = 0.5}}};
  (void)bind(arm, context, {.preset = preset}, changed);
  ASSERT_EQ(plain.parts.size(), changed.parts.size());
  for (std::size_t i = 0; i < plain.parts.size(); ++i) {
    EXPECT_NEAR(changed.parts[i].radius, 1.5 * plain.parts[i].radius, 1e-12) << plain.parts[i].joint;
    EXPECT_EQ(changed.parts[i].shape, plain.parts[i].joint == "forearm" ? "spheres" : plain.parts[i].shape);
  }
}

TEST(Preset, that_is_bound_again_makes_the_rig_that_it_makes_at_first) {
  const Context context(2);
  const Character character = load_character("builtin:arm", context);
  Preset rules;
  rules.joints = {{"forearm", {.op = "bulge", .controller = "mine"}}};
  rules.controllers = {controller_preset("elbow")};
  rules.controllers[0].name = "mine";
  rules.regions = {{.name = "watch", .joints = {"hand"}, .stiffness = 0.8, .fade = 0.01},
                   {.name = "prop", .vertices = {5, 6, 7}, .contact = false}};
  rules.targets = {{.name = "scar", .vertex = 12, .radius = 0.02, .keys = {{.time = 0, .weight = 1, .point = {}}}}};
  Preset fields = rules;
  fields.joints[0].second.support_factor = 1.2;  // asks for another field

  BindReport first;
  const auto plain = bind(character, context, {}, first);
  for (const Preset& preset : {rules, fields}) {
    BindReport again = first, anew;
    const BindOptions options{.preset = preset};
    const auto made = bind_again(character, context, options, plain, {}, again);
    EXPECT_EQ(rig_to_bytes(*made), rig_to_bytes(*bind(character, context, options, anew)));
    EXPECT_EQ(to_json(again.preset), to_json(anew.preset));
    EXPECT_EQ(again.unreached, anew.unreached);
    EXPECT_EQ(again.parts.back().op, anew.parts.back().op);
    // And back: nothing of it stays.
    const auto back = bind_again(character, context, {}, made, options, again);
    EXPECT_EQ(rig_to_bytes(*back), rig_to_bytes(*plain));
    EXPECT_EQ(to_json(again.preset), to_json(first.preset));
  }
  Preset wrong;
  wrong.joints = {{"forearm", {.op = "glue"}}};
  BindReport kept = first;
  EXPECT_THROW((void)bind_again(character, context, {.preset = wrong}, plain, {}, kept), Error);
  EXPECT_EQ(to_json(kept.preset), to_json(first.preset));
}

class PresetInForce : public ::testing::TestWithParam<std::string> {};

TEST_P(PresetInForce, binds_to_the_same_rig) {
  if (!GetParam().starts_with("builtin:")) CUTIS_NEEDS_SHARED_DATA();
  const Context context(2);
  const std::string file = GetParam().starts_with("builtin:") ? GetParam() : (shared_data() / GetParam()).string();
  const Character character = load_character(file, context);
  Preset preset;
  preset.support_factor = 0.75;
  preset.cap_factor = 0.7;
  preset.all.support_factor = 1.1;
  BindReport report, again;
  const auto rig = bind(character, context, {.preset = preset}, report);
  const Preset read = preset_from_json(to_json(report.preset), "in force");
  const auto same = bind(character, context, {.preset = read}, again);
  EXPECT_EQ(rig_to_bytes(*rig), rig_to_bytes(*same));
  EXPECT_EQ(to_json(again.preset), to_json(report.preset));
  EXPECT_NE(rig_to_bytes(*rig), rig_to_bytes(*bind(character, context)));
}

INSTANTIATE_TEST_SUITE_P(all, PresetInForce,
                         ::testing::Values("builtin:hand", "makehuman_male/makehuman_male.glb", "fox/fox.glb"),
                         [](const auto& param_info) {
                           std::string name = folder_name(param_info.param);
                           std::ranges::replace(name, ':', '_');
                           return name;
                         });

TEST(Presets, say_what_pieces_are) {
  const Preset preset = preset_from_json(
      R"({"roles": [{"name": "coat", "meshes": ["Coat"], "role": "garment"}, {"name": "lens", "pieces": [4, 5], "role": "inner"}]})",
      "preset");
  ASSERT_EQ(preset.roles.size(), 2U);
  EXPECT_EQ(preset.roles[0].role, PieceRole::garment);
  EXPECT_EQ(preset.roles[1].pieces, (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(preset_from_json(to_json(preset), "again").roles, preset.roles);
  const auto refusal = [](const std::string& role) {
    return test::error_of([&] { (void)preset_from_json(R"({"roles": [)" + role + "]}", "preset"); });
  };
  EXPECT_THAT(refusal(R"({"name": "x", "role": "cloak"})"), testing::HasSubstr("body, garment, hair, inner, rigid"));
  EXPECT_THAT(refusal(R"({"name": "x"})"), testing::HasSubstr("has no \"role\""));
  EXPECT_THAT(refusal(R"({"name": "x", "role": "body", "pieces": [-1]})"), testing::HasSubstr("whole numbers"));
  EXPECT_THAT(refusal(R"({"name": "x", "role": "body", "piece": 1})"), testing::HasSubstr("\"piece\" is not known"));
}

}  // namespace
}  // namespace cutis
