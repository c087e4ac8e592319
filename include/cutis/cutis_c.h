/* Cutis in C: what every other language builds on. docs/embedding.md has a walk through it.
 *
 *   cutis_context context;
 *   cutis_character character;
 *   cutis_rig rig;
 *   cutis_solver solver;
 *   cutis_context_create(NULL, &context);
 *   cutis_character_load(context, "man.glb", NULL, &character);
 *   cutis_rig_bind(context, character, NULL, &rig, NULL);
 *   cutis_solver_create(context, rig, "{\"method\": \"tracking\"}", &solver);
 *   cutis_solver_begin(solver, "walk", NULL, 0);            // 30 frames a second
 *   while (cutis_solver_next(solver, &frame) == CUTIS_OK) ...  // until CUTIS_END
 *
 * Every function that can fail returns a status; cutis_last_error() then has one sentence: place, what is wrong, what
 * to do. What a failed call was to write is as it was, unless said otherwise.
 *
 * Handles are numbers, never addresses. One that was destroyed, that is of another kind or that never was is refused
 * with CUTIS_BAD_HANDLE. What is made of a handle keeps what it needs of it: handles may be destroyed in any order,
 * also while another thread works with them; to destroy NULL does nothing. Handles may be used from any thread;
 * solvers, metrics, fields, writers and markers by one thread at a time: a second one gets CUTIS_BUSY.
 *
 * Conventions: metres, radians, seconds; right-handed, +Y up, +Z forward, as glTF. Matrices are 16 doubles, row by row,
 * for column vectors: the translation is m[3], m[7], m[11]. Quaternions are x, y, z, w. Strides are bytes from one item
 * to the next; 0: packed. Texts are UTF-8. Options are JSON objects, NULL or "" for the defaults; docs/options.md lists
 * them. Texts that a function returns live until the same thread gets another one from the library.
 *
 * Structures begin with their size: set struct_size to sizeof. New members come at the end, and what a program does not
 * know of keeps its default. */
#ifndef CUTIS_CUTIS_C_H
#define CUTIS_CUTIS_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CUTIS_API __attribute__((visibility("default")))
#else
#define CUTIS_API
#endif

/* Raised when a function or a structure changes in a way that programs built before cannot live with. */
#define CUTIS_ABI_VERSION 1

/* To C++ too an enum may hold any int: what is none of its values is refused, not undefined. */
#ifdef __cplusplus
#define CUTIS_INT : int
#else
#define CUTIS_INT
#endif

typedef enum cutis_status CUTIS_INT {
  CUTIS_OK = 0,
  CUTIS_END = 1,           /* there are no more frames: no error */
  CUTIS_BAD_FILE = 2,      /* cannot be read: truncated, wrong magic, out of range, not supported */
  CUTIS_BAD_CHARACTER = 3, /* readable, but not a usable character */
  CUTIS_BAD_ARGUMENT = 4,  /* an option, a name, a size or a number that does not fit */
  CUTIS_IO = 5,            /* the system refused to read or write */
  CUTIS_CANCELLED = 6,
  CUTIS_BAD_HANDLE = 7, /* destroyed, of another kind, or never made */
  CUTIS_BUSY = 8,       /* another thread works with it */
  CUTIS_NO_MEMORY = 9,
  CUTIS_INTERNAL = 10 /* a fault of the library */
} cutis_status;

typedef struct cutis_context_handle* cutis_context;
typedef struct cutis_character_handle* cutis_character;
typedef struct cutis_rig_handle* cutis_rig;
typedef struct cutis_solver_handle* cutis_solver;
typedef struct cutis_state_handle* cutis_state;
typedef struct cutis_metrics_handle* cutis_metrics;
typedef struct cutis_field_handle* cutis_field;
typedef struct cutis_writer_handle* cutis_writer;
typedef struct cutis_markers_handle* cutis_markers;
typedef struct cutis_editor_handle* cutis_editor;

/* ---- the library ---- */

