/* Calls of the interface, rightly and wrongly, one of any kind at a time. Where numbers come from is the matter of
 * whoever includes this: next_number(), and filling() around those that fill arrays. */
#ifndef CUTIS_TESTS_C_RANDOM_CALLS_H
#define CUTIS_TESTS_C_RANDOM_CALLS_H

#include <math.h>
#include <stdint.h>

#include "check.h"

enum { kHandles = 24, kFloats = 60000, kDoubles = 4096 };

static uint32_t next_number(void);
static void filling(int on);

static uint32_t below(uint32_t n) { return next_number() % n; }
static int once_in(uint32_t n) { return below(n) == 0; }

/* Handles of all kinds in one bag: any is given to any function now and then. */
static void* bag[9][kHandles];
static size_t counts[9];
enum { kContext, kCharacter, kRig, kSolver, kState, kMetrics, kField, kWriter, kMarkers };

static void* any(int kind) {
  if (once_in(40)) kind = (int)below(9);
  if (once_in(60)) return NULL;
  if (once_in(60)) return (void*)(uintptr_t)next_number();
  if (counts[kind] == 0) return NULL;
  return bag[kind][below((uint32_t)counts[kind])];
}
static void keep(int kind, void* handle) { /* stays in the bag when it is destroyed: such are tried too */
  const size_t at = counts[kind] < kHandles ? counts[kind]++ : below(kHandles);
  bag[kind][at] = handle;
}

static float floats[kFloats];
static double doubles[kDoubles];
static uint32_t numbers[kFloats];
static int32_t signed_numbers[kFloats];
static uint8_t bytes[kFloats];

static double odd_number(void) {
  static const double odd[] = {0, -1, 1, 0.5, 1e300, -1e300, 1e-300, NAN, INFINITY, -INFINITY, 30, 1e9};
  return once_in(3) ? odd[below(sizeof odd / sizeof *odd)] : (double)below(2000) / 1000 - 0.5;
}
static size_t a_stride(void) { return once_in(3) ? below(40) : 0; }
/* A number of items that the buffers have room for at any stride. */
static size_t a_count(size_t right) {
  if (right * 40 > sizeof floats) right = 0;
  return once_in(6) ? below(1000) : right;
}
static const char* text_of(const char* const* texts, size_t count) { return texts[below((uint32_t)count)]; }
#define ONE_OF(list) text_of(list, sizeof(list) / sizeof *(list))

static const char* const solver_options[] = {NULL,
                                             "",
                                             "{}",
                                             "{\"method\": \"lbs\"}",
                                             "{\"method\": \"dqs\"}",
                                             "{\"method\": \"implicit\"}",
                                             "{\"method\": \"tracking\"}",
                                             "{\"tracking\": {\"history\": \"stateless\"}}",
                                             "{\"method\": 3}",
                                             "[",
                                             "null",
                                             "{\"contact_pass\": true, \"method\": \"dqs\"}",
                                             "{\"relief_cap\": 1e9}",
                                             "{\"frame_budget_ms\": 1}"};
static const char* const bind_options[] = {NULL,
                                           "{}",
                                           "{\"implicit_skin\": false}",
                                           "{\"preset\": 1}",
                                           "{\"preset\": {}}",
                                           "{\"turn\": \"smooth\"}",
                                           "\xff\xfe",
                                           "{\"implicit_skin\": \"\xff\"}"};
static const char* const clips[] = {NULL, "", "bend", "twist", "0", "99", "random:3", "random:x", "fist", "\xc3\x28"};
static const char* const metric_names[] = {NULL, "stretch", "roughness", "intersects", "overlaps", "tears", "?"};

static cutis_counts about(void* character) {
  cutis_counts c = {0};
  c.struct_size = sizeof c;
  if (cutis_character_counts(character, &c) != CUTIS_OK) memset(&c, 0, sizeof c);
  return c;
}

