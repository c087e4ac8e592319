/* The C interface, used and misused. test_c CASE [ARGUMENTS]; tests/c/CMakeLists.txt lists the cases. */
#include <math.h>
#include <pthread.h>

#include "check.h"

typedef struct Scene {
  cutis_context context;
  cutis_character character;
  cutis_rig rig;
  cutis_counts counts;
} Scene;

static Scene scene(const char* file) {
  Scene s = {0};
  s.counts.struct_size = sizeof(cutis_counts);
  OK(cutis_context_create("{\"threads\": 2}", &s.context));
  OK(cutis_character_load(s.context, file, NULL, &s.character));
  OK(cutis_character_counts(s.character, &s.counts));
  OK(cutis_rig_bind(s.context, s.character, NULL, &s.rig, NULL));
  return s;
}

static void end(Scene* s) {
  OK(cutis_rig_destroy(s->rig));
  OK(cutis_character_destroy(s->character));
  OK(cutis_context_destroy(s->context));
}

static cutis_frame frame_of(size_t vertices, float* positions, float* normals) {
  cutis_frame frame = {0};
  frame.struct_size = sizeof frame;
  frame.vertices = vertices;
  frame.positions = positions;
  frame.normals = normals;
  return frame;
}

static cutis_pose pose_of(size_t joints, cutis_pose_kind kind, const double* values) {
  cutis_pose pose = {0};
  pose.struct_size = sizeof pose;
  pose.kind = kind;
  pose.joints = joints;
  pose.values = values;
  return pose;
}

static float* floats(size_t n) { return calloc(n, sizeof(float)); }

static unsigned char* read_all(const char* file, size_t* size) {
  FILE* in = fopen(file, "rb");
  CHECK(in != NULL);
  fseek(in, 0, SEEK_END);
  *size = (size_t)ftell(in);
  rewind(in);
  unsigned char* bytes = malloc(*size);
  CHECK(fread(bytes, 1, *size, in) == *size);
  fclose(in);
  return bytes;
}

/* play FILE CLIP FRAMES OPTIONS PC2: the bits that `cutis animate` wrote. */
static void play(char** a) {
  Scene s = scene(a[0]);
  const size_t n = s.counts.vertices;
  size_t size, count;
  unsigned char* file = read_all(a[4], &size);
  double times[64];
  OK(cutis_character_times(s.character, a[1], atoi(a[2]), 30, times, 64, &count));
  CHECK(size == 32 + count * n * 12);
  cutis_solver solver;
  OK(cutis_solver_create(s.context, s.rig, a[3], &solver));
  float* positions = floats(3 * n);
  for (int round = 0; round < 2; ++round) { /* a solver that has played plays again */
    OK(cutis_solver_begin(solver, a[1], times, count));
    for (size_t i = 0; i < count; ++i) {
      cutis_frame frame = frame_of(n, positions, NULL);
      OK(cutis_solver_next(solver, &frame));
      CHECK(frame.time == times[i]);
      CHECK(memcmp(positions, file + 32 + i * n * 12, n * 12) == 0);
    }
    cutis_frame frame = frame_of(n, positions, NULL);
    CHECK(cutis_solver_next(solver, &frame) == CUTIS_END);
  }
  OK(cutis_solver_destroy(solver));
  free(positions);
  free(file);
  end(&s);
}

