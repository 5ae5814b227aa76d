// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "firewall/rules/opening.hpp"

namespace nettune::kinds::firewall {

/// The priority of nettune's rich rules: below zero they precede a zone's own deny rules
/// (firewalld.richlanguage(5)). The number also identifies them: no rich rule has a comment.
inline constexpr int kFirewalldPriority = -4791;

/// The rich rules of an allow rule `opening`, as firewalld itself writes them: one for each peer
/// and port range. They name no interface: their zone has it.
std::vector<std::string> firewalld_rules(const nettune::firewall::rules::Opening& opening);

/// Ok for a text that firewalld_rules() can make; invalid for every other.
Result<> check_firewalld_rule(std::string_view text);
/// The allow rule of such a text, without interfaces: those are the zone's.
Result<nettune::firewall::rules::Opening> firewalld_opening(std::string_view text);

/// The directory of the site's own zones and of changed shipped ones.
std::string firewalld_zone_file(std::string_view zone);
/// Whether such a file has a managed rule, as firewalld writes it there. A rule written there in
/// another form is not found. `rule` must be valid.
bool zone_file_has(std::string_view xml, std::string_view rule);

/// Whether firewalld allows this zone name: letters, digits, '-', '_', '.' and one '/' inside.
bool is_firewalld_zone(std::string_view name);

}  // namespace nettune::kinds::firewall
