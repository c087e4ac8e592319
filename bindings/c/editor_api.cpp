// Posing by pulling at joints: the editor of marker-driven animation. Not in builds of the core alone.
#include "cutis/marker_editor.h"
#include "support.h"

using namespace cutis;
using namespace cutis::c;

namespace {

struct EditorObject : Object {
  static constexpr const char* kName = "editor";
  EditorObject(std::shared_ptr<const Character> of, const MarkerOptions& options, const ContextObject& context)
      : character(std::move(of)),
        calls(context.calls),
        handles(joint_handles(*character)),
        editor(*character, handles, options, context.context),
        held(handles.places.size(), false) {
    for (const MarkerPlace& place : handles.places) joints.push_back(character->skeleton.find(place.bone));
  }

  std::shared_ptr<const Character> character;
  std::shared_ptr<Calls> calls;
  MarkerMap handles;
  MarkerEditor editor;
  std::vector<int> joints;  // of the handles
  std::vector<char> held;

  [[nodiscard]] std::size_t handle_of(std::size_t joint) const {
    const auto found = std::find(joints.begin(), joints.end(), static_cast<int>(joint));
    if (found == joints.end()) refuse(fmt::format("joint {} is no handle; cutis_editor_create() lists them", joint));
    return static_cast<std::size_t>(found - joints.begin());
  }
};

Json about(const EditorObject& editor) {
  const ControlMeshInfo& mesh = editor.editor.info();
  return {{"handles", editor.joints},
          {"control_mesh",
           {{"vertices", mesh.vertices},
            {"tetrahedra", mesh.tetrahedra},
            {"boundary_triangles", mesh.boundary_triangles},
            {"uncovered_vertices", mesh.uncovered_vertices},
            {"boundary_intersections", mesh.boundary_intersections},
            {"milliseconds", number(mesh.build_ms + mesh.factor_ms + mesh.embed_ms)}}}};
}

}  // namespace

cutis_status cutis_editor_create(cutis_context context, cutis_character character, const char* options,
                                 cutis_editor* editor, const char** report) {
  return guarded([&] {
    need(editor, "editor");
    const auto object = c::take<ContextObject>(context);
    const Call call(object->calls);
    MarkerOptions given;
    read_options(options, option_fields(given), "options");
    auto made = std::make_shared<EditorObject>(c::take<CharacterObject>(character)->get(), given, *object);
    if (report != nullptr) give_json(report, about(*made));
    give(editor, std::move(made));
  });
}

cutis_status cutis_editor_stand(cutis_editor editor, const cutis_pose* pose) {
  return guarded([&] {
    const Use<EditorObject> e(editor);
    const Call call(e->calls);
    (void)e->editor.stand(pose_of(e->character->skeleton, structure(pose, "pose")));
    e->held.assign(e->held.size(), 0);
  });
}

cutis_status cutis_editor_pin(cutis_editor editor, size_t joint, int pinned) {
  return guarded([&] {
    const Use<EditorObject> e(editor);
    const std::size_t handle = e->handle_of(joint);
    if (pinned != 0)
      e->editor.pin(handle);
    else
      e->editor.release(handle);
  });
}

cutis_status cutis_editor_pull(cutis_editor editor, size_t joint, const double* to) {
  return guarded([&] {
    const Use<EditorObject> e(editor);
    const Call call(e->calls);
    const std::size_t handle = e->handle_of(joint);
    if (to == nullptr) {
      (void)e->editor.end();
      e->held[handle] = 0;
      return;
    }
    if (!e->held[handle]) (void)e->editor.begin(handle, 0);
    e->held[handle] = 1;
    (void)e->editor.move({to[0], to[1], to[2]});
  });
}

cutis_status cutis_editor_pose(cutis_editor editor, size_t joints, double* pose, const char** report) {
  return guarded([&] {
    const Use<EditorObject> e(editor);
    const MarkerFrame& frame = e->editor.frame();
    if (pose != nullptr) {
      need_count(joints, frame.pose.local.size(), "pose", "joints");
      write_trs(frame.pose.local, pose);
    }
    if (report == nullptr) return;
    Json unreached = Json::array();
    for (const UnreachedTarget& u : frame.report.unreached)
      unreached.push_back(
          {{"handle", e->joints[u.marker]}, {"distance", number(u.distance)}, {"joint", u.joint}, {"limit", u.limit}});
    give_json(report, {{"milliseconds", number(frame.report.solve_ms + frame.report.embed_ms)},
                       {"iterations", frame.report.iterations},
                       {"unreached", std::move(unreached)}});
  });
}

cutis_status cutis_editor_control_mesh(cutis_editor editor, size_t* vertices, float* positions, size_t* triangles,
                                       uint32_t* corners) {
  return guarded([&] {
    const Use<EditorObject> e(editor);
    need(vertices, "vertices");
    need(triangles, "triangles");
    std::vector<Vec3f> points;
    std::vector<Triangle> faces;
    e->editor.boundary(points, faces);
    if (positions != nullptr || corners != nullptr) {
      need_count(*vertices, points.size(), "control mesh", "vertices");
      need_count(*triangles, faces.size(), "control mesh", "triangles");
    }
    if (positions != nullptr) std::memcpy(positions, points.data(), points.size() * sizeof(Vec3f));
    if (corners != nullptr) std::memcpy(corners, faces.data(), faces.size() * sizeof(Triangle));
    *vertices = points.size();
    *triangles = faces.size();
  });
}

cutis_status cutis_editor_destroy(cutis_editor editor) { return destroy<EditorObject>(editor); }
