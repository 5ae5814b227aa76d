// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_list.hpp"

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"

namespace nettune::inline base {

std::optional<Cpus> parse_cpu_list(std::string_view text) {
  Cpus cpus;
  for (const std::string_view part : split(trim(text), ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_int(part.substr(0, dash));
    const auto last = dash == part.npos ? first : parse_int(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first ||
        *last >= static_cast<std::int64_t>(kMostCpus))
      return std::nullopt;
    const auto end = static_cast<std::size_t>(*last) + 1;
    if (cpus.size() < end) cpus.resize(end);
    for (auto i = static_cast<std::size_t>(*first); i < end; ++i) cpus[i] = true;
  }
  return cpus;
}

std::string cpu_list(const Cpus& cpus) {
  std::string out;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    if (!cpus[i]) continue;
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1]) ++last;
    out += cat(out.empty() ? "" : ",", i, last > i ? cat("-", last) : "");
    i = last;
  }
  return out.empty() ? "none" : out;
}

std::size_t cpu_count(const Cpus& cpus) {
  return static_cast<std::size_t>(std::ranges::count(cpus, true));
}

bool is_within(const Cpus& some, const Cpus& all) {
  for (std::size_t i = 0; i < some.size(); ++i)
    if (some[i] && (i >= all.size() || !all[i])) return false;
  return true;
}

Cpus in_both(const Cpus& one, const Cpus& other) {
  Cpus out(std::min(one.size(), other.size()));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = one[i] && other[i];
  return out;
}

}  // namespace nettune::inline base
