// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/disk.hpp"
#include "base/result.hpp"

namespace nettune::kernel {

/// The content of /proc/PID/stat (proc_pid_stat(5)).
struct Process {
  std::int64_t pid = 0;
  std::string name;  ///< at most 15 bytes
  char state = '?';  ///< 'R', 'S', 'D', 'Z' for a zombie ...
  std::int64_t parent = 0;
  std::int64_t group = 0;      ///< pid of the process group's leader
  std::int64_t session = 0;    ///< pid of the session's leader
  std::uint64_t terminal = 0;  ///< device number; 0: it has none
  double used_s = 0;           ///< CPU time, in user and in kernel mode
  double started_s = 0;        ///< CLOCK_BOOTTIME
};

/// Nothing if `stat` is not such a content.
std::optional<Process> parse_process(std::string_view stat);

/// Errc::not_found if there is no such process.
Result<Process> read_process(Disk& disk, std::int64_t pid);

/// True for the name of a process that serves ssh connections.
bool is_ssh_server(std::string_view name);

/// True for a terminal of the machine itself: a virtual console or a serial line.
bool is_console(std::uint64_t device_number);

}  // namespace nettune::kernel
