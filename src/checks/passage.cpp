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
      : ruleset_(ruleset), surroundings_(surroundings) {}

  Verdict of(const Opening& opening) const {
    Verdict worst;
    worst.passage = firewall::Passage::accepted;
    const std::vector<formats::PortRange> no_port = {{}};
    for (const std::string& interface : opening.interfaces)
      for (const formats::Network& peer : opening.peers)
        for (const formats::PortRange& ports : opening.ports.empty() ? no_port : opening.ports) {
          const Verdict verdict = firewall::evaluate(
              ruleset_, {interface, peer, opening.protocol, ports, own(interface, opening.ipv6)});
          if (verdict.passage == firewall::Passage::dropped) return verdict;
          if (verdict.passage == firewall::Passage::unknown) worst = verdict;
        }
    if (worst.passage == firewall::Passage::accepted && !surroundings_.unseen.empty()) {
      worst.passage = firewall::Passage::unknown;
      worst.where = surroundings_.unseen;
    }
    return worst;
  }

 private:
  std::vector<formats::Network> own(const std::string& interface, bool ipv6) const {
    std::vector<formats::Network> found;
    const auto all = surroundings_.addresses.find(interface);
    if (all == surroundings_.addresses.end()) return found;
    for (const formats::Network& address : all->second)
      if (address.ipv6 == ipv6) found.push_back(address);
    return found;
  }

  const kernel::NfRuleset& ruleset_;
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
  const Judge judge(ruleset, surroundings);
  std::vector<Passage> passages;
  for (const Admission& admission : admissions) {
    Passage passage{admission.name, traffic_of(admission.opening), {}, admission.origin};
    const auto opening = formats::parse_opening(admission.opening);
    if (opening)
      passage.verdict = judge.of(*opening);
    else
      passage.verdict.where = opening.error().text;
    passages.push_back(std::move(passage));
  }
  return passages;
}

std::vector<Passage> unknown_passages(const std::vector<Admission>& admissions,
                                      const std::string& why) {
  std::vector<Passage> passages;
  for (const Admission& admission : admissions) {
    Passage passage{admission.name, traffic_of(admission.opening), {}, admission.origin};
    passage.verdict.where = why;
    passages.push_back(std::move(passage));
  }
  return passages;
}

}  // namespace nettune::checks
