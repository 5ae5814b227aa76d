// SPDX-License-Identifier: Apache-2.0
#include "node/confirm/connection.hpp"

#include "base/text.hpp"
#include "kernel/process.hpp"

namespace nettune::node::confirm {

namespace {

constexpr int kMostAncestors = 100;
/// Each connection has its own process, a session leader: sshd.c and dropbear's svr-main.c call
/// setsid() in it. Processes that sshd forks after login are younger than the connection.
bool is_connection(const kernel::Process& process) {
  return process.pid == process.session && kernel::is_ssh_server(process.name);
}

}  // namespace

Result<std::string> check_connection(Disk& disk, std::int64_t pid, std::int64_t changed_ms) {
  if (changed_ms <= 0) return fail(Errc::unsupported, "the time of the change is unknown");
  bool console = false;
  for (int i = 0; i < kMostAncestors && pid > 1; ++i) {
    TRY_ASSIGN(const kernel::Process process, kernel::read_process(disk, pid));
    if (is_connection(process)) {
      const double age_ms = process.started_s * 1000 - static_cast<double>(changed_ms);
      if (age_ms >= static_cast<double>(kLoginDelay_ms)) return cat(process.name, ", pid ", pid);
      return fail(
          Errc::conflict,
          cat(age_ms < 0 ? "this connection is older than the change"
                         : "this connection began at the moment of the change and may be older",
              ", so it does not prove that the node can still be reached; log in again and confirm "
              "from there"));
    }
    // sudo gives its command another terminal; the terminal of the login counts.
    console = console || kernel::is_console(process.terminal);
    pid = process.parent;
  }
  if (console) return std::string("a terminal of this machine");
  return fail(Errc::unsupported,
              "the connection of this command is unknown (no parent sshd and no local terminal), "
              "so it does not prove that the node can be reached; log in by ssh and "
              "confirm from there, or accept that with --any-connection");
}

}  // namespace nettune::node::confirm
