// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "kernel/firewalld.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::kernel {

/// The state that firewalld will have when it starts, from its files: the default zone, and the
/// zones of /etc/firewalld and /usr/lib/firewalld with their interfaces and sources. Zones assigned
/// by NetworkManager or ifupdown are not included. Nothing if it is not installed, or systemd does
/// not start it at boot. There is no version.
std::optional<FirewalldState> firewalld_of_files(const Directory& root);

/// The zone of one such file. What cannot be understood is skipped.
FirewalldZone parse_firewalld_zone(std::string_view name, std::string_view xml);

}  // namespace nettune::kernel
