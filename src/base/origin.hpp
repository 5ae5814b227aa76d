// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace nettune::inline base {

/// Where a value comes from: profile file and line, "--set", or the name of a generation.
struct Origin {
  std::string file;
  int line = 0;
  std::string text() const;  ///< "tcp-fallback.toml:12"
};

}  // namespace nettune::inline base
