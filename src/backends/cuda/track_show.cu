// What is shown of a tracked skin: TrackShow::update as one kernel, and normals, states and residuals of it.
#include <algorithm>

#include "backends/cuda/block.cuh"
#include "backends/cuda/track_kernel.h"
#include "backends/cuda/track_vertex.cuh"
#include "geometry/normals.h"
#include "kernels/shared_gain.h"
#include "kernels/smooth.h"

namespace cutis::cuda {
namespace {

template <class T>
__device__ void swap_them(T*& a, T*& b) {
  T* const c = a;
  a = b;
  b = c;
}

/// One thread's view of the kernel.
class Show {
 public:
  __device__ explicit Show(const ShowArguments& arguments)
      : a_(arguments),
        rest_(arguments.rest),
        step_(arguments.step),
        shown_(arguments.shown),
        next_(arguments.next),
        previous_(arguments.previous),
        beta_(arguments.beta),
        meeting_(arguments.step.arrived, arguments.step.start) {}

  __device__ void run() {
    if (!a_.carried) {
      each(rest_.count, [&](std::uint32_t v) { next_[v] = gain(v); });
      meeting_.wait();
      each(rest_.count, [&](std::uint32_t v) { follow(v, next_); });
      meeting_.wait();
      touches_ = step_.counts->touching > 0;
      if (touches_) smooth();
      fair();
    }
    each(rest_.input_count, [&](std::uint32_t i) {
      const Vec3f& p = shown_[rest_.welded_of[i]];
      a_.positions[i] = static_cast<Vec3f>(transform_point(a_.root, static_cast<Vec3d>(p)));
    });
  }

 private:
  __device__ bool follows(std::uint32_t v) const;
  __device__ Vec3f smooth_place(std::uint32_t v) const {
    return step_.is_active[v] != 0 ? step_.blended[v] : step_.p[v];
  }
  __device__ Vec3f target_of(std::uint32_t v) const {
    return a_.to_rest[rest_.owner[v]] * (step_.p[v] - smooth_place(v));
  }
  __device__ Vec3f gain(std::uint32_t v) const;
  __device__ void follow(std::uint32_t v, const Vec3f* gains);
  __device__ void smooth();
  __device__ void find_row(std::uint32_t v, const float* twist);
  __device__ void fair();
  __device__ const std::uint32_t* ring(std::uint32_t v) const { return rest_.ring + rest_.ring_begin[v]; }
  __device__ std::uint32_t ring_size(std::uint32_t v) const { return rest_.ring_begin[v + 1] - rest_.ring_begin[v]; }

