// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/setting.hpp"
#include "firewall/evaluate.hpp"
#include "firewall/opening.hpp"
#include "firewall/routes.hpp"

namespace nettune::checks {

/// What becomes of traffic that has to get in, or out.
struct Passage {
  std::string name;           ///< "fabric-tcp4"
  std::string traffic;        ///< "tcp 29400 from 10.10.0.0/16 in eth1"
  firewall::Verdict verdict;  ///< the worst of all its packets
  Origin origin;
};
std::string_view passage_text(firewall::Passage passage);  ///< "let in", "dropped", "unknown"

/// What a person can do about traffic that is dropped: "..., by ..." in one sentence.
std::string remedy_of(const firewall::Verdict& verdict);

/// Of what [firewall] has to let through: how much is not.
struct PassageCounts {
  std::size_t all = 0;
  std::size_t dropped = 0;
  std::size_t unknown = 0;
};
PassageCounts count_passages(const std::vector<Passage>& passages);

/// What a rule set does not show.
struct Surroundings {
  struct Interface {
    std::uint32_t index = 0;
    std::vector<formats::Network> addresses = {};  ///< of this node
    bool bridge = false;                           ///< it is one, or a port of one
    std::vector<std::string> below = {};           ///< devices that it stands on
    std::string master = {};  ///< takes its packets, which then have that one's name; "" for none
  };
  std::map<std::string, Interface> interfaces;  ///< all that are here
  std::string unseen;  ///< a filter that the rule set does not have, as a sentence; "" for none
  std::string unread;  ///< why interfaces could not be looked at; "" where they were
  std::shared_ptr<firewall::Routes> routes = {};  ///< null: what hangs on them is unknown
};

/// Follows the conversations of each admission through the rule set: what begins them, the answers,
/// and what goes on. Dropped as soon as some of that is; let in only where all of it is, and
/// nothing else filters. Peers are all but this node itself. Neighbour discovery, or ARP, has to
/// come in and to go out, too.
std::vector<Passage> judge_passages(const std::vector<Admission>& admissions,
                                    const kernel::NfRuleset& ruleset,
                                    const Surroundings& surroundings);

/// The same where no rule set can be looked at, and why not.
std::vector<Passage> unknown_passages(const std::vector<Admission>& admissions,
                                      const std::string& why);

}  // namespace nettune::checks