CUTIS_API const char* cutis_version(void); /* "0.1.0" */
CUTIS_API int cutis_abi_version(void);     /* CUTIS_ABI_VERSION it was built with */
/* The sentence of this thread's last call that failed; "" when none did. */
CUTIS_API const char* cutis_last_error(void);
CUTIS_API const char* cutis_status_name(cutis_status status); /* "bad handle" */
/* The tables of options, as `cutis options --json` prints them: names, kinds, units, ranges, defaults, help. */
CUTIS_API cutis_status cutis_option_tables(const char** json);
/* The named controllers as presets have them: [{"name": "elbow", "contact": [[degrees, d], ...], "bulge": [...],
 * "opening": [[degrees, degrees], ...]}, ...]. */
CUTIS_API cutis_status cutis_controllers(const char** json);

/* ---- context: threads, back end, log, progress, cancel ---- */

typedef struct cutis_callbacks {
  size_t struct_size;
  void* user; /* given to all of them */
  /* A remark worth telling the user. From any thread, one at a time. */
  void (*log)(void* user, const char* text);
  /* Work done in [0,1]. From any thread, one at a time. */
  void (*progress)(void* user, const char* stage, double done);
  /* Not 0: stop. Asked by the thread that called, a hundred times a second at most. */
  int (*cancelled)(void* user);
} cutis_callbacks;

/* Options: {"threads": 0, "backend": "simd"}; 0 threads: as many as the process may run on. Results depend on neither.
 */
CUTIS_API cutis_status cutis_context_create(const char* options, cutis_context* context);
/* NULL takes them away. Heard of by everything that was made with the context, from the next call on. None of them may
 * leave by an exception or longjmp, or call the library with a handle that is at work. */
CUTIS_API cutis_status cutis_context_set_callbacks(cutis_context context, const cutis_callbacks* callbacks);
/* Not 0: whatever is at work with this context, and whatever is begun with it, ends with CUTIS_CANCELLED within 100 ms,
 * until it is set to 0 again. From any thread. */
CUTIS_API cutis_status cutis_context_cancel(cutis_context context, int on);
CUTIS_API cutis_status cutis_context_destroy(cutis_context context);

/* ---- characters ---- */

typedef struct cutis_mesh_arrays {
  size_t struct_size;
  const char* name; /* NULL: "mesh" */
  size_t vertices;
  const float* positions; /* three a vertex: scene space, rest pose */
  size_t position_stride;
  const float* normals; /* NULL: made from the triangles */
  size_t normal_stride;
  size_t triangles;
  const uint32_t* corners; /* three a triangle, counter-clockwise from outside */
  size_t influences;       /* a vertex; 0: no weights */
  const uint32_t* joints;  /* influences a vertex, row by row; unused ones have weight 0 */
  const float* weights;    /* likewise; rows that do not sum to 1 are scaled */
} cutis_mesh_arrays;

typedef struct cutis_character_arrays {
  size_t struct_size;
  const char* name; /* for messages; NULL: "arrays" */
  size_t meshes;
  const cutis_mesh_arrays* mesh;
  size_t joints;
  const char* const* joint_names;
  const int32_t* parents;     /* before their children; -1: none */
  const double* rest;         /* a matrix a joint: its frame in the scene at the rest pose */
  const double* default_pose; /* ten numbers a joint, CUTIS_POSE_TRS; NULL: the rest pose */
  const uint8_t* is_bone;     /* 0: carries transforms only, moves no skin; NULL: all are bones */
} cutis_character_arrays;

CUTIS_API cutis_status cutis_character_from_arrays(cutis_context context, const cutis_character_arrays* arrays,
                                                   cutis_character* character);
/* The bytes of a .glb, .gltf or .vrm; `name` stands for the file in messages (NULL: "memory"). Options: ReadOptions. */
CUTIS_API cutis_status cutis_character_from_memory(cutis_context context, const void* bytes, size_t size,
                                                   const char* name, const char* options, cutis_character* character);
/* "cylinder", "arm", "hand", "human", ... */
CUTIS_API cutis_status cutis_character_builtin(cutis_context context, const char* name, cutis_character* character);
/* .glb .gltf .vrm .fbx .dae .obj .ply .off, or builtin:NAME. Options: ReadOptions. */
CUTIS_API cutis_status cutis_character_load(cutis_context context, const char* file, const char* options,
                                            cutis_character* character);