  const ShowArguments& a_;
  const RestArrays& rest_;
  const StepArrays& step_;
  Vec3f *shown_, *next_, *previous_;
  float* beta_;
  Meeting meeting_;
  bool touches_ = false;
};

__device__ bool Show::follows(std::uint32_t v) const {
  return rest_.owner[v] != RigSurface::kNoBone &&
         (step_.is_active[v] != 0 || !(a_.off[v] == Vec3f{}) || !(a_.drift[v] == Vec3f{}));
}

// A frame, to be there at once.
__device__ Vec3f Show::gain(std::uint32_t v) const {
  if (a_.at_once || !follows(v)) return {};
  const Vec3f way = target_of(v) - a_.off[v];
  if (!is_finite(way)) return {};
  return a_.motion[rest_.owner[v]].linear * ((way / a_.frames - a_.drift[v]) / a_.frames);
}

__device__ void Show::follow(std::uint32_t v, const Vec3f* gains) {
  shown_[v] = step_.p[v];
  const bool at_once = a_.at_once || a_.at_once_there[v] != 0;
  a_.at_once_there[v] = 0;
  if (!follows(v)) return;
  const std::uint32_t b = rest_.owner[v];
  const Vec3f target = target_of(v), drift = a_.drift[v];
  Vec3f off = a_.off[v];
  if (at_once || !is_finite(target)) {
    a_.off[v] = is_finite(target) ? target : Vec3f{};
    a_.drift[v] = {};
    return;
  }
  const Vec3f at_rest = rest_.positions[v];
  const float speed =
      distance(transform_point(a_.motion[b], at_rest), transform_point(a_.last_motion[b], at_rest)) / a_.frames;
  const float radius = rest_.radius[b] > 0 ? rest_.radius[b] : rest_.edge[v];
  const Vec3f shared = a_.to_rest[b] * shared_gain(v, gains, ring(v), ring_size(v));
  const GentleStart<float> gentle =
      start_gently(target - off, drift, gentle_gain(rest_.edge[v], radius, off, shared), speed, a_.frames);
  off = gentle.late ? off + gentle.drift * a_.frames : target;
  a_.drift[v] = gentle.drift;
  a_.off[v] = off;
  if (gentle.late) shown_[v] = smooth_place(v) + a_.motion[b].linear * off;
}

// Around contact; backends/smooth_contact.cpp.
__device__ void Show::smooth() {
  float* next_beta = a_.next_beta;
  each(rest_.count,
       [&](std::uint32_t v) { beta_[v] = step_.is_active[v] != 0 && step_.samples[v].contact ? 1.0F : 0.0F; });
  for (int pass = 0; pass < kSpread; ++pass) {
    meeting_.wait();
    each(rest_.count, [&](std::uint32_t v) {
      next_beta[v] = step_.is_active[v] != 0 ? mean_with_ring(beta_[v], beta_, ring(v), ring_size(v)) : 0.0F;
    });
    swap_them(beta_, next_beta);
  }
  each(rest_.count, [&](std::uint32_t v) {
    if (step_.is_active[v] != 0) beta_[v] *= is_rigid(rest_, v) ? 0.0F : rest_.fine[v];
  });
  for (int pass = 0; pass < a_.smoothing; ++pass) {
    meeting_.wait();
    each(rest_.count, [&](std::uint32_t v) {
      next_[v] = step_.is_active[v] != 0
                     ? smooth_towards_ring(shown_[v], shown_, ring(v), ring_size(v), kSmoothing * beta_[v])
                     : shown_[v];
    });
    swap_them(shown_, next_);
  }
  meeting_.wait();
}

__device__ void Show::find_row(std::uint32_t v, const float* twist) {
  const std::uint32_t b = rest_.owner[v];
  const Vec3f p = shown_[v];
  a_.rows[v] = {p, 0};
  if (is_rigid(rest_, v)) return;
  float reach = kFairEdges;
  if (b != RigSurface::kNoBone && rest_.radius[b] > 0)
    reach = smaller(reach, kFairRadii * rest_.radius[b] / rest_.edge[v]);
  float attached = 1 / (reach * reach);
  if (twist != nullptr) attached += kTwistHold * twist[v];
  if (!a_.guarded && touches_) attached += relaxation::odds(beta_[v]);
  if (rest_.stiffness != nullptr) attached += relaxation::odds(rest_.stiffness[v]);
  if (a_.pin != nullptr) attached += relaxation::odds(a_.pin[v]);
  a_.rows[v] = fair_row(p, v, rest_.positions, step_.turn, ring(v), rest_.ring_weight + rest_.ring_begin[v],
                        ring_size(v), attached);
}

// Chebyshev's iteration over all that is not carried exactly.
__device__ void Show::fair() {
  const float* twist = nullptr;
  each(rest_.count, [&](std::uint32_t v) {
    a_.listed[v] = step_.is_active[v] != 0 || !(shown_[v] == step_.p[v]) ? 1 : 0;
    const std::uint32_t b = rest_.owner[v];
    if (step_.ring_of[v] == kNoRing && b != RigSurface::kNoBone) step_.turn[v] = a_.motion[b].linear;
    next_[v] = previous_[v] = shown_[v];
    if (a_.twists == nullptr) return;
    float most = 0;
    if (rest_.turn_begin[v + 1] - rest_.turn_begin[v] > 1)
      for (std::uint32_t i = rest_.turn_begin[v]; i < rest_.turn_begin[v + 1]; ++i)
        most = larger(most, a_.twists[rest_.turn_bone[i]]);
    a_.twist[v] = most;
  });
  if (a_.twists != nullptr) {
    float *now = a_.twist, *then = a_.next_twist;
    for (int pass = 0; pass < kTwistRings; ++pass) {
      meeting_.wait();
      each(rest_.count, [&](std::uint32_t v) {
        float most = now[v];
        for (std::uint32_t i = rest_.ring_begin[v]; i < rest_.ring_begin[v + 1]; ++i)
          most = larger(most, kTwistFade * now[rest_.ring[i]]);
        then[v] = most;
      });
      swap_them(now, then);
    }
    twist = now;
  }
  meeting_.wait();
  each(rest_.count, [&](std::uint32_t v) {
    if (a_.listed[v] != 0) find_row(v, twist);
  });
  constexpr float rho = 1 / (1 + 1 / (kFairEdges * kFairEdges));
  float weight = 1;
  for (int pass = 0; pass < kFairPasses; ++pass) {
    if (pass > 0) weight = pass == 1 ? 2 / (2 - rho * rho) : 4 / (4 - rho * rho * weight);
    each(rest_.count, [&](std::uint32_t v) {
      if (a_.listed[v] == 0) return;
      const Vec3f place =
          fair_place(a_.rows[v], shown_, ring(v), rest_.ring_weight + rest_.ring_begin[v], ring_size(v));
      next_[v] = pass == 0 ? place : lerp(previous_[v], place, weight);
    });
    swap_them(previous_, shown_);
    swap_them(shown_, next_);
    meeting_.wait();
  }
  // Where the host looks for it.
  if (shown_ == a_.shown) return;
  each(rest_.count, [&](std::uint32_t v) { a_.shown[v] = shown_[v]; });
}

__global__ void __launch_bounds__(kThreads) show_kernel(const __grid_constant__ ShowArguments arguments) {
  Show(arguments).run();
}

// The rest normal turns with its bone, then as the surface does, so that hard edges stay hard. States and residuals are
// those of the last samples.
__global__ void __launch_bounds__(kThreads) describe_vertices_kernel(const __grid_constant__ DescribeArguments a) {
  const std::uint32_t v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= a.rest.count) return;
  const RestArrays& rest = a.rest;
  const StepArrays& step = a.step;
  Vec3f sum;
  for (std::uint32_t i = rest.corner_begin[v]; i < rest.corner_begin[v + 1]; ++i)
    sum += face_normal<float>(a.shown, rest.triangles[rest.corner[i]]);
  const Vec3f normal = normalized(sum);
  const Quatf carry = has_bone(rest, v) ? a.rotation[rest.owner[v]] : Quatf{};
  const bool usable = !(normal == Vec3f{}) && !(rest.normals[v] == Vec3f{});
  a.bend[v] = usable ? rotation_between(rotate(carry, rest.normals[v]), normal) * carry : carry;

