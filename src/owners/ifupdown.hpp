// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conf/files.hpp"
#include "owners/link.hpp"
#include "owners/rivals.hpp"

namespace nettune::owners {

/// "iface NAME FAMILY METHOD" of interfaces(5), with what it inherits.
struct Stanza {
  struct Option {
    std::string key;
    std::string value;
    std::string file;
    int line = 0;
  };
  std::string name;
  std::string family;
  std::string method;
  std::vector<Option> options;
  std::string file;
  int line = 0;
};

/// /etc/network/interfaces with the files that it sources.
struct Interfaces {
  std::vector<Stanza> stanzas;
  std::vector<std::string> at_boot;  ///< "auto": names, "/patterns", with "=stanza" behind or not
  std::vector<std::string> at_plug;  ///< "allow-hotplug": the same
};
Interfaces read_interfaces(const Files& files);

/// Where a stanza is applied to the interface without anybody asking for it: when it stands under
/// auto (and networking.service is enabled) or allow-hotplug. Empty otherwise.
std::vector<const Stanza*> automatic_stanzas(const Files& files, const Interfaces& interfaces,
                                             const Link& link);

/// Options and commands of interfaces(5) that set the MTU, the queue length or a sysctl.
void find_ifupdown(const Files& files, const Interfaces& interfaces, std::span<const Link> links,
                   Rivals& rivals);

}  // namespace nettune::owners
