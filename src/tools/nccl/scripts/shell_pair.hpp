// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nettune::tools::nccl::scripts {

/// NAME=VALUE as a shell and launchers read it.
struct Pair {
  std::string name;
  std::string value;
  bool appended = false;  ///< NAME+=VALUE
};

/// Nothing if the text before '=' is not a name.
std::optional<Pair> pair_of(std::string_view text);

}  // namespace nettune::tools::nccl::scripts
