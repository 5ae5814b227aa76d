// SPDX-License-Identifier: Apache-2.0
#include "providers/firewall_firewalld.hpp"

#include "base/text.hpp"

namespace nettune::providers {

Result<Value> FirewalldFirewall::canonical(const Address& address, const Value&) const {
  return fail(Errc::unsupported, cat(printable(address.text.substr(0, 120)), ": not written yet"));
}

std::vector<Reading> FirewalldFirewall::read(std::span<const Address> addresses) {
  return std::vector<Reading>(addresses.size());
}

Effects FirewalldFirewall::effects(const Address&, const Value&, const Value&) { return {}; }

Result<> FirewalldFirewall::write(std::span<const Write>, const Contents&, const std::string&) {
  return fail(Errc::unsupported, "not written yet");
}

}  // namespace nettune::providers
