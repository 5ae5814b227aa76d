// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace nettune::tools::doctor {

/// The meaning of an Xid error of the NVIDIA driver, and what to do.
struct XidMeaning {
  enum class Class { none, application, hardware };
  Class kind = Class::none;
  std::string action;
  std::string meaning;
};

struct XidEntry : XidMeaning {
  /// What it means where the message is like a pattern.
  std::vector<std::pair<std::string, XidMeaning>> says;
};
using XidCatalogue = std::map<int, XidEntry>;

/// Errors name the line.
Result<XidCatalogue> parse_xid_catalogue(std::string_view text);
/// catalog/xid.toml from the time of the build.
const XidCatalogue& built_in_xids();

struct Xid {
  std::string pci_address;  ///< "0000:38:00": the kernel does not print the function
  int number = 0;
  /// What follows the number and the process; "" with a process, whose name a user chooses.
  std::string message;
  std::optional<int> caused_by;  ///< the Xid before it, of which this one is a consequence
};
/// Parses "NVRM: Xid (PCI:0000:38:00): 13, pid=..."; nothing for lines that begin otherwise.
std::optional<Xid> parse_xid(std::string_view line);
/// The meaning of what the line says, if the number is known.
std::optional<XidMeaning> meaning_of(const Xid& xid);

}  // namespace nettune::tools::doctor
