// SPDX-License-Identifier: Apache-2.0
#include "owners/link.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace nettune::owners {
namespace {

std::string hex_digits(std::string_view mac) {
  std::string digits;
  for (const char c : mac) {
    if (c >= 'A' && c <= 'F') {
      digits += static_cast<char>(c - 'A' + 'a');
    } else if (c != ':' && c != '-' && c != '.') {
      digits += c;
    }
  }
  return digits;
}

}  // namespace

std::string Link::udev_property(const std::string& name) const {
  const auto found = udev.find(name);
  return found == udev.end() ? std::string() : found->second;
}

/// The file is named n and the interface's index; a property is "E:NAME=value"
/// (src/libsystemd/sd-device/device-private.c).
Link with_udev(const conf::Files& files, LinkFacts facts) {
  Link link{std::move(facts), {}};
  const auto file = files.read(cat("/run/udev/data/n", link.facts.ifindex));
  if (!file) return link;
  for (const std::string_view line : split(file->text, '\n')) {
    const std::size_t equals = line.find('=');
    if (!line.starts_with("E:") || equals == line.npos) continue;
    link.udev.emplace(line.substr(2, equals - 2), line.substr(equals + 1));
  }
  return link;
}

bool nettune_follows(const LinkFacts& link) {
  return link.physical || link.kind == "bond" || link.kind == "vlan" || link.kind == "bridge";
}

bool same_mac(std::string_view left, std::string_view right) {
  const std::string digits = hex_digits(left);
  return !digits.empty() && digits == hex_digits(right);
}

std::string sysctl_name(std::string name) {
  std::ranges::replace(name, '.', '/');
  return name;
}

}  // namespace nettune::owners