/* As .glb or .gltf: skeleton, weights, clips, materials. */
CUTIS_API cutis_status cutis_character_save(cutis_context context, cutis_character character, const char* file);

/* Vertices and triangles are those of all meshes, in order. */
typedef struct cutis_counts {
  size_t struct_size;
  size_t vertices, triangles, meshes, joints, clips;
  size_t influences; /* the most of any vertex; 0: a mesh has no weights */
} cutis_counts;
CUTIS_API cutis_status cutis_character_counts(cutis_character character, cutis_counts* counts);
/* {"name", "meshes": [{"name", "first_vertex", "vertices", "first_triangle", "triangles"}], "joints": [{"name",
 * "parent", "is_bone"}], "clips": [{"name", "start", "end"}]}. */
CUTIS_API cutis_status cutis_character_describe(cutis_character character, const char** json);
/* `vertices`: as many as counted; the buffers are the caller's, and either may be NULL. Rest pose. */
CUTIS_API cutis_status cutis_character_vertices(cutis_character character, size_t vertices, float* positions,
                                                size_t position_stride, float* normals, size_t normal_stride);
CUTIS_API cutis_status cutis_character_triangles(cutis_character character, size_t triangles, uint32_t* corners);
/* `influences` a vertex, largest first, the rest 0; as many as counted, or more. */
CUTIS_API cutis_status cutis_character_weights(cutis_character character, size_t vertices, size_t influences,
                                               uint32_t* joints, float* weights);
/* Any of them may be NULL: frames at rest (16 a joint), default pose (10 a joint), parents, is_bone. */
CUTIS_API cutis_status cutis_character_joints(cutis_character character, size_t joints, double* rest,
                                              double* default_pose, int32_t* parents, uint8_t* is_bone);
/* New weights in place of its own. Options: WeightOptions. `report`: NULL, or JSON. Rigs made before keep the old ones.
 */
CUTIS_API cutis_status cutis_character_make_weights(cutis_context context, cutis_character character,
                                                    const char* options, const char** report);
/* What each vertex is of: 0 body, 1 garment, 2 hair, 3 inner (eyes, teeth), 4 rigid. Options: NULL, or {"preset":
 * {...}} for what a person says of them. */
CUTIS_API cutis_status cutis_character_roles(cutis_context context, cutis_character character, const char* options,
                                             size_t vertices, uint8_t* roles);
CUTIS_API cutis_status cutis_character_destroy(cutis_character character);

/* ---- poses and clips ---- */

typedef enum cutis_pose_kind CUTIS_INT {
  CUTIS_POSE_TRS = 0,   /* ten numbers a joint, to its parent: translation, quaternion, scale. Exact: no conversion */
  CUTIS_POSE_LOCAL = 1, /* a matrix a joint, to its parent */
  CUTIS_POSE_WORLD = 2  /* a matrix a joint: its frame in the scene */
} cutis_pose_kind;

/* Of one moment. Numbers that are not finite are refused, and so is shear, which a pose does not hold. */
typedef struct cutis_pose {
  size_t struct_size;
  cutis_pose_kind kind;
  size_t joints;        /* as many as the character has */
  const double* values; /* NULL: the default pose */
  double time;          /* seconds: for what is key-framed besides the skeleton */
} cutis_pose;

/* Wherever a clip is asked for: its name, its number, "" or NULL for the first, or random:SEED[:SPEED]. */

/* The pose of a clip at a time, `joints` transforms of the kind. */
CUTIS_API cutis_status cutis_character_sample(cutis_character character, const char* clip, double time,
                                              cutis_pose_kind kind, size_t joints, double* values);
/* `frames` > 0: that many times, evenly from the first to the last key. Else every 1/fps from the first on. `times`:
 * room for `capacity` of them, or NULL; `count`: how many there are. CUTIS_BAD_ARGUMENT where they do not fit. */
CUTIS_API cutis_status cutis_character_times(cutis_character character, const char* clip, int frames, double fps,
                                             double* times, size_t capacity, size_t* count);
/* Poses at rising times as a clip, in floats as files have them; one of that name is replaced. */
CUTIS_API cutis_status cutis_character_add_clip(cutis_character character, const char* name, const cutis_pose* poses,
                                                const double* times, size_t count);
