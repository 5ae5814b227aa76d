// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace nettune::nccl {

/// A release of NCCL.
struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;

  auto operator<=>(const Version&) const = default;
  std::string text() const;  ///< "2.21.5"
};

/// Parses "2.21.5", also in the form of tags, packages and logs: "v2.21.5-1", "2.21.5+cuda12.4".
std::optional<Version> parse_version(std::string_view text);

}  // namespace nettune::nccl
