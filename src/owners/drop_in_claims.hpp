// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// A file of nettune that another program reads, with the text that it has or is about to get.
struct OurFile {
  Address address;
  conf::FoundFile file;
};

/// The drop-in of a setting of [units], as if it had this directive alone; nothing for others.
std::optional<OurFile> own_drop_in(const Setting& setting);

/// True for the path of a drop-in of a system unit.
bool is_drop_in(std::string_view path);

/// Lines that override a line of nettune's drop-ins of services: limits, variables, commands that
/// restore firewall rules, and directives of [units]. systemd's rules decide which line counts.
std::vector<Claim> drop_in_claims(const conf::Files& files, std::span<const OurFile> ours);

}  // namespace nettune::owners