static cutis_pose a_pose(void) {
  cutis_pose pose = {0};
  pose.struct_size = once_in(50) ? below(100) : sizeof pose;
  if (pose.struct_size > sizeof pose) pose.struct_size = sizeof pose;
  pose.kind = (cutis_pose_kind)(once_in(30) ? below(10) : below(3));
  void* character = any(kCharacter);
  const cutis_counts c = about(character);
  pose.joints = once_in(15) ? below(64) : c.joints;
  if (pose.joints * 16 > kDoubles) pose.joints = 0;
  if (!once_in(5)) {
    (void)cutis_character_sample(character, ONE_OF(clips), odd_number(), pose.kind,
                                 c.joints * 16 <= kDoubles ? c.joints : 0, doubles);
    if (once_in(6)) doubles[below(kDoubles)] = odd_number();
    pose.values = doubles;
  }
  pose.time = once_in(10) ? odd_number() : 0;
  return pose;
}

static cutis_frame a_frame(size_t vertices) {
  cutis_frame frame = {0};
  frame.struct_size = once_in(60) ? 8 : sizeof frame;
  frame.vertices = a_count(vertices);
  if (!once_in(6)) frame.positions = floats;
  if (once_in(3)) frame.normals = floats;
  if (once_in(4)) frame.residuals = floats;
  if (once_in(4)) frame.touch = floats;
  if (once_in(4)) frame.states = bytes;
  frame.position_stride = a_stride();
  frame.normal_stride = a_stride();
  return frame;
}

static int cancelled(void* user) {
  (void)user;
  return once_in(30);
}

static void make_arrays(void* context) {
  static float positions[300];
  static uint32_t corners[300];
  static float weights[200];
  static uint32_t joints[200];
  static double rest[64];
  static int32_t parents[4];
  static const char* const names[4] = {"a", "b", "c", "d"};
  filling(1);
  for (size_t i = 0; i < 300; ++i) positions[i] = once_in(400) ? (float)odd_number() : (float)below(100) / 100;
  for (size_t i = 0; i < 300; ++i) corners[i] = once_in(400) ? next_number() : below(100);
  for (size_t i = 0; i < 200; ++i) weights[i] = once_in(400) ? (float)odd_number() : 0.1f + (float)below(100) / 100;
  for (size_t i = 0; i < 200; ++i) joints[i] = once_in(400) ? below(9) : below(4);
  for (size_t i = 0; i < 64; ++i)
    rest[i] = once_in(300) ? odd_number() : (i % 16) % 5 == 0 ? 1 : i % 16 == 7 ? (double)i / 64 : 0;
  for (int i = 0; i < 4; ++i) parents[i] = once_in(40) ? (int32_t)below(6) - 2 : i - 1;
  filling(0);
  cutis_mesh_arrays mesh = {0};
  mesh.struct_size = sizeof mesh;
  mesh.vertices = once_in(20) ? below(100) : 100;
  mesh.positions = once_in(40) ? NULL : positions;
  mesh.triangles = below(100);
  mesh.corners = once_in(40) ? NULL : corners;
  mesh.influences = below(3);
  mesh.joints = joints;
  mesh.weights = weights;
  cutis_character_arrays from = {0};
  from.struct_size = sizeof from;
  from.meshes = 1;
  from.mesh = &mesh;
  from.joints = once_in(10) ? below(5) : 4;
  from.joint_names = once_in(40) ? NULL : names;
  from.parents = parents;
  from.rest = rest;
  cutis_character made;
  if (cutis_character_from_arrays(context, &from, &made) == CUTIS_OK) keep(kCharacter, made);
}

static const unsigned char junk[64] = {'g', 'l', 'T', 'F', 2, 0,   0,   0,   64,  0,   0,
                                       0,   44,  0,   0,   0, 'J', 'S', 'O', 'N', '{', '}'};

static cutis_status destroy(int kind, void* handle) {
  switch (kind) {
    case kContext:
      return cutis_context_destroy(handle);
    case kCharacter:
      return cutis_character_destroy(handle);
    case kRig:
      return cutis_rig_destroy(handle);
    case kSolver:
      return cutis_solver_destroy(handle);
    case kState:
      return cutis_state_destroy(handle);
    case kMetrics:
      return cutis_metrics_destroy(handle);
    case kField:
      return cutis_field_destroy(handle);
    case kWriter:
      return cutis_writer_destroy(handle);
    default:
      return cutis_markers_destroy(handle);
  }
}

