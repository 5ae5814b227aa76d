// SPDX-License-Identifier: Apache-2.0
#include "providers/settle.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "base/text.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::providers {
namespace {

constexpr std::chrono::milliseconds kLook{20};

/// GIDs whose interface is `interface`, or the bond that it is in: that is whose addresses a port
/// of a bond has (rdma_roce_rescan_device, drivers/infiniband/core/roce_gid_mgmt.c).
int count_gids(const kernel::Directory& root, const std::string& interface,
               const std::string& master) {
  int gids = 0;
  for (const std::string& device : root.list("class/infiniband")) {
    const std::string ports = cat("class/infiniband/", device, "/ports");
    for (const std::string& port : root.list(ports)) {
      const std::string owners = cat(ports, "/", port, "/gid_attrs/ndevs");
      for (const std::string& index : root.list(owners)) {
        const auto owner = root.line(cat(owners, "/", index));
        if (owner && (*owner == interface || (!master.empty() && *owner == master))) ++gids;
      }
    }
  }
  return gids;
}

LinkState state_of(const kernel::Directory& root, const std::string& interface) {
  LinkState state;
  const auto net = root.directory(cat("class/net/", interface));
  if (!net) return state;
  state.carrier = net->number("carrier") == 1;
  state.downs = net->number("carrier_down_count").value_or(0);
  state.bond_status = net->line("bonding_slave/mii_status").value_or("");
  state.gids = count_gids(root, interface, net->link_name("master").value_or(""));
  return state;
}

/// What is not there again; empty when all is.
std::string lacking(const LinkState& before, const LinkState& now) {
  std::vector<std::string> lacks;
  if (before.carrier && !now.carrier) lacks.emplace_back("a carrier");
  if (before.bond_status == "up" && now.bond_status != "up") lacks.emplace_back("its bond's use");
  if (now.gids < before.gids)
    lacks.push_back(cat(before.gids - now.gids, " of its ", before.gids, " GIDs"));
  return join(lacks, ", ");
}

}  // namespace

LinkState link_state(const std::string& sys, const std::string& interface) {
  const auto root = kernel::Directory::open(sys);
  return root ? state_of(*root, interface) : LinkState();
}

Result<> settle(const std::string& sys, const std::string& interface, const LinkState& before,
                bool bounces, const SettleLimits& limits) {
  using Clock = std::chrono::steady_clock;
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open(sys));
  const auto begin = Clock::now();
  const auto passed = [&] { return Clock::now() - begin; };
  LinkState now = state_of(root, interface);
  while (bounces && before.carrier && now.carrier && now.downs == before.downs &&
         passed() < limits.gone) {
    std::this_thread::sleep_for(kLook);
    now = state_of(root, interface);
  }
  std::string lacks = lacking(before, now);
  while (!lacks.empty() && passed() < limits.back) {
    std::this_thread::sleep_for(kLook);
    now = state_of(root, interface);
    lacks = lacking(before, now);
  }
  if (lacks.empty()) return {};
  return fail(Errc::io, cat(interface, " still lacks ", lacks, ' ', limits.back.count() / 1000,
                            " s after the write; look at the cable, the switch port and dmesg"));
}

}  // namespace nettune::providers