  const bool tracked = rest.tracked[v] != 0;
  VertexState state = VertexState::rigid;
  float residual = tracked ? 0.0F : __int_as_float(0x7fc00000);
  if (a.stepped && step.is_active[v] != 0) {
    const ResidualSample t = step.samples[v];
    if (!tracked) state = VertexState::outside;
    if (tracked && (!is_rigid(rest, v) || t.contact)) {
      residual = t.value;
      const bool flat = length(t.gradient) < kFlatSlope * rest.slope[v];
      state = std::fabs(t.value) < kConverged ? t.contact ? VertexState::contact : VertexState::converged
              : flat                          ? VertexState::flat
                                              : VertexState::limit;
    }
  }
  a.state[v] = state;
  a.residual[v] = residual;
}

__global__ void __launch_bounds__(kThreads) describe_inputs_kernel(const __grid_constant__ DescribeArguments a) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= a.rest.input_count) return;
  const std::uint32_t v = a.rest.welded_of[i];
  const Vec3f n = rotate(a.bend[v], a.rest.input_normals[i]);
  a.normals[i] = normalized(a.turn_root * n, n);
  a.states[i] = a.state[v];
  a.residuals[i] = a.residual[v];
}

}  // namespace

unsigned show_blocks(std::uint32_t vertices) {
  return std::min(blocks_at_once(show_kernel, processors()), (vertices + kThreads / 4 - 1) / (kThreads / 4));
}

void launch_show(const ShowArguments& arguments, unsigned blocks, const Stream& stream) {
  launch_as_one(show_kernel, blocks, arguments, stream);
}

void launch_describe(const DescribeArguments& arguments, const Stream& stream) {
  launch(describe_vertices_kernel, arguments.rest.count, arguments, stream);
  launch(describe_inputs_kernel, arguments.rest.input_count, arguments, stream);
}

}  // namespace cutis::cuda
