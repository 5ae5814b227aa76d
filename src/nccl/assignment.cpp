// SPDX-License-Identifier: Apache-2.0
#include "nccl/assignment.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/word_table.hpp"

namespace nettune::nccl {

namespace {

constexpr auto kKinds = word_table<Kind>({
    {Kind::shell, "shell"},
    {Kind::conf, "conf"},
    {Kind::env_file, "env"},
    {Kind::yaml, "yaml"},
    {Kind::profile, "profile"},
});

}  // namespace

bool is_variable_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::ranges::all_of(name, good);
}

std::optional<Kind> parse_kind(std::string_view word) { return kKinds.value(word); }

std::string_view kind_word(Kind kind) {
  return kind == Kind::environment ? "environment" : kKinds.word(kind);
}

bool exclude_each_other(const Assignment& one, const Assignment& other) {
  if (one.file != other.file) return false;
  const bool are_of_shell = one.kind == Kind::shell && other.kind == Kind::shell;
  if (are_of_shell && one.command != 0 && other.command != 0 && one.command != other.command)
    return true;
  return std::ranges::any_of(one.branches, [&](const auto& own) {
    return std::ranges::any_of(other.branches, [&](const auto& others) {
      return own.first == others.first && own.second != others.second;
    });
  });
}

bool passes_on(std::string_view name, std::string_view value) {
  if (value == cat("$", name) || value == cat("${", name, "}")) return true;
  return value.find('}') + 1 == value.size() &&
         (value.starts_with(cat("${", name, ":-")) || value.starts_with(cat("${", name, "-")));
}

}  // namespace nettune::nccl
