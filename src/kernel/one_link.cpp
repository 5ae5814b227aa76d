// SPDX-License-Identifier: Apache-2.0
#include "kernel/one_link.hpp"

#include <cerrno>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "base/text.hpp"
#include "kernel/netlink.hpp"
#include "kernel/rtnl_parse.hpp"

namespace nettune::kernel {

Result<std::optional<Link>> read_link(const std::string& name) {
  std::optional<Link> found;
  // The kernel refuses a longer name (ifla_policy, net/core/rtnetlink.c, 6.1).
  if (name.size() >= IFNAMSIZ) return found;
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  Request request(RTM_GETLINK, NLM_F_ACK);
  request.header(ifinfomsg{});
  request.put_text(IFLA_IFNAME, name);
  request.put(IFLA_EXT_MASK, std::uint32_t{RTEXT_FILTER_SKIP_STATS});
  auto done = session.request(std::move(request), [&](const Message& message) {
    if (message.type != RTM_NEWLINK) return;
    // It also looks among the alternative names (rtnl_dev_get(), ibidem).
    auto link = parse_link(message.payload);
    if (link && link->name == name) found = std::move(link);
  });
  if (!done && done.error().sys != ENODEV)
    return fail_in(cat("reading the link ", printable(name)), std::move(done).error());
  return found;
}

}  // namespace nettune::kernel
