// SPDX-License-Identifier: Apache-2.0
#include "kernel/ip_set.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/ipset/ip_set.h>
#include <linux/netfilter/nfnetlink.h>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

constexpr std::size_t kAddressBits = 32;
constexpr std::size_t kAddress6Bits = 128;

/// The attributes of a set that do not change what it matches; any other may.
constexpr std::array kHarmless = {IPSET_ATTR_IP,      IPSET_ATTR_IP_TO,      IPSET_ATTR_PORT,
                                  IPSET_ATTR_PORT_TO, IPSET_ATTR_INITVAL,    IPSET_ATTR_HASHSIZE,
                                  IPSET_ATTR_MAXELEM, IPSET_ATTR_BUCKETSIZE, IPSET_ATTR_RESIZE,
                                  IPSET_ATTR_SIZE,    IPSET_ATTR_ELEMENTS,   IPSET_ATTR_REFERENCES,
                                  IPSET_ATTR_MEMSIZE, IPSET_ATTR_CADT_FLAGS};
constexpr std::uint32_t kHarmlessFlags = IPSET_FLAG_WITH_COMMENT | IPSET_FLAG_WITH_FORCEADD;

Request ip_set_request(int command, int flags) {
  Request request(static_cast<std::uint16_t>((NFNL_SUBSYS_IPSET << 8) | command),
                  static_cast<std::uint16_t>(flags), 2048);
  request.header(nfgenmsg{AF_INET, NFNETLINK_V0, 0});
  request.put(IPSET_ATTR_PROTOCOL, std::uint8_t{IPSET_PROTOCOL});
  return request;
}

std::uint32_t big_endian32(Bytes bytes) {
  return ntohl(value_of<std::uint32_t>(bytes).value_or(0));
}
std::uint16_t big_endian16(Bytes bytes) {
  return ntohs(value_of<std::uint16_t>(bytes).value_or(0));
}

void take_property(const Attribute& property, IpSet& set) {
  const bool harmless = std::any_of(kHarmless.begin(), kHarmless.end(), [&](int type) {
    return property.type == static_cast<unsigned>(type);
  });
  const bool flags = property.type != IPSET_ATTR_CADT_FLAGS ||
                     (big_endian32(property.payload) & ~kHarmlessFlags) == 0;
  if (!harmless || !flags) set.is_plain = false;
}

void take_element(Bytes payload, IpSet& set) {
  IpSetElement element;
  std::optional<std::uint8_t> prefix;
  each_attribute(payload, [&](const Attribute& part) {
    switch (part.type) {
      case IPSET_ATTR_IP:
        each_attribute(part.payload, [&](const Attribute& address) {
          const std::size_t size = std::min(address.payload.size(), element.address.size());
          std::copy_n(address.payload.begin(), size, element.address.begin());
        });
        break;
      case IPSET_ATTR_CIDR:
        prefix = value_of<std::uint8_t>(part.payload);
        break;
      case IPSET_ATTR_PORT:
        element.port = big_endian16(part.payload);
        break;
      case IPSET_ATTR_PROTO:
        element.protocol = value_of<std::uint8_t>(part.payload).value_or(0);
        break;
      case IPSET_ATTR_COMMENT:
        break;
      default:
        set.is_plain = false;
    }
  });
  const std::size_t bits = set.family == NFPROTO_IPV6 ? kAddress6Bits : kAddressBits;
  if (prefix && *prefix > bits) set.is_plain = false;
  element.prefix = static_cast<int>(prefix ? *prefix : bits);
  set.elements.push_back(element);
}

/// ip_set_core.c, ip_set_byindex(): the kernel lists sets by name, rules have the index.
Result<std::string> ip_set_name(NetlinkSession& session, std::uint16_t index) {
  Request request = ip_set_request(IPSET_CMD_GET_BYINDEX, NLM_F_ACK);
  request.put(IPSET_ATTR_INDEX | NLA_F_NET_BYTEORDER, htons(index));
  std::string name;
  TRY(session.request(std::move(request), [&](const Message& message) {
    each_attribute(behind<nfgenmsg>(message.payload), [&](const Attribute& attribute) {
      if (attribute.type == IPSET_ATTR_SETNAME) name = text_of(attribute.payload);
    });
  }));
  if (name.empty()) return fail(Errc::io, "the kernel did not report the name of the ipset");
  return name;
}

}  // namespace

void parse_ip_set(Bytes payload, IpSet& set) {
  each_attribute(behind<nfgenmsg>(payload), [&](const Attribute& attribute) {
    switch (attribute.type) {
      case IPSET_ATTR_SETNAME:
        set.name = text_of(attribute.payload);
        break;
      case IPSET_ATTR_TYPENAME:
        set.type = text_of(attribute.payload);
        break;
      case IPSET_ATTR_FAMILY:
        set.family = value_of<std::uint8_t>(attribute.payload).value_or(0);
        break;
      case IPSET_ATTR_INDEX:
        set.index = big_endian16(attribute.payload);
        break;
      case IPSET_ATTR_DATA:
        each_attribute(attribute.payload,
                       [&](const Attribute& property) { take_property(property, set); });
        break;
      case IPSET_ATTR_ADT:
        each_attribute(attribute.payload,
                       [&](const Attribute& element) { take_element(element.payload, set); });
        break;
      default:
        break;
    }
  });
}

Result<IpSet> read_ip_set(std::uint16_t index) {
  const std::string what = cat("reading the ipset with index ", index);
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_NETFILTER));
  auto name = ip_set_name(session, index);
  if (!name) return fail_in(what, std::move(name).error());
  Request request = ip_set_request(IPSET_CMD_LIST, NLM_F_DUMP);
  request.put_text(IPSET_ATTR_SETNAME, *name);
  IpSet set;
  auto listed = session.dump(
      std::move(request), [&] { set = {}; },
      [&](const Message& message) { parse_ip_set(message.payload, set); });
  if (!listed) return fail_in(what, std::move(listed).error());
  // Sets may have been renamed or swapped meanwhile.
  TRY_ASSIGN(const std::string still, ip_set_name(session, index));
  if (set.index != index || set.name != *name || still != *name)
    return fail(Errc::conflict, cat(what, ": it was changed meanwhile"));
  return set;
}

std::optional<IpSet> find_ip_set(std::uint16_t index) {
  auto set = read_ip_set(index);
  return set ? std::optional(std::move(*set)) : std::nullopt;
}

}  // namespace nettune::kernel
