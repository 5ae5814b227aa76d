// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/setting.hpp"

namespace nettune::providers {

/// Where firewalld keeps the permanent rules of a zone, and ufw its own of a family.
std::string zone_file(std::string_view zone);
std::string ufw_file(bool ipv6);

/// As firewall:file/PATH what moves along with a permanent rich rule of a zone: its file, and the
/// one before it, which firewalld keeps (firewall/core/io/zone.py); and with a rule of ufw.
std::vector<Address> files_of_zone(std::string_view zone);
Address file_of_ufw(bool ipv6);

/// The path of such an address; "" for what is none of these files.
std::string path_of_firewall_file(const Address& address);

}  // namespace nettune::providers
