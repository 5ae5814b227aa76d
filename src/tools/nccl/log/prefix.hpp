// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nettune::tools::nccl::log {

enum class Level : std::uint8_t { info, warn, trace, call };

/// What NCCL puts in front of a message: "host:pid:tid [dev] file:line (function) NCCL WARN ".
struct Prefix {
  Level level = Level::info;
  std::string_view process;  ///< "host:pid"; empty where it cannot be read
  std::string_view host;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint32_t device = UINT32_MAX;  ///< UINT32_MAX for none: a CALL has none
  std::string_view place;             ///< of a WARN, what is before it: "... transport/nvls.cc:157"
  std::string_view time;  ///< "2026-01-31 08:15:00" where NCCL printed it (from 2.26 on a WARN)
  std::size_t begin = 0;  ///< where in the line it starts
  std::size_t end = 0;    ///< where the message starts
};

/// The prefix whose "NCCL" stands at `at` of `line`; false when no level follows it. What a
/// launcher, a log collector or a person put in front of it does not matter: it is read from
/// "NCCL" to the left.
bool parse_prefix(std::string_view line, std::size_t at, Prefix& into);

}  // namespace nettune::tools::nccl::log
