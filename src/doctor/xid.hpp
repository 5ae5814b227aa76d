// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::doctor {

/// What an Xid error of the NVIDIA driver asks for.
struct XidEntry {
  enum class Class { none, application, hardware };
  Class kind = Class::none;
  std::string action;
  std::string meaning;
};
using XidCatalogue = std::map<int, XidEntry>;

/// Errors say in which line what is wrong.
Result<XidCatalogue> parse_xid_catalogue(std::string_view text);
/// catalog/xid.toml as it was when the program was built.
const XidCatalogue& built_in_xids();

struct Xid {
  std::string pci_address;  ///< "0000:38:00": the kernel does not say the function
  int number = 0;
};
/// Of "NVRM: Xid (PCI:0000:38:00): 13, pid=...". Nothing for other lines.
std::optional<Xid> parse_xid(std::string_view line);

}  // namespace nettune::doctor
