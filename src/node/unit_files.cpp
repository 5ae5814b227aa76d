// SPDX-License-Identifier: Apache-2.0
#include "node/unit_files.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "kernel/systemd.hpp"

namespace nettune::node {

namespace {

bool is_of_firewall(const Address& address) {
  return address.text.starts_with("file:/etc/systemd/system/") &&
         address.text.ends_with("/nettune-firewall.conf");
}

/// What is started and stopped needs no reload.
bool is_of_units(const Address& address) {
  return address.kind() == "drop-in" || (address.kind() == "unit" && address.key() != "active");
}

/// A reload takes the GPUs from running containers whose devices systemd does not know
/// (github.com/NVIDIA/nvidia-container-toolkit/issues/48).
std::string gpu_process(Context& context) {
  const auto facts = context.facts();
  if (!facts) return "the processes of this node could not be read";
  const auto found = std::ranges::find((*facts)->at_work, "GPU process", &facts::Work::what);
  if (found == (*facts)->at_work.end()) return {};
  return cat("pid ", found->pid, ": ", printable(found->detail));
}

}  // namespace

void tell_systemd(Context& context, const std::vector<Address>& written, bool allow_busy,
                  Report& report) {
  const bool firewall = std::ranges::any_of(written, is_of_firewall);
  const bool units = std::ranges::any_of(written, is_of_units);
  if (report.outcome != Outcome::committed || (!firewall && !units) || !kernel::systemd_is_ours())
    return;
  const std::string what =
      cat(units ? "the changes of [units]" : "", units && firewall ? " and " : "",
          firewall ? "the drop-in of [firewall]" : "");
  if (!firewall && !allow_busy)
    if (const std::string gpu = gpu_process(context); !gpu.empty()) {
      report.notes.push_back(
          cat("systemd has not loaded ", what,
              " yet: a daemon-reload can take the GPUs from running containers (", gpu,
              "); when no job runs, run: systemctl daemon-reload"));
      return;
    }
  const auto told = kernel::reload_systemd();
  report.notes.push_back(told ? cat("systemd has reloaded its units (daemon-reload) for ", what)
                              : cat("systemd has not loaded ", what, " yet (", told.error().text,
                                    "); run: systemctl daemon-reload"));
}

}  // namespace nettune::node
