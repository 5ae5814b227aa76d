// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/commands/args.hpp"

namespace nettune::cli::commands {

/// Option values that can be parsed only after the whole line.
struct OptionTexts {
  std::string to;
  std::string confirm;
  std::string for_time;
  std::vector<std::string> probes;
  std::string on_drift;
  std::string every;
  std::string listen;
  std::string at;
};

/// Parses the texts into `into`, and checks combinations. Every mistake is Errc::invalid and names
/// the option.
Result<> take_texts(Arguments& into, const OptionTexts& raw, std::string_view command);

}  // namespace nettune::cli::commands
