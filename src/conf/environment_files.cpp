// SPDX-License-Identifier: Apache-2.0
#include "conf/environment_files.hpp"

#include "base/text.hpp"
#include "conf/comment.hpp"

namespace nettune::conf {
namespace {

constexpr std::size_t kMaxMapKeyBytes = 253;

/// One text for each variable, after the comment and `top`. Values that need quotes or have line
/// breaks are refused before, which keeps every format's quoting simple.
Result<std::string> each(std::span<const Variable> variables, std::string_view heading,
                         std::string_view top, auto&& text_of) {
  std::string out = cat(comment(heading), top);
  for (const Variable& variable : variables) {
    TRY(check_variable_name(variable.name));
    if (auto ok = check_variable_value(variable.value); !ok)
      return fail_in(variable.name, ok.error());
    out += text_of(variable);
  }
  return out;
}

std::string doubled(std::string_view text, char character) {
  std::string out;
  for (const char c : text) out.append(c == character ? 2 : 1, c);
  return out;
}

}  // namespace

Result<std::string> service_environment(std::span<const Variable> variables,
                                        std::string_view heading) {
  return each(variables, heading, "[Service]\n", [](const Variable& variable) {
    return cat("Environment=\"", variable.name, '=', doubled(variable.value, '%'), "\"\n");
  });
}

Result<std::string> task_prolog(std::span<const Variable> variables, std::string_view heading) {
  TRY_ASSIGN(const std::string lines, each(variables, heading, "", [](const Variable& variable) {
               return cat("if [ -z \"${", variable.name, "+set}\" ]; then printf '%s\\n' 'export ",
                          variable.name, '=', variable.value, "'; fi\n");
             }));
  return cat("#!/bin/sh\n", lines);
}

Result<std::string> config_map(std::span<const Variable> variables, std::string_view heading) {
  for (const Variable& variable : variables) {
    if (variable.name.size() > kMaxMapKeyBytes)
      return fail(Errc::invalid, cat("the name ", printable(variable.name), " is longer than ",
                                     kMaxMapKeyBytes, " bytes, too long for a key of a ConfigMap"));
  }
  const std::string top =
      cat("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: nettune-env\ndata:",
          variables.empty() ? " {}\n" : "\n");
  // The name is also quoted: to YAML 1.1 NO is not a name.
  return each(variables, heading, top, [](const Variable& variable) {
    return cat("  '", variable.name, "': '", variable.value, "'\n");
  });
}

}  // namespace nettune::conf
