// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log::judge {

/// File and line; line 0 for none.
using Place = std::pair<std::uint32_t, std::uint64_t>;

/// What became of something that went wrong, and which rule says so.
struct Fate {
  enum class Kind : std::uint8_t {
    chosen,     ///< the first cause
    rival,      ///< as likely as the chosen one: nothing in the log puts one before the other
    later,      ///< it may have begun there, and the chosen one says more, or came before it
    set_aside,  ///< it is no cause
    follows,    ///< it follows from another one
  };
  Kind kind = Kind::later;
  std::string_view rule;       ///< its name; "" where no rule was needed
  std::uint32_t from = kNone;  ///< of Log::events, for `follows`
  Place shown = {};            ///< the line that shows it
};

}  // namespace nettune::tools::nccl::log::judge
