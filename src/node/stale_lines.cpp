// SPDX-License-Identifier: Apache-2.0
#include "node/stale_lines.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "core/plan.hpp"
#include "kinds/sysctl/kind.hpp"
#include "owners/sysctl_claims.hpp"

namespace nettune::node {

namespace {

/// The settings of a generation with a line in its sysctl.d file that names a device, where that
/// name is another device's now.
std::map<Address, const Setting*> misdirected(const Transaction& active, const Located& located,
                                              const DeviceNames& names) {
  std::set<Address> wanted;
  for (const Setting& setting : located.settings) wanted.insert(setting.address);
  std::map<Address, const Setting*> found;
  for (const Setting& setting : active.settings) {
    if (!kinds::sysctl::kSysctl.has(setting.address) || setting.device.empty() || !setting.want ||
        setting.relation != Relation::exact || wanted.contains(setting.address))
      continue;
    const std::string other = names.identity_of(device_in(setting.address));
    if (!other.empty() && other != setting.device) found.emplace(setting.address, &setting);
  }
  return found;
}

}  // namespace

std::vector<StaleLine> stale_lines(Disk& disk, const Transaction& active,
                                   const std::string& boot_id, const Located& located,
                                   const std::vector<Owned>& found, const DeviceNames& names,
                                   const Providers& providers) {
  if (boot_id == active.identity.boot_id) return {};
  const auto settings = misdirected(active, located, names);
  std::vector<Address> addresses;
  for (const auto& [address, setting] : settings) addresses.push_back(address);
  std::vector<StaleLine> lines;
  for (const auto& [address, reading] : read_all(std::move(addresses), providers)) {
    const Setting& setting = *settings.at(address);
    if (reading.value() != setting.want || located.owned.contains(address)) continue;
    StaleLine line;
    line.value.address = address;
    line.value.device = names.identity_of(device_in(address));
    line.value.committed = line.value.wanted = setting.want;
    const auto before = std::ranges::find(found, address, &Owned::address);
    const auto said = owners::sysctl_d_line(disk, address.rest());
    if (before != found.end()) {
      line.value.baseline = before->baseline;
      line.source = "nettune, from before";
    } else if (said) {
      line.value.baseline = said->value;
      line.source = cat(said->file, ":", said->line);
    }
    line.text = cat(
        address.text, " is ", *setting.want, ", which nettune's file set at boot for ",
        setting.device, ", then ", device_in(address), "; ",
        line.source.empty()
            ? "what it was before is not known, so it stays"
            : cat("it is restored to ", line.value.baseline.value_or(""), " (", line.source, ")"));
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace nettune::node