/* A .bvh, a .vrma or a clip of a .glb .gltf .vrm .fbx .dae, retargeted, as a clip of that name. Options: MotionOptions.
 * `report`: NULL, or JSON: which joint takes which. */
CUTIS_API cutis_status cutis_character_load_motion(cutis_context context, cutis_character character, const char* file,
                                                   const char* name, const char* options, const char** report);

/* ---- rigs: a character, frozen for solvers ---- */

/* Options: {"turn": "skin", "implicit_skin": true, "preset": {...}}: BindOptions, and a preset as files have them
 * (docs/formats.md). `report`: NULL, or JSON. */
CUTIS_API cutis_status cutis_rig_bind(cutis_context context, cutis_character character, const char* options,
                                      cutis_rig* rig, const char** report);
/* The rig that cutis_rig_bind makes of the same character with these options, to the bit. What does not depend on what
 * they say otherwise than the rig's is taken over from it: new operators, controllers and regions take milliseconds. */
CUTIS_API cutis_status cutis_rig_bind_again(cutis_context context, cutis_rig rig, const char* options, cutis_rig* made,
                                            const char** report);
/* A rig of this character from a file or from bytes; CUTIS_BAD_ARGUMENT when it is one of another. */
CUTIS_API cutis_status cutis_rig_load(cutis_character character, const char* file, cutis_rig* rig);
CUTIS_API cutis_status cutis_rig_from_memory(cutis_character character, const void* bytes, size_t size, cutis_rig* rig);
CUTIS_API cutis_status cutis_rig_save(cutis_rig rig, const char* file);
/* `size`: how many bytes it has; `bytes`: room for `capacity` of them, or NULL. */
CUTIS_API cutis_status cutis_rig_to_memory(cutis_rig rig, void* bytes, size_t capacity, size_t* size);
CUTIS_API cutis_status cutis_rig_destroy(cutis_rig rig);

/* ---- solvers: poses in, deformed meshes out ---- */

/* Caller's buffers, and numbers about the frame. All vertices of all meshes, in the character's order; scene space.
 * Buffers that are NULL are not written. A frame that fails or is cancelled writes nothing. */
typedef struct cutis_frame {
  size_t struct_size;
  size_t vertices; /* in: how many the buffers are for */
  float* positions;
  size_t position_stride;
  float* normals;
  size_t normal_stride;
  float* touch;     /* a vertex: 1 touches other skin, 0 free, in between around; 0 without contact */
  float* depth;     /* a vertex: metres that it is pressed in */
  float* residuals; /* a vertex: f - iso; NaN where no field reaches it; 0 with lbs and dqs */
  uint8_t* states;  /* a vertex: 0 rigid, 1 converged, 2 contact, 3 flat, 4 outside, 5 limit */
  /* Out. */
  double time;         /* seconds */
  double milliseconds; /* the solver's own */
  size_t nonfinite;    /* vertices kept at their last good place */
  int certified;       /* with contact: no intersections but those at rest and between parts that were let go */
  int out_of_time;     /* frame_budget_ms ran out */
} cutis_frame;

/* Options: SolveOptions, with {"tracking": {...}, "implicit": {...}} in it. */
CUTIS_API cutis_status cutis_solver_create(cutis_context context, cutis_rig rig, const char* options,
                                           cutis_solver* solver);
/* From the last frame on. */
CUTIS_API cutis_status cutis_solver_solve(cutis_solver solver, const cutis_pose* pose, cutis_frame* frame);
/* The same for a clip of the character at a time. */
CUTIS_API cutis_status cutis_solver_solve_clip(cutis_solver solver, const char* clip, double time, cutis_frame* frame);
/* From rest along a fixed path: the result depends on the pose alone. */
CUTIS_API cutis_status cutis_solver_seek(cutis_solver solver, const cutis_pose* pose, cutis_frame* frame);
/* Forgets all earlier frames. */
CUTIS_API cutis_status cutis_solver_reset(cutis_solver solver);
/* The poses that will be asked for, in order, 30 a second or denser: with contact, bones give way before they must. */
CUTIS_API cutis_status cutis_solver_foresee(cutis_solver solver, const cutis_pose* poses, size_t count);

