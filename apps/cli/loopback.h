// One page over HTTP, for this machine alone: 127.0.0.1, one connection after another. With the headers that isolate the
// page from other sites' (cross-origin isolation), which browsers ask for before they let its threads share memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace cutis::cli {

class Loopback {
 public:
  /// Listens; port 0 takes a free one. Throws Error.
  explicit Loopback(std::uint16_t port);
  ~Loopback();
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Answers with `page` (HTML) at / until `stop` returns true, which is asked ten times a second.
  void serve(std::string_view page, const std::function<bool()>& stop) const;

 private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace cutis::cli