/* arrays FILE CLIP: a character's arrays make a character with its bits. */
static void arrays(char** a) {
  Scene s = scene(a[0]);
  const size_t n = s.counts.vertices, j = s.counts.joints, k = s.counts.influences;
  float *positions = floats(3 * n), *normals = floats(3 * n), *weights = floats(k * n);
  uint32_t* corners = calloc(3 * s.counts.triangles, sizeof *corners);
  uint32_t* joints = calloc(k * n, sizeof *joints);
  double *rest = calloc(16 * j, sizeof *rest), *standard = calloc(10 * j, sizeof *standard);
  int32_t* parents = calloc(j, sizeof *parents);
  uint8_t* bones = calloc(j, 1);
  OK(cutis_character_vertices(s.character, n, positions, 0, normals, 0));
  OK(cutis_character_triangles(s.character, s.counts.triangles, corners));
  OK(cutis_character_weights(s.character, n, k, joints, weights));
  OK(cutis_character_joints(s.character, j, rest, standard, parents, bones));
  const char** names = calloc(j, sizeof *names);
  char(*texts)[16] = calloc(j, sizeof *texts);
  for (size_t i = 0; i < j; ++i) {
    snprintf(texts[i], sizeof texts[i], "joint %d", (int)i);
    names[i] = texts[i];
  }

  /* Strides: positions and normals side by side. */
  float* packed = floats(6 * n);
  for (size_t v = 0; v < n; ++v) {
    memcpy(packed + 6 * v, positions + 3 * v, 12);
    memcpy(packed + 6 * v + 3, normals + 3 * v, 12);
  }
  cutis_mesh_arrays mesh = {0};
  mesh.struct_size = sizeof mesh;
  mesh.vertices = n;
  mesh.positions = packed;
  mesh.position_stride = 24;
  mesh.normals = packed + 3;
  mesh.normal_stride = 24;
  mesh.triangles = s.counts.triangles;
  mesh.corners = corners;
  mesh.influences = k;
  mesh.joints = joints;
  mesh.weights = weights;
  cutis_character_arrays from = {0};
  from.struct_size = sizeof from;
  from.meshes = 1;
  from.mesh = &mesh;
  from.joints = j;
  from.joint_names = names;
  from.parents = parents;
  from.rest = rest;
  from.default_pose = standard;
  from.is_bone = bones;
  cutis_character made;
  cutis_rig rig;
  cutis_solver own, other;
  OK(cutis_character_from_arrays(s.context, &from, &made));
  OK(cutis_rig_bind(s.context, made, NULL, &rig, NULL));
  OK(cutis_solver_create(s.context, rig, "{\"method\": \"dqs\"}", &other));
  OK(cutis_solver_create(s.context, s.rig, "{\"method\": \"dqs\"}", &own));
  double *trs = calloc(10 * j, sizeof *trs), *world = calloc(16 * j, sizeof *world),
         *local = calloc(16 * j, sizeof *local);
  OK(cutis_character_sample(s.character, a[1], 0.7, CUTIS_POSE_TRS, j, trs));
  OK(cutis_character_sample(s.character, a[1], 0.7, CUTIS_POSE_WORLD, j, world));
  OK(cutis_character_sample(s.character, a[1], 0.7, CUTIS_POSE_LOCAL, j, local));
  float *x = floats(3 * n), *y = floats(6 * n), *z = floats(3 * n);
  cutis_frame fx = frame_of(n, x, NULL), fy = frame_of(n, y, y + 3), fz = frame_of(n, z, NULL);
  fy.position_stride = fy.normal_stride = 24;
  cutis_pose pose = pose_of(j, CUTIS_POSE_TRS, trs);
  OK(cutis_solver_solve(own, &pose, &fx));
  OK(cutis_solver_solve(other, &pose, &fy));
  double moved = 0;
  for (size_t v = 0; v < n; ++v) {
    CHECK(memcmp(x + 3 * v, y + 6 * v, 12) == 0);
    moved = fmax(moved, fabs((double)x[3 * v + 1] - (double)positions[3 * v + 1]));
  }
  CHECK(moved > 1e-3);
  /* Normals came too: of unit length. */
  for (size_t v = 0; v < n; ++v) {
    const float* m = y + 6 * v + 3;
    CHECK(fabsf(m[0] * m[0] + m[1] * m[1] + m[2] * m[2] - 1) < 1e-3f);
  }
  /* A clip at that time, and matrices: the same to rounding. */
  OK(cutis_solver_solve_clip(own, a[1], 0.7, &fz));
  CHECK(memcmp(x, z, 12 * n) == 0);
  for (int kind = 0; kind < 2; ++kind) {
    pose = kind == 0 ? pose_of(j, CUTIS_POSE_WORLD, world) : pose_of(j, CUTIS_POSE_LOCAL, local);
    OK(cutis_solver_solve(own, &pose, &fz));
    for (size_t i = 0; i < 3 * n; ++i) CHECK(fabsf(x[i] - z[i]) < 1e-5f);
  }
  /* Poses as a clip. */
  cutis_pose poses[2] = {pose_of(0, CUTIS_POSE_TRS, NULL), pose_of(j, CUTIS_POSE_WORLD, world)};
  const double times[2] = {0, 1};
  OK(cutis_character_add_clip(made, "mine", poses, times, 2));
  OK(cutis_solver_solve_clip(other, "mine", 1, &fz));
  for (size_t i = 0; i < 3 * n; ++i) CHECK(fabsf(x[i] - z[i]) < 1e-5f);
  REFUSED(cutis_character_add_clip(made, "mine", poses, (const double[]){1, 1}, 2), CUTIS_BAD_ARGUMENT, "later");
  OK(cutis_solver_destroy(own));
  OK(cutis_solver_destroy(other));
  OK(cutis_rig_destroy(rig));
  OK(cutis_character_destroy(made));
  void* all[] = {positions,    normals, weights, corners, joints, rest,  standard, parents, bones,
                 (void*)names, texts,   packed,  trs,     world,  local, x,        y,       z};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
  end(&s);
}

/* memory SCRATCH: a GLB and a rig in memory are what they are in files. */
static void memory(char** a) {
  Scene s = scene("builtin:cylinder");
  char file[1024];
  snprintf(file, sizeof file, "%s/cylinder.glb", a[0]);
  OK(cutis_character_save(s.context, s.character, file));
  size_t size;
  unsigned char* bytes = read_all(file, &size);
  cutis_character from_file, from_memory;
  OK(cutis_character_load(s.context, file, NULL, &from_file));
  OK(cutis_character_from_memory(s.context, bytes, size, "cylinder.glb", NULL, &from_memory));
  REFUSED(cutis_character_from_memory(s.context, bytes, size / 2, "half.glb", NULL, &from_memory), CUTIS_BAD_FILE,
          "half.glb");
  const size_t n = s.counts.vertices;
  float *x = floats(3 * n), *y = floats(3 * n);
  OK(cutis_character_vertices(from_file, n, x, 0, NULL, 0));
  OK(cutis_character_vertices(from_memory, n, y, 0, NULL, 0));
  CHECK(memcmp(x, y, 12 * n) == 0);

  size_t rig_size;
  OK(cutis_rig_to_memory(s.rig, NULL, 0, &rig_size));
  unsigned char* rig_bytes = malloc(rig_size);
  REFUSED(cutis_rig_to_memory(s.rig, rig_bytes, rig_size - 1, &rig_size), CUTIS_BAD_ARGUMENT, "room");
  OK(cutis_rig_to_memory(s.rig, rig_bytes, rig_size, &rig_size));
  cutis_rig again, wrong;
  OK(cutis_rig_from_memory(s.character, rig_bytes, rig_size, &again));
  cutis_character hand;
  OK(cutis_character_builtin(s.context, "hand", &hand));
  REFUSED(cutis_rig_from_memory(hand, rig_bytes, rig_size, &wrong), CUTIS_BAD_ARGUMENT, "bind the character anew");
  rig_bytes[rig_size / 2] ^= 1;
  REFUSED(cutis_rig_from_memory(s.character, rig_bytes, rig_size, &wrong), CUTIS_BAD_FILE, "memory");
  snprintf(file, sizeof file, "%s/cylinder.rig", a[0]);
  OK(cutis_rig_save(s.rig, file));
  OK(cutis_rig_load(s.character, file, &wrong));
  cutis_solver one, two;
  OK(cutis_solver_create(s.context, s.rig, NULL, &one));
  OK(cutis_solver_create(s.context, again, NULL, &two));
  cutis_frame fx = frame_of(n, x, NULL), fy = frame_of(n, y, NULL);
  OK(cutis_solver_solve_clip(one, "bend", 0.5, &fx));
  OK(cutis_solver_solve_clip(two, "bend", 0.5, &fy));
  CHECK(memcmp(x, y, 12 * n) == 0);
  free(x);
  free(y);
  free(bytes);
  free(rig_bytes);
  OK(cutis_solver_destroy(one));
  OK(cutis_solver_destroy(two));
  end(&s);
}

