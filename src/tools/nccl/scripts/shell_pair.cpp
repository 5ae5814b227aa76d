// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/shell_pair.hpp"

#include "tools/nccl/scripts/assignments.hpp"

namespace nettune::tools::nccl::scripts {

std::optional<Pair> pair_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return {};
  std::string_view name = text.substr(0, equals);
  const bool appended = name.ends_with('+');
  if (appended) name.remove_suffix(1);
  if (!is_variable_name(name)) return {};
  return Pair{std::string(name), std::string(text.substr(equals + 1)), appended};
}

}  // namespace nettune::tools::nccl::scripts
