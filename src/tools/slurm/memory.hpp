// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "tools/slurm/answer.hpp"

namespace nettune::tools::slurm {

/// The drain that nettune set: it is undone only while all of this is so.
struct OwnDrain {
  Subject fault;
  std::string reason;
  std::string by;               ///< as Slurm shows it; "" until that was read
  std::set<std::string> flags;  ///< of the node after it, as lasting_flags() has them
  bool operator==(const OwnDrain&) const = default;
};

/// What is remembered between two checks.
struct Memory {
  Subject fault;  ///< of the last check
  int seen = 0;   ///< checks in a row that found it
  std::optional<OwnDrain> drain;
  bool operator==(const Memory&) const = default;
};

std::string memory_text(const Memory& memory);
/// "" is an empty memory. Errc::corrupt if it is not what memory_text() writes.
Result<Memory> parse_memory(std::string_view text);

}  // namespace nettune::tools::slurm
