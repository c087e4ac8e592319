// A sub-step of tracking as one kernel: as many blocks as fit on the device wait for each other between the stages, and
// all that is decided on the way (who is active, who still moves, when conjugate gradients have converged) is decided
// there. The host sends a pose and reads one set of counts.
//
// The order is that of HostTracking::substep, and so are the bits: sums go over the same runs of vertices.
#include <algorithm>

#include "backends/cuda/block.cuh"
#include "backends/cuda/track_kernel.h"
#include "backends/cuda/track_vertex.cuh"

namespace cutis::cuda {
namespace {

// Vertices that a block should have at least: fewer, and blocks wait for each other longer than they work.
constexpr std::uint32_t kBlockVertices = 64;
// Up to so many, warps exchange sums: each of them hears all others.
constexpr std::uint32_t kFewLive = 4096;

enum Stage { kTransport, kControl, kProject, kRelax, kCheck };

/// One thread's view of the kernel.
class Substep {
 public:
  __device__ Substep(const SubstepArguments& arguments, BlockScratch& scratch)
      : rest_(arguments.rest),
        pose_(arguments.pose),
        step_(arguments.step),
        options_(arguments),
        scratch_(scratch),
        meeting_(arguments.step.arrived, arguments.step.start),
        start_(cycles()) {}

  __device__ __forceinline__ void run() {
    if (!options_.again) transport();
    if (!control()) return;
    iterate();
    if (options_.bring_back) bring_back();
    check();
  }

 private:
  __device__ bool is_first() const { return blockIdx.x == 0 && threadIdx.x == 0; }
  __device__ void stage_done(Stage stage) {
    if (!is_first()) return;
    const unsigned long long now = cycles();
    step_.counts->cycles[stage] += now - start_;
    start_ = now;
  }

  __device__ void keep(std::uint32_t v) const {
    options_.kept_p[v] = step_.p[v];
    options_.kept_held_count[v] = step_.held_count[v];
    const std::size_t row = static_cast<std::size_t>(v) * step_.room;
    for (std::uint32_t i = 0; i < step_.held_count[v]; ++i) options_.kept_held[row + i] = step_.held[row + i];
  }
  __device__ bool starts_over(std::uint32_t v) const { return options_.unwound != nullptr && options_.unwound[v] != 0; }
  __device__ bool starts_smooth(std::uint32_t v) const { return options_.from_smooth_skin || starts_over(v); }
  __device__ void transport();
  __device__ bool control();
  __device__ void iterate();
  template <class Start>
  __device__ void project_live(int steps, float limit, const Start& start);
  __device__ int relax(int number);
  template <class Sums, bool kOneRun>
  __device__ int relax_runs(Tag tag);
  __device__ void narrow();
  __device__ void bring_back();
  __device__ void check();

