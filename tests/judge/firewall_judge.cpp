// SPDX-License-Identifier: Apache-2.0
// Says what the firewall of this network namespace does with packets, by nettune's evaluator:
//
//     firewall_judge INTERFACE TO QUERY...      TO: this node's addresses, or "-"
//     QUERY: "tcp|udp|ping PORTS|- NETWORKS", such as "tcp 5000-5010,6000 10.0.0.0/8":
//     conversations that these begin; "tcp-out ...": that this node begins with them
//
// One line for each query: verdict, where, why, owner, packet, between tabs. How long
// reading and judging took goes to standard error.
#include <chrono>
#include <fstream>
#include <iostream>
#include <net/if.h>

#include "base/text.hpp"
#include "firewall/walk/evaluate.hpp"
#include "kernel/rtnl.hpp"

namespace {

using namespace nettune;

std::string_view text_of(nettune::firewall::walk::Passage passage) {
  switch (passage) {
    case nettune::firewall::walk::Passage::accepted:
      return "accepted";
    case nettune::firewall::walk::Passage::dropped:
      return "dropped";
    case nettune::firewall::walk::Passage::unknown:
      return "unknown";
  }
  return "";
}

Result<std::vector<nettune::firewall::rules::Network>> networks_in(std::string_view list) {
  std::vector<nettune::firewall::rules::Network> networks;
  for (const auto item : split(list, ',')) {
    TRY_ASSIGN(const nettune::firewall::rules::Network network,
               nettune::firewall::rules::parse_network(item));
    networks.push_back(network);
  }
  return networks;
}

Result<nettune::firewall::walk::Traffic> traffic_of(const std::string& interface,
                                                    std::string_view to, std::string_view query) {
  nettune::firewall::walk::Traffic traffic;
  traffic.interface = interface;
  traffic.interface_index = if_nametoindex(interface.c_str());
  if (const auto links = nettune::kernel::dump_links())
    for (const nettune::kernel::Link& link : *links)
      if (link.name == interface) traffic.hardware = link.hardware;
  const auto parts = words(query);
  if (parts.size() != 3) return fail(Errc::invalid, cat("no query: ", query));
  TRY_ASSIGN(traffic.peers, networks_in(parts[2]));
  if (to != "-") {
    TRY_ASSIGN(traffic.own, networks_in(to));
  }
  constexpr std::string_view kOut = "-out";
  traffic.outgoing = parts[0].ends_with(kOut);
  std::ifstream ports("/proc/sys/net/ipv4/ip_local_port_range");
  nettune::firewall::rules::PortRange own;
  if (ports >> own.first >> own.last) traffic.own_ports = own;
  const auto protocol = parts[0].substr(0, parts[0].find('-'));
  traffic.protocol = protocol == "udp"            ? nettune::firewall::rules::Protocol::udp
                     : protocol == "tcp"          ? nettune::firewall::rules::Protocol::tcp
                     : traffic.peers.front().ipv6 ? nettune::firewall::rules::Protocol::icmpv6
                                                  : nettune::firewall::rules::Protocol::icmp;
  if (parts[1] == "-") return traffic;
  for (const auto item : split(parts[1], ',')) {
    TRY_ASSIGN(const nettune::firewall::rules::PortRange range,
               nettune::firewall::rules::parse_port_range(item));
    traffic.ports.push_back(range);
  }
  return traffic;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  return spent.count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto start = std::chrono::steady_clock::now();
  const auto ruleset = nettune::kernel::read_nf_ruleset(nettune::kernel::NfElements::later);
  if (!ruleset) {
    std::cerr << ruleset.error().text << "\n";
    return 1;
  }
  const double reading = milliseconds_since(start);
  const auto routes = nettune::firewall::walk::kernel_routes();
  nettune::firewall::walk::Evaluator evaluator(
      *ruleset,
      [&](nettune::kernel::NfSet& set) {
        return nettune::kernel::read_nf_elements(ruleset->generation, set).has_value();
      },
      routes.get(), nettune::kernel::find_ip_set);
  for (int i = 3; i < argc; ++i) {
    const auto traffic = traffic_of(argv[1], argv[2], argv[i]);
    if (!traffic) {
      std::cerr << traffic.error().text << "\n";
      return 2;
    }
    const auto before = std::chrono::steady_clock::now();
    const nettune::firewall::walk::Verdict verdict = evaluator.judge(*traffic);
    std::cout << text_of(verdict.passage) << "\t" << verdict.where << "\t" << verdict.why << "\t"
              << verdict.owner << "\t" << verdict.packet << "\n";
    std::cerr << ruleset->rules.size() << " rules read in " << reading << " ms, judged in "
              << milliseconds_since(before) << " ms\n";
  }
  return 0;
}
