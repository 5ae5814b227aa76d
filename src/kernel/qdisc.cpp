// SPDX-License-Identifier: Apache-2.0
#include "kernel/qdisc.hpp"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

namespace nettune::kernel {
namespace {

tcmsg header_for(int ifindex, std::uint32_t parent) {
  tcmsg header{};
  header.tcm_family = AF_UNSPEC;
  header.tcm_ifindex = ifindex;
  header.tcm_parent = parent;
  return header;
}

}  // namespace

std::optional<Qdisc> parse_qdisc(Bytes payload) {
  const auto header = value_of<tcmsg>(payload);
  if (!header) return std::nullopt;
  Qdisc qdisc;
  qdisc.ifindex = header->tcm_ifindex;
  qdisc.handle = header->tcm_handle;
  qdisc.parent = header->tcm_parent;
  each_attribute(behind<tcmsg>(payload), [&](const Attribute& attribute) {
    if (attribute.type == TCA_KIND) qdisc.kind = text_of(attribute.payload);
  });
  return qdisc;
}

Result<std::vector<Qdisc>> dump_qdiscs() {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  Request request(RTM_GETQDISC, NLM_F_DUMP);
  request.header(header_for(0, 0));
  std::vector<Qdisc> qdiscs;
  auto dumped = session.dump(
      std::move(request), [&] { qdiscs.clear(); },
      [&](const Message& message) {
        if (message.type != RTM_NEWQDISC) return;
        if (auto qdisc = parse_qdisc(message.payload)) qdiscs.push_back(std::move(*qdisc));
      });
  if (!dumped) return fail_in("reading the queueing disciplines", std::move(dumped).error());
  return qdiscs;
}

Result<> replace_qdisc(int ifindex, std::uint32_t parent, const std::string& kind) {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  Request request(RTM_NEWQDISC, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE);
  request.header(header_for(ifindex, parent)).put_text(TCA_KIND, kind);
  return session.request(std::move(request));
}

Result<> delete_root_qdisc(int ifindex) {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  Request request(RTM_DELQDISC, NLM_F_ACK);
  request.header(header_for(ifindex, TC_H_ROOT));
  return session.request(std::move(request));
}

}  // namespace nettune::kernel
