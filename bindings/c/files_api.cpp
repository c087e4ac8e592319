// What needs every reader and writer, and weights: not in builds of the core alone.
#include "cutis/io.h"
#include "cutis/marker_solver.h"
#include "cutis/weights.h"
#include "support.h"

using namespace cutis;
using namespace cutis::c;

namespace {

struct WriterObject : Object {
  static constexpr const char* kName = "writer";
  std::shared_ptr<Calls> calls;
  std::shared_ptr<const Character> character;  // the writer looks at it
  std::unique_ptr<AnimationWriter> writer;
  std::size_t frames = 0, added = 0;
};

Json to_json(const WeightReport& report) {
  Json fallbacks = Json::array();
  for (const WeightFallback& f : report.fallbacks)
    fallbacks.push_back({{"what", f.what}, {"count", f.count}, {"where", f.where}});
  return {{"seconds", number(report.seconds)},
          {"vertices", report.vertices},
          {"bones", report.bones},
          {"weighted_bones", report.weighted_bones},
          {"fallbacks", std::move(fallbacks)},
          {"influences", report.influences},
          {"edge_step_max", number(report.edge_step_max)}};
}

}  // namespace

void cutis::c::add_more_tables(Json& tables) {
  tables["WeightOptions"] = Json::parse(option_table_to_json<WeightOptions>());
  tables["MotionOptions"] = Json::parse(option_table_to_json<MotionOptions>());
  tables["TakeOptions"] = Json::parse(option_table_to_json<TakeOptions>());
  tables["TargetOptions"] = Json::parse(option_table_to_json<TargetOptions>());
  tables["MarkerOptions"] = Json::parse(option_table_to_json<MarkerOptions>());
}

cutis_status cutis_character_load(cutis_context context, const char* file, const char* options,
                                  cutis_character* character) {
  return guarded([&] {
    need(character, "character");
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    ReadOptions reading;
    read_options(options, option_fields(reading), "options");
    give(character,
         std::make_shared<CharacterObject>(load_character(needed_text(file, "file"), object->context, reading)));
  });
}

cutis_status cutis_character_save(cutis_context context, cutis_character character, const char* file) {
  return guarded([&] {
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    write_character(needed_text(file, "file"), *take<CharacterObject>(character)->get(), object->context);
  });
}

cutis_status cutis_character_make_weights(cutis_context context, cutis_character character, const char* options,
                                          const char** report) {
  return guarded([&] {
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    WeightOptions making;
    read_options(options, option_fields(making), "options");
    const Use<CharacterObject> c(character);  // one writer at a time
    Character changed = *c->get();
    const WeightReport about = make_weights(changed, making, object->context);
    c->set(std::move(changed));
    if (report != nullptr) give_json(report, to_json(about));
  });
}

cutis_status cutis_character_load_motion(cutis_context context, cutis_character character, const char* file,
                                         const char* name, const char* options, const char** report) {
  return guarded([&] {
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    MotionOptions retarget;
    read_options(options, option_fields(retarget), "options");
    const Use<CharacterObject> c(character);
    Character changed = *c->get();
    MotionReport about;
    Clip clip = load_motion(needed_text(file, "file"), changed, object->context, retarget, &about);
    if (!text(name).empty()) clip.name = name;
    std::erase_if(changed.clips, [&](const Clip& other) { return other.name == clip.name; });
    const std::string called = clip.name;
    changed.clips.push_back(std::move(clip));
    c->set(std::move(changed));
    if (report == nullptr) return;
    Json joints = Json::array();
    for (const MotionReport::JointPair& pair : about.joints)
      joints.push_back({{"joint", pair.joint},
                        {"motion_joint", pair.motion_joint},
                        {"role", pair.role},
                        {"confidence", number(pair.confidence)}});
    give_json(report, {{"clip", called}, {"joints", std::move(joints)}});
  });
}

cutis_status cutis_writer_create(cutis_context context, cutis_character character, const char* file,
                                 const char* clip_name, const double* times, size_t count, cutis_writer* writer) {
  return guarded([&] {
    need(writer, "writer");
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    if (count > 0) need(times, "times");
    auto made = std::make_shared<WriterObject>();
    made->calls = object->calls;
    made->character = take<CharacterObject>(character)->get();
    made->frames = count;
    AnimationHeader header{made->character.get(), text(clip_name), {}, false};
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::isfinite(times[i]) || (i > 0 && !(times[i] > times[i - 1])))
        refuse(fmt::format("times: number {} is not finite, or not later than the one before it", i));
      header.times.push_back(times[i]);
    }
    made->writer = make_animation_writer(needed_text(file, "file"), header, object->context);
    give(writer, std::move(made));
  });
}

cutis_status cutis_writer_add(cutis_writer writer, size_t vertices, const float* positions, size_t position_stride,
                              const float* normals, size_t normal_stride) {
  return guarded([&] {
    const Use<WriterObject> w(writer);
    const Call call(w->calls);
    if (!w->writer) refuse("the writer has finished; make a new one");
    if (w->added == w->frames) refuse(fmt::format("the writer was made for {} frames, and has them", w->frames));
    const std::size_t n = w->character->vertex_count();
    const std::vector<Vec3f> at = points(positions, position_stride, vertices, n, "positions");
    const std::vector<Vec3f> up = points(normals, normal_stride, vertices, n, "normals");
    for (std::size_t v = 0; v < n; ++v)
      if (!std::isfinite(at[v].x + at[v].y + at[v].z + up[v].x + up[v].y + up[v].z))
        refuse(fmt::format("vertex {} has a number that is not finite", v));
    w->writer->add_frame(at, up);
    ++w->added;
  });
}

cutis_status cutis_writer_finish(cutis_writer writer) {
  return guarded([&] {
    const Use<WriterObject> w(writer);
    const Call call(w->calls);
    if (!w->writer) refuse("the writer has finished already");
    if (w->added != w->frames)
      refuse(fmt::format("the writer has {} of {} frames; add the others first", w->added, w->frames));
    w->writer->finish();
    w->writer.reset();
  });
}

cutis_status cutis_writer_destroy(cutis_writer writer) { return destroy<WriterObject>(writer); }
