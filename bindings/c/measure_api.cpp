// Metrics of shapes, and the field of a posed rig at points.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cutis/metrics.h"
#include "cutis/skin_field.h"
#include "support.h"

using namespace cutis;
using namespace cutis::c;

namespace {

struct MetricsObject : Object {
  static constexpr const char* kName = "metrics";
  MetricsObject(const Character& character, const ContextObject& context, const MetricsOptions& options)
      : calls(context.calls), per_vertex(options.per_vertex), metrics(character, context.context, options) {}
  std::shared_ptr<Calls> calls;
  bool per_vertex;
  Metrics metrics;
  FrameMetrics last;
};

struct FieldObject : Object {
  static constexpr const char* kName = "field";
  FieldObject(const RigObject& rig, const ContextObject& of)
      : calls(of.calls), context(of.context), character(rig.character), field(rig.rig) {}
  std::shared_ptr<Calls> calls;
  Context context;
  std::shared_ptr<CharacterObject> character;
  SkinField field;
  SkinSurface surface;
};

Json to_json(const FrameMetrics& frame, std::span<const JointRegion> regions) {
  Json json = Json::object(), joints = Json::object();
  for (const MetricInfo& info : metric_table()) {
    const std::optional<double> value = info.value(frame);
    json[std::string(info.name)] = value ? number(*value) : Json(nullptr);
  }
  for (std::size_t r = 0; r < regions.size() && r < frame.region_volume_change.size(); ++r) {
    const std::optional<double>& value = frame.region_volume_change[r];
    joints[regions[r].name] = value ? number(*value) : Json(nullptr);
  }
  json["joint_volume_change"] = std::move(joints);
  return json;
}

}  // namespace

cutis_status cutis_metrics_create(cutis_context context, cutis_character character, const char* options,
                                  cutis_metrics* metrics) {
  return guarded([&] {
    need(metrics, "metrics");
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    MetricsOptions measuring;
    read_options(options, option_fields(measuring), "options");
    const auto c = take<CharacterObject>(character)->get();
    give(metrics, std::make_shared<MetricsObject>(*c, *object, measuring));
  });
}

cutis_status cutis_metrics_measure(cutis_metrics metrics, const cutis_shape* shape, const char** json) {
  return guarded([&] {
    need(json, "json");
    const Use<MetricsObject> m(metrics);
    const Call call(m->calls);
    if (shape == nullptr) {
      m->last = m->metrics.rest();
    } else {
      const cutis_shape s = structure(shape, "shape");
      const std::size_t n = m->metrics.vertex_count();
      const std::vector<Vec3f> positions = points(s.positions, s.position_stride, s.vertices, n, "positions");
      std::vector<Vec3f> dqs;
      if (s.dqs != nullptr) dqs = points(s.dqs, s.dqs_stride, s.vertices, n, "dqs");
      const std::span<const float> residuals(s.residuals, s.residuals == nullptr ? 0 : n);
      m->last = m->metrics.measure(positions, residuals, {}, dqs);
    }
    give_json(json, to_json(m->last, m->metrics.regions()));
  });
}

cutis_status cutis_metrics_vertices(cutis_metrics metrics, const char* name, size_t vertices, float* values) {
  return guarded([&] {
    need(values, "values");
    const Use<MetricsObject> m(metrics);
    need_count(vertices, m->metrics.vertex_count(), "values", "vertices");
    if (!m->per_vertex) refuse("metrics: were made without the option per_vertex");
    const std::string wanted = needed_text(name, "name");
    const FrameMetrics& f = m->last;
    const auto put = [&](const auto& from) {
      if (from.size() != vertices)
        refuse(
            fmt::format("{}: the shape that was measured last has none; stretch, roughness, intersects and overlaps "
                        "are there after every shape, scars and tears where dqs was given, pokes with garments",
                        wanted));
      for (std::size_t v = 0; v < vertices; ++v) values[v] = static_cast<float>(from[v]);
    };
    if (wanted == "stretch")
      put(f.vertex_stretch);
    else if (wanted == "roughness")
      put(f.vertex_roughness);
    else if (wanted == "intersects")
      put(f.vertex_intersects);
    else if (wanted == "overlaps")
      put(f.vertex_overlaps);
    else if (wanted == "scars")
      put(f.vertex_scars);
    else if (wanted == "pokes")
      put(f.vertex_pokes);
    else if (wanted == "tears")
      put(f.vertex_tears);
    else
      refuse(fmt::format(
          "name: there is no '{}'; there are stretch, roughness, intersects, overlaps, scars, pokes, tears", wanted));
  });
}

