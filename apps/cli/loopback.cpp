#include "loopback.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "cutis/error.h"

namespace cutis::cli {
namespace {

constexpr std::size_t kMostRequest = 16384;  // bytes; browsers send under a thousand
constexpr int kListenMs = 100;
constexpr timeval kPatience{2, 0};  // for a browser that says or takes nothing

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// The request's head, or nothing where it does not come.
std::string read_head(int connection) {
  std::string head;
  std::array<char, 2048> piece{};
  while (head.find("\r\n\r\n") == std::string::npos && head.size() < kMostRequest) {
    const ssize_t count = recv(connection, piece.data(), piece.size(), 0);
    if (count <= 0) return {};
    head.append(piece.data(), static_cast<std::size_t>(count));
  }
  return head;
}

std::string host_of(const std::string& head) {
  const std::string all = lower(head);
  const std::size_t at = all.find("\r\nhost:");
  if (at == std::string::npos) return {};
  std::string host = all.substr(at + 7, all.find("\r\n", at + 7) - at - 7);
  host.erase(0, host.find_first_not_of(" \t"));
  return host.substr(0, host.find(':'));
}

void send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void answer(int connection, std::string_view page) {
  const std::string head = read_head(connection);
  if (head.empty()) return;
  const std::string line = head.substr(0, head.find("\r\n"));
  const bool get = line.starts_with("GET "), only_head = line.starts_with("HEAD ");
  const std::size_t from = line.find(' ') + 1;
  const std::string path = line.substr(from, line.find_first_of(" ?", from) - from);
  const std::string host = host_of(head);
  std::string_view status = "200 OK", body = page;
  // A name of another site may be made to point here (DNS rebinding): its pages get nothing.
  if (host != "127.0.0.1" && host != "localhost") status = "403 Forbidden", body = "this page is for this machine\n";
  else if (!get && !only_head) status = "405 Method Not Allowed", body = "GET it\n";
  else if (path != "/" && path != "/index.html") status = "404 Not Found", body = "there is one page, /\n";
  send_all(connection,
           fmt::format("HTTP/1.1 {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n"
                       "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n"
                       "Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\n"
                       "Referrer-Policy: no-referrer\r\nCache-Control: no-store\r\n\r\n",
                       status, status.starts_with("200") ? "text/html" : "text/plain", body.size()));
  if (!only_head) send_all(connection, body);
}

}  // namespace

Loopback::Loopback(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(port);
  socklen_t size = sizeof(place);
  const int yes = 1;
  auto* address = reinterpret_cast<sockaddr*>(&place);
  if (socket_ < 0 || setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      bind(socket_, address, size) != 0 || listen(socket_, 16) != 0 || getsockname(socket_, address, &size) != 0) {
    const int why = errno;
    if (socket_ >= 0) close(socket_);
    throw Error(ErrorCode::io, "--serve", fmt::format("port {} cannot be listened on: {}", port, std::strerror(why)));
  }
  port_ = ntohs(place.sin_port);
}

Loopback::~Loopback() { close(socket_); }

void Loopback::serve(std::string_view page, const std::function<bool()>& stop) const {
  while (!stop()) {
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, kListenMs) <= 0) continue;
    const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
    answer(connection, page);
    close(connection);
  }
}

}  // namespace cutis::cli
