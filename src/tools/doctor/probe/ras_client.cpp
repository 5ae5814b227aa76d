// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "tools/doctor/probe/child.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// The port of NCCL's RAS subsystem, unless NCCL_RAS_ADDR changes it (NCCL user guide,
/// Troubleshooting, RAS).
constexpr std::uint16_t kRasPort = 28028;

bool send_line(int fd, std::string_view line) {
  return ::send(fd, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
}

/// Receives until the end, the first newline (with `only_a_line`), or the deadline.
std::string receive(int fd, bool only_a_line, std::int64_t wait_ms) {
  std::string text;
  constexpr std::size_t kMost = std::size_t{16} << 20;
  const std::int64_t end = monotonic_ms() + wait_ms;
  while (text.size() < kMost) {
    pollfd ready{fd, POLLIN, 0};
    const std::int64_t left = end - monotonic_ms();
    if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) <= 0) break;
    char buffer[65536];
    const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
    if (only_a_line && text.find('\n') != std::string::npos) break;
  }
  return text;
}

std::string ask_once() {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kRasPort);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!fd.valid() ||
      ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return cat("none no NCCL job answers on localhost:", kRasPort, " (", std::strerror(errno), ")");
  // JSON needs 2.28.7. An older NCCL answers with an error; then its text is read.
  constexpr std::int64_t kShort_ms = 1000;
  constexpr std::int64_t kLong_ms = 8000;
  const bool asked = send_line(fd.get(), "SET FORMAT json\n");
  const bool json = asked && receive(fd.get(), true, kShort_ms).starts_with("OK");
  if (!send_line(fd.get(), "STATUS\n")) return "none the job closed the connection";
  return cat(json ? "json " : "text ", receive(fd.get(), false, kLong_ms));
}

}  // namespace

std::string ask_ras() {
  std::string answer = ask_once();
  // The counts of ranks that run differ from one moment to the next; those of ranks that hang stay.
  constexpr int kPause_ms = 3000;
  if (!answer.starts_with("text ") || answer.find(" MISMATCH") == std::string::npos) return answer;
  ::poll(nullptr, 0, kPause_ms);
  const std::string later = ask_once();
  return later.starts_with("text ") ? cat(answer, kNextAnswer, later.substr(5)) : answer;
}

}  // namespace nettune::tools::doctor::probe