/* states: seek, save, restore, reset. */
static void states(char** a) {
  (void)a;
  Scene s = scene("builtin:cylinder");
  const size_t n = s.counts.vertices, j = s.counts.joints;
  cutis_solver solver;
  OK(cutis_solver_create(s.context, s.rig, NULL, &solver));
  float *x = floats(3 * n), *y = floats(3 * n), *r = floats(n);
  cutis_frame fx = frame_of(n, x, NULL), fy = frame_of(n, y, NULL);
  uint8_t* vertex_states = calloc(n, 1);
  fx.residuals = r;
  fx.states = vertex_states;
  double* bent = calloc(10 * j, sizeof *bent);
  OK(cutis_character_sample(s.character, "bend", 0.8, CUTIS_POSE_TRS, j, bent));
  cutis_pose pose = pose_of(j, CUTIS_POSE_TRS, bent);
  OK(cutis_solver_seek(solver, &pose, &fx));
  size_t tracked = 0;
  for (size_t v = 0; v < n; ++v) tracked += vertex_states[v] != 0;
  CHECK(tracked > 10);
  OK(cutis_solver_solve_clip(solver, "bend", 0.1, &fy));
  OK(cutis_solver_seek(solver, &pose, &fy));
  CHECK(memcmp(x, y, 12 * n) == 0);

  cutis_state state;
  OK(cutis_solver_save(solver, &state));
  OK(cutis_solver_solve_clip(solver, "bend", 0.9, &fx));
  OK(cutis_solver_reset(solver));
  OK(cutis_solver_restore(solver, state));
  OK(cutis_solver_solve_clip(solver, "bend", 0.9, &fy));
  CHECK(memcmp(x, y, 12 * n) == 0);
  cutis_solver dqs;
  OK(cutis_solver_create(s.context, s.rig, "{\"method\": \"dqs\"}", &dqs));
  REFUSED(cutis_solver_restore(dqs, state), CUTIS_BAD_ARGUMENT, "another rig, method");
  OK(cutis_state_destroy(state));
  REFUSED(cutis_solver_restore(solver, state), CUTIS_BAD_HANDLE, "state");

  const char* json;
  OK(cutis_solver_report(solver, &json));
  CHECK(strstr(json, "\"certified\"") != NULL && strstr(json, "\"converged\"") != NULL);
  OK(cutis_solver_options(solver, &json));
  CHECK(strstr(json, "\"tracking\"") != NULL);
  OK(cutis_option_tables(&json));
  CHECK(strstr(json, "\"MarkerOptions\"") != NULL && strstr(json, "\"relief_cap\"") != NULL);
  free(x);
  free(y);
  free(r);
  free(vertex_states);
  free(bent);
  OK(cutis_solver_destroy(solver));
  OK(cutis_solver_destroy(dqs));
  end(&s);
}

