#include "cutis/context.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "cutis/error.h"

namespace cutis {
namespace {

int number_of_threads(int asked) {
  if (asked < 0 || asked > Context::kMostThreads)
    throw Error(ErrorCode::bad_argument, "context",
                fmt::format("threads is {}; it must be between 0 (all cores) and {}", asked, Context::kMostThreads));
  if (asked > 0) return asked;
  return std::min(available_cores(), Context::kMostThreads);
}

}  // namespace

Context::Context(int threads, Backend backend)
    : pool_(std::make_shared<ThreadPool>(number_of_threads(threads))), backend_(backend) {}
Context::~Context() = default;
Context::Context(const Context&) = default;
Context& Context::operator=(const Context&) = default;
int Context::threads() const noexcept { return pool_->threads(); }

void Context::throw_cancelled() { throw Error(ErrorCode::cancelled, "", "cancelled"); }

std::string_view to_string(Backend backend) {
  return backend == Backend::scalar ? "scalar" : backend == Backend::simd ? "simd" : "cuda";
}

std::vector<std::string> backend_names() {
#if defined(CUTIS_CUDA)
  return {"scalar", "simd", "cuda"};
#else
  return {"scalar", "simd"};
#endif
}

Backend backend_from_string(std::string_view name) {
  const std::vector<std::string> names = backend_names();
  for (const Backend backend : {Backend::scalar, Backend::simd, Backend::cuda})
    if (to_string(backend) == name && std::ranges::find(names, name) != names.end()) return backend;
  throw Error(ErrorCode::bad_argument, "back end",
              fmt::format("'{}' is not built into this program; it has: {}", name, fmt::join(names, ", ")));
}

}  // namespace cutis