/* Plays a clip as `cutis animate` does, with the same bits: foresees all of it, comes to the first frame from the
 * clip's beginning, and goes the way between frames that are far apart. `times`: rising; NULL: 30 a second. Forgets
 * what was before. Other calls in between are heard of. */
CUTIS_API cutis_status cutis_solver_begin(cutis_solver solver, const char* clip, const double* times, size_t count);
/* CUTIS_END after the last frame; CUTIS_BAD_ARGUMENT when nothing was begun. After a frame that was cancelled: begin
 * again. */
CUTIS_API cutis_status cutis_solver_next(cutis_solver solver, cutis_frame* frame);

/* To continue from here later with the same bits, in this solver or another one with the same rig and method. */
CUTIS_API cutis_status cutis_solver_save(cutis_solver solver, cutis_state* state);
CUTIS_API cutis_status cutis_solver_restore(cutis_solver solver, cutis_state state);
CUTIS_API cutis_status cutis_state_destroy(cutis_state state);

/* About the last frame: counts, residuals, contact, milliseconds a stage. */
CUTIS_API cutis_status cutis_solver_report(cutis_solver solver, const char** json);
/* All options in force. */
CUTIS_API cutis_status cutis_solver_options(cutis_solver solver, const char** json);
CUTIS_API cutis_status cutis_solver_destroy(cutis_solver solver);

/* ---- measuring ---- */

/* Options: MetricsOptions. */
CUTIS_API cutis_status cutis_metrics_create(cutis_context context, cutis_character character, const char* options,
                                            cutis_metrics* metrics);
typedef struct cutis_shape {
  size_t struct_size;
  size_t vertices;
  const float* positions;
  size_t position_stride;
  const float* dqs; /* NULL, or dual quaternion skinning in the same pose: for scars and tears */
  size_t dqs_stride;
  const float* residuals; /* NULL, or one a vertex, as cutis_frame has them */
} cutis_shape;
/* {"intersecting_pairs": 0, "folds": 2, "roughness": 1.3, ...}: what has no meaning for the mesh is null. NULL for the
 * rest pose. */
CUTIS_API cutis_status cutis_metrics_measure(cutis_metrics metrics, const cutis_shape* shape, const char** json);
/* Of the last shape measured, with the option per_vertex: "stretch", "roughness" (degrees), "intersects", "overlaps",
 * "scars", "pokes", "tears" (0 or 1). */
CUTIS_API cutis_status cutis_metrics_vertices(cutis_metrics metrics, const char* name, size_t vertices, float* values);
CUTIS_API cutis_status cutis_metrics_destroy(cutis_metrics metrics);

/* ---- the implicit skin of a posed rig, at points ---- */

CUTIS_API cutis_status cutis_field_create(cutis_context context, cutis_rig rig, cutis_field* field);
CUTIS_API cutis_status cutis_field_set_pose(cutis_field field, const cutis_pose* pose); /* NULL: the rest pose */
/* Any of the results may be NULL. values: 0 outside all supports, 0.5 on the skin, towards 1 inside. distances: metres
 * to the skin, to first order, negative inside; NaN outside all supports and where the field is flat. gradients: three
 * a point, of the value, inward. joints: whose part is felt most; -1 outside. */
CUTIS_API cutis_status cutis_field_evaluate(cutis_field field, size_t points, const float* positions,
                                            size_t position_stride, float* values, float* distances, float* gradients,
                                            int32_t* joints);
/* The box that holds all supports: the least x, y, z, then the largest. */
CUTIS_API cutis_status cutis_field_bounds(cutis_field field, double* box);
/* Makes the surface where the field is `level` (0.5: the skin), from cubes of side `cell` (metres), and counts it; the
 * field keeps it for cutis_field_surface_arrays, until the next one is made. */
CUTIS_API cutis_status cutis_field_surface(cutis_field field, double cell, double level, size_t* vertices,
                                           size_t* triangles);
