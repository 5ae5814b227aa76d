// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/advice.hpp"
#include "tools/doctor/machine.hpp"

namespace nettune::tools::doctor {

/// Whether a line of the kernel log is like a pattern with *, ? and [a-z]; upper and lower case are
/// the same.
bool is_like(std::string_view pattern, std::string_view line);

/// The words of drivers and networkd for a link that went down. The interface's name is before
/// them.
inline constexpr auto kLinkDown = std::to_array<std::string_view>(
    {": lost carrier", ": Lost carrier", ": Link down", ": NIC Link is Down", ": link down"});

/// For each rule the indices of the lines that its patterns describe. One pass over the log.
std::vector<std::vector<std::size_t>> lines_of_rules(const std::vector<checks::Rule>& rules,
                                                     const KernelLog& log);

/// The largest number of events within a time; all of them if the time of one is missing.
std::size_t most_within(double span_s, std::vector<std::optional<double>> times);

}  // namespace nettune::tools::doctor
