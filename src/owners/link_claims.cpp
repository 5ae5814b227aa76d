// SPDX-License-Identifier: Apache-2.0
#include "owners/link_claims.hpp"

#include <algorithm>
#include <utility>

#include "owners/cloud_init.hpp"
#include "owners/dhclient.hpp"
#include "owners/ifupdown.hpp"
#include "owners/link_files.hpp"
#include "owners/netplan.hpp"
#include "owners/network_manager.hpp"
#include "owners/networkd.hpp"
#include "owners/rivals.hpp"
#include "owners/tuned_net.hpp"

namespace nettune::owners {

namespace {

/// One netplan line can lead to networkd and to udev; only the stronger conflict is reported.
void add(Claim claim, std::vector<Claim>& claims) {
  const auto same = std::ranges::find_if(claims, [&](const Claim& other) {
    return other.address == claim.address && other.file == claim.file && other.line == claim.line;
  });
  if (same == claims.end()) {
    claims.push_back(std::move(claim));
  } else if (claim.wins && !same->wins) {
    *same = std::move(claim);
  }
}

}  // namespace

std::vector<Claim> link_claims(const Files& files, const Desired& desired,
                               std::vector<LinkFacts> facts) {
  Rivals rivals(desired);
  std::vector<Link> links;
  links.reserve(facts.size());
  for (LinkFacts& one : facts) links.push_back(with_udev(files, std::move(one)));
  // networkd also has settings of the whole node.
  find_networkd(files, links, rivals);
  if (!links.empty()) {
    const Interfaces interfaces = read_interfaces(files);
    find_link_files(files, links, rivals);
    find_network_manager(files, interfaces, links, rivals);
    find_ifupdown(files, interfaces, links, rivals);
    find_dhclient(files, interfaces, links, rivals);
    find_tuned_net(files, links, rivals);
  }
  std::vector<Claim> claims;
  std::vector<Said> all = rivals.take();
  if (all.empty()) return claims;
  const bool cloud_init = cloud_init_writes_network(files);
  for (Said& said : all) {
    trace_netplan(files, rivals, said);
    trace_cloud_init(cloud_init, rivals, said);
    add(claim_of(said, *rivals.find(said.address)), claims);
  }
  return claims;
}

}  // namespace nettune::owners
