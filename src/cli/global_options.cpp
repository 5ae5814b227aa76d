// SPDX-License-Identifier: Apache-2.0
#include "cli/global_options.hpp"

#include "base/text.hpp"

namespace nettune::cli {

void add_global(Options& options, GlobalOptions& into) {
  const Options global = {
      {"--json", "", "One JSON document on standard output", &into.json},
      {"--no-color", "", "No colour, even on a terminal", &into.no_color},
      {"-v,--verbose", "", "Show steps and timings; -vv: also each message", &into.verbose},
      {"--profiles", "DIR", "Search DIR for profiles first; may be repeated",
       &into.profile_directories},
      {"--site", "FILE", "Site values (/etc/nettune/site.toml)", &into.site_text},
      {"--set", "NAME=VALUE", "Set a profile variable; may be repeated", &into.set_texts},
      {"--state-dir", "DIR", "The state directory (/var/lib/nettune)", &into.state_directory},
  };
  options.insert(options.end(), global.begin(), global.end());
}

Result<> take_global(GlobalOptions& into) {
  into.site_given = !into.site_text.empty();
  if (into.site_given) into.site_file = into.site_text;
  for (const std::string& text : into.set_texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(Errc::invalid, cat("--set takes NAME=VALUE, not \"", printable(text), "\""));
    const std::string name = text.substr(0, equals);
    if (!into.set.emplace(name, text.substr(equals + 1)).second)
      return fail(Errc::invalid, cat("--set gives two values to ", printable(name)));
  }
  if (!into.state_directory.starts_with('/'))
    return fail(Errc::invalid, cat("--state-dir takes an absolute path, not \"",
                                   printable(into.state_directory), "\""));
  return {};
}

}  // namespace nettune::cli
