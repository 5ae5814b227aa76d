// SPDX-License-Identifier: Apache-2.0
#include "checks/passage.hpp"

#include "base/text.hpp"

namespace nettune::checks {
namespace {

using firewall::Traffic;
using firewall::Verdict;
using formats::Opening;

/// Without the word that says what a rule does with it.
std::string traffic_of(std::string_view opening) {
  constexpr std::string_view kAccept = "accept ";
  if (opening.starts_with(kAccept)) opening.remove_prefix(kAccept.size());
  return std::string(opening);
}

class Judge {
 public:
  Judge(const kernel::NfRuleset& ruleset, const Surroundings& surroundings)
      : evaluator_(ruleset), surroundings_(surroundings) {}

  Verdict of(const Opening& opening) {
    Verdict worst;
    worst.passage = firewall::Passage::accepted;
    for (const std::string& interface : opening.interfaces) {
      Verdict verdict = by(opening, interface);
      if (verdict.passage == firewall::Passage::dropped) return verdict;
      if (verdict.passage == firewall::Passage::unknown) worst = std::move(verdict);
    }
    if (worst.passage == firewall::Passage::accepted && !surroundings_.unseen.empty()) {
      worst.passage = firewall::Passage::unknown;
      worst.why = surroundings_.unseen;
    }
    return worst;
  }

 private:
  Verdict by(const Opening& opening, const std::string& interface) {
    Verdict unknown;
    const auto found = surroundings_.interfaces.find(interface);
    if (!surroundings_.unread.empty())
      unknown.why = surroundings_.unread;
    else if (found == surroundings_.interfaces.end())
      unknown.why = cat(interface, " is not here");
    else if (!found->second.master.empty())
      unknown.why = cat(interface, " is part of ", found->second.master,
                        ", under whose name its packets come in");
    else
      return evaluator_.judge(traffic(opening, interface, found->second));
    return unknown;
  }

  static Traffic traffic(const Opening& opening, const std::string& interface,
                         const Surroundings::Interface& around) {
    Traffic traffic{interface, opening.peers, opening.protocol, opening.ports};
    for (const formats::Network& address : around.addresses)
      if (address.ipv6 == opening.ipv6) traffic.to.push_back(address);
    traffic.interface_index = around.index;
    traffic.bridge = around.bridge;
    traffic.below = around.below;
    return traffic;
  }

  firewall::Evaluator evaluator_;
  const Surroundings& surroundings_;
};

}  // namespace

std::string_view passage_text(firewall::Passage passage) {
  switch (passage) {
    case firewall::Passage::accepted:
      return "let in";
    case firewall::Passage::dropped:
      return "dropped";
    case firewall::Passage::unknown:
      return "unknown";
  }
  return "";
}

std::vector<Passage> judge_passages(const std::vector<Admission>& admissions,
                                    const kernel::NfRuleset& ruleset,
                                    const Surroundings& surroundings) {
  Judge judge(ruleset, surroundings);
  std::vector<Passage> passages;
  for (const Admission& admission : admissions) {
    Passage passage{admission.name, traffic_of(admission.opening), {}, admission.origin};
    const auto opening = formats::parse_opening(admission.opening);
    if (opening)
      passage.verdict = judge.of(*opening);
    else
      passage.verdict.why = opening.error().text;
    passages.push_back(std::move(passage));
  }
  return passages;
}

std::vector<Passage> unknown_passages(const std::vector<Admission>& admissions,
                                      const std::string& why) {
  std::vector<Passage> passages;
  for (const Admission& admission : admissions) {
    Passage passage{admission.name, traffic_of(admission.opening), {}, admission.origin};
    passage.verdict.why = why;
    passages.push_back(std::move(passage));
  }
  return passages;
}

}  // namespace nettune::checks
