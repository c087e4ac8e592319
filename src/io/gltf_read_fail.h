// How the glTF readers refuse a file.
#pragma once

#include <string>

#include "cutis/error.h"

namespace cutis::gltf {

[[noreturn]] inline void fail(const std::string& place, const std::string& sentence) {
  throw Error(ErrorCode::bad_file, place, sentence);
}

}  // namespace cutis::gltf
