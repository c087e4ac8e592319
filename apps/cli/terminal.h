// What people and programs around ours see: lines on stdout and stderr. Nothing that a file holds reaches a terminal
// raw. What cannot be told on stderr does not matter; what is lost on stdout does.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "cutis/text.h"

namespace cutis::cli {

/// Keeps files that are opened later off the numbers of stdin, stdout and stderr where those are closed: a message
/// would go into an output. Writing to them still fails. Call it first.
void guard_standard_streams();

/// A line on stderr.
void complain(std::string_view line) noexcept;
/// As it is, without an end of line, on stderr: progress.
void show_progress(std::string_view text) noexcept;

/// As it is, on stdout. Throws Error(io) when it is full or closed.
void put(std::string_view text);
/// What is still in the buffer. Throws Error(io).
void flush_output();
/// Whether the last failure of put() was a reader that went away (a pipe), which is no fault of ours.
[[nodiscard]] bool reader_is_gone() noexcept;

/// Names for a list on one line.
[[nodiscard]] std::vector<std::string> shown(const std::vector<std::string>& names);

template <class T>
decltype(auto) shown_argument(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return printable(std::string_view(value));
  } else {
    return (value);
  }
}
/// Text for stdout: arguments that are texts come from files and are made printable, and so is the rest but for its
/// ends of lines.
[[nodiscard]] std::string printable_lines(std::string_view text);
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  const fmt::string_view text = format;
  put(printable_lines(fmt::format(fmt::runtime(text), shown_argument(args)...)));
}

}  // namespace cutis::cli
