// How kernels run, and what their threads share. Kernels take one argument, plain data.
#pragma once

#include <cuda_runtime.h>

#include "backends/cuda/runtime.h"
#include "backends/cuda/track_kernel.h"

namespace cutis::cuda {

/// Threads a block. Sums over vertices go in runs of as many, as those of the host do.
inline constexpr unsigned kThreads = 256;

/// All that the block has written up to its last __syncthreads() is seen by whoever sees the time.
__device__ inline void tell(Time* to, Time time) {
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(time) : "memory");
}
/// Whether it was told.
__device__ inline bool heard(const Time* from, Time time) {
  Time now = 0;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(from) : "memory");
  return now >= time;
}
/// After that: what the others wrote is seen by this thread, and by its block after the next __syncthreads().
__device__ inline void see_what_was_told() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

/// A number with its tag in both halves: nothing else is seen by who hears it, and nothing else waits for it.
__device__ inline void tell(Post* to, double number, Tag tag) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(number));
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&to->high), "l"((bits & 0xffffffff00000000ULL) | tag)
               : "memory");
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&to->low), "l"((bits << 32) | tag) : "memory");
}
__device__ inline double hear(const Post* from, Tag tag) {
  unsigned long long high = 0, low = 0;
  do {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(high) : "l"(&from->high) : "memory");
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(low) : "l"(&from->low) : "memory");
  } while (static_cast<Tag>(high) != tag || static_cast<Tag>(low) != tag);
  return __longlong_as_double(static_cast<long long>((high & 0xffffffff00000000ULL) | (low >> 32)));
}

/// The same with three numbers, in one piece.
__device__ inline void tell(TaggedVector* to, const Vec3f& v, Tag tag) {
  const auto pair = [](unsigned a, unsigned b) { return static_cast<unsigned long long>(b) << 32 | a; };
  asm volatile("{ .reg .b128 all; mov.b128 all, {%1, %2}; st.relaxed.gpu.global.b128 [%0], all; }" ::"l"(to),
               "l"(pair(__float_as_uint(v.x), __float_as_uint(v.y))), "l"(pair(__float_as_uint(v.z), tag))
               : "memory");
}
/// False: not yet.
__device__ inline bool heard(const TaggedVector* from, Tag tag, Vec3f& v) {
  unsigned long long first = 0, second = 0;
  asm volatile("{ .reg .b128 all; ld.relaxed.gpu.global.b128 all, [%2]; mov.b128 {%0, %1}, all; }"
               : "=l"(first), "=l"(second)
               : "l"(from)
               : "memory");
  v = {__uint_as_float(static_cast<unsigned>(first)), __uint_as_float(static_cast<unsigned>(first >> 32)),
       __uint_as_float(static_cast<unsigned>(second))};
  return static_cast<Tag>(second >> 32) == tag;
}

/// Of the thread of the warp whose number differs in those bits.
__device__ inline double shuffled(double number, int lanes) { return __shfl_xor_sync(0xffffffffU, number, lanes); }

/// Memory of a block, one T for all of a kernel.
template <class T>
__device__ inline T& block_memory() {
  __shared__ T memory;
  return memory;
}

/// Cycles of this multiprocessor.
__device__ inline unsigned long long cycles() { return static_cast<unsigned long long>(clock64()); }

template <class Arguments>
void launch(void (*kernel)(Arguments), std::size_t items, const Arguments& arguments, const Stream& stream) {
  if (items == 0) return;
  void* list[] = {const_cast<Arguments*>(&arguments)};
  const auto blocks = static_cast<unsigned>((items + kThreads - 1) / kThreads);
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(kThreads), list, 0, stream.get()),
        "a kernel could not be started");
}

/// Of the device.
[[nodiscard]] inline unsigned processors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "there is no device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "the device does not answer");
  return static_cast<unsigned>(count);
}

/// As many blocks as fit on the device at once, at most `most`: they may wait for each other.
template <class Arguments>
[[nodiscard]] unsigned blocks_at_once(void (*kernel)(Arguments), unsigned most) {
  int each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, reinterpret_cast<const void*>(kernel),
                                                      static_cast<int>(kThreads), 0),
        "a kernel does not fit on the device");
  const unsigned all = processors() * static_cast<unsigned>(each);
  return all < most ? all : most;
}

template <class Arguments>
void launch_as_one(void (*kernel)(Arguments), unsigned blocks, const Arguments& arguments, const Stream& stream) {
  void* list[] = {const_cast<Arguments*>(&arguments)};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(kThreads), list, 0,
                                    stream.get()),
        "a kernel could not be started");
}

}  // namespace cutis::cuda
