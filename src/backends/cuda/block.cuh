// What the threads of a block do together: ranges of items, ranks, sums whose bits depend on nothing but the items.
#pragma once

#include <cstdint>

#include "backends/cuda/launch.cuh"

namespace cutis::cuda {

/// Memory of a block, for all that is here.
struct BlockScratch {
  double parts[2][kThreads / 32];
  std::uint32_t warps[kThreads / 32];
  std::uint32_t before, all;
  std::uint32_t tally[5];
};

/// Blocks wait for each other: each says that it has come, and looks for all others. Faster than a count that all of
/// them add to.
class Meeting {
 public:
  __device__ Meeting(Time* arrived, Time start) : arrived_(arrived), now_(start) {}
  /// Until all blocks are here; what they wrote is seen by all.
  __device__ void wait() {
    ++now_;
    __syncthreads();
    if (threadIdx.x == 0) tell(arrived_ + blockIdx.x, now_);
    if (threadIdx.x < 32) {
      for (bool all = false; !all;) {
        all = true;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += 32) all = heard(arrived_ + b, now_) && all;
        if (!all) __nanosleep(20);  // those who work need the memory, too
      }
      see_what_was_told();
    }
    __syncthreads();
  }

 private:
  Time* arrived_;
  Time now_;
};

/// The items of a block, of `count`: about as many for each, whole warps of them.
struct Share {
  std::uint32_t begin, end;
};
__device__ inline Share share_of(std::uint32_t count) {
  const std::uint32_t size = ((count + gridDim.x - 1) / gridDim.x + 31) / 32 * 32;
  const std::uint32_t begin = blockIdx.x * size, end = begin + size;
  return {begin, end < count ? end : count};
}

/// body(i) for all i in [0, count): neighbours to threads that are neighbours.
template <class Body>
__device__ void each(std::uint32_t count, const Body& body) {
  const auto [begin, end] = share_of(count);
  for (std::uint32_t i = begin + threadIdx.x; i < end; i += blockDim.x) body(i);
}

/// How many threads of the block before this one say yes; `all` of them.
__device__ inline std::uint32_t rank_in_block(bool yes, BlockScratch& scratch, std::uint32_t& all) {
  const unsigned lanes = __ballot_sync(0xffffffffU, yes);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  __syncthreads();
  if (lane == 0) scratch.warps[warp] = static_cast<std::uint32_t>(__popc(lanes));
  __syncthreads();
  std::uint32_t before = 0;
  all = 0;
  for (unsigned w = 0; w < kThreads / 32; ++w) {
    if (w < warp) before += scratch.warps[w];
    all += scratch.warps[w];
  }
  return before + static_cast<std::uint32_t>(__popc(lanes & ((1U << lane) - 1U)));
}

/// The first half of a list: how many of the block's items say yes, for all blocks to see. Each block has the same
/// items as in list_them().
template <class Yes>
__device__ void count_them(std::uint32_t count, const Yes& yes, std::uint32_t* counted, BlockScratch& scratch) {
  const auto [begin, end] = share_of(count);
  std::uint32_t sum = 0;
  for (std::uint32_t first = begin; first < end; first += blockDim.x) {
    std::uint32_t all = 0;
    const std::uint32_t i = first + threadIdx.x;
    static_cast<void>(rank_in_block(i < end && yes(i), scratch, all));
    sum += all;
  }
  if (threadIdx.x == 0) counted[blockIdx.x] = sum;
}