  const RestArrays& rest_;
  const PoseArrays& pose_;
  const StepArrays& step_;
  const SubstepArguments& options_;
  BlockScratch& scratch_;
  Meeting meeting_;
  std::uint32_t live_ = 0;  // vertices
  Evaluated evaluated_;
  unsigned long long start_;
};

// Who is active, and carrying all.
__device__ void Substep::transport() {
  each(rest_.count, [&](std::uint32_t v) {
    const bool stirred = has_bone(rest_, v) && is_stirred(rest_, pose_, v, rest_.owner[v]);
    step_.ring_of[v] = stirred ? 0 : kNoRing;
    step_.away[v] = 0;
  });
  for (int ring = 1; ring <= options_.rings + 1; ++ring) {
    meeting_.wait();
    each(rest_.count, [&](std::uint32_t v) { grow_ring(rest_, step_, v, static_cast<std::uint8_t>(ring)); });
  }
  // Its own vertices alone, in the same blocks: nobody else wrote what is read here.
  each(rest_.count, [&](std::uint32_t v) {
    const bool active =
        step_.ring_of[v] <= options_.rings && has_bone(rest_, v) && rest_.turn_begin[v] < rest_.turn_begin[v + 1];
    step_.is_active[v] = active ? 1 : 0;
    if (options_.kept_p != nullptr) keep(v);
    carry(rest_, pose_, step_, v);
    if (step_.ring_of[v] <= options_.rings + 1) blend_vertex(rest_, pose_, step_, v);
    if (!active || starts_over(v)) step_.held_count[v] = 0;
    if (starts_over(v)) options_.at_once[v] = 1;
    step_.stretch[v] = 1;
    step_.moved[v] = 0;
    step_.awake[v] = active ? 1 : 0;
  });
  const auto is_active = [&](std::uint32_t v) { return step_.is_active[v] != 0; };
  __syncthreads();
  count_them(rest_.count, is_active, step_.counted, scratch_);
  meeting_.wait();
  const auto put = [&](std::uint32_t v, std::uint32_t place) { step_.active[place] = step_.live[place] = v; };
  const std::uint32_t active = list_them(rest_.count, is_active, put, step_.counted, scratch_);
  if (is_first()) step_.counts->active = active;
  meeting_.wait();
  stage_done(kTransport);
}

// False: there is no room for the near parts of a vertex.
__device__ bool Substep::control() {
  live_ = step_.counts->active;
  each(live_, [&](std::uint32_t i) {
    const std::uint32_t v = step_.active[i];
    std::uint32_t count = 0;
    if (find_near(rest_, pose_, step_, v, count))
      settle_vertex(rest_, pose_, step_, v, count);
    else
      atomicAdd(&step_.counts->overflow, 1U);
  });
  meeting_.wait();
  stage_done(kControl);
  return step_.counts->overflow == 0;
}

__device__ __forceinline__ void Substep::iterate() {
  if (live_ == 0) return;
  each(live_, [&](std::uint32_t i) { remember_contact(step_, step_.active[i]); });
  project_live(options_.projections, 1.0F,
               [&](std::uint32_t v) { return Place{starts_smooth(v) ? step_.blended[v] : step_.p[v], 0}; });
  meeting_.wait();
  stage_done(kProject);
  each(live_, [&](std::uint32_t i) {
    const std::uint32_t v = step_.active[i];
    step_.stretch[v] = mean_stretch(rest_, step_, v);
  });
  meeting_.wait();
  unsigned long long relaxed = 0, gradients = 0;
  std::uint32_t iterations = 0;
  for (int i = 0; i < options_.relaxations && live_ > 0; ++i) {
    const int steps = relax(i);
    relaxed += live_;
    gradients += static_cast<unsigned long long>(live_) * static_cast<unsigned>(steps);
    ++iterations;
    stage_done(kRelax);
    project_live(2, 0.5F, [&](std::uint32_t v) { return slide(rest_, step_, v); });
    meeting_.wait();
    stage_done(kProject);
    narrow();
  }
  if (is_first()) {
    step_.counts->vertex_iterations = relaxed;
    step_.counts->gradient_steps = gradients;
    step_.counts->iterations = iterations;
  }
}

// From where `start` says. With few vertices four threads take one; with many, threads are better used alone.
template <class Start>
__device__ void Substep::project_live(int steps, float limit, const Start& start) {
  if (live_ <= gridDim.x * (kThreads / 2)) {
    each(4 * live_, [&](std::uint32_t i) {
      const std::uint32_t v = step_.live[i / 4];
      project<Four>(rest_, pose_, step_, v, start(v), steps, limit, evaluated_);
    });
  } else {
    each(live_, [&](std::uint32_t i) {
      const std::uint32_t v = step_.live[i];
      project<Alone>(rest_, pose_, step_, v, start(v), steps, limit, evaluated_);
    });
  }
}

// Conjugate gradients, base/conjugate_gradients.h; returns steps, to the first thread at least. Who has no vertices
// goes on.
__device__ __forceinline__ int Substep::relax(int number) {
  const Tag tag = step_.tag + static_cast<Tag>(number) * tags_of_relaxation(options_.inner);
  const bool fit = live_ <= gridDim.x * kThreads;
  const int steps = !fit               ? relax_runs<BlockSums, false>(tag)
                    : live_ > kFewLive ? relax_runs<BlockSums, true>(tag)
                                       : relax_runs<WarpSums, true>(tag);
  meeting_.wait();
  return steps;
}

// A direction is made where it is needed, by all that need it, so that they wait for each other twice a step. What a
// row shows its neighbours carries the number of the step, and so do the sums: no fence, no barrier. Who has the sum of
// a step knows that all have read what was shown before it, so that two places for each are enough. kOneRun: a thread
// has one row at most.
template <class Sums, bool kOneRun>
__device__ __forceinline__ int Substep::relax_runs(Tag tag) {
  const std::uint32_t runs = (live_ + Sums::kRun - 1) / Sums::kRun;
  if (Sums::first() >= runs) return 0;
  Sums sums(step_.sums, runs, tag, scratch_);
  TrackRow own{};  // where others have theirs in memory, which they read and write as little of as they can
  const auto each_row = [&](const auto& body) {
    for (std::uint32_t run = Sums::first(); run < runs; run += Sums::step()) {
      const std::uint32_t l = run * Sums::kRun + Sums::thread();
      sums.tell_run(run, l < live_ ? body(kOneRun ? own : step_.rows[l], l) : 0.0F);
      if (kOneRun) return;
    }
  };
  const auto steps = [&] {
    each_row([&](TrackRow& row, std::uint32_t l) {
      row = set_up_row(rest_, pose_, step_, step_.live[l], tag + 1);
      return dot(row.r, row.z);
    });
    double rz = sums.total();
    const double least = kReduction * rz;
    float beta = 0;
    for (int turn = 0; turn < options_.inner; ++turn) {
      if (!(rz > least && rz > 0)) return turn;
      each_row([&](TrackRow& row, std::uint32_t) { return apply_row(rest_, step_, row, turn, beta, tag + 1 + turn); });
      const double dq = sums.total();
      if (!(dq > 0)) return turn + 1;
      const auto alpha = static_cast<float>(rz / dq);
      each_row([&](TrackRow& row, std::uint32_t) { return reduce_row(step_, row, alpha, tag + 2 + turn); });
      const double next = sums.total();
      beta = static_cast<float>(next / rz);
      rz = next;
    }
    return options_.inner;
  }();
  for (std::uint32_t run = Sums::first(); run < runs; run += Sums::step())
    if (const std::uint32_t l = run * Sums::kRun + Sums::thread(); l < live_)
      step_.x[step_.live[l]] = kOneRun ? own.x : step_.rows[l].x;
  return steps;
}

// Of the active vertices those go on living that moved, and their neighbours.
__device__ void Substep::narrow() {
  const std::uint32_t active = step_.counts->active;
  each(active, [&](std::uint32_t i) {
    const std::uint32_t v = step_.active[i];
    const bool moves = still_moves(rest_, step_, v);
    step_.awake[v] = moves ? 1 : 0;
    if (moves) step_.stretch[v] = mean_stretch(rest_, step_, v);
  });
  __syncthreads();
  const auto is_awake = [&](std::uint32_t i) { return step_.awake[step_.active[i]] != 0; };
  count_them(active, is_awake, step_.counted, scratch_);
  meeting_.wait();
  const auto put = [&](std::uint32_t i, std::uint32_t place) { step_.live[place] = step_.active[i]; };
  live_ = list_them(active, is_awake, put, step_.counted, scratch_);
  each(active, [&](std::uint32_t i) {
    const std::uint32_t v = step_.active[i];
    step_.moved[v] = 0;
  });
  meeting_.wait();
  stage_done(kRelax);
}

// Twice: of two that flew together the second is seen when the first is back. One after the other, for what goes back
// looks at its neighbours; there are hardly ever any.
__device__ void Substep::bring_back() {
  const std::uint32_t active = step_.counts->active;
  const auto ring_of = [&](std::uint32_t v) { return rest_.ring + rest_.ring_begin[v]; };
  const auto count_of = [&](std::uint32_t v) { return rest_.ring_begin[v + 1] - rest_.ring_begin[v]; };
  for (int pass = 0; pass < 2; ++pass) {
    each(active, [&](std::uint32_t i) {
      const std::uint32_t v = step_.active[i];
      const bool flew = flew_off(step_.p[v], step_.blended[v], rest_.positions[v], rest_.edge[v], step_.p,
                                 step_.blended, rest_.positions, ring_of(v), count_of(v));
      step_.awake[v] = flew ? 1 : 0;
      if (flew) atomicAdd(&step_.counts->flew, 1U);
    });
    meeting_.wait();
    if (step_.counts->flew == 0) return;
    meeting_.wait();
    if (is_first()) {
      step_.counts->flew = 0;
      for (std::uint32_t i = 0; i < active; ++i) {
        const std::uint32_t v = step_.active[i];
        if (step_.awake[v] == 0) continue;
        step_.p[v] = among_neighbours(step_.blended[v], step_.p, step_.blended, ring_of(v), count_of(v));
      }
    }
    meeting_.wait();
  }
}

__device__ void Substep::check() {
  const std::uint32_t active = step_.counts->active;
  std::uint32_t missed = 0, touching = 0, inverted = 0;
  each(active, [&](std::uint32_t i) {
    const ResidualSample& s = step_.samples[step_.active[i]];
    missed += std::fabs(s.value) > kMissed && !s.contact ? 1 : 0;
    touching += s.contact ? 1 : 0;
  });
  each(rest_.triangle_count,
       [&](std::uint32_t i) { inverted += is_inverted(rest_, step_, rest_.triangles[i]) ? 1 : 0; });
  // Those of a block first: all blocks write to the same place.
  const std::uint32_t numbers[] = {missed, touching, inverted, evaluated_.fields, evaluated_.operations};
  if (threadIdx.x < 5) scratch_.tally[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < 5; ++i)
    if (numbers[i] > 0) atomicAdd(&scratch_.tally[i], numbers[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&step_.counts->missed, scratch_.tally[0]);
    atomicAdd(&step_.counts->touching, scratch_.tally[1]);
    atomicAdd(&step_.counts->inverted, scratch_.tally[2]);
    atomicAdd(&step_.counts->evaluations, static_cast<unsigned long long>(scratch_.tally[3]));
    atomicAdd(&step_.counts->operations, static_cast<unsigned long long>(scratch_.tally[4]));
  }
  stage_done(kCheck);
}

/// kBlocks: that a multiprocessor has at once. One has more registers, two have more rows of a relaxation in them.
template <int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks)
    substep_kernel(const __grid_constant__ SubstepArguments arguments) {
  Substep(arguments, block_memory<BlockScratch>()).run();
}

}  // namespace

SubstepGrid substep_grid(std::uint32_t vertices) {
  const unsigned one = blocks_at_once(substep_kernel<1>, processors());
  if (vertices <= one * kThreads) return {std::min(one, (vertices + kBlockVertices - 1) / kBlockVertices), false};
  return {blocks_at_once(substep_kernel<2>, 2 * processors()), true};
}

void launch_substep(const SubstepArguments& arguments, const SubstepGrid& grid, const Stream& stream) {
  launch_as_one(grid.two ? substep_kernel<2> : substep_kernel<1>, grid.blocks, arguments, stream);
}

}  // namespace cutis::cuda