/* measures: metrics and fields. */
static void measures(char** a) {
  (void)a;
  Scene s = scene("builtin:cylinder");
  const size_t n = s.counts.vertices;
  cutis_metrics metrics;
  OK(cutis_metrics_create(s.context, s.character, "{\"per_vertex\": true}", &metrics));
  const char* json;
  OK(cutis_metrics_measure(metrics, NULL, &json));
  CHECK(strstr(json, "\"intersecting_pairs\":0.0") != NULL || strstr(json, "\"intersecting_pairs\":0") != NULL);
  cutis_solver lbs;
  OK(cutis_solver_create(s.context, s.rig, "{\"method\": \"lbs\"}", &lbs));
  float *x = floats(3 * n), *stretch = floats(n);
  cutis_frame fx = frame_of(n, x, NULL);
  OK(cutis_solver_solve_clip(lbs, "bend", 1, &fx));
  cutis_shape shape = {0};
  shape.struct_size = sizeof shape;
  shape.vertices = n;
  shape.positions = x;
  OK(cutis_metrics_measure(metrics, &shape, &json));
  CHECK(strstr(json, "\"stretch_max\":") != NULL);
  OK(cutis_metrics_vertices(metrics, "stretch", n, stretch));
  float most = 0;
  for (size_t v = 0; v < n; ++v) most = stretch[v] > most ? stretch[v] : most;
  CHECK(most > 1.05f);
  REFUSED(cutis_metrics_vertices(metrics, "beauty", n, stretch), CUTIS_BAD_ARGUMENT, "beauty");
  REFUSED(cutis_metrics_vertices(metrics, "tears", n, stretch), CUTIS_BAD_ARGUMENT, "dqs");

  cutis_field field;
  OK(cutis_field_create(s.context, s.rig, &field));
  OK(cutis_character_vertices(s.character, n, x, 0, NULL, 0));
  float *values = floats(n), *distances = floats(n), *gradients = floats(3 * n);
  int32_t* joints = calloc(n, sizeof *joints);
  OK(cutis_field_evaluate(field, n, x, 0, values, distances, gradients, joints));
  double mean = 0;
  for (size_t v = 0; v < n; ++v) mean += fabs((double)values[v] - 0.5) / (double)n;
  CHECK(mean < 0.05); /* on the skin */
  const float far[3] = {100, 100, 100};
  OK(cutis_field_evaluate(field, 1, far, 0, values, distances, NULL, joints));
  CHECK(values[0] == 0 && isnan(distances[0]) && joints[0] == -1);
  cutis_pose still = pose_of(0, CUTIS_POSE_TRS, NULL);
  OK(cutis_field_set_pose(field, &still));
  OK(cutis_field_set_pose(field, NULL));

  /* Its surface lies in its box, and its corners are vertices of it. */
  double box[6];
  OK(cutis_field_bounds(field, box));
  size_t vertices = 0, triangles = 0;
  REFUSED(cutis_field_surface(field, 0, 0.5, &vertices, &triangles), CUTIS_BAD_ARGUMENT, "cells");
  REFUSED(cutis_field_surface(field, 1e-9, 0.5, &vertices, &triangles), CUTIS_BAD_ARGUMENT, "larger");
  REFUSED(cutis_field_bounds(field, NULL), CUTIS_BAD_ARGUMENT, "box is NULL");
  const double cell = (box[4] - box[1]) / 40;
  OK(cutis_field_surface(field, cell, 0.5, &vertices, &triangles));
  CHECK(vertices > 500 && triangles > 500);
  float *surface = floats(3 * vertices), *outward = floats(3 * vertices), *level = floats(vertices);
  uint32_t* corners = calloc(3 * triangles, sizeof *corners);
  REFUSED(cutis_field_surface_arrays(field, vertices - 1, surface, NULL, NULL, triangles, NULL), CUTIS_BAD_ARGUMENT,
          "surface");
  OK(cutis_field_surface_arrays(field, vertices, surface, outward, NULL, triangles, corners));
  OK(cutis_field_evaluate(field, vertices, surface, 0, level, NULL, NULL, NULL));
  double off = 0;
  for (size_t v = 0; v < vertices; ++v) {
    off += fabs((double)level[v] - 0.5) / (double)vertices;
    for (int i = 0; i < 3; ++i)
      CHECK((double)surface[3 * v + i] >= box[i] - cell && (double)surface[3 * v + i] <= box[3 + i] + cell);
    const float *o = outward + 3 * v, length = o[0] * o[0] + o[1] * o[1] + o[2] * o[2];
    CHECK(fabsf(length - 1) < 1e-3F);
  }
  CHECK(off < 0.01);
  for (size_t i = 0; i < 3 * triangles; ++i) CHECK(corners[i] < vertices);
  free(surface);
  free(outward);
  free(level);
  free(corners);

  /* What a vertex is of: all of a cylinder is body, unless a preset says otherwise. */
  uint8_t* roles = calloc(n, 1);
  OK(cutis_character_roles(s.context, s.character, NULL, n, roles));
  for (size_t v = 0; v < n; ++v) CHECK(roles[v] == 0);
  OK(cutis_character_roles(s.context, s.character,
                           "{\"preset\": {\"roles\": [{\"name\": \"all\", \"role\": \"rigid\"}]}}", n, roles));
  for (size_t v = 0; v < n; ++v) CHECK(roles[v] == 4);
  REFUSED(cutis_character_roles(s.context, s.character, NULL, n - 1, roles), CUTIS_BAD_ARGUMENT, "roles");
  REFUSED(cutis_character_roles(s.context, s.character, "{\"preset\": {\"rolls\": []}}", n, roles), CUTIS_BAD_ARGUMENT,
          "rolls");
  free(roles);

  /* Bound again with a preset, as at first with it; a preset that is wrong leaves nothing. */
  const char* preset =
      "{\"preset\": {\"all_joints\": {\"operator\": \"bulge\"}, \"regions\": [{\"name\": \"r\", \"vertices\": [3]}]}}";
  cutis_rig rigs[2];
  const char* about;
  size_t sizes[2];
  OK(cutis_rig_bind_again(s.context, s.rig, preset, &rigs[0], &about));
  CHECK(strstr(about, "\"operator\":\"bulge\"") != NULL);
  OK(cutis_rig_bind(s.context, s.character, preset, &rigs[1], NULL));
  unsigned char* bytes[2];
  for (int i = 0; i < 2; ++i) {
    OK(cutis_rig_to_memory(rigs[i], NULL, 0, &sizes[i]));
    bytes[i] = malloc(sizes[i]);
    OK(cutis_rig_to_memory(rigs[i], bytes[i], sizes[i], &sizes[i]));
    OK(cutis_rig_destroy(rigs[i]));
  }
  CHECK(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0);
  free(bytes[0]);
  free(bytes[1]);
  REFUSED(cutis_rig_bind_again(s.context, s.rig, "{\"preset\": {\"all_joints\": {\"operator\": \"glue\"}}}", &rigs[0],
                               NULL),
          CUTIS_BAD_ARGUMENT, "glue");
  REFUSED(cutis_rig_bind_again(s.context, NULL, NULL, &rigs[0], NULL), CUTIS_BAD_HANDLE, "NULL");

  const char* controllers;
  OK(cutis_controllers(&controllers));
  CHECK(strstr(controllers, "\"name\":\"elbow\"") != NULL && strstr(controllers, "\"bulge\":[[") != NULL);
  free(x);
  free(stretch);
  free(values);
  free(distances);
  free(gradients);
  free(joints);
  OK(cutis_field_destroy(field));
  OK(cutis_solver_destroy(lbs));
  OK(cutis_metrics_destroy(metrics));
  end(&s);
}

static size_t last_number(const char* list) {
  size_t last = 0;
  for (const char* at = strchr(list, '['); *at != ']'; ++at)
    if (*at == '[' || *at == ',') last = strtoul(at + 1, NULL, 10);
  return last;
}

