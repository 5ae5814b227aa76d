// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::kinds::unit {

/// The form of a directive's value.
enum class Form {
  size_limit,   ///< of setrlimit(2): bytes with K, M, G, T, or "infinity", or SOFT:HARD
  count_limit,  ///< the same without suffixes
  bytes,        ///< bytes with K, M, G, T, or "infinity", or a share of the memory, "50%"
  tasks,        ///< a number, "infinity", or a share of what the kernel allows, "50%"
  quota,        ///< a share of one CPU: "400%"
  number,       ///< an integer from `least` to `most`
  boolean,
  cpus,   ///< a list: "0-7,16"
  span,   ///< a time span: "5s", "infinity"
  word,   ///< one of `choices`
  units,  ///< names of units, separated by blanks
};

/// What shows the value that is in effect.
enum class Shown {
  limits,   ///< the row `where` of /proc/PID/limits
  process,  ///< the file `where` of /proc/PID
  cgroup,   ///< the file `where` of the unit's cgroup
  manager,  ///< systemd itself uses it, from its next reload on
  nothing,
};

/// One directive that nettune sets in a drop-in.
struct Directive {
  std::string_view name;
  std::string_view sections;  ///< where it may be, separated by blanks
  Form form = Form::word;
  Shown shown = Shown::nothing;
  std::string_view where = {};
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::string_view choices = {};
};

std::span<const Directive> directives();
/// "Service.LimitMEMLOCK" of a unit, or why nettune does not set it.
Result<const Directive*> find_directive(std::string_view unit, std::string_view dotted);

/// The name of a unit with its type: "containerd" is "containerd.service". Fails for what is no
/// name of a unit, or has a character that an address cannot keep.
Result<std::string> unit_name(std::string_view typed);

/// Why nettune never stops, disables or masks this unit; "" if it may.
std::string why_protected(std::string_view unit);
/// True for a unit of nettune itself.
bool is_nettunes_own(std::string_view unit);

}  // namespace nettune::kinds::unit
