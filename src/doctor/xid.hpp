// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::doctor {

/// The meaning of an Xid error of the NVIDIA driver, and what to do.
struct XidEntry {
  enum class Class { none, application, hardware };
  Class kind = Class::none;
  std::string action;
  std::string meaning;
};
using XidCatalogue = std::map<int, XidEntry>;

/// Errors name the line.
Result<XidCatalogue> parse_xid_catalogue(std::string_view text);
/// catalog/xid.toml from the time of the build.
const XidCatalogue& built_in_xids();

struct Xid {
  std::string pci_address;  ///< "0000:38:00": the kernel does not print the function
  int number = 0;
};
/// Parses "NVRM: Xid (PCI:0000:38:00): 13, pid=..."; nothing for other lines.
std::optional<Xid> parse_xid(std::string_view line);

}  // namespace nettune::doctor
