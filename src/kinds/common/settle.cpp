// SPDX-License-Identifier: Apache-2.0
#include "kinds/common/settle.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "base/text.hpp"
#include "base/trace.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::kinds::common {
namespace {

constexpr std::chrono::milliseconds kLook{20};

/// The interfaces with the addresses of GIDs: the interface itself, or its bond
/// (rdma_roce_rescan_device, drivers/infiniband/core/roce_gid_mgmt.c).
struct Owner {
  std::string interface;
  std::string master;  ///< "" for none

  bool has(const kernel::Directory& root, const std::string& gid) const {
    const auto name = root.line(gid);
    return name && (*name == interface || (!master.empty() && *name == master));
  }
};

std::vector<std::string> find_gids(const kernel::Directory& root, const Owner& owner) {
  std::vector<std::string> gids;
  for (const std::string& device : root.list("class/infiniband")) {
    const std::string ports = cat("class/infiniband/", device, "/ports");
    for (const std::string& port : root.list(ports)) {
      const std::string owners = cat(ports, "/", port, "/gid_attrs/ndevs");
      for (const std::string& index : root.list(owners)) {
        std::string gid = cat(owners, "/", index);
        if (owner.has(root, gid)) gids.push_back(std::move(gid));
      }
    }
  }
  return gids;
}

/// All GIDs; or only those of `before` if they are unchanged: eight cards have tables of hundreds
/// of entries, and this is called many times a second.
LinkState state_of(const kernel::Directory& root, const std::string& interface,
                   const LinkState* before = nullptr) {
  LinkState state;
  const auto net = root.directory(cat("class/net/", interface));
  if (!net) return state;
  state.carrier = net->number("carrier") == 1;
  state.downs = net->number("carrier_down_count").value_or(0);
  state.bond_status = net->line("bonding_slave/mii_status").value_or("");
  const Owner owner{interface, net->link_name("master").value_or("")};
  const auto holds = [&](const std::string& gid) { return owner.has(root, gid); };
  state.gids = before != nullptr && std::ranges::all_of(before->gids, holds)
                   ? before->gids
                   : find_gids(root, owner);
  return state;
}

/// What has not come back yet; empty if all has.
std::string lacking(const LinkState& before, const LinkState& now) {
  std::vector<std::string> lacks;
  if (before.carrier && !now.carrier) lacks.emplace_back("its carrier");
  if (before.bond_status == "up" && now.bond_status != "up")
    lacks.emplace_back("its place in the bond");
  const std::size_t gids = before.gids.size();
  if (now.gids.size() < gids)
    lacks.push_back(cat(gids - now.gids.size(), " of its ", gids, " GIDs"));
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
  const trace::Step step("wait until ", interface, " has settled");
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open(sys));
  const auto begin = Clock::now();
  const auto passed = [&] { return Clock::now() - begin; };
  LinkState now = state_of(root, interface, &before);
  while (bounces && before.carrier && now.carrier && now.downs == before.downs &&
         passed() < limits.gone) {
    std::this_thread::sleep_for(kLook);
    now = state_of(root, interface, &before);
  }
  std::string lacks = lacking(before, now);
  while (!lacks.empty() && passed() < limits.back) {
    std::this_thread::sleep_for(kLook);
    now = state_of(root, interface, &before);
    lacks = lacking(before, now);
  }
  if (lacks.empty()) return {};
  return fail(Errc::io, cat(interface, " lacks ", lacks, ' ', limits.back.count() / 1000,
                            " s after the write; check the cable, the switch port and dmesg"));
}

}  // namespace nettune::kinds::common
