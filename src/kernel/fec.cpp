// SPDX-License-Identifier: Apache-2.0
#include "kernel/fec.hpp"

#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "kernel/ethtool.hpp"

namespace nettune::kernel {
namespace {

/// The kernel reports it as the number of a link mode (fec_prepare_data, net/ethtool/fec.c, 6.1).
std::optional<std::string> name_of(std::uint32_t mode) {
  switch (mode) {
    case ETHTOOL_LINK_MODE_FEC_NONE_BIT:
      return "none";
    case ETHTOOL_LINK_MODE_FEC_RS_BIT:
      return "rs";
    case ETHTOOL_LINK_MODE_FEC_BASER_BIT:
      return "baser";
    case ETHTOOL_LINK_MODE_FEC_LLRS_BIT:
      return "llrs";
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> parse_fec(Bytes payload) {
  std::optional<std::string> active;
  each_attribute(behind<genlmsghdr>(payload), [&](const Attribute& attribute) {
    if (attribute.type != ETHTOOL_A_FEC_ACTIVE) return;
    const auto mode = value_of<std::uint32_t>(attribute.payload);
    active = mode ? name_of(*mode) : std::nullopt;
  });
  return active;
}

Result<std::optional<std::string>> active_fec(const std::string& interface) {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_GENERIC));
  TRY_ASSIGN(const std::uint16_t family, ethtool_family(session));
  Request request(family, NLM_F_ACK);
  request.header(genlmsghdr{ETHTOOL_MSG_FEC_GET, ETHTOOL_GENL_VERSION, 0});
  request.nest(ETHTOOL_A_FEC_HEADER,
               [&](Request& header) { header.put_text(ETHTOOL_A_HEADER_DEV_NAME, interface); });
  std::optional<std::string> active;
  TRY(session.request(std::move(request), [&](const Message& message) {
    if (message.type == family) active = parse_fec(message.payload);
  }));
  return active;
}

}  // namespace nettune::kernel
