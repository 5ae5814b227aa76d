// SPDX-License-Identifier: Apache-2.0
#include "kernel/genetlink.hpp"

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "base/text.hpp"

namespace nettune::kernel {

std::optional<std::uint16_t> parse_family_id(Bytes payload) {
  std::optional<std::uint16_t> id;
  each_attribute(behind<genlmsghdr>(payload), [&](const Attribute& attribute) {
    if (attribute.type == CTRL_ATTR_FAMILY_ID) id = value_of<std::uint16_t>(attribute.payload);
  });
  return id;
}

Result<std::uint16_t> generic_family(NetlinkSession& session, const std::string& name) {
  Request request(GENL_ID_CTRL, NLM_F_ACK);
  request.header(genlmsghdr{CTRL_CMD_GETFAMILY, 1, 0});
  request.put_text(CTRL_ATTR_FAMILY_NAME, name);
  std::optional<std::uint16_t> id;
  auto done = session.request(std::move(request), [&](const Message& message) {
    if (const auto found = parse_family_id(message.payload)) id = found;
  });
  if (done && id) return *id;
  if (done || done.error().code == Errc::not_found) {
    return fail(Errc::unsupported, cat("this kernel has no ", name, " netlink"));
  }
  return fail_in(cat("looking up ", name, " netlink"), std::move(done).error());
}

}  // namespace nettune::kernel