static cutis_status one_call(void) {
  void* context = any(kContext);
  void* character = any(kCharacter);
  void* solver = any(kSolver);
  cutis_context made_context = NULL;
  cutis_character made_character = NULL;
  cutis_rig made_rig = NULL;
  cutis_solver made_solver = NULL;
  cutis_state made_state = NULL;
  cutis_metrics made_metrics = NULL;
  cutis_field made_field = NULL;
  const char* text = NULL;
  size_t count = 0;
  cutis_status status = CUTIS_OK;
  cutis_frame frame = a_frame(about(character).vertices);
  switch (below(37)) {
    case 0:
      status = cutis_context_create(once_in(5) ? "{\"threads\": 99999}" : "{\"threads\": 2}", &made_context);
      if (made_context != NULL) keep(kContext, made_context);
      break;
    case 1:
      status = cutis_character_builtin(context,
                                       once_in(5)   ? "cylinderx"
                                       : once_in(3) ? "arm"
                                                    : "cylinder",
                                       once_in(30) ? NULL : &made_character);
      if (made_character != NULL) keep(kCharacter, made_character);
      break;
    case 2:
      make_arrays(context);
      break;
    case 3:
      status = cutis_character_from_memory(context, junk, below(64), NULL, NULL, &made_character);
      if (made_character != NULL) keep(kCharacter, made_character);
      break;
    case 4:
    case 5:
      if (once_in(3))
        status = cutis_rig_bind_again(context, any(kRig), ONE_OF(bind_options), &made_rig, once_in(2) ? &text : NULL);
      else
        status = cutis_rig_bind(context, character, ONE_OF(bind_options), &made_rig, once_in(2) ? &text : NULL);
      if (made_rig != NULL) keep(kRig, made_rig);
      break;
    case 6:
    case 7:
      status = cutis_solver_create(context, any(kRig), ONE_OF(solver_options), &made_solver);
      if (made_solver != NULL) keep(kSolver, made_solver);
      break;
    case 8:
    case 9:
    case 10: {
      cutis_pose pose = a_pose();
      status = cutis_solver_solve(solver, once_in(40) ? NULL : &pose, once_in(40) ? NULL : &frame);
      break;
    }
    case 11:
      status = cutis_solver_solve_clip(solver, ONE_OF(clips), odd_number(), &frame);
      break;
    case 12: {
      cutis_pose pose = a_pose();
      status = cutis_solver_seek(solver, &pose, &frame);
      break;
    }
    case 13:
      status = cutis_solver_reset(solver);
      break;
    case 14: {
      cutis_pose poses[3] = {a_pose(), a_pose(), a_pose()};
      status = cutis_solver_foresee(solver, poses, below(4));
      break;
    }
    case 15: {
      const double times[3] = {0, 0.1 + odd_number() / 100, 0.3};
      status = cutis_solver_begin(solver, ONE_OF(clips), once_in(8) ? NULL : times, below(4));
      break;
    }
    case 16:
    case 17:
      status = cutis_solver_next(solver, &frame);
      break;
    case 18:
      status = cutis_solver_save(solver, &made_state);
      if (made_state != NULL) keep(kState, made_state);
      break;
    case 19:
      status = cutis_solver_restore(solver, any(kState));
      break;
    case 20:
      status = cutis_solver_report(solver, once_in(20) ? NULL : &text);
      break;
    case 21:
      status = cutis_metrics_create(context, character, once_in(2) ? "{\"per_vertex\": true}" : NULL, &made_metrics);
      if (made_metrics != NULL) keep(kMetrics, made_metrics);
      break;
    case 22: {
      cutis_shape shape = {0};
      shape.struct_size = sizeof shape;
      shape.vertices = a_count(about(character).vertices);
      shape.positions = once_in(20) ? NULL : floats;
      shape.position_stride = a_stride();
      if (once_in(4)) shape.dqs = floats;
      if (once_in(4)) shape.residuals = floats;
      status = cutis_metrics_measure(any(kMetrics), once_in(5) ? NULL : &shape, &text);
      break;
    }
    case 23:
      status = cutis_metrics_vertices(any(kMetrics), ONE_OF(metric_names), a_count(about(character).vertices), floats);
      break;
    case 24:
      status = cutis_field_create(context, any(kRig), &made_field);
      if (made_field != NULL) keep(kField, made_field);
      break;
    case 25: {
      cutis_pose pose = a_pose();
      status = cutis_field_set_pose(any(kField), once_in(4) ? NULL : &pose);
      break;
    }
    case 26:
      status = cutis_field_evaluate(any(kField), below(500), floats, a_stride(), floats, floats, NULL, signed_numbers);
      break;
    case 27:
      status = cutis_character_describe(character, &text);
      break;
    case 28: {
      const cutis_counts c = about(character);
      status = cutis_character_weights(character, a_count(c.vertices), once_in(4) ? below(5) : c.influences, numbers,
                                       floats);
      if (status == CUTIS_OK)
        status = cutis_character_triangles(character, c.triangles * 3 <= kFloats ? c.triangles : 0, numbers);
      break;
    }
    case 29: {
      cutis_pose poses[2] = {a_pose(), a_pose()};
      const double times[2] = {odd_number(), odd_number()};
      status = cutis_character_add_clip(character, once_in(20) ? NULL : "mine", poses, times, below(3));
      break;
    }
    case 30: {
      static double times[64];
      status = cutis_character_times(character, ONE_OF(clips), (int)below(80) - 10, odd_number(),
                                     once_in(3) ? NULL : times, once_in(3) ? below(64) : 64, &count);
      break;
    }
    case 31: {
      cutis_callbacks to = {0};
      to.struct_size = sizeof to;
      to.cancelled = cancelled;
      status = cutis_context_set_callbacks(context, once_in(3) ? &to : NULL);
      break;
    }
    case 32:
      status = cutis_rig_to_memory(any(kRig), floats, once_in(3) ? below(100) : sizeof floats, &count);
      if (status == CUTIS_OK && count <= sizeof floats) {
        if (once_in(2)) ((unsigned char*)floats)[below((uint32_t)count)] ^= (unsigned char)next_number();
        status = cutis_rig_from_memory(character, floats, count, &made_rig);
        if (made_rig != NULL) keep(kRig, made_rig);
      }
      for (size_t i = 0; i < kFloats; ++i) floats[i] = 0;
      break;
    case 33: {
      static const double cells[] = {0.03, 0.1, 2, 0, -1, NAN};
      size_t vertices = 0, triangles = 0;
      void* field = any(kField);
      status = cutis_field_surface(field, cells[below(6)], once_in(4) ? odd_number() : 0.5, &vertices, &triangles);
      if (status == CUTIS_OK && vertices * 3 <= kFloats && triangles * 3 <= kFloats)
        status = cutis_field_surface_arrays(field, once_in(4) ? below(1000) : vertices, once_in(4) ? NULL : floats,
                                            NULL, NULL, once_in(4) ? below(1000) : triangles, numbers);
      break;
    }
    case 34: {
      double box[6];
      status = cutis_field_bounds(any(kField), once_in(8) ? NULL : box);
      break;
    }
    case 35: {
      const size_t vertices = a_count(about(character).vertices);
      status = cutis_character_roles(context, character, ONE_OF(bind_options), vertices, (uint8_t*)numbers);
      break;
    }
    default: {
      const int kind = (int)below(9);
      void* which = any(kind);
      status = destroy(kind, which);
      break;
    }
  }
  if (status != CUTIS_OK && status != CUTIS_END) CHECK(strlen(cutis_last_error()) > 0);
  CHECK(status != CUTIS_INTERNAL);
  if (status == CUTIS_OK && text != NULL) CHECK(strlen(text) > 1 && text[0] == '{');
  return status;
}

#endif
