// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/rendezvous.hpp"

namespace nettune::tools::doctor {

const Observable kGlooAddress = observable("gloo.address");
const Observable kRendezvousHost = observable("rendezvous.host");

namespace {

const Observable kNameFqdn = observable("name.fqdn");
const Observable kNameLookupMs = observable("name.lookup-ms");
const Observable kNameOwn = observable("name.own");
const Observable kNameUnique = observable("name.unique");

std::vector<std::string> local_addresses(const facts::Facts& facts) {
  std::vector<std::string> all;
  for (const facts::NetDevice& device : facts.net)
    for (const std::string& address : device.addresses) all.push_back(without_prefix(address));
  return all;
}

std::string by(const Lookup& own) { return own.by.empty() ? "" : cat(" (", own.by, ")"); }

void observe_own_name(const Lookup& own, const std::vector<std::string>& local, Sightings& out) {
  if (own.addresses.empty()) {
    out.add(kNameOwn, "", "unresolved", cat(own.name, " resolves to no address", by(own)));
    return;
  }
  const std::string& first = own.addresses.front();
  const std::string resolves = cat(own.name, " resolves to ", join(own.addresses, ", "), by(own));
  if (is_loopback(first))
    out.add(kNameOwn, "", "loopback", resolves);
  else if (local.empty())
    out.gap(kNameOwn, "", unknown(cat(resolves, "; the addresses of this node are not known")));
  else if (std::ranges::find(local, first) == local.end())
    out.add(kNameOwn, "", "foreign",
            cat(resolves, ", which is not an address of any interface here"));
  else
    out.add(kNameOwn, "", "network", resolves);
}

/// Whether this node recognises itself in an endpoint with one of its addresses.
void observe_endpoints(const Machine& machine, const Lookup& own, Sightings& out) {
  const auto addresses = own_addresses(machine.facts);
  if (addresses.empty()) {
    out.gap(kRendezvousHost, "", unknown("no interface with an address is known"));
    return;
  }
  std::vector<std::string> found;
  std::vector<std::string> lost;
  bool raises = false;
  for (const OwnAddress& one : addresses) {
    const HostMatch match = matches_this_host(one.address, {one.address}, own);
    raises = raises || match == HostMatch::raises;
    (match == HostMatch::hosts ? found : lost)
        .push_back(cat(one.address, " (", one.interface, ")"));
  }
  const std::string works = own.canonical.empty() || own.canonical == own.name
                                ? own.name
                                : cat(own.name, raises ? "" : " or ", raises ? "" : own.canonical);
  const std::string by_name = cat("; as endpoint ", works, " works on this node");
  if (raises)
    out.add(kRendezvousHost, "", "none",
            cat("torchrun raises an exception for every endpoint but ", own.name,
                ", because that name does not resolve"));
  else if (found.empty())
    out.add(kRendezvousHost, "", "none",
            cat("with an endpoint given by address (", join(lost, ", "),
                ") no node would host torchrun's store", by_name));
  else if (!lost.empty())
    out.add(kRendezvousHost, "", "some",
            cat("endpoint given by address: ", join(found, ", "), " is found, ", join(lost, ", "),
                " is not", by_name));
  else
    out.add(kRendezvousHost, "", "all",
            cat("torchrun finds its host by ", join(found, ", "), " and ", works));
}

void observe_gloo(const Machine& machine, const Lookup& own, const std::vector<std::string>& local,
                  Sightings& out) {
  if (const auto set = machine.environment.find("GLOO_SOCKET_IFNAME");
      set != machine.environment.end()) {
    out.gap(kGlooAddress, "", not_applicable(cat("GLOO_SOCKET_IFNAME=", set->second)));
    return;
  }
  if (local.empty()) {
    out.gap(kGlooAddress, "", unknown("the addresses of this node are not known"));
    return;
  }
  const std::string address = gloo_address(own, local);
  out.add(kGlooAddress, "", is_loopback(address) ? "loopback" : "network",
          cat("Gloo announces ", address, " to the other nodes"));
}

constexpr auto kNobodysNames = std::to_array<std::string_view>(
    {"", "(none)", "debian", "localhost", "localhost.localdomain", "ubuntu"});

void observe_uniqueness(const Machine& machine, const std::string& name, Sightings& out) {
  if (!machine.own_name && name.empty()) {
    out.gap(kNameUnique, "", unknown("the host name is not known"));
    return;
  }
  const bool is_default = std::ranges::find(kNobodysNames, name) != kNobodysNames.end();
  out.add(kNameUnique, "", is_default ? "default" : "own",
          cat("the host name is ", name.empty() ? "empty" : name))
      .sureness = facts::Sureness::inferred;
}

}  // namespace

void observe_names(const Machine& machine, Sightings& out) {
  const std::string name = machine.own_name ? machine.own_name->name : machine.facts.node.hostname;
  observe_uniqueness(machine, name, out);
  if (!machine.own_name) {
    for (const Observable& what :
         {kNameOwn, kRendezvousHost, kGlooAddress, kNameFqdn, kNameLookupMs})
      out.gap(what, "", machine.own_name.gap);
    return;
  }
  const Lookup& own = *machine.own_name;
  const std::vector<std::string> local = local_addresses(machine.facts);
  observe_own_name(own, local, out);
  observe_endpoints(machine, own, out);
  observe_gloo(machine, own, local, out);
  const bool is_local = own.fqdn == "localhost" || own.fqdn.starts_with("localhost.");
  if (own.fqdn.empty())
    out.gap(kNameFqdn, "", unknown("it is not known what socket.getfqdn() returns"));
  else
    out.add(kNameFqdn, "", is_local ? "localhost" : "name",
            cat("the workers' MASTER_ADDR is ", own.fqdn, " (socket.getfqdn()) if this is rank 0"));
  if (own.took_ms < 0)
    out.gap(kNameLookupMs, "", not_applicable("no name was looked up: this is a recording"));
  else
    out.add(kNameLookupMs, "", std::to_string(own.took_ms),
            cat("the lookup of ", own.name, " took ", own.took_ms, " ms"))
        .sureness = facts::Sureness::measured;
}

}  // namespace nettune::tools::doctor
