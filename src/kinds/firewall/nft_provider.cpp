// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/nft_provider.hpp"

#include <algorithm>
#include <functional>
#include <unistd.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "firewall/firewall_address.hpp"
#include "firewall/own_rules.hpp"
#include "firewall/rules/expressions.hpp"
#include "firewall/rules/meaning.hpp"
#include "kinds/common/privilege.hpp"

namespace nettune::kinds::firewall {
namespace {

using kernel::NfRule;
using kernel::NfRuleset;
using nettune::firewall::Spot;
using nettune::firewall::rules::Opening;

constexpr std::string_view kBehind = "behind a drop: ";
constexpr std::string_view kIdle = "not in force: ";
constexpr std::string_view kEdited = "edited: sha256:";
constexpr std::size_t kDigestBytes = 64;

bool is_edited(std::string_view value) {
  const std::string_view digest = value.substr(std::min(kEdited.size(), value.size()));
  return value.starts_with(kEdited) && digest.size() == kDigestBytes &&
         digest.find_first_not_of("0123456789abcdef") == digest.npos;
}

/// The value of rules that somebody edited.
std::string edited_text(const NfRuleset& ruleset, const std::vector<const NfRule*>& rules) {
  std::string all;
  for (const NfRule* const rule : rules)
    all += cat(nettune::firewall::rules::fingerprint(ruleset, *rule), '\n');
  return cat(kEdited, sha256_hex(all));
}

Reading present(std::string text) { return {Presence::present, std::move(text), {}, {}}; }

Reading read_spot(const NfRuleset& ruleset, Spot spot) {
  const kernel::NfChain* const chain = nettune::firewall::find_place(ruleset, spot);
  if (chain == nullptr && !spot.restricts)
    return {Presence::missing,
            {},
            cat("there is no chain ", kernel::nf_family_name(spot.place.family), ' ',
                printable(spot.place.table), ' ', printable(spot.place.chain),
                " now; run nettune plan to see which chains need rules"),
            {}};
  const auto rules = nettune::firewall::tagged_rules(ruleset, spot);
  if (chain == nullptr || rules.empty()) return {Presence::absent, {}, {}, {}};
  const auto opening = nettune::firewall::rules::decode(ruleset, spot.place, rules);
  if (!opening) return present(edited_text(ruleset, rules));
  std::string_view prefix;
  if (spot.restricts && !nettune::firewall::is_in_force(ruleset, *chain, *rules.front()))
    prefix = kIdle;
  if (!spot.restricts &&
      nettune::firewall::is_behind_a_drop(ruleset, *chain, *rules.front(), *opening))
    prefix = kBehind;
  return present(cat(prefix, nettune::firewall::rules::text_of(*opening)));
}

/// A rule with a comment in the form of iptables: its modules are loaded.
bool has_xt_comment(const NfRuleset& ruleset) {
  return std::ranges::any_of(ruleset.rules, [](const NfRule& rule) {
    return rule.comment.empty() && !nettune::firewall::rules::comment_of(rule).empty();
  });
}

/// Whether the rules of a chain can match packets of that family.
bool carries(const Spot& spot, const Opening& opening) {
  const std::string family = kernel::nf_family_name(spot.place.family);
  return family == "inet" || (family == "ip6") == opening.ipv6;
}

/// A rule to add.
struct Added {
  const Write* write = nullptr;
  Spot spot;
};

/// A chain is made again only if all its rules are removed by this change.
Result<> only_ours_goes(const NfRuleset& ruleset, const nettune::firewall::Change& change) {
  if (!change.gone_chain) return {};
  const kernel::NfChain& chain = *change.gone_chain;
  for (const NfRule& rule : ruleset.rules) {
    if (rule.family != chain.family || rule.table != chain.table || rule.chain != chain.name)
      continue;
    if (std::ranges::none_of(change.gone,
                             [&](const NfRule& gone) { return gone.handle == rule.handle; }))
      return fail(Errc::busy,
                  cat("chain inet nettune input was changed and has foreign rules (handle ",
                      rule.handle, "); move them to another table and try again"));
  }
  return {};
}

}  // namespace

Result<Value> NftFirewall::canonical(const Address& address, const Value& want) const {
  TRY_ASSIGN(const Spot spot, nettune::firewall::parse_spot(address.rest()));
  if (!want || is_edited(*want)) return want;
  std::string_view text = *want;
  const std::string_view state = spot.restricts ? kIdle : kBehind;
  const bool idle = text.starts_with(state);
  if (idle) text.remove_prefix(state.size());
  TRY_ASSIGN(const Opening opening, nettune::firewall::rules::parse_opening(text));
  const auto effect = spot.restricts ? Opening::Effect::drop_others : Opening::Effect::accept;
  if (opening.effect != effect || !carries(spot, opening))
    return fail(Errc::invalid,
                cat(address.text, " cannot be \"", printable(*want), "\": it must be ",
                    spot.restricts ? "a drop rule" : "an allow rule of the chain's family"));
  return Value(cat(idle ? state : "", nettune::firewall::rules::text_of(opening)));
}

std::vector<Reading> NftFirewall::read(std::span<const Address> addresses) {
  std::vector<Reading> readings(addresses.size());
  const auto ruleset = ruleset_->now();
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto spot = nettune::firewall::parse_spot(addresses[i].rest());
    if (!spot)
      readings[i] = {Presence::not_applicable, {}, spot.error().text, {}};
    else if (!ruleset)
      readings[i] = {Presence::not_permitted, {}, ruleset.error().text, {}};
    else
      readings[i] = read_spot(**ruleset, *spot);
  }
  return readings;
}

