// SPDX-License-Identifier: Apache-2.0
#include "cli/candidates.hpp"

#include "base/text.hpp"

namespace nettune::cli {

std::string completions(std::span<const std::string> candidates, std::string_view last) {
  std::string lines;
  for (const std::string& candidate : candidates)
    if (candidate.starts_with(last) && !has_control_characters(candidate))
      lines += candidate + "\n";
  return lines;
}

std::vector<std::string> profile_names(node::Context& context) {
  std::vector<std::string> names;
  for (const profile::Listed& listed : profile::list(context.disk(), context.profile_sources()))
    names.push_back(listed.name);
  return names;
}

}  // namespace nettune::cli
