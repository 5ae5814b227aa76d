// SPDX-License-Identifier: Apache-2.0
#include "node/check/irq_rows.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/cpu_list.hpp"
#include "base/text.hpp"
#include "kinds/irq/kind.hpp"

namespace nettune::node::check {
namespace {

/// The rows of one device with the same cells and details.
struct Interrupts {
  std::string prefix;  ///< "irq:ens1:"
  Cpus indices;        ///< a set of numbers, as CPUs are
  std::vector<std::string> nows;
  std::vector<std::string> wanteds;
};

std::optional<std::size_t> interrupt_of(const std::string& setting) {
  const Address address{setting};
  const auto index = parse_int(address.key());
  if (!kinds::irq::kIrq.has(address) || !index || *index < 0 ||
      *index >= static_cast<std::int64_t>(kMostCpus))
    return std::nullopt;
  return static_cast<std::size_t>(*index);
}

void insert(std::size_t number, Cpus& set) {
  if (set.size() <= number) set.resize(number + 1);
  set[number] = true;
}

std::string values_of(std::vector<std::string> values) {
  Cpus all;
  bool single = true;
  for (const std::string& value : values) {
    const auto cpus = parse_cpu_list(value);
    single = single && cpus && cpu_count(*cpus) == 1;
    if (single) insert(cpus->size() - 1, all);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() == 1) return values.front();
  constexpr std::size_t kShown = 3;
  if (single) return cat("each one of ", cpu_list(all));
  const std::size_t more = values.size() > kShown ? values.size() - kShown : 0;
  values.resize(values.size() - more);
  return cat(join(values, " or "), more > 0 ? cat(" or ", more, " other lists") : "");
}

}  // namespace

std::vector<SettingRow> fold_interrupts(const std::vector<SettingRow>& rows) {
  std::vector<SettingRow> folded;
  std::vector<Interrupts> groups;  // of each row in `folded`; without prefix for others
  for (const SettingRow& row : rows) {
    const auto index = interrupt_of(row.setting);
    const std::string prefix =
        index ? row.setting.substr(0, row.setting.rfind(':') + 1) : std::string();
    std::size_t at = 0;
    while (at < folded.size() &&
           (!index || groups[at].prefix != prefix || folded[at].cells != row.cells ||
            folded[at].details != row.details))
      ++at;
    if (at == folded.size()) {
      folded.push_back(row);
      groups.push_back({prefix, {}, {}, {}});
    }
    if (!index) continue;
    insert(*index, groups[at].indices);
    groups[at].nows.push_back(row.now);
    groups[at].wanteds.push_back(row.wanted);
  }
  for (std::size_t i = 0; i < folded.size(); ++i) {
    if (groups[i].nows.size() < 2) continue;
    folded[i].setting = cat(groups[i].prefix, cpu_list(groups[i].indices));
    folded[i].now = values_of(std::move(groups[i].nows));
    folded[i].wanted = values_of(std::move(groups[i].wanteds));
  }
  return folded;
}

}  // namespace nettune::node::check
