// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/setting.hpp"
#include "firewall/surroundings.hpp"
#include "firewall/walk/evaluate.hpp"

namespace nettune::firewall {

/// Required traffic, incoming or outgoing, and what happens to it.
struct RequiredTraffic {
  std::string name;       ///< "fabric-tcp4"
  std::string traffic;    ///< "tcp 29400 from 10.10.0.0/16 in eth1"
  walk::Verdict verdict;  ///< the worst of all its packets
  Origin origin;
};

/// Follows the conversations of each allow rule through the rule set: the first packets, the
/// answers, and what follows. The result is dropped as soon as some of that is dropped, and
/// accepted only if all of it is accepted and nothing else filters. Peers are all but this node
/// itself. Neighbour discovery, or ARP, must also work in both directions.
std::vector<RequiredTraffic> judge_traffic(const std::vector<Admission>& admissions,
                                           const kernel::NfRuleset& ruleset,
                                           const Surroundings& surroundings);

/// The result if no rule set can be read, with the reason.
std::vector<RequiredTraffic> unknown_traffic(const std::vector<Admission>& admissions,
                                             const std::string& why);

struct TrafficCounts {
  std::size_t all = 0;
  std::size_t dropped = 0;
  std::size_t unknown = 0;
};
TrafficCounts count_traffic(const std::vector<RequiredTraffic>& traffic);
bool any_dropped(const std::vector<RequiredTraffic>& traffic);

std::string_view passage_text(walk::Passage passage);  ///< "let in", "dropped", "unknown"
/// "chain inet filter input, rule 7 (handle 12): drop (of firewalld)".
std::string dropped_by(const walk::Verdict& verdict);
/// What a person can do about dropped traffic, in one sentence: "..., by ...".
std::string remedy_of(const walk::Verdict& verdict);
/// Of dropped traffic: which packet, by what, and the remedy. Of unknown traffic: what is unknown,
/// and at which rule.
std::string reason_of(const walk::Verdict& verdict);

}  // namespace nettune::firewall
