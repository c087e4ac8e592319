// Text that is safe to show: names and messages out of files for a terminal, faults of JSON in our own words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cutis {

/// `text` on one line, for a terminal: valid UTF-8 is kept; control characters (also those that turn the direction of
/// writing) and bytes that are not UTF-8 become \xNN; what is longer than `longest` bytes is shortened in its middle.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 1000);

/// Why `text` is not JSON: "line 3, column 7: expected ',' or '}', found 'x'". Empty when it is. `comments`: those of
/// C++ count as space. Nesting of more than 500 levels is a fault too: programs that go through it would run out of
/// stack.
[[nodiscard]] std::string json_fault(std::string_view text, bool comments = false);

}  // namespace cutis