/// The second half, after all blocks have counted: put(i, place) in the list for all items that say yes, rising.
/// Returns how many they are.
template <class Yes, class Put>
__device__ std::uint32_t list_them(std::uint32_t count, const Yes& yes, const Put& put, const std::uint32_t* counted,
                                   BlockScratch& scratch) {
  __syncthreads();
  if (threadIdx.x == 0) scratch.before = scratch.all = 0;
  __syncthreads();
  for (std::uint32_t b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
    if (b < blockIdx.x) atomicAdd(&scratch.before, counted[b]);
    atomicAdd(&scratch.all, counted[b]);
  }
  __syncthreads();
  std::uint32_t place = scratch.before;
  const std::uint32_t total = scratch.all;
  const auto [begin, end] = share_of(count);
  for (std::uint32_t first = begin; first < end; first += blockDim.x) {
    std::uint32_t all = 0;
    const std::uint32_t i = first + threadIdx.x;
    const bool is = i < end && yes(i);
    const std::uint32_t rank = rank_in_block(is, scratch, all);
    if (is) put(i, place + rank);
    place += all;
  }
  return total;
}

/// Of a number a thread, the same tree always; all threads get it.
__device__ inline double sum_of_warp(double number) {
  for (int lanes = 16; lanes > 0; lanes /= 2) number += shuffled(number, lanes);
  return number;
}
__device__ inline double sum_of_block(double number, double (&parts)[kThreads / 32]) {
  number = sum_of_warp(number);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = number;
  __syncthreads();
  double sum = 0;
  for (unsigned w = 0; w < kThreads / 32; ++w) sum += parts[w];
  return sum;
}

/// Sums over runs of items, told by those who have them to all others: nobody goes on before all have told. Bits depend
/// on the items alone. Here blocks tell, runs of kThreads items.
class BlockSums {
 public:
  static constexpr std::uint32_t kRun = kThreads;
  /// `posts`: two a run. Tags rise from `tag` on.
  __device__ BlockSums(Post* posts, std::uint32_t runs, Tag tag, BlockScratch& scratch)
      : posts_(posts), runs_(runs), tag_(tag), scratch_(scratch) {}

  /// Who has runs: this one and every so many.
  __device__ static std::uint32_t first() { return blockIdx.x; }
  __device__ static std::uint32_t step() { return gridDim.x; }
  __device__ static std::uint32_t thread() { return threadIdx.x; }
  /// Of run `run`; all its threads, and all runs that they have, before total().
  __device__ void tell_run(std::uint32_t run, float number) {
    __syncthreads();  // what was read of the last run's parts
    const double sum = sum_of_block(static_cast<double>(number), scratch_.parts[0]);
    if (threadIdx.x == 0) tell(posts_ + 2 * run + (tag_ + 1) % 2, sum, tag_ + 1);
  }
  __device__ double total() {
    ++tag_;
    double number = 0;
    for (std::uint32_t run = threadIdx.x; run < runs_; run += blockDim.x)
      number += hear(posts_ + 2 * run + tag_ % 2, tag_);
    return sum_of_block(number, scratch_.parts[1]);
  }

 private:
  Post* posts_;
  std::uint32_t runs_;
  Tag tag_;
  BlockScratch& scratch_;
};

/// The same, of few items: warps tell, each for itself, one a multiprocessor as long as there are enough.
class WarpSums {
 public:
  static constexpr std::uint32_t kRun = 32;
  __device__ WarpSums(Post* posts, std::uint32_t runs, Tag tag, BlockScratch&)
      : posts_(posts), runs_(runs), tag_(tag) {}

  __device__ static std::uint32_t first() { return threadIdx.x / 32 * gridDim.x + blockIdx.x; }
  __device__ static std::uint32_t step() { return gridDim.x * (kThreads / 32); }
  __device__ static std::uint32_t thread() { return threadIdx.x % 32; }
  __device__ void tell_run(std::uint32_t run, float number) {
    const double sum = sum_of_warp(static_cast<double>(number));
    if (thread() == 0) tell(posts_ + 2 * run + (tag_ + 1) % 2, sum, tag_ + 1);
  }
  __device__ double total() {
    ++tag_;
    double number = 0;
    for (std::uint32_t run = thread(); run < runs_; run += 32) number += hear(posts_ + 2 * run + tag_ % 2, tag_);
    return sum_of_warp(number);
  }

 private:
  Post* posts_;
  std::uint32_t runs_;
  Tag tag_;
};

}  // namespace cutis::cuda
