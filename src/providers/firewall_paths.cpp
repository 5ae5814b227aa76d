// SPDX-License-Identifier: Apache-2.0
#include "providers/firewall_paths.hpp"

#include "base/text.hpp"
#include "formats/firewalld_rule.hpp"

namespace nettune::providers {
namespace {

constexpr std::string_view kPrefix = "firewall:file";
constexpr std::string_view kZones = "/etc/firewalld/zones/";
constexpr std::string_view kZone = ".xml";
constexpr std::string_view kBefore = ".xml.old";

}  // namespace

std::string zone_file(std::string_view zone) { return cat(kZones, zone, kZone); }

std::vector<Address> files_of_zone(std::string_view zone) {
  return {Address{cat(kPrefix, zone_file(zone))}, Address{cat(kPrefix, kZones, zone, kBefore)}};
}

std::string ufw_file(bool ipv6) { return cat("/etc/ufw/user", ipv6 ? "6" : "", ".rules"); }

Address file_of_ufw(bool ipv6) { return Address{cat(kPrefix, ufw_file(ipv6))}; }

std::string path_of_firewall_file(const Address& address) {
  if (!address.text.starts_with(kPrefix)) return {};
  std::string path = address.text.substr(kPrefix.size());
  if (address == file_of_ufw(false) || address == file_of_ufw(true)) return path;
  if (!path.starts_with(kZones)) return {};
  std::string_view zone = std::string_view(path).substr(kZones.size());
  if (zone.ends_with(kBefore))
    zone.remove_suffix(kBefore.size());
  else if (zone.ends_with(kZone))
    zone.remove_suffix(kZone.size());
  else
    return {};
  return formats::is_firewalld_zone(zone) ? path : std::string();
}

}  // namespace nettune::providers
