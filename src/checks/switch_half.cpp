// SPDX-License-Identifier: Apache-2.0
#include "checks/switch_half.hpp"

#include <algorithm>
#include <array>
#include <linux/dcbnl.h>

#include "base/text.hpp"
#include "kinds/dcb/grammar.hpp"

namespace nettune::checks {
namespace {

using kinds::dcb::DcbKey;
using kinds::dcb::DcbNumbers;

/// The most differences of one table that are listed; the rest are counted.
constexpr std::size_t kMostListed = 6;

std::string name_of(const LldpNeighbour& heard) {
  const std::string& system = heard.system.empty() ? heard.chassis : heard.system;
  const std::string& port = heard.port_text.empty() ? heard.port : heard.port_text;
  return cat(system, " (port ", port, ")");
}

bool is_compared(const LldpApp& app) {
  return app.protocol.selector == IEEE_8021QAZ_APP_SEL_DSCP ||
         app.protocol.selector == IEEE_8021QAZ_APP_SEL_ETHERTYPE;
}

/// The bandwidth of a class: "50 %", "strict"; "" if it is vendor-specific.
std::string share_text(std::uint64_t algorithm, std::uint64_t share) {
  if (algorithm == IEEE_8021QAZ_TSA_STRICT) return "strict";
  if (algorithm == IEEE_8021QAZ_TSA_ETS) return cat(share, " %");
  return {};
}

std::string listed(const std::vector<std::string>& differences) {
  const std::size_t shown = std::min(differences.size(), kMostListed);
  std::string text = join(std::span(differences).first(shown), ", ");
  if (differences.size() > shown) text += cat(", and ", differences.size() - shown, " more");
  return text;
}

class Comparison {
 public:
  Comparison(const std::string& interface, const LldpNeighbour& heard,
             const std::map<Address, Reading>& readings)
      : interface_(interface), heard_(heard), readings_(readings), name_(name_of(heard)) {}

  SwitchHalf judge() {
    half_.interface = interface_;
    half_.known = heard_.has_dcb();
    if (!half_.known) {
      half_.text = cat("the switch ", name_, " does not advertise PFC, ETS or APP in IEEE DCBX",
                       heard_.has_cee ? ", only in CEE, which is not compared" : "",
                       ": its settings are unknown");
      return half_;
    }
    pfc();
    ets();
    apps();
    half_.text = cat("the switch ", name_);
    add(agreed_, " agrees in ");
    add(differing_, " differs in ");
    add(silent_, " does not advertise ");
    add(unread_, " could not be compared in ");
    return half_;
  }

 private:
  void add(const std::vector<std::string>& what, std::string_view words) {
    if (what.empty()) return;
    if (has_words_) half_.text += ';';
    has_words_ = true;
    half_.text += cat(words, join(what, ", "));
  }

  void agrees(std::string what) { agreed_.push_back(std::move(what)); }
  void silent(std::string what) { silent_.push_back(std::move(what)); }
  void unread(std::string what) { unread_.push_back(std::move(what)); }

  Address dcb(DcbKey key) const {
    return {cat("dcb:", interface_, ':', kinds::dcb::dcb_key_name(key))};
  }
  std::optional<DcbNumbers> ours(const Address& address, DcbKey key) const {
    const auto found = readings_.find(address);
    if (found == readings_.end() || found->second.presence != Presence::present)
      return std::nullopt;
    const auto numbers = kinds::dcb::parse_dcb_value(key, found->second.text);
    return numbers ? std::optional(*numbers) : std::nullopt;
  }
  std::optional<DcbNumbers> ours(DcbKey key) const { return ours(dcb(key), key); }

  void differs(std::string what, const Address& where, std::string problem, std::string remedy) {
    differing_.push_back(std::move(what));
    half_.findings.push_back({where.text, std::move(problem), std::move(remedy)});
  }

  void pfc() {
    if (!heard_.pfc) return silent("PFC");
    const auto mine = ours(DcbKey::pfc);
    if (!mine || mine->size() != 1) return unread("PFC");
    if (mine->front() == *heard_.pfc) return agrees("PFC");
    const std::array theirs = {std::uint64_t{*heard_.pfc}};
    const auto text = [](std::span<const std::uint64_t> value) {
      return kinds::dcb::dcb_value_text(DcbKey::pfc, value).value_or("?");
    };
    differs("PFC", dcb(DcbKey::pfc),
            cat("the switch ", name_, " pauses ", text(theirs), ", and ", interface_, " pauses ",
                text(*mine), ": one end drops what the other treats as lossless"),
            cat("pause ", text(theirs), " here, or ", text(*mine), " at the switch"));
  }

