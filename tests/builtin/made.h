// Built-in characters for tests that only read them: each is made once per program.
#pragma once

#include <map>
#include <string>

#include "character/builtin/builtin.h"

namespace cutis::test {

inline const Character& made(const std::string& name) {
  static std::map<std::string, Character> all;
  const auto it = all.find(name);
  return it != all.end() ? it->second : all.emplace(name, make_builtin(name, Context(1))).first->second;
}

}  // namespace cutis::test
