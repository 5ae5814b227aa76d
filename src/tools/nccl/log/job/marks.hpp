// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace nettune::tools::nccl::log::job {

/// The first line from `from` on that may matter though NCCL did not write it: one of PyTorch, of a
/// launcher, of the scheduler or of the kernel, by letters that are rare elsewhere. Where it
/// begins; npos for none. `from` is where a line begins.
std::size_t find_marked_line(std::string_view lines, std::size_t from);

/// A line that only shows that somebody pressed Ctrl-C: "^C", "KeyboardInterrupt".
bool is_interrupt(std::string_view line);

/// "Terminated" alone, or of bash with the command of a job behind it: SIGTERM ended a child of a
/// shell.
bool is_terminated(std::string_view line);

}  // namespace nettune::tools::nccl::log::job
