// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/log_lines.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.hpp"

namespace nettune::tools::doctor {
namespace {

/// Whether one element of a pattern is like `c`: moves `at` behind it.
bool takes_one(std::string_view pattern, std::size_t& at, char c) {
  const char wanted = pattern[at++];
  if (wanted == '?') return true;
  const auto close = pattern.find(']', at + 1);
  if (wanted != '[' || close == std::string_view::npos) return wanted == c;
  bool found = false;
  for (; at < close; ++at)
    if (at + 2 < close && pattern[at + 1] == '-') {
      found |= c >= pattern[at] && c <= pattern[at + 2];
      at += 2;
    } else {
      found |= c == pattern[at];
    }
  at = close + 1;
  return found;
}

/// Both in lower case. The last * takes more where the rest does not match, as no earlier one has
/// to.
bool matches_line(std::string_view pattern, std::string_view line) {
  std::size_t at = 0;
  std::size_t from = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (from < line.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = ++at;
      taken = from;
    } else if (at < pattern.size() && takes_one(pattern, at, line[from])) {
      ++from;
    } else if (star != std::string_view::npos) {
      at = star;
      from = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

constexpr std::size_t kGram = 4;
/// Small enough for the cache.
constexpr unsigned kHashBits = 12;

std::uint16_t gram_hash(std::uint32_t gram) {
  return static_cast<std::uint16_t>((gram * 2654435761U) >> (32U - kHashBits));
}

/// The last four characters of the longest literal part; nothing if each is shorter.
std::optional<std::uint16_t> gram_of(std::string_view pattern) {
  std::string_view longest;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= pattern.size(); ++at) {
    if (at < pattern.size() && pattern[at] != '*' && pattern[at] != '?' && pattern[at] != '[')
      continue;
    if (at - begin > longest.size()) longest = pattern.substr(begin, at - begin);
    if (at < pattern.size() && pattern[at] == '[')
      at = std::min(pattern.find(']', at), pattern.size());
    begin = at + 1;
  }
  if (longest.size() < kGram) return std::nullopt;
  std::uint32_t gram = 0;
  for (const char c : longest.substr(longest.size() - kGram))
    gram = (gram << 8U) | static_cast<unsigned char>(c);
  return gram_hash(gram);
}

struct LogPattern {
  std::string text;
  std::size_t rule = 0;
};

/// Fabric Manager names errors of NVSwitches that the kernel's lines only number.
bool is_judged(const LogLine& line) {
  return !line.is_foreign || line.text.starts_with("nv-fabricmanager");
}

/// Lists of processes and control groups are names that users choose.
bool is_list_of_names(std::string_view line) {
  return line.starts_with("oom-kill:") || line.starts_with("memory cgroup stats for ") ||
         line.starts_with("audit: ");
}

}  // namespace

bool is_like(std::string_view pattern, std::string_view line) {
  return matches_line(lower(pattern), lower(line));
}

std::vector<std::vector<std::size_t>> lines_of_rules(const std::vector<checks::Rule>& rules,
                                                     const KernelLog& log) {
  std::vector<std::vector<std::size_t>> found(rules.size());
  std::vector<LogPattern> patterns;
  std::vector<std::size_t> of_every_line;
  std::vector<std::vector<std::size_t>> of_gram(std::size_t{1} << kHashBits);
  for (std::size_t rule = 0; rule < rules.size(); ++rule)
    for (const std::string& text : rules[rule].lines) {
      const std::string pattern = lower(text);
      const auto gram = gram_of(pattern);
      (gram ? of_gram[*gram] : of_every_line).push_back(patterns.size());
      patterns.push_back({pattern, rule});
    }
  for (std::size_t number = 0; number < log.lines.size(); ++number) {
    if (!is_judged(log.lines[number])) continue;
    const std::string line = lower(log.lines[number].text);
    if (is_list_of_names(line)) continue;
    const auto look = [&](const std::vector<std::size_t>& candidates) {
      for (const std::size_t one : candidates) {
        std::vector<std::size_t>& of_rule = found[patterns[one].rule];
        if ((of_rule.empty() || of_rule.back() != number) && matches_line(patterns[one].text, line))
          of_rule.push_back(number);
      }
    };
    look(of_every_line);
    std::uint32_t gram = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
      gram = (gram << 8U) | static_cast<unsigned char>(line[at]);
      if (at + 1 >= kGram) look(of_gram[gram_hash(gram)]);
    }
  }
  return found;
}

std::size_t most_within(double span_s, std::vector<std::optional<double>> times) {
  if (!std::ranges::all_of(times, [](const auto& time) { return time.has_value(); }))
    return times.size();
  std::ranges::sort(times);
  std::size_t most = 0;
  for (std::size_t first = 0, end = 0; first < times.size(); ++first) {
    while (end < times.size() && *times[end] - *times[first] < span_s) ++end;
    most = std::max(most, end - first);
  }
  return most;
}

}  // namespace nettune::tools::doctor
