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
constexpr std::size_t kState = 0;
constexpr std::size_t kParent = 1;
constexpr std::size_t kGroup = 2;
constexpr std::size_t kSession = 3;
constexpr std::size_t kTerminal = 4;
constexpr std::size_t kUser = 11;
constexpr std::size_t kSystem = 12;
constexpr std::size_t kStarted = 19;

// OpenSSH serves a connection in sshd, since 9.8 in sshd-session (10.0: sshd-auth before login).
constexpr std::array<std::string_view, 4> kSshServers = {"sshd", "sshd-session", "sshd-auth",
                                                         "dropbear"};

/// Majors of local terminal lines: 4 virtual consoles and ttyS, 188 USB serial, 204 ttyAMA and
/// others, 229 hvc (Documentation/admin-guide/devices.txt).
constexpr std::array<unsigned, 4> kLocalMajors = {4, 188, 204, 229};

}  // namespace

std::optional<Process> parse_process(std::string_view stat) {
  // The name is in parentheses and may contain any.
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == stat.npos || close == stat.npos || open > close) return {};
  const auto fields = words(stat.substr(close + 1));
  if (fields.size() <= kStarted || fields[kState].size() != 1) return {};
  const auto pid = parse_int(trim(stat.substr(0, open)));
  const auto parent = parse_int(fields[kParent]);
  const auto group = parse_int(fields[kGroup]);
  const auto session = parse_int(fields[kSession]);
  const auto terminal = parse_int(fields[kTerminal]);
  const auto user = parse_int(fields[kUser]);
  const auto system = parse_int(fields[kSystem]);
  const auto started = parse_int(fields[kStarted]);
  if (!pid || !parent || !group || !session || !terminal || !user || !system || !started) return {};
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  Process process;
  process.pid = *pid;
  process.name = stat.substr(open + 1, close - open - 1);
  process.state = fields[kState][0];
  process.parent = *parent;
  process.group = *group;
  process.session = *session;
  process.terminal = static_cast<std::uint64_t>(*terminal);
  process.used_s = static_cast<double>(*user + *system) / ticks;
  process.started_s = static_cast<double>(*started) / ticks;
  return process;
}

Result<Process> read_process(Disk& disk, std::int64_t pid) {
  const std::string path = cat("/proc/", pid, "/stat");
  TRY_ASSIGN(const auto text, disk.read(path, kStatLimit));
  if (!text) return fail(Errc::not_found, cat("there is no process ", pid));
  auto process = parse_process(*text);
  if (!process) return fail(Errc::io, cat(path, " cannot be read"));
  return *std::move(process);
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
