// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "kernel/firewalld.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::kernel {

/// What firewalld will be when it starts, as its files say: the default zone, and the zones of
/// /etc/firewalld and /usr/lib/firewalld with the interfaces and sources that stand there. What
/// NetworkManager or ifupdown give a zone is not among it. Nothing where it is not installed, or
/// systemd does not start it at boot. No version.
std::optional<FirewalldState> firewalld_of_files(const Directory& root);

/// The zone of one such file. What cannot be understood is left out.
FirewalldZone parse_firewalld_zone(std::string_view name, std::string_view xml);

}  // namespace nettune::kernel
