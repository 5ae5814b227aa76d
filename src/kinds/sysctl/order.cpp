// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/order.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "kinds/sysctl/bounds.hpp"
#include "kinds/sysctl/table.hpp"

namespace nettune::kinds::sysctl {
namespace {

constexpr std::string_view kWatchdog = "kernel.watchdog";
constexpr std::string_view kSoftWatchdog = "kernel.soft_watchdog";

std::optional<std::int64_t> first_number(const Value& value) {
  if (!value) return std::nullopt;
  const auto numbers = words(*value);
  return numbers.empty() ? std::nullopt : parse_int(numbers.front());
}

bool rises(const Write& write) {
  const auto before = first_number(write.before);
  const auto after = first_number(write.after);
  return before && after && *after > *before;
}

/// A rising upper key makes room for its lower one; a falling one needs the lower to fall first.
bool goes_before(const Write& one, const Write& other) {
  const std::string_view key = one.address.body();
  const std::string_view other_key = other.address.body();
  return (sysctl::is_bound(other_key, key) && rises(one)) ||
         (sysctl::is_bound(key, other_key) && !rises(other));
}

std::vector<const Write*> in_bounds_order(std::span<const Write> writes) {
  std::vector<const Write*> left;
  for (const Write& write : writes) left.push_back(&write);
  std::vector<const Write*> order;
  while (!left.empty()) {
    // Bounds form chains, so there is always one.
    const auto next = std::ranges::find_if(left, [&](const Write* write) {
      return std::ranges::none_of(left,
                                  [&](const Write* other) { return goes_before(*other, *write); });
    });
    const auto taken = next == left.end() ? left.begin() : next;
    order.push_back(*taken);
    left.erase(taken);
  }
  return order;
}

/// Writing one of two alternatives zeroes the other, so only the effective one is written: a 0 is
/// refused for some of them (dirty_bytes_min in mm/page-writeback.c). If both become 0, writing a
/// different ratio clears the amount (dirty_ratio_handler, ibidem).
std::vector<SysctlStep> rivals(std::span<const Write> unit) {
  for (const Write& write : unit)
    if (write.after != "0") return {{std::string(write.address.body()), *write.after}};
  for (const Write& write : unit)
    if (const std::string ratio(ratio_of(write.address.body())); !ratio.empty())
      return {{ratio, std::string("1")}, {ratio, std::string("0")}};
  return {{std::string(unit.front().address.body()), std::string("0")}};
}

/// The switches for all and for soft lockups: the kernel takes the last reading as the wanted state
/// (proc_watchdog_common, kernel/watchdog.c), so neither returns alone after both were read as off.
std::vector<SysctlStep> watchdogs(std::span<const Write> unit) {
  std::string_view all;  // "" if it stays
  std::string_view soft;
  for (const Write& write : unit) (write.address.body() == kWatchdog ? all : soft) = *write.after;
  if (all.empty() && soft != "0") all = "1";
  if (soft.empty() && all != "0") soft = "1";
  std::vector<SysctlStep> steps;
  if (!soft.empty()) steps.push_back({std::string(kSoftWatchdog), std::string(soft)});
  if (!all.empty()) steps.push_back({std::string(kWatchdog), std::string(all)});
  return steps;
}

}  // namespace

std::string_view family_of(std::string_view key) {
  if (key == kWatchdog || key == kSoftWatchdog) return kWatchdog;
  if (const auto group = sysctl::bound_group(key); !group.empty()) return group;
  const std::string_view rival = rival_of(key);
  return rival.empty() ? rival : std::min(key, rival);
}

std::vector<SysctlStep> steps_of(std::span<const Write> unit) {
  const std::string_view key = unit.front().address.body();
  if (!rival_of(key).empty()) return rivals(unit);
  if (family_of(key) == kWatchdog) return watchdogs(unit);
  std::vector<SysctlStep> steps;
  for (const Write* const write : in_bounds_order(unit))
    steps.push_back({std::string(write->address.body()), *write->after});
  return steps;
}

}  // namespace nettune::kinds::sysctl
