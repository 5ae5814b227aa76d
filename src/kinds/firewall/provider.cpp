// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/provider.hpp"

#include "base/text.hpp"
#include "firewall/firewall_address.hpp"
#include "firewall/rules/opening.hpp"

namespace nettune::kinds::firewall {
namespace {

constexpr std::string_view kAllow = "allow";

bool is_allow(const Address& address) {
  return nettune::firewall::firewall_backend(address.rest()) == kAllow;
}

}  // namespace

FirewallProvider::FirewallProvider(Backends backends) : backends_(std::move(backends)) {}

Provider* FirewallProvider::backend_of(const Address& address) const {
  const std::string_view name = nettune::firewall::firewall_backend(address.rest());
  if (name == "nft" || name == "restrict") return backends_.nft.get();
  if (name == "firewalld") return backends_.firewalld.get();
  if (name == "ufw") return backends_.ufw.get();
  return nullptr;
}

Result<Value> FirewallProvider::canonical(const Address& address, const Value& want) const {
  if (const Provider* const backend = backend_of(address)) return backend->canonical(address, want);
  if (is_allow(address) && want) {
    TRY_ASSIGN(const nettune::firewall::rules::Opening opening,
               nettune::firewall::rules::parse_opening(*want));
    return Value(nettune::firewall::rules::text_of(opening));
  }
  return fail(Errc::invalid, cat(printable(address.text.substr(0, 120)),
                                 " is not a firewall rule; write nft/FAMILY/TABLE/CHAIN#NAME, "
                                 "restrict#NAME, firewalld/... or ufw#RULE"));
}

std::vector<Reading> FirewallProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings(addresses.size());
  std::map<Provider*, std::vector<std::size_t>> shares;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (Provider* const backend = backend_of(addresses[i]))
      shares[backend].push_back(i);
    else if (is_allow(addresses[i]))
      readings[i] = {
          Presence::not_permitted, "", "the firewall manager of this node is not known", {}};
    else
      readings[i] = {Presence::not_applicable, "", "no firewall has such a rule", {}};
  }
  for (const auto& [backend, at] : shares) {
    std::vector<Address> own;
    own.reserve(at.size());
    for (const std::size_t i : at) own.push_back(addresses[i]);
    std::vector<Reading> answers = backend->read(own);
    for (std::size_t i = 0; i < at.size() && i < answers.size(); ++i)
      readings[at[i]] = std::move(answers[i]);
  }
  return readings;
}

std::string FirewallProvider::unit(const Address& address) const {
  const Provider* const backend = backend_of(address);
  return backend != nullptr ? backend->unit(address) : address.text;
}

std::vector<Address> FirewallProvider::needs(const Address& address) const {
  const Provider* const backend = backend_of(address);
  return backend != nullptr ? backend->needs(address) : std::vector<Address>();
}

Effects FirewallProvider::effects(const Address& address, const Value& before, const Value& after) {
  Provider* const backend = backend_of(address);
  return backend != nullptr ? backend->effects(address, before, after) : Effects();
}

/// Among the backends, only nft has values that say more than what was set.
bool FirewallProvider::is_still(const Value& set, const Value& now) const {
  return backends_.nft ? backends_.nft->is_still(set, now) : Provider::is_still(set, now);
}

Lifetime FirewallProvider::lifetime(const Address& address) const {
  const Provider* const backend = backend_of(address);
  return backend != nullptr ? backend->lifetime(address) : Lifetime::runtime;
}

Result<> FirewallProvider::write(std::span<const Write> unit, const Contents& contents,
                                 const std::string& transaction) {
  if (unit.empty()) return {};
  Provider* const backend = backend_of(unit.front().address);
  if (backend != nullptr) return backend->write(unit, contents, transaction);
  return fail(Errc::unsupported, cat(printable(unit.front().address.text),
                                     ": the firewall manager of this node is not known"));
}

}  // namespace nettune::kinds::firewall
