// SPDX-License-Identifier: Apache-2.0
#include "node/recorded.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "kernel/rtnl.hpp"
#include "kinds/link/kind.hpp"
#include "kinds/link/provider.hpp"
#include "kinds/registry.hpp"
#include "node/delegating.hpp"

namespace nettune::node {

namespace {

using Json = nlohmann::json;

Failure bad(const std::string& address, std::string_view what) {
  return fail(Errc::invalid, cat("the recorded value of ", printable(address), " ", what));
}

Result<std::string> text_member(const Json& object, const char* name, const std::string& address) {
  const auto found = object.find(name);
  if (found == object.end()) return std::string();
  if (!found->is_string()) return bad(address, cat("has a \"", name, "\" that is not a string"));
  return found->get<std::string>();
}

Result<Reading> parse_answer(const Json& object, const std::string& address) {
  Reading reading;
  TRY_ASSIGN(const std::string presence, text_member(object, "presence", address));
  const auto known = kPresences.value(presence);
  if (!known) return bad(address, cat("has the unknown presence \"", printable(presence), "\""));
  reading.presence = *known;
  TRY_ASSIGN(reading.text, text_member(object, "text", address));
  TRY_ASSIGN(reading.why, text_member(object, "why", address));
  TRY_ASSIGN(reading.content, text_member(object, "content", address));
  return reading;
}

Result<Reading> parse_value(const Json& value, const std::string& address) {
  Reading reading;
  if (value.is_object()) return parse_answer(value, address);
  if (value.is_null()) {
    reading.presence = Presence::absent;
  } else if (value.is_string()) {
    reading.presence = Presence::present;
    reading.text = value.get<std::string>();
  } else {
    return bad(address, "is not a string, null or an object");
  }
  return reading;
}

/// Nothing can exist below a character device: a provider built on it sees no system.
constexpr const char* kNowhere = "/dev/null/nowhere";

/// Answers for a recorded node.
class RecordedProvider final : public DelegatingProvider {
 public:
  RecordedProvider(std::shared_ptr<Provider> inner, std::shared_ptr<const RecordedValues> values)
      : DelegatingProvider(*inner), inner_(std::move(inner)), values_(std::move(values)) {}

  std::vector<Reading> read(std::span<const Address> addresses) override {
    // A provider that reads its surroundings (links) then sees the recorded ones.
    (void)inner_->read(addresses);
    std::vector<Reading> readings;
    readings.reserve(addresses.size());
    for (const Address& address : addresses) {
      const auto found = values_->find(address);
      readings.push_back(found != values_->end()
                             ? found->second
                             : Reading{Presence::unknown, {}, "not recorded", {}});
    }
    return readings;
  }

  /// The provider sees no system and might say that it may not write. The recorded values say
  /// whether the recorded node lets root write.
  Effects effects(const Address& address, const Value& before, const Value& after) override {
    Effects effects = DelegatingProvider::effects(address, before, after);
    effects.not_permitted.clear();
    effects.obstructed = false;
    return effects;
  }

 private:
  std::shared_ptr<Provider> inner_;
  std::shared_ptr<const RecordedValues> values_;
};

/// Canonical texts and everything else that needs no system; reads nothing.
class PureProvider final : public DelegatingProvider {
 public:
  PureProvider(Provider& inner, std::shared_ptr<const Providers> owner)
      : DelegatingProvider(inner), owner_(std::move(owner)) {}
  std::vector<Reading> read(std::span<const Address> addresses) override {
    return std::vector<Reading>(addresses.size());
  }

