// SPDX-License-Identifier: Apache-2.0
#include "node/unit_files.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "kernel/systemd.hpp"

namespace nettune::node {

void tell_systemd(const std::vector<Address>& written, Report& report) {
  const bool any = std::ranges::any_of(written, [](const Address& address) {
    return address.text.starts_with("file:/etc/systemd/system/") &&
           address.text.ends_with("/nettune-firewall.conf");
  });
  if (report.outcome != Outcome::committed || !any || !kernel::systemd_is_ours()) return;
  const auto told = kernel::reload_systemd();
  report.notes.push_back(
      told ? "systemd has reloaded its units (daemon-reload) for the drop-in of [firewall]"
           : cat("systemd has not loaded the drop-in of [firewall] yet (", told.error().text,
                 "); run: systemctl daemon-reload"));
}

}  // namespace nettune::node
