// SPDX-License-Identifier: Apache-2.0
#include "owners/link_claims.hpp"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "owners/cloud_init.hpp"
#include "owners/dhclient.hpp"
#include "owners/hooks.hpp"
#include "owners/ifupdown.hpp"
#include "owners/link_files.hpp"
#include "owners/netplan.hpp"
#include "owners/network_manager.hpp"
#include "owners/networkd.hpp"
#include "owners/rivals.hpp"
#include "owners/tuned_net.hpp"
#include "owners/udev_rules.hpp"

namespace nettune::owners {

namespace {

/// One netplan line can lead to networkd and to udev; only the stronger conflict is reported.
class Strongest {
 public:
  void add(Claim claim) {
    const auto [at, is_new] =
        at_.emplace(std::tuple(claim.address, claim.file, claim.line), claims_.size());
    if (is_new)
      claims_.push_back(std::move(claim));
    else if (claim.wins && !claims_[at->second].wins)
      claims_[at->second] = std::move(claim);
  }

  std::vector<Claim> take() { return std::move(claims_); }

 private:
  std::vector<Claim> claims_;
  std::map<std::tuple<Address, std::string, int>, std::size_t> at_;
};

}  // namespace

std::vector<Claim> link_claims(const conf::Files& files, const Desired& desired,
                               std::vector<LinkFacts> facts) {
  Rivals rivals(desired);
  std::vector<Link> links;
  links.reserve(facts.size());
  for (LinkFacts& one : facts) links.push_back(with_udev(files, std::move(one)));
  // networkd also has settings of the whole node.
  find_networkd(files, links, rivals);
  const Interfaces interfaces = read_interfaces(files);
  // Commands may name an interface, and set sysctls of the whole node.
  find_hooks(files, interfaces, links, rivals);
  if (!links.empty()) {
    find_udev_rules(files, links, rivals);
    find_link_files(files, links, rivals);
    find_network_manager(files, interfaces, links, rivals);
    find_ifupdown(files, interfaces, links, rivals);
    find_dhclient(files, interfaces, links, rivals);
    find_tuned_net(files, links, rivals);
  }
  Strongest claims;
  std::vector<Said> all = rivals.take();
  if (all.empty()) return {};
  const bool cloud_init = cloud_init_writes_network(files);
  for (Said& said : all) {
    trace_netplan(files, rivals, said);
    trace_cloud_init(cloud_init, rivals, said);
    claims.add(claim_of(said, *rivals.find(said.address)));
  }
  return claims.take();
}

}  // namespace nettune::owners
