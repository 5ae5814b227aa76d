// SPDX-License-Identifier: Apache-2.0
#include "kernel/process.hpp"

#include <algorithm>
#include <array>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

constexpr std::uint64_t kStatLimit = 4096;
// The fields after the name, counted from the state (field 3).
constexpr std::size_t kParent = 1;
constexpr std::size_t kSession = 3;
constexpr std::size_t kTerminal = 4;
constexpr std::size_t kStarted = 19;

// OpenSSH serves a connection in sshd, since 9.8 in sshd-session (10.0: sshd-auth before login).
constexpr std::array<std::string_view, 4> kSshServers = {"sshd", "sshd-session", "sshd-auth",
                                                         "dropbear"};

/// Majors of local terminal lines: 4 virtual consoles and ttyS, 188 USB serial, 204 ttyAMA and
/// others, 229 hvc (Documentation/admin-guide/devices.txt).
constexpr std::array<unsigned, 4> kLocalMajors = {4, 188, 204, 229};

}  // namespace

Result<Process> read_process(Disk& disk, std::int64_t pid) {
  const std::string path = cat("/proc/", pid, "/stat");
  TRY_ASSIGN(const auto text, disk.read(path, kStatLimit));
  if (!text) return fail(Errc::not_found, cat("there is no process ", pid));
  // The name is in parentheses and may contain any.
  const std::size_t open = text->find('(');
  const std::size_t close = text->rfind(')');
  const auto fields = close == std::string::npos ? std::vector<std::string_view>()
                                                 : words(std::string_view(*text).substr(close + 1));
  if (open == std::string::npos || open > close || fields.size() <= kStarted)
    return fail(Errc::io, cat(path, " cannot be read"));
  const auto parent = parse_int(fields[kParent]);
  const auto session = parse_int(fields[kSession]);
  const auto terminal = parse_int(fields[kTerminal]);
  const auto started = parse_int(fields[kStarted]);
  if (!parent || !session || !terminal || !started)
    return fail(Errc::io, cat(path, " cannot be read"));
  Process process;
  process.pid = pid;
  process.name = text->substr(open + 1, close - open - 1);
  process.parent = *parent;
  process.session = *session;
  process.terminal = static_cast<std::uint64_t>(*terminal);
  process.started_s = static_cast<double>(*started) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return process;
}

bool is_ssh_server(std::string_view name) {
  return std::find(kSshServers.begin(), kSshServers.end(), name) != kSshServers.end();
}

bool is_console(std::uint64_t device_number) {
  const unsigned line = gnu_dev_major(device_number);
  if (line == 5) return gnu_dev_minor(device_number) == 1;  // /dev/console
  return std::find(kLocalMajors.begin(), kLocalMajors.end(), line) != kLocalMajors.end();
}

}  // namespace nettune::kernel
