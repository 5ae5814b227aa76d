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

/// One "iface NAME FAMILY METHOD" of interfaces(5), with what it inherits.
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

/// The content of /etc/network/interfaces and of the files that it sources.
struct Interfaces {
  std::vector<Stanza> stanzas;
  std::vector<std::string> at_boot;  ///< "auto": NAME or /PATTERN, optionally with =STANZA
  std::vector<std::string> at_plug;  ///< "allow-hotplug": the same
};
Interfaces read_interfaces(const conf::Files& files);

/// The stanzas that are applied to the interface automatically: listed under auto (with
/// networking.service enabled) or under allow-hotplug.
std::vector<const Stanza*> automatic_stanzas(const conf::Files& files, const Interfaces& interfaces,
                                             const Link& link);

/// Finds options and commands of interfaces(5) that set the MTU, the queue length or a sysctl.
void find_ifupdown(const conf::Files& files, const Interfaces& interfaces,
                   std::span<const Link> links, Rivals& rivals);

}  // namespace nettune::owners