  void ets() {
    const auto& said = heard_.ets ? heard_.ets : heard_.ets_recommended;
    if (!said) return silent("ETS");
    const auto classes = ours(DcbKey::ets_prio_tc);
    const auto algorithms = ours(DcbKey::ets_tsa);
    const auto shares = ours(DcbKey::ets_bw);
    if (!classes || classes->size() != 8 || !algorithms || algorithms->size() != 8 || !shares ||
        shares->size() != 8)
      return unread("ETS");
    std::vector<std::string> differences;
    for (std::size_t i = 0; i < 8; ++i)
      if ((*classes)[i] != said->class_of[i])
        differences.push_back(cat("priority ", i, " class ", said->class_of[i], " at the switch, ",
                                  (*classes)[i], " here"));
    if (!differences.empty()) {
      // Shares of classes that hold other priorities cannot be compared.
      return differs("ETS", dcb(DcbKey::ets_prio_tc),
                     cat("the switch ", name_, " has different classes: ", listed(differences)),
                     "set the same classes at both ends");
    }
    for (std::size_t i = 0; i < 8; ++i) {
      if (std::ranges::find(said->class_of, i) == said->class_of.end()) continue;
      const std::string theirs = share_text(said->algorithm_of[i], said->share_of[i]);
      const std::string mine = share_text((*algorithms)[i], (*shares)[i]);
      if (!theirs.empty() && !mine.empty() && theirs != mine)
        differences.push_back(cat("class ", i, ' ', theirs, " at the switch, ", mine, " here"));
    }
    if (differences.empty()) return agrees("ETS");
    differs("ETS", dcb(DcbKey::ets_bw),
            cat("the switch ", name_, " has different bandwidth shares: ", listed(differences)),
            "set the same shares at both ends");
  }

  bool goes_by_dscp() const {
    return std::ranges::any_of(readings_, [&](const auto& entry) {
      return entry.first.text.starts_with(cat("dcb:", interface_, ":app#dscp-")) &&
             entry.second.presence == Presence::present;
    });
  }

  void apps() {
    if (!heard_.apps || std::ranges::none_of(*heard_.apps, is_compared)) return silent("APP");
    const bool by_dscp = goes_by_dscp();
    std::vector<std::string> differences;
    Address first;
    bool compared = false;
    for (const LldpApp& app : *heard_.apps) {
      const auto name = kinds::dcb::dcb_protocol_text(app.protocol);
      if (!is_compared(app) || !name) continue;
      const Address address{cat("dcb:", interface_, ":app#", *name)};
      const auto mine = ours(address, DcbKey::app);
      // An entry that is missing here does not matter, except a DSCP among other mapped ones.
      const bool dscp = app.protocol.selector == IEEE_8021QAZ_APP_SEL_DSCP;
      if (!mine && !(dscp && by_dscp)) continue;
      compared = true;
      // Without an entry it also has priority 0 here.
      const std::uint64_t priorities = mine && !mine->empty() ? mine->front() : 1;
      if ((priorities >> app.priority & 1U) != 0) continue;
      if (differences.empty()) first = address;
      const std::string here =
          mine ? kinds::dcb::dcb_value_text(DcbKey::app, *mine).value_or("?") : "none";
      differences.push_back(
          cat(*name, " priority ", app.priority, " at the switch, ", here, " here"));
    }
    if (!compared) return unread("APP");
    if (differences.empty()) return agrees("APP");
    differs("APP", first,
            cat("the switch ", name_, " has a different map: ", listed(differences),
                "; packets change their class on the way"),
            "set the same map at both ends");
  }

  const std::string& interface_;
  const LldpNeighbour& heard_;
  const std::map<Address, Reading>& readings_;
  std::string name_;
  SwitchHalf half_;
  bool has_words_ = false;
  std::vector<std::string> agreed_;
  std::vector<std::string> differing_;
  std::vector<std::string> silent_;
  std::vector<std::string> unread_;
};

}  // namespace

std::vector<Address> switch_addresses(const std::string& interface, const LldpNeighbour& heard) {
  std::vector<Address> addresses = chain_addresses(interface);
  if (!heard.apps) return addresses;
  for (const LldpApp& app : *heard.apps)
    if (const auto name = kinds::dcb::dcb_protocol_text(app.protocol))
      addresses.push_back({cat("dcb:", interface, ":app#", *name)});
  return addresses;
}

SwitchHalf judge_switch(const std::string& interface, const Heard& heard,
                        const std::map<Address, Reading>& readings) {
  if (heard.neighbour) return Comparison(interface, *heard.neighbour, readings).judge();
  SwitchHalf half;
  half.interface = interface;
  half.text =
      heard.trouble.empty()
          ? cat("no LLDP from a switch in ", heard.time_s,
                " s: its settings are unknown (does it send LLDP? A card whose firmware handles "
                "LLDP hides the frames)")
          : cat("cannot listen to the switch: ", heard.trouble, "; its settings are unknown");
  return half;
}

}  // namespace nettune::checks