 private:
  std::shared_ptr<const Providers> owner_;
};

/// The recorded interfaces as a dump of links.
kinds::link::Links links_of(const facts::Facts& facts) {
  std::vector<kernel::Link> links;
  std::map<std::string, std::size_t> at;
  for (const facts::NetDevice& device : facts.net) {
    kernel::Link link;
    link.ifindex = static_cast<int>(links.size()) + 1;
    link.name = device.name;
    link.kind = device.kind;
    link.mtu = static_cast<std::uint32_t>(device.mtu.value_or(0));
    link.txqueuelen = static_cast<std::uint32_t>(device.txqueuelen.value_or(0));
    if (device.physical) link.parent_bus = "pci";
    // An InfiniBand datagram has at most 4096 bytes, 4 of them the IPoIB header (RFC 4391).
    if (device.kind == "ipoib") link.ipoib_connected = device.mtu > 4092;
    at.emplace(device.name, links.size());
    links.push_back(std::move(link));
  }
  for (const facts::NetDevice& device : facts.net) {
    const std::size_t self = at.at(device.name);
    const bool has_members =
        device.kind == "bond" || device.kind == "team" || device.kind == "bridge";
    for (const std::string& lower : device.lowers) {
      const auto found = at.find(lower);
      if (found == at.end()) continue;
      if (has_members)
        links[found->second].master = links[self].ifindex;
      else
        links[self].link = links[found->second].ifindex;
    }
  }
  return kinds::link::shared(std::move(links));
}

/// The answers that root would get: a person without root plans too. What is in the way of root
/// stays.
class AsRootProvider final : public DelegatingProvider {
 public:
  AsRootProvider(Provider& inner, std::shared_ptr<const Providers> owner)
      : DelegatingProvider(inner), owner_(std::move(owner)) {}

  Effects effects(const Address& address, const Value& before, const Value& after) override {
    Effects effects = DelegatingProvider::effects(address, before, after);
    if (!effects.obstructed) effects.not_permitted.clear();
    return effects;
  }

 private:
  std::shared_ptr<const Providers> owner_;
};

}  // namespace

Result<RecordedValues> parse_recorded_values(const std::string& json) {
  const Json document = Json::parse(json, nullptr, false);
  if (document.is_discarded()) return fail(Errc::invalid, "it is not JSON");
  const auto is_number = [&](const char* name, int value) {
    const auto found = document.find(name);
    return found != document.end() && found->is_number_integer() && *found == value;
  };
  if (!document.is_object() || !is_number("schema", 1))
    return fail(Errc::invalid, "it is not a document of recorded values with \"schema\": 1");
  const auto values = document.find("values");
  if (values == document.end() || !values->is_object())
    return fail(Errc::invalid, "it has no \"values\" object");
  RecordedValues recorded;
  for (const auto& [address, value] : values->items()) {
    TRY_ASSIGN(Reading reading, parse_value(value, address));
    recorded.emplace(Address{address}, std::move(reading));
  }
  return recorded;
}

Result<RecordedValues> values_in_facts(const std::string& json) {
  const Json document = Json::parse(json, nullptr, false);
  if (!document.is_object() || !document.contains("values")) return RecordedValues();
  return parse_recorded_values(json);
}

Providers recorded_providers(Disk& disk, const facts::Facts& facts, RecordedValues values) {
  const auto pure = std::make_shared<const Providers>(
      kinds::providers(disk, kinds::common::Places::everything_at(kNowhere)));
  const auto shared = std::make_shared<const RecordedValues>(std::move(values));
  auto calls = kinds::link::LinkCalls::of(links_of(facts));
  calls.find_far = [] {
    kinds::link::FarLinks far;
    far.unseen = "a recorded node does not show them";
    return far;
  };
  Providers recorded;
  for (const auto& provider : pure->all()) {
    std::shared_ptr<Provider> inner;
    if (provider->kind() == kinds::link::kLink.name)
      inner = std::make_shared<kinds::link::LinkProvider>(kNowhere, calls);
    else
      inner = std::make_shared<PureProvider>(*provider, pure);
    recorded.add(std::make_unique<RecordedProvider>(std::move(inner), shared));
  }
  return recorded;
}

Providers as_root_providers(Providers live) {
  const auto owner = std::make_shared<const Providers>(std::move(live));
  Providers providers;
  for (const auto& provider : owner->all())
    providers.add(std::make_unique<AsRootProvider>(*provider, owner));
  return providers;
}

}  // namespace nettune::node