/* weights, markers, writers and motions: what the core alone does not have. SCRATCH. */
static void more(char** a) {
  cutis_context context;
  cutis_character character;
  const char* report;
  char file[1024];
  OK(cutis_context_create(NULL, &context));
  OK(cutis_character_load(context, "builtin:cylinder", "{\"ignore_weights\": true}", &character));
  cutis_counts counts = {0};
  counts.struct_size = sizeof counts;
  OK(cutis_character_counts(character, &counts));
  CHECK(counts.influences == 0);
  cutis_rig rig;
  REFUSED(cutis_rig_bind(context, character, NULL, &rig, NULL), CUTIS_BAD_CHARACTER, "weights");
  OK(cutis_character_make_weights(context, character, "{\"method\": \"heat\", \"max_influences\": 3}", &report));
  CHECK(strstr(report, "\"weighted_bones\"") != NULL);
  OK(cutis_character_counts(character, &counts));
  CHECK(counts.influences >= 1 && counts.influences <= 3);
  OK(cutis_rig_bind(context, character, "{\"implicit_skin\": false}", &rig, &report));
  CHECK(strstr(report, "\"preset\"") != NULL);

  /* A file of two frames: the header, then the rest pose twice. */
  const size_t n = counts.vertices;
  float *x = floats(3 * n), *normals = floats(3 * n);
  OK(cutis_character_vertices(character, n, x, 0, normals, 0));
  snprintf(file, sizeof file, "%s/rest.pc2", a[0]);
  const double times[2] = {0, 0.5};
  cutis_writer writer;
  OK(cutis_writer_create(context, character, file, "rest", times, 2, &writer));
  REFUSED(cutis_writer_finish(writer), CUTIS_BAD_ARGUMENT, "0 of 2");
  OK(cutis_writer_add(writer, n, x, 0, normals, 0));
  OK(cutis_writer_add(writer, n, x, 0, normals, 0));
  REFUSED(cutis_writer_add(writer, n, x, 0, normals, 0), CUTIS_BAD_ARGUMENT, "2 frames");
  OK(cutis_writer_finish(writer));
  OK(cutis_writer_destroy(writer));
  size_t size;
  unsigned char* bytes = read_all(file, &size);
  CHECK(size == 32 + 2 * 12 * n && memcmp(bytes + 32, x, 12 * n) == 0);
  free(bytes);

  /* Markers at three joints of a human, in place. */
  cutis_character human;
  OK(cutis_character_builtin(context, "human", &human));
  OK(cutis_character_counts(human, &counts));
  double* rest = calloc(16 * counts.joints, sizeof *rest);
  OK(cutis_character_joints(human, counts.joints, rest, NULL, NULL, NULL));
  snprintf(file, sizeof file, "%s/map.json", a[0]);
  FILE* map = fopen(file, "w");
  CHECK(map != NULL);
  const char* description;
  OK(cutis_character_describe(human, &description));
  char names[3][64] = {{0}};
  const char* at = description;
  size_t chosen[3], found = 0;
  for (size_t i = 0; i < counts.joints && found < 3; ++i) {
    at = strstr(strstr(at + 1, "\"joints\"") != NULL ? strstr(at + 1, "\"joints\"") : at + 1, "{\"name\":\"");
    CHECK(at != NULL);
    at += strlen("{\"name\":\"");
    const size_t length = strcspn(at, "\"");
    if (strstr(at, "\"is_bone\":true") != NULL && i % 4 == 1) {
      snprintf(names[found], sizeof names[found], "%.*s", (int)length, at);
      chosen[found++] = i;
    }
  }
  CHECK(found == 3);
  fprintf(map, "{\"markers\": {");
  double positions[2][3][3];
  for (size_t m = 0; m < 3; ++m) {
    fprintf(map, "%s\"m%d\": {\"bone\": \"%s\", \"offset\": [0, 0, 0]}", m > 0 ? ", " : "", (int)m, names[m]);
    for (size_t f = 0; f < 2; ++f)
      for (size_t i = 0; i < 3; ++i)
        positions[f][m][i] = rest[16 * chosen[m] + 4 * i + 3] + (i == 0 ? 0.1 * (double)f : 0);
  }
  fprintf(map, "}}\n");
  fclose(map);
  const char* markers_names[3] = {"m0", "m1", "m2"};
  cutis_take_arrays take = {0};
  take.struct_size = sizeof take;
  take.rate = 30;
  take.frames = 2;
  take.markers = 3;
  take.marker_names = markers_names;
  take.positions = &positions[0][0][0];
  cutis_markers markers;
  size_t frames;
  OK(cutis_markers_create(context, human, NULL, &take, file, "{\"solver\": {\"resolution\": 500}}", &markers, &frames));
  CHECK(frames == 2);
  float *y = floats(3 * counts.vertices), *z = floats(3 * counts.vertices);
  cutis_frame fy = frame_of(counts.vertices, y, NULL), fz = frame_of(counts.vertices, z, NULL);
  double* pose = calloc(10 * counts.joints, sizeof *pose);
  OK(cutis_markers_next(markers, &fy, pose, counts.joints));
  OK(cutis_markers_next(markers, &fz, pose, counts.joints));
  CHECK(cutis_markers_next(markers, &fz, pose, counts.joints) == CUTIS_END);
  double shift = 0;
  for (size_t v = 0; v < counts.vertices; ++v) shift += ((double)z[3 * v] - (double)y[3 * v]) / (double)counts.vertices;
  CHECK(shift > 0.05 && shift < 0.15); /* the body went along */
  OK(cutis_markers_destroy(markers));

  /* Pulled at a joint: it gets there, the body follows, the pinned root stays. */
  cutis_editor editor;
  OK(cutis_editor_create(context, human, "{\"resolution\": 400}", &editor, &report));
  const char* list = strstr(report, "\"handles\":[");
  CHECK(list != NULL && strstr(report, "\"boundary_intersections\":0") != NULL);
  const size_t root = strtoul(list + strlen("\"handles\":["), NULL, 10);
  const size_t last = last_number(list);
  CHECK(root < counts.joints && last < counts.joints);
  double* bent = calloc(10 * counts.joints, sizeof *bent);
  OK(cutis_character_sample(human, "squat", 0.5, CUTIS_POSE_TRS, counts.joints, bent));
  cutis_pose stands = {0};
  stands.struct_size = sizeof stands;
  stands.joints = counts.joints;
  stands.values = bent;
  OK(cutis_editor_stand(editor, &stands));
  OK(cutis_editor_pose(editor, counts.joints, pose, NULL));
  double most = 0;
  for (size_t i = 0; i < 10 * counts.joints; ++i) most = fmax(most, fabs(fabs(pose[i]) - fabs(bent[i])));
  CHECK(most < 0.05); /* as it was given, but for what its volume does not suit */
  OK(cutis_editor_stand(editor, &(cutis_pose){.struct_size = sizeof stands, .joints = counts.joints}));
  OK(cutis_editor_pin(editor, root, 1));
  double goal[3];
  for (size_t i = 0; i < 3; ++i) goal[i] = rest[16 * last + 4 * i + 3] + (i == 1 ? 0.05 : 0);
  size_t before = 0, before_triangles = 0;
  OK(cutis_editor_control_mesh(editor, &before, NULL, &before_triangles, NULL));
  CHECK(before > 100 && before_triangles > 100);
  float* cage = floats(3 * before);
  uint32_t* corners = calloc(3 * before_triangles, sizeof *corners);
  OK(cutis_editor_pull(editor, last, goal));
  OK(cutis_editor_pull(editor, last, NULL));
  OK(cutis_editor_pose(editor, counts.joints, pose, &report));
  CHECK(strstr(report, "\"unreached\":[]") != NULL);
  most = 0;
  for (size_t i = 0; i < 10 * counts.joints; ++i) most = fmax(most, fabs(pose[i] - bent[i]));
  CHECK(most > 0.01);
  OK(cutis_editor_control_mesh(editor, &before, cage, &before_triangles, corners));
  for (size_t i = 0; i < 3 * before_triangles; ++i) CHECK(corners[i] < before);
  for (size_t i = 0; i < 3 * before; ++i) CHECK(isfinite(cage[i]));
  --before;
  REFUSED(cutis_editor_control_mesh(editor, &before, cage, &before_triangles, corners), CUTIS_BAD_ARGUMENT, "vertices");
  REFUSED(cutis_editor_pull(editor, last, NULL), CUTIS_BAD_ARGUMENT, "begin()");
  REFUSED(cutis_editor_pull(editor, counts.joints, goal), CUTIS_BAD_ARGUMENT, "no handle");
  goal[1] = NAN;
  REFUSED(cutis_editor_pull(editor, last, goal), CUTIS_BAD_ARGUMENT, "finite");
  REFUSED(cutis_editor_create(context, human, "{\"resolution\": 1}", &editor, NULL), CUTIS_BAD_ARGUMENT, "resolution");
  free(bent);
  free(cage);
  free(corners);
  OK(cutis_editor_destroy(editor));
  REFUSED(cutis_character_load_motion(context, human, "nowhere.bvh", NULL, NULL, NULL), CUTIS_IO, "nowhere.bvh");
  free(x);
  free(normals);
  free(rest);
  free(y);
  free(z);
  free(pose);
  OK(cutis_rig_destroy(rig));
  OK(cutis_character_destroy(character));
  OK(cutis_character_destroy(human));
  OK(cutis_context_destroy(context));
}

