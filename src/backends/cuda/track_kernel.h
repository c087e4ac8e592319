// What tracking.cpp hands to the kernels of track_substep.cu and track_show.cu: addresses on the device. Arrays are
// over welded vertices unless they say otherwise.
#pragma once

#include <cstdint>

#include "backends/cuda/runtime.h"
#include "backends/track.h"
#include "cutis/frame.h"
#include "kernels/eval_field.h"
#include "kernels/fair.h"
#include "kernels/skin.h"
#include "kernels/track.h"
#include "kernels/turn.h"

namespace cutis::cuda {

/// Blocks of a kernel that runs as a whole tell each other when they arrived. Times rise from kernel to kernel.
using Time = unsigned long long;
/// So many a kernel.
inline constexpr Time kTimes = Time{1} << 32;
/// What they exchange has a tag of its own each time; 0 is none.
using Tag = std::uint32_t;
struct alignas(16) Post {
  unsigned long long high, low;  ///< halves of a number, each with the tag
};
struct alignas(16) TaggedVector {
  Vec3f v;
  Tag tag;
};

/// Of the rest pose; TrackRest and RigSurface say what they are.
struct RestArrays {
  std::uint32_t count = 0, bones = 0, triangle_count = 0, input_count = 0;
  const Vec3f* positions = nullptr;
  const std::uint32_t* owner = nullptr;
  const float* edge = nullptr;
  const Triangle* triangles = nullptr;
  const std::uint32_t *ring_begin = nullptr, *ring = nullptr;  ///< neighbours
  const float *ring_weight = nullptr, *edge_squared = nullptr;
  const std::uint32_t *turn_begin = nullptr, *turn_bone = nullptr;
  const float* turn_weight = nullptr;
  const float *own = nullptr, *slope = nullptr, *gap = nullptr, *hold = nullptr, *fine = nullptr;
  const float* stiffness = nullptr;  ///< none: 0 everywhere
  const char* tracked = nullptr;
  const std::uint32_t *other_begin = nullptr, *other_bone = nullptr;
  const float *other_value = nullptr, *core_lead = nullptr;
  const Vec3f* core = nullptr;
  const char* joined = nullptr;        ///< bones x bones
  const std::int32_t* fold = nullptr;  ///< TrackRest
  const float* radius = nullptr;       ///< per bone: of its field; 0: it has none
  const std::uint32_t *corner_begin = nullptr, *corner = nullptr;
  const Vec3f* normals = nullptr;
  const std::uint32_t* welded_of = nullptr;  ///< per input vertex
  const Vec3f* input_normals = nullptr;      ///< per input vertex
};

/// Of a pose, per bone unless said otherwise; TrackPosed says what they are.
struct PoseArrays {
  const GridView *fields = nullptr, *calm = nullptr;
  const PartBox* boxes = nullptr;
  const SkinDualQuat* rigid = nullptr;
  const SkinMatrix* stretches = nullptr;  ///< none: no bone is stretched
  const float* gate = nullptr;            ///< bones x bones
  const Fold* folds = nullptr;            ///< TrackPosed
  const Affine3f *motion = nullptr, *delta = nullptr, *last_motion = nullptr;
  const float* steepest = nullptr;
  const std::uint32_t *waker_begin = nullptr, *waker = nullptr;
  const char *turns = nullptr, *stirred = nullptr, *leaps = nullptr;  ///< turns: bones x bones
  const std::uint32_t* bend_begin = nullptr;
  const TrackBend* bends = nullptr;
  const float* pin = nullptr;  ///< per vertex; none: nothing is drawn
  const Vec3f* pin_at = nullptr;
};

/// What a sub-step counts, for the host.
struct SubstepCounts {
  std::uint32_t active = 0, inverted = 0, missed = 0, iterations = 0;
  std::uint32_t overflow = 0;  ///< vertices that have more near parts than there is room for
  std::uint32_t touching = 0;  ///< vertices that contact holds
  std::uint32_t flew = 0;      ///< scratch
  std::uint32_t unused = 0;
  unsigned long long vertex_iterations = 0, gradient_steps = 0, evaluations = 0, operations = 0;
  /// Of the first block, by the stages of TrackingProfile: transport, control, project, relax, check.
  unsigned long long cycles[5] = {};
};

/// A row of the relaxation: what a thread works on.
struct TrackRow {
  static constexpr std::uint32_t kLinks = 8;  ///< live neighbours that it has by heart
  Vec3f n, r, z, x, d, q;
  float bound, diagonal;
  std::uint32_t v, links, more;  ///< more: where further ones begin among the neighbours
  std::uint32_t link[kLinks];
  float weight[kLinks];
  Vec3f other[kLinks];  ///< their directions
  bool rigid;
};

/// What a relaxation of so many steps may exchange.
CUTIS_HD constexpr Tag tags_of_relaxation(int steps) { return 2 * static_cast<Tag>(steps) + 2; }

/// What sub-steps work on.
struct StepArrays {
  // From sub-step to sub-step.
  Vec3f* p = nullptr;
  std::uint32_t* held_count = nullptr;
  TrackHeld* held = nullptr;  ///< `room` a vertex
  // Of a sub-step.
  std::uint8_t* ring_of = nullptr;  ///< 0: something moves it against its bone; 255: in no ring
  float* away = nullptr;
  char* is_active = nullptr;
  std::uint32_t *active = nullptr, *live = nullptr;  ///< vertices, rising
  Mat3f* turn = nullptr;
  Vec3f* blended = nullptr;
  std::uint32_t room = 0;        ///< for the others of a vertex
  TrackOther* others = nullptr;  ///< `room` a vertex
  float* other_field = nullptr;  ///< the same: of joined ones, where the skin is
  std::uint32_t* other_count = nullptr;
  float *level = nullptr, *hold = nullptr, *bound = nullptr;
  ResidualSample* samples = nullptr;
  float* moved = nullptr;
  char* awake = nullptr;
  // Relaxation.
  Vec3f* x = nullptr;
  TaggedVector* z[2] = {};   ///< of rows: what neighbours see of them
  Vec3f* further = nullptr;  ///< per neighbour: directions of those that a row has not by heart
  float* stretch = nullptr;
  float* weight = nullptr;   ///< per neighbour
  TrackRow* rows = nullptr;  ///< per live vertex, where they are more than the threads
  // Of blocks.
  Post* sums = nullptr;              ///< two per run of vertices
  std::uint32_t* counted = nullptr;  ///< per block
  Time* arrived = nullptr;           ///< per block
  Time start = 0;                    ///< times of this kernel begin after it
  Tag tag = 0;                       ///< tags of this kernel begin after it
  SubstepCounts* counts = nullptr;
};

struct SubstepArguments {
  RestArrays rest;
  PoseArrays pose;
  StepArrays step;
  int rings = 0, projections = 0, relaxations = 0, inner = 0;
  bool from_smooth_skin = false;
  const char* unwound = nullptr;  ///< per vertex: it starts over from there; none: none does
  char* at_once = nullptr;        ///< per vertex: set where it does, for what is shown
  bool bring_back = false;        ///< skin that left its neighbours
  Vec3f* kept_p = nullptr;        ///< where the skin is to be kept as it was; none: it is not
  std::uint32_t* kept_held_count = nullptr;
  TrackHeld* kept_held = nullptr;
  bool again = false;  ///< transport is done: there was no room for near parts, now there is
};

/// What is shown.
struct ShowArguments {
  RestArrays rest;
  StepArrays step;
  const Affine3f* motion = nullptr;  ///< per bone
  const Mat3f* to_rest = nullptr;    ///< per bone
  const float* twists = nullptr;     ///< per bone; none: no joint is twisted
  const float* pin = nullptr;
  const Affine3f* last_motion = nullptr;  ///< per bone: when something was shown last
  Vec3f *off = nullptr, *drift = nullptr;
  char* at_once_there = nullptr;  ///< per vertex: it is shown where it is; cleared
  Vec3f *shown = nullptr, *next = nullptr, *previous = nullptr;
  float *beta = nullptr, *next_beta = nullptr;
  float *twist = nullptr, *next_twist = nullptr;
  char* listed = nullptr;
  FairRow* rows = nullptr;
  Vec3f* positions = nullptr;  ///< per input vertex: out
  Affine3d root;
  float frames = 0;
  int smoothing = 0;
  bool at_once = false, guarded = false;
  bool carried = false;  ///< `shown` is there already
};

/// Normals, states and residuals of what was shown.
struct DescribeArguments {
  RestArrays rest;
  StepArrays step;
  const Quatf* rotation = nullptr;  ///< per bone
  const Vec3f* shown = nullptr;
  Quatf* bend = nullptr;
  VertexState* state = nullptr;
  float* residual = nullptr;
  bool stepped = false;  ///< there are samples
  Mat3f turn_root;
  // Per input vertex: out.
  Vec3f* normals = nullptr;
  VertexState* states = nullptr;
  float* residuals = nullptr;
};

/// Blocks for a sub-step of so many vertices.
struct SubstepGrid {
  unsigned blocks = 0;
  bool two = false;  ///< on a multiprocessor at once
};
[[nodiscard]] SubstepGrid substep_grid(std::uint32_t vertices);
/// The same for what is shown.
[[nodiscard]] unsigned show_blocks(std::uint32_t vertices);
void launch_substep(const SubstepArguments& arguments, const SubstepGrid& grid, const Stream& stream);
void launch_show(const ShowArguments& arguments, unsigned blocks, const Stream& stream);
void launch_describe(const DescribeArguments& arguments, const Stream& stream);

}  // namespace cutis::cuda