std::string NftFirewall::unit(const Address& address) const {
  return nettune::firewall::firewall_backend(address.rest()) == "restrict" ? "firewall:close"
                                                                           : "firewall:open";
}

/// The kernel loads the modules that a rule needs: nf_tables_api.c, and nft_compat.c for a table of
/// iptables-nft, where a comment is a match of its own.
void NftFirewall::add_module_effects(const Address& address, Effects& effects) {
  auto spot = nettune::firewall::parse_spot(address.rest());
  const auto ruleset = ruleset_->now();
  if (!spot || !ruleset) return;
  std::vector<std::string_view> modules;
  if ((*ruleset)->generation == 0) modules = {"nfnetlink", "nf_tables"};
  (void)nettune::firewall::find_place(**ruleset, *spot);
  if (spot->place.iptables && !has_xt_comment(**ruleset)) modules = {"nft_compat", "xt_comment"};
  for (const std::string_view module : modules) {
    if (::access(cat(sys_, "/module/", module).c_str(), F_OK) == 0) continue;
    effects.touches.push_back({Address{cat("module:", module)}, "", "loaded",
                               "the kernel loads the modules that a rule needs"});
    effects.undo = Undo::residue;
    effects.residue = "the modules that it loads stay loaded";
  }
}

Effects NftFirewall::effects(const Address& address, const Value& before, const Value& after) {
  Effects effects;
  if (!common::may_administer_network())
    effects.not_permitted = cat("changing ", address.text, " needs root (CAP_NET_ADMIN)");
  if (after) add_module_effects(address, effects);
  if (before && is_edited(*before) && before != after) {
    effects.undo = Undo::none;
    effects.residue = "the rule was edited; undo does not restore the edited form";
  }
  if (before && before->starts_with(kIdle) && after && after != before) {
    effects.undo = Undo::none;
    effects.residue = "the rule was disabled by hand; undo does not restore that";
  }
  if (before && before->starts_with(kBehind) && before != after) {
    effects.undo = Undo::residue;
    effects.residue = "undo puts it directly after the first rule that drops some of it";
  }
  return effects;
}

bool NftFirewall::is_still(const Value& set, const Value& now) const {
  return set == now || (set && (now == cat(kBehind, *set) || now == cat(kIdle, *set)));
}

Result<> NftFirewall::attempt(std::span<const Write> unit) {
  TRY_ASSIGN(const NfRuleset* const ruleset, ruleset_->now());
  nettune::firewall::Change change;
  std::uint32_t last_set = 0;
  bool closes = false;
  std::vector<Added> added;
  for (const Write& write : unit) {
    TRY_ASSIGN(Spot spot, nettune::firewall::parse_spot(write.address.rest()));
    closes = closes || spot.restricts;
    nettune::firewall::remove_own(*ruleset, spot, change);
    if (!write.after) continue;
    if (is_edited(*write.after) || write.after->starts_with(kIdle))
      return fail(Errc::unsupported,
                  cat(write.address.text, ": an edited rule or chain cannot be restored"));
    added.push_back({&write, std::move(spot)});
  }
  // Each goes to the head, or directly behind a rule that stays: the last in order comes first. So
  // whoever adds them, apply or an undo, and whichever of them are there, their order is the same.
  std::ranges::sort(added, std::greater(), [](const Added& one) { return one.spot.name; });
  for (Added& one : added) {
    const Write& write = *one.write;
    Spot& spot = one.spot;
    const kernel::NfChain* const chain = nettune::firewall::find_place(*ruleset, spot);
    std::string_view text = *write.after;
    if (chain == nullptr && !spot.restricts)
      return fail(Errc::not_found, cat(write.address.text, ": the chain no longer exists"));
    const bool behind = text.starts_with(kBehind);
    if (behind) text.remove_prefix(kBehind.size());
    TRY_ASSIGN(const Opening opening, nettune::firewall::rules::parse_opening(text));
    nettune::firewall::add_opening(
        *ruleset, spot, opening,
        behind ? nettune::firewall::Where::behind_a_drop : nettune::firewall::Where::head, last_set,
        change);
  }
  if (closes) nettune::firewall::close_table(*ruleset, change);
  TRY(only_ours_goes(*ruleset, change));
  return ruleset_->commit(change);
}

Result<> NftFirewall::write(std::span<const Write> unit, const Contents&, const std::string&) {
  auto done = attempt(unit);
  // Another program changed the rules first; its result may leave as much to do.
  if (!done && done.error().code == Errc::conflict) done = attempt(unit);
  return done;
}

}  // namespace nettune::kinds::firewall