/* misuse: every kind of it is refused with a sentence, and nothing is written. */
static void misuse(char** a) {
  (void)a;
  Scene s = scene("builtin:cylinder");
  const size_t n = s.counts.vertices, j = s.counts.joints;
  cutis_solver solver;
  OK(cutis_solver_create(s.context, s.rig, "{\"method\": \"dqs\"}", &solver));
  float* x = floats(3 * n);
  for (size_t i = 0; i < 3 * n; ++i) x[i] = 7;
  cutis_frame frame = frame_of(n, x, NULL);
  double* trs = calloc(10 * j, sizeof *trs);
  OK(cutis_character_sample(s.character, "bend", 0.5, CUTIS_POSE_TRS, j, trs));

  /* Handles. */
  cutis_context fresh = NULL;
  REFUSED(cutis_solver_reset(NULL), CUTIS_BAD_HANDLE, "NULL");
  REFUSED(cutis_solver_reset((cutis_solver)(void*)&frame), CUTIS_BAD_HANDLE, "solver");
  REFUSED(cutis_solver_reset((cutis_solver)(void*)s.rig), CUTIS_BAD_HANDLE, "not a solver handle");
  REFUSED(cutis_rig_destroy((cutis_rig)(void*)solver), CUTIS_BAD_HANDLE, "not a rig handle");
  OK(cutis_context_create("", &fresh));
  OK(cutis_context_destroy(fresh));
  REFUSED(cutis_context_destroy(fresh), CUTIS_BAD_HANDLE, "destroyed already");
  REFUSED(cutis_context_cancel(fresh, 1), CUTIS_BAD_HANDLE, "context");
  OK(cutis_context_destroy(NULL));

  /* Options. */
  cutis_solver none = NULL;
  REFUSED(cutis_context_create("{\"threads\": -1}", &fresh), CUTIS_BAD_ARGUMENT, "threads");
  REFUSED(cutis_context_create("{\"threads\": 1e300}", &fresh), CUTIS_BAD_ARGUMENT, "threads");
  REFUSED(cutis_context_create("{\"backend\": \"abacus\"}", &fresh), CUTIS_BAD_ARGUMENT, "abacus");
  REFUSED(cutis_context_create("nonsense", &fresh), CUTIS_BAD_ARGUMENT, "JSON");
  REFUSED(cutis_solver_create(s.context, s.rig, "{\"method\": \"magic\"}", &none), CUTIS_BAD_ARGUMENT, "magic");
  REFUSED(cutis_solver_create(s.context, s.rig, "{\"tracking\": {\"step\": 7}}", &none), CUTIS_BAD_ARGUMENT, "step");
  REFUSED(cutis_solver_create(s.context, s.rig, "{\"metod\": \"lbs\"}", &none), CUTIS_BAD_ARGUMENT, "metod");
  REFUSED(cutis_solver_create(s.context, s.rig, "{", &none), CUTIS_BAD_ARGUMENT, "JSON");
  REFUSED(cutis_rig_bind(s.context, s.character, "{\"preset\": {\"x\": 1}}", NULL, NULL), CUTIS_BAD_ARGUMENT, "NULL");
  cutis_rig rig;
  REFUSED(cutis_rig_bind(s.context, s.character, "{\"preset\": {\"x\": 1}}", &rig, NULL), CUTIS_BAD_ARGUMENT, "preset");
  CHECK(none == NULL);

  /* Poses. */
  cutis_pose pose = pose_of(j, CUTIS_POSE_TRS, trs);
  pose.joints = j - 1;
  REFUSED(cutis_solver_solve(solver, &pose, &frame), CUTIS_BAD_ARGUMENT, "joints");
  pose.joints = j;
  pose.kind = (cutis_pose_kind)9;
  REFUSED(cutis_solver_solve(solver, &pose, &frame), CUTIS_BAD_ARGUMENT, "kind");
  pose.kind = CUTIS_POSE_TRS;
  pose.time = NAN;
  REFUSED(cutis_solver_solve(solver, &pose, &frame), CUTIS_BAD_ARGUMENT, "time");
  pose.time = 0;
  trs[4] = NAN;
  REFUSED(cutis_solver_solve(solver, &pose, &frame), CUTIS_BAD_ARGUMENT, "finite");
  trs[4] = 100;
  REFUSED(cutis_solver_solve(solver, &pose, &frame), CUTIS_BAD_ARGUMENT, "quaternion");
  REFUSED(cutis_solver_solve(solver, NULL, &frame), CUTIS_BAD_ARGUMENT, "pose");
  pose.struct_size = 8;
  REFUSED(cutis_solver_solve(solver, &pose, &frame), CUTIS_BAD_ARGUMENT, "struct_size");
  REFUSED(cutis_solver_solve_clip(solver, "moonwalk", 0, &frame), CUTIS_BAD_ARGUMENT, "moonwalk");
  REFUSED(cutis_solver_solve_clip(solver, "bend", INFINITY, &frame), CUTIS_BAD_ARGUMENT, "finite");
  double* matrices = calloc(16 * j, sizeof *matrices);
  OK(cutis_character_sample(s.character, "bend", 0.5, CUTIS_POSE_WORLD, j, matrices));
  pose = pose_of(j, CUTIS_POSE_WORLD, matrices);
  matrices[1] += 0.5;
  REFUSED(cutis_solver_solve(solver, &pose, &frame), CUTIS_BAD_ARGUMENT, "shear");
  matrices[15] = 0;
  REFUSED(cutis_solver_solve(solver, &pose, &frame), CUTIS_BAD_ARGUMENT, "row by row");

  /* Frames. */
  frame.vertices = n - 1;
  REFUSED(cutis_solver_solve_clip(solver, "bend", 0, &frame), CUTIS_BAD_ARGUMENT, "vertices");
  frame.vertices = n;
  frame.position_stride = 11;
  REFUSED(cutis_solver_solve_clip(solver, "bend", 0, &frame), CUTIS_BAD_ARGUMENT, "apart");
  frame.position_stride = 0;
  frame.struct_size = 0;
  REFUSED(cutis_solver_solve_clip(solver, "bend", 0, &frame), CUTIS_BAD_ARGUMENT, "struct_size");
  REFUSED(cutis_solver_solve_clip(solver, "bend", 0, NULL), CUTIS_BAD_ARGUMENT, "frame");
  frame.struct_size = sizeof frame;
  REFUSED(cutis_solver_next(solver, &frame), CUTIS_BAD_ARGUMENT, "cutis_solver_begin");
  REFUSED(cutis_solver_begin(solver, "bend", (const double[]){0, NAN}, 2), CUTIS_BAD_ARGUMENT, "finite");
  REFUSED(cutis_solver_begin(solver, "bend", (const double[]){1, 0.5}, 2), CUTIS_BAD_ARGUMENT, "later");
  for (size_t i = 0; i < 3 * n; ++i) CHECK(x[i] == 7);

  /* Arrays. */
  cutis_mesh_arrays mesh = {0};
  mesh.struct_size = sizeof mesh;
  mesh.vertices = 3;
  mesh.triangles = 1;
  float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  uint32_t triangle[3] = {0, 1, 2}, joints[3] = {0, 0, 0};
  float weights[3] = {1, 1, 1};
  mesh.positions = corners;
  mesh.corners = triangle;
  mesh.influences = 1;
  mesh.joints = joints;
  mesh.weights = weights;
  const char* name = "root";
  const int32_t parent = -1;
  double rest[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  cutis_character_arrays from = {0};
  from.struct_size = sizeof from;
  from.meshes = 1;
  from.mesh = &mesh;
  from.joints = 1;
  from.joint_names = &name;
  from.parents = &parent;
  from.rest = rest;
  cutis_character made;
  OK(cutis_character_from_arrays(s.context, &from, &made));
  OK(cutis_character_destroy(made));
  triangle[2] = 3;
  REFUSED(cutis_character_from_arrays(s.context, &from, &made), CUTIS_BAD_ARGUMENT, "vertex 3");
  triangle[2] = 2;
  corners[4] = NAN;
  REFUSED(cutis_character_from_arrays(s.context, &from, &made), CUTIS_BAD_CHARACTER, "finite");
  corners[4] = 0;
  weights[1] = -1;
  REFUSED(cutis_character_from_arrays(s.context, &from, &made), CUTIS_BAD_ARGUMENT, "negative");
  weights[1] = 0;
  REFUSED(cutis_character_from_arrays(s.context, &from, &made), CUTIS_BAD_CHARACTER, "sum to 0");
  weights[1] = 1;
  joints[2] = 1;
  REFUSED(cutis_character_from_arrays(s.context, &from, &made), CUTIS_BAD_CHARACTER, "bone 1");
  joints[2] = 0;
  const int32_t wrong = 0;
  from.parents = &wrong;
  REFUSED(cutis_character_from_arrays(s.context, &from, &made), CUTIS_BAD_ARGUMENT, "parent");
  from.parents = &parent;
  from.meshes = 0;
  REFUSED(cutis_character_from_arrays(s.context, &from, &made), CUTIS_BAD_CHARACTER, "mesh");
  from.meshes = 1;
  mesh.vertices = (size_t)1 << 60;
  REFUSED(cutis_character_from_arrays(s.context, &from, &made), CUTIS_BAD_ARGUMENT, "too many");
  REFUSED(cutis_character_load(s.context, "nowhere.glb", NULL, &made), CUTIS_IO, "nowhere.glb");

  /* Handles that things were made of may go first. */
  cutis_solver last = solver;
  OK(cutis_context_destroy(s.context));
  OK(cutis_rig_destroy(s.rig));
  OK(cutis_character_destroy(s.character));
  OK(cutis_solver_solve_clip(last, "bend", 0.5, &frame));
  CHECK(x[0] != 7);
  OK(cutis_solver_destroy(last));
  REFUSED(cutis_solver_destroy(last), CUTIS_BAD_HANDLE, "solver");
  free(x);
  free(trs);
  free(matrices);
}

typedef struct Ears {
  int asked, cancel_after, logged;
  cutis_solver solver;
  cutis_status inside;
} Ears;

static int cancelled(void* user) {
  Ears* ears = user;
  /* The solver that is at work may not be called: refused, not hung. */
  if (ears->solver != NULL) ears->inside = cutis_solver_reset(ears->solver);
  return ++ears->asked > ears->cancel_after;
}
static void logged(void* user, const char* text) {
  CHECK(strlen(text) > 0);
  ++((Ears*)user)->logged;
}

typedef struct Busy {
  cutis_solver solver;
  cutis_context context;
  cutis_frame frame;
  cutis_status status;
} Busy;
static void* play_all(void* user) {
  Busy* busy = user;
  do {
    do busy->status = cutis_solver_begin(busy->solver, "bend", NULL, 0);
    while (busy->status == CUTIS_BUSY);
    while (busy->status == CUTIS_OK || busy->status == CUTIS_BUSY)
      busy->status = cutis_solver_next(busy->solver, &busy->frame);
  } while (busy->status == CUTIS_END);
  return NULL;
}

/* callbacks: log, cancel by callback and by flag, another thread. */
static void callbacks(char** a) {
  (void)a;
  Scene s = scene("builtin:cylinder:8000");
  const size_t n = s.counts.vertices;
  Ears ears = {0};
  cutis_callbacks to = {0};
  to.struct_size = sizeof to;
  to.user = &ears;
  to.log = logged;
  to.cancelled = cancelled;
  ears.cancel_after = 1;
  OK(cutis_context_set_callbacks(s.context, &to));
  float* x = floats(3 * n);
  cutis_frame frame = frame_of(n, x, NULL);
  cutis_solver solver;
  OK(cutis_context_set_callbacks(s.context, NULL));
  OK(cutis_solver_create(s.context, s.rig, NULL, &solver));
  OK(cutis_context_set_callbacks(s.context, &to));
  ears.solver = solver;
  ears.asked = 0;
  cutis_status status = CUTIS_OK;
  for (int i = 0; i < 60 && status == CUTIS_OK; ++i)
    status = cutis_solver_solve_clip(solver, "bend", i % 2 == 0 ? 1 : 0, &frame);
  CHECK(status == CUTIS_CANCELLED && ears.asked >= 2);
  CHECK(ears.inside == CUTIS_BUSY);
  ears.cancel_after = 1 << 30; /* the next call is not stopped by the last one's wish */
  OK(cutis_solver_solve_clip(solver, "bend", 0.1, &frame));

  /* A clip that is stopped begins anew. */
  OK(cutis_solver_begin(solver, "bend", NULL, 0));
  OK(cutis_context_cancel(s.context, 1));
  CHECK(cutis_solver_next(solver, &frame) == CUTIS_CANCELLED);
  OK(cutis_context_cancel(s.context, 0));
  REFUSED(cutis_solver_next(solver, &frame), CUTIS_BAD_ARGUMENT, "cutis_solver_begin");
  OK(cutis_context_set_callbacks(s.context, NULL));

  /* Another thread at work: refused here; cancelled from here. */
  Busy busy = {solver, s.context, frame, CUTIS_OK};
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, play_all, &busy) == 0);
  const char* json;
  for (int refused = 0; refused < 3;) refused += cutis_solver_report(solver, &json) == CUTIS_BUSY;
  OK(cutis_context_cancel(s.context, 1));
  pthread_join(thread, NULL);
  CHECK(busy.status == CUTIS_CANCELLED);
  CHECK(cutis_rig_bind(s.context, s.character, NULL, &s.rig, NULL) == CUTIS_CANCELLED);
  OK(cutis_context_cancel(s.context, 0));

  /* What is worth telling is told. */
  ears.solver = NULL;
  OK(cutis_context_set_callbacks(s.context, &to));
  cutis_solver odd;
  OK(cutis_solver_create(s.context, s.rig, "{\"method\": \"lbs\", \"tracking\": {\"rings\": 3}}", &odd));
  OK(cutis_solver_destroy(odd));
  free(x);
  OK(cutis_solver_destroy(solver));
  OK(cutis_context_destroy(s.context));
  OK(cutis_character_destroy(s.character));
  OK(cutis_rig_destroy(s.rig));
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int arguments;
    void (*run)(char**);
  } cases[] = {{"play", 5, play},         {"arrays", 2, arrays}, {"memory", 1, memory}, {"states", 0, states},
               {"measures", 0, measures}, {"more", 1, more},     {"misuse", 0, misuse}, {"callbacks", 0, callbacks}};
  CHECK(cutis_abi_version() == CUTIS_ABI_VERSION && strlen(cutis_version()) > 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc == 2 + cases[i].arguments && strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run(argv + 2);
      return 0;
    }
  return 2;
}
