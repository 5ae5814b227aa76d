// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::nccl_log {

/// A kind of error that NCCL or its caller prints, out of catalog/nccl-causes.toml.
struct Cause {
  /// `cause` can be where it began; a `symptom` follows from something else, mostly on another
  /// rank; a `note` is printed as a warning and is none.
  enum class Role { cause, symptom, note };
  std::string id;
  /// Ways to say it: of one of them all texts stand in the message.
  std::vector<std::vector<std::string>> any;
  Role role = Role::cause;
  std::string why;                 ///< the likely reason, one or two sentences
  std::vector<std::string> check;  ///< what to look at on the node
  std::string source;
};

/// Which cause fits: the first in the order of the catalogue; kNone of log.hpp for none.
std::uint32_t find_cause(const std::vector<Cause>& causes, std::string_view message);

}  // namespace nettune::nccl_log