cutis_status cutis_metrics_destroy(cutis_metrics metrics) { return destroy<MetricsObject>(metrics); }

cutis_status cutis_field_create(cutis_context context, cutis_rig rig, cutis_field* field) {
  return guarded([&] {
    need(field, "field");
    const auto object = take<ContextObject>(context);
    const Call call(object->calls);
    give(field, std::make_shared<FieldObject>(*take<RigObject>(rig), *object));
  });
}

cutis_status cutis_field_set_pose(cutis_field field, const cutis_pose* pose) {
  return guarded([&] {
    const Use<FieldObject> f(field);
    const Call call(f->calls);
    if (pose == nullptr)
      f->field.set_rest();
    else
      f->field.set_pose(pose_of(f->character->get()->skeleton, structure(pose, "pose")));
  });
}

cutis_status cutis_field_evaluate(cutis_field field, size_t count, const float* positions, size_t position_stride,
                                  float* values, float* distances, float* gradients, int32_t* joints) {
  return guarded([&] {
    const Use<FieldObject> f(field);
    const Call call(f->calls);
    if (count == 0) return;
    const std::vector<Vec3f> at = points(positions, position_stride, count, count, "positions");
    std::vector<SkinFieldSample> samples(count);
    f->field.evaluate(at, samples, f->context);
    for (std::size_t i = 0; i < count; ++i) {
      const SkinFieldSample& s = samples[i];
      const Vec3f& g = s.gradient;
      if (values != nullptr) values[i] = s.value;
      if (distances != nullptr) {
        const float slope = std::sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
        distances[i] = s.joint >= 0 && slope > 0 ? (0.5F - s.value) / slope : std::numeric_limits<float>::quiet_NaN();
      }
      if (gradients != nullptr) std::memcpy(gradients + 3 * i, &g, sizeof g);
      if (joints != nullptr) joints[i] = s.joint;
    }
  });
}

cutis_status cutis_field_bounds(cutis_field field, double* box) {
  return guarded([&] {
    need(box, "box");
    const Use<FieldObject> f(field);
    const Box bounds = f->field.bounds();
    if (bounds.empty()) refuse("field: no part has a field");
    for (int a = 0; a < 3; ++a) {
      box[a] = bounds.lo[a];
      box[3 + a] = bounds.hi[a];
    }
  });
}

cutis_status cutis_field_surface(cutis_field field, double cell, double level, size_t* vertices, size_t* triangles) {
  return guarded([&] {
    need(vertices, "vertices");
    need(triangles, "triangles");
    const Use<FieldObject> f(field);
    const Call call(f->calls);
    f->surface = {};
    f->surface = f->field.surface(cell, level, f->context);
    *vertices = f->surface.positions.size();
    *triangles = f->surface.triangles.size();
  });
}

cutis_status cutis_field_surface_arrays(cutis_field field, size_t vertices, float* positions, float* normals,
                                        int32_t* joints, size_t triangles, uint32_t* corners) {
  return guarded([&] {
    const Use<FieldObject> f(field);
    const SkinSurface& s = f->surface;
    need_count(vertices, s.positions.size(), "surface", "vertices");
    need_count(triangles, s.triangles.size(), "surface", "triangles");
    if (positions != nullptr) write_strided<Vec3f>(s.positions, positions, 0);
    if (normals != nullptr) write_strided<Vec3f>(s.normals, normals, 0);
    if (joints != nullptr) std::ranges::copy(s.joints, joints);
    if (corners != nullptr) write_strided<Triangle>(s.triangles, corners, 0);
  });
}

cutis_status cutis_field_destroy(cutis_field field) { return destroy<FieldObject>(field); }
