// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "firewall/opening.hpp"

namespace nettune::formats {

/// The priority of nettune's rich rules: below zero they stand before a zone's own denials
/// (firewalld.richlanguage(5)), and the number tells whose they are: no rich rule has a comment.
inline constexpr int kFirewalldPriority = -4791;

/// The rich rules that let in what `opening` says, as firewalld itself writes them: one for each
/// peer and range of ports. They name no interface: their zone has it. `opening` accepts.
std::vector<std::string> firewalld_rules(const Opening& opening);

/// ok for a text that firewalld_rules() can make; invalid for every other.
Result<> check_firewalld_rule(std::string_view text);
/// What such a text lets in, by the interfaces of its zone: it names none.
Result<Opening> firewalld_opening(std::string_view text);

/// Where the site's own zones stand, and shipped ones that somebody changed.
std::string firewalld_zone_file(std::string_view zone);
/// Whether such a file has that rule of ours, as firewalld writes
/// it there. A rule that somebody wrote there in another way is not found. `rule` is checked.
bool zone_file_has(std::string_view xml, std::string_view rule);

/// Whether firewalld may call a zone so: letters, digits, '-', '_', '.' and one '/' within.
bool is_firewalld_zone(std::string_view name);

}  // namespace nettune::formats
