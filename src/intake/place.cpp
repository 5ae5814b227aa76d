// SPDX-License-Identifier: Apache-2.0
#include "intake/place.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "kinds/registry.hpp"
#include "kinds/sysctl/kind.hpp"

namespace nettune::intake {
namespace {

using toml::Node;

Node boolean(bool value) {
  Node node;
  node.kind = Node::Kind::boolean;
  node.boolean = value;
  return node;
}

Node list_of(std::vector<Node> items) {
  Node node;
  node.kind = Node::Kind::array;
  node.items = std::move(items);
  return node;
}

/// Nothing for a text that another spelling of the integer would give back.
std::optional<std::int64_t> integer_of(std::string_view text) {
  const auto number = parse_int(text);
  if (!number || std::to_string(*number) != text) return {};
  return number;
}

Node integer_or_string(const std::string& text) {
  const auto number = integer_of(text);
  return number ? Node::number(*number) : Node::string(text, {});
}

/// "0,3" as [0, 3], "host,ieee" as strings; "none" is no member.
Node members_of(const std::string& text) {
  if (text == "none") return list_of({});
  std::vector<Node> items;
  for (const std::string_view member : split(text, ','))
    items.push_back(integer_or_string(std::string(member)));
  return list_of(std::move(items));
}

Result<> check_text(std::string_view text) {
  if (text.find("${") != text.npos)
    return fail(Errc::invalid, "\"${\" always means a variable in a profile");
  return {};
}

/// [dcb.SET]: an entry of the APP table has the address dcb:IF:app#ENTRY.
Place dcb_place(const Address& address, const std::string& text) {
  Place place{"dcb", {std::string(address.key())}, {}, std::string(address.object())};
  if (const std::string_view entry = address.element(); !entry.empty()) {
    place.key = {"app", std::string(entry)};
    place.value = integer_or_string(text);
  } else {
    place.value = place.key[0] == "pfc-delay" ? integer_or_string(text) : members_of(text);
  }
  return place;
}

Result<Place> sysctl_place(const Address& address, const std::string& text) {
  Place place{"sysctl", {std::string(address.body())}, {}, {}};
  if (place.key[0] == "net.ipv4.ip_local_reserved_ports") {
    // Others add to the list, too.
    Node elements = list_of({});
    for (const std::string_view port : split(text, ',')) {
      const auto number = integer_of(port);
      if (!number) return fail(Errc::invalid, "a profile has single ports, and no ranges");
      elements.items.push_back(Node::number(*number));
    }
    place.value.entries.emplace_back("elements", std::move(elements));
    return place;
  }
  TRY_ASSIGN(place.value, sysctl_node(Relation::exact, text));
  const auto device = kinds::sysctl::kSysctl.find_device(address.rest());
  if (!device) return place;
  std::string name(address.rest().substr(device->begin, device->length));
  if (name == "all" || name == "default") return place;
  if (device->slashes) std::ranges::replace(name, '/', '.');
  place.device = std::move(name);
  place.key[0].replace(device->begin, device->length, kDeviceOfKey);
  return place;
}

}  // namespace

Result<Node> sysctl_node(Relation relation, const std::string& text) {
  TRY(check_text(text));
  if (relation != Relation::exact) {
    for (const std::string_view word : words(text))
      if (!is_integer(word)) return fail(Errc::invalid, "a bound must be a number");
    return Node::string(cat(relation_text(relation), text), {});
  }
  if (text.starts_with(">=") || text.starts_with("<="))
    return fail(Errc::invalid, "a profile reads it as a bound");
  const auto parts = words(text);
  std::vector<Node> items;
  for (const std::string_view part : parts)
    if (const auto number = integer_of(part)) items.push_back(Node::number(*number));
  if (items.empty() || items.size() != parts.size()) return Node::string(text, {});
  return items.size() == 1 ? items[0] : list_of(std::move(items));
}

Result<Place> place_of(const Address& address, const std::string& text) {
  TRY(check_text(text));
  const std::string_view kind = address.kind();
  Place place{std::string(kind), {std::string(address.key())}, {}, std::string(address.object())};
  if (kind == kinds::sysctl::kSysctl.name) return sysctl_place(address, text);
  if (kind == "dcb") return dcb_place(address, text);
  if (kind == "sysfs" && text.find(';') != text.npos)
    return fail(Errc::invalid, "its files have different values, and a profile has one for all");
  if (kind == "sysfs" && address.key().empty())
    place.key = {std::move(place.device)}, place.device = {};
  if (kind == "sysfs" || kind == "qdisc") {
    place.value = Node::string(text, {});
  } else if (kind == "link" || kind == "rdma") {
    place.value = integer_or_string(text);
    place.of_rdma = kind == "rdma";
  } else if (kind == "ethtool") {
    place.value = text == "on" || text == "off" ? boolean(text == "on") : integer_or_string(text);
  } else if (kind == "nccl.conf") {
    place = {"env", {std::string(address.rest())}, Node::string(text, {}), {}};
  } else if (kind == "module") {
    place = {"modules", {"load"}, list_of({Node::string(std::string(address.rest()), {})}), {}};
  } else {
    return fail(Errc::invalid, cat("a profile has no section for the kind ", printable(kind)));
  }
  return place;
}

}  // namespace nettune::intake
