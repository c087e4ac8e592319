// What a handle with a hidden implementation points to, unless it was moved from.
#pragma once

#include <memory>
#include <string>

#include "cutis/error.h"

namespace cutis {

/// Throws Error(bad_argument) when the object was moved from; `what`: its type, for the sentence.
template <class Impl>
[[nodiscard]] Impl& alive(const std::unique_ptr<Impl>& impl, const char* what) {
  if (!impl)
    throw Error(ErrorCode::bad_argument, what, "was moved from and is empty; use the object that it was moved to");
  return *impl;
}

}  // namespace cutis
