// A fuzz target: what one reader does with any bytes. Each fuzz_NAME.cpp defines these; libfuzzer_entry.cpp
// runs them under libFuzzer (make fuzz), standalone.cpp for a short fixed budget in the test suite.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/mutations.h"

namespace cutis::fuzz {

/// How inputs are built: half of the mutations keep to it.
[[nodiscard]] Shape shape();

/// Small good files, from which mutations start.
[[nodiscard]] std::vector<std::string> seeds();

/// Reads. cutis::Error is a good answer; anything else that is thrown, and any fault, ends the process.
void read_input(std::string_view bytes);

}  // namespace cutis::fuzz
