// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan.hpp"
#include "core/setting.hpp"

/// Common phrases of texts for people.
namespace nettune::node {

/// `text` with visible control characters: no foreign text steers a terminal.
std::string safe(std::string_view text);

/// Each line of a text, safe: the mistakes of a profile are one text.
std::vector<std::string> safe_lines(std::string_view text);

/// The form in the JSON schemas: "link_bounce" of "link bounce".
std::string schema_word(std::string_view text);

/// A command line for people to type: "sudo nettune apply 'two words' --json".
std::string sudo_line(std::string_view command, std::span<const std::string> typed);

/// "1 setting", "3 settings".
std::string counted(std::size_t count, std::string_view one);

/// A printable value; "absent" for none; for a file the start of its digest and its mode.
std::string value_text(const Value& value);
std::string now_text(const PlanItem& item);
/// With its relation: ">= 4096".
std::string want_text(const Setting& setting);
/// File name without directory, and line: "tcp-fallback.toml:12".
std::string origin_text(const Origin& origin);
/// "/etc/sysctl.conf:12 ...", marked if its value will replace ours.
std::string claim_text(const Claim& claim);

}  // namespace nettune::node
