// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/nccl/scripts/variable_places.hpp"

namespace nettune::tools::nccl::scripts {

/// What a start gets from a place only under a condition.
struct Possibility {
  std::size_t place = 0;  ///< index into NodePlaces::all
  std::string why;        ///< "depends on a shell condition"
};

/// What a program gets for one variable, depending on its start.
struct EffectiveValue {
  Start start = Start::here;
  std::optional<std::size_t> winner;  ///< the certain one; nothing: unset
  std::vector<Possibility> maybe;     ///< these would win instead; the last one first
  bool open = false;                  ///< something that is not visible here comes first
  std::vector<std::string> doubts;    ///< why something else may hold, one sentence each

  bool certain() const { return !open && maybe.empty() && doubts.empty(); }
};

EffectiveValue effective_value(const NodePlaces& places, Start start, std::string_view name);

/// The user's nccl.conf that NCCL reads, whether it exists or not; "" for none. If that depends on
/// a condition, the file when the condition does not hold.
std::string user_conf_file(const NodePlaces& places, Start start);

/// The condition under which a start reads a place, "" for none; nothing if it never does.
std::optional<std::string_view> reach(Start start, Source source);

}  // namespace nettune::tools::nccl::scripts
