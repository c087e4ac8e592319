// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

namespace cutis {

enum class ErrorCode {
  bad_file,       ///< a file that cannot be read: truncated, wrong magic, out-of-range, unsupported
  bad_character,  ///< readable, but not a usable character
  bad_argument,   ///< an option or a name that does not fit
  io,             ///< the system refused to read or write
  cancelled,
};

/// Bad user data. what() is one sentence: the place (file, mesh, bone), what is wrong, what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string place, const std::string& sentence)
      : std::runtime_error(place.empty() ? sentence : place + ": " + sentence), code_(code), place_(std::move(place)) {}

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& place() const noexcept { return place_; }

 private:
  ErrorCode code_;
  std::string place_;
};

}  // namespace cutis
