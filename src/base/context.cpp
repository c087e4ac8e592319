#include "cutis/context.h"

#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/thread_pool.h"
#include "cutis/error.h"

namespace cutis {
namespace {

int resolve(int threads) {
  if (threads > 0) return threads;
  const unsigned cores = std::thread::hardware_concurrency();
  return cores > 0 ? static_cast<int>(cores) : 1;
}

}  // namespace

Context::Context(int threads, Backend backend)
    : pool_(std::make_unique<ThreadPool>(resolve(threads))), backend_(backend) {}
Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
int Context::threads() const noexcept { return pool_->threads(); }

std::string_view to_string(Backend backend) { return backend == Backend::scalar ? "scalar" : "simd"; }

std::vector<std::string> backend_names() { return {"scalar", "simd"}; }

Backend backend_from_string(std::string_view name) {
  for (const Backend backend : {Backend::scalar, Backend::simd})
    if (to_string(backend) == name) return backend;
  throw Error(ErrorCode::bad_argument, "back end",
              fmt::format("'{}' is not built into this program; it has: {}", name, fmt::join(backend_names(), ", ")));
}

}  // namespace cutis
