// SPDX-License-Identifier: Apache-2.0
#include "cli/braces.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace nettune::cli {

namespace {

using Tokens = std::vector<std::string>;

int class_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (std::isdigit(byte) != 0) return 1;
  return std::isalpha(byte) != 0 ? 2 : 0;
}

/// Words, numbers, and every other character alone.
Tokens tokens_of(const std::string& name) {
  Tokens tokens;
  int last = 0;
  for (const char c : name) {
    const int now = class_of(c);
    if (now == 0 || now != last || tokens.empty()) tokens.emplace_back();
    tokens.back() += c;
    last = now;
  }
  return tokens;
}

/// Where all names differ, and their tokens there.
struct Difference {
  std::string before;
  Tokens between;
  std::string after;
};

std::optional<Difference> difference_of(std::span<const std::string> names) {
  if (names.size() < 2) return {};
  std::vector<Tokens> all;
  for (const std::string& name : names) all.push_back(tokens_of(name));
  const Tokens& first = all.front();
  Difference found;
  for (const Tokens& tokens : all)
    if (tokens.size() != first.size()) return {};
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool same =
        std::ranges::all_of(all, [&](const Tokens& one) { return one[i] == first[i]; });
    if (same) {
      (found.between.empty() ? found.before : found.after) += first[i];
      continue;
    }
    if (!found.between.empty()) return {};
    for (const Tokens& tokens : all) found.between.push_back(tokens[i]);
  }
  if (found.between.empty()) return {};
  return found;
}

}  // namespace

std::optional<std::string> braces(std::span<const std::string> names) {
  if (names.size() == 1) return names.front();
  const auto difference = difference_of(names);
  if (!difference) return {};
  return cat(difference->before, "{", join(difference->between, ","), "}", difference->after);
}

std::string names_in_short(std::span<const std::string> names) {
  std::vector<std::string> runs;
  for (std::size_t begin = 0; begin < names.size();) {
    std::string run = names[begin];
    std::size_t end = begin + 1;
    while (end < names.size()) {
      const auto longer = braces(names.subspan(begin, end + 1 - begin));
      if (!longer) break;
      run = *longer;
      ++end;
    }
    runs.push_back(std::move(run));
    begin = end;
  }
  return join(runs, " ");
}

bool differ_in_a_number(std::span<const std::string> names) {
  const auto difference = difference_of(names);
  return difference && std::ranges::all_of(difference->between, [](const std::string& token) {
           return class_of(token.front()) == 1;
         });
}

}  // namespace nettune::cli