/* As many as counted; any of the results may be NULL. Normals point outward; joints: whose part is felt most there. */
CUTIS_API cutis_status cutis_field_surface_arrays(cutis_field field, size_t vertices, float* positions, float* normals,
                                                  int32_t* joints, size_t triangles, uint32_t* corners);
CUTIS_API cutis_status cutis_field_destroy(cutis_field field);

/* ---- files of animations ---- */

/* .glb .gltf .pc2 .mdd .usda .obj .ply, as `cutis animate` writes them. There is no file until finish. */
CUTIS_API cutis_status cutis_writer_create(cutis_context context, cutis_character character, const char* file,
                                           const char* clip_name, const double* times, size_t count,
                                           cutis_writer* writer);
CUTIS_API cutis_status cutis_writer_add(cutis_writer writer, size_t vertices, const float* positions,
                                        size_t position_stride, const float* normals, size_t normal_stride);
CUTIS_API cutis_status cutis_writer_finish(cutis_writer writer);
CUTIS_API cutis_status cutis_writer_destroy(cutis_writer writer);

/* ---- markers ---- */

typedef struct cutis_take_arrays {
  size_t struct_size;
  const char* name; /* for messages; NULL: "take" */
  double rate;      /* frames a second */
  size_t frames, markers;
  const char* const* marker_names;
  const double* positions; /* three a marker, frame by frame, metres, +Y up; NaN: not seen */
} cutis_take_arrays;

/* A take from a file (.c3d .trc .bvh .json) or from arrays (`file` NULL), and where its markers are on the character: a
 * map file, or NULL for the usual places, fitted to the take. Options: {"solver": MarkerOptions, "targets":
 * TargetOptions, "take": TakeOptions, "rate": frames a second (0: the take's), "fit": true}. `frames`: NULL, or how
 * many there will be. */
CUTIS_API cutis_status cutis_markers_create(cutis_context context, cutis_character character, const char* file,
                                            const cutis_take_arrays* take, const char* map_file, const char* options,
                                            cutis_markers* markers, size_t* frames);
/* Of the frame: vertices, positions, normals and time. CUTIS_END after the last. `pose`: NULL, or ten numbers a joint.
 */
CUTIS_API cutis_status cutis_markers_next(cutis_markers markers, cutis_frame* frame, double* pose, size_t joints);
CUTIS_API cutis_status cutis_markers_destroy(cutis_markers markers);

/* A body that is posed by pulling at its joints: its volume follows as rigidly as it can, pins hold, joints keep their
 * limits. Needs no weights and no rig. Options: MarkerOptions. `report`: NULL, or JSON: {"handles": the joints that can
 * be pulled and pinned, by number, "control_mesh": {...}}. */
CUTIS_API cutis_status cutis_editor_create(cutis_context context, cutis_character character, const char* options,
                                           cutis_editor* editor, const char** report);
/* The body stands in that pose (before the first call: at rest); what was pulled and pinned before is forgotten. */
CUTIS_API cutis_status cutis_editor_stand(cutis_editor editor, const cutis_pose* pose);
/* `pinned`: 1, the joint stays where it is shown; 0, neither a pin nor an earlier pull holds it. */
CUTIS_API cutis_status cutis_editor_pin(cutis_editor editor, size_t joint, int pinned);
/* To that place, metres, as often as it moves; NULL: lets go of it, and it stays there. One joint at a time. */
CUTIS_API cutis_status cutis_editor_pull(cutis_editor editor, size_t joint, const double* to);
/* As it is now: ten numbers a joint, or NULL. `report`: NULL, or JSON: {"milliseconds": ..., "iterations": ...,
 * "unreached": [{"handle", "distance", "joint", "limit"}, ...]}. */
CUTIS_API cutis_status cutis_editor_pose(cutis_editor editor, size_t joints, double* pose, const char** report);
/* The surface of its control mesh as it is now: three floats a vertex, three corners a triangle; arrays of NULL: their
 * sizes alone. */
CUTIS_API cutis_status cutis_editor_control_mesh(cutis_editor editor, size_t* vertices, float* positions,
                                                 size_t* triangles, uint32_t* corners);
CUTIS_API cutis_status cutis_editor_destroy(cutis_editor editor);

#ifdef __cplusplus
}
#endif

#endif
