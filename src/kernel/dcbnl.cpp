// SPDX-License-Identifier: Apache-2.0
#include "kernel/dcbnl.hpp"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

Request request_for(const std::string& interface, std::uint16_t type, int command) {
  Request request(type, NLM_F_ACK);
  request.header(dcbmsg{AF_UNSPEC, static_cast<std::uint8_t>(command), 0});
  request.put_text(DCB_ATTR_IFNAME, interface);
  return request;
}

void take_tables(Dcb& dcb, const Attribute& attribute) {
  switch (attribute.type) {
    case DCB_ATTR_IEEE_ETS:
      dcb.ets = value_of<ieee_ets>(attribute.payload);
      break;
    case DCB_ATTR_IEEE_PFC:
      dcb.pfc = value_of<ieee_pfc>(attribute.payload);
      break;
    case DCB_ATTR_IEEE_MAXRATE:
      dcb.maxrate = value_of<ieee_maxrate>(attribute.payload);
      break;
    case DCB_ATTR_DCB_BUFFER:
      dcb.buffer = value_of<dcbnl_buffer>(attribute.payload);
      break;
    case DCB_ATTR_IEEE_APP_TABLE:
      each_attribute(attribute.payload, [&](const Attribute& one) {
        if (one.type != DCB_ATTR_IEEE_APP) return;
        if (const auto entry = value_of<dcb_app>(one.payload)) dcb.apps.push_back(*entry);
      });
      break;
    default:
      break;
  }
}

Result<Dcb> get_one(NetlinkSession& session, const std::string& interface) {
  std::optional<Dcb> dcb;
  TRY(session.request(request_for(interface, RTM_GETDCB, DCB_CMD_IEEE_GET),
                      [&](const Message& message) {
                        if (message.type == RTM_GETDCB) dcb = parse_dcb(message.payload);
                      }));
  if (!dcb) return fail(Errc::io, "the kernel's answer is empty");
  return std::move(*dcb);
}

/// A message, and the position of the result in its answer.
struct Outgoing {
  Request request;
  std::uint16_t result_in = DCB_ATTR_IEEE;
};

class Build {
 public:
  explicit Build(const std::string& interface) : interface_(interface) {}

  Outgoing operator()(const ieee_ets& ets) const { return table(DCB_ATTR_IEEE_ETS, ets); }
  Outgoing operator()(const ieee_pfc& pfc) const { return table(DCB_ATTR_IEEE_PFC, pfc); }
  Outgoing operator()(const ieee_maxrate& rate) const { return table(DCB_ATTR_IEEE_MAXRATE, rate); }
  Outgoing operator()(const dcbnl_buffer& buffer) const {
    return table(DCB_ATTR_DCB_BUFFER, buffer);
  }
  Outgoing operator()(const AddApp& add) const { return app(DCB_CMD_IEEE_SET, add.entry); }
  Outgoing operator()(const DeleteApp& gone) const { return app(DCB_CMD_IEEE_DEL, gone.entry); }
  Outgoing operator()(const SetDcbx& set) const {
    Outgoing out{request_for(interface_, RTM_SETDCB, DCB_CMD_SDCBX), DCB_ATTR_DCBX};
    out.request.put(DCB_ATTR_DCBX, set.mode);
    return out;
  }

 private:
  template <class Table>
  Outgoing table(int type, const Table& value) const {
    Outgoing out{request_for(interface_, RTM_SETDCB, DCB_CMD_IEEE_SET)};
    out.request.nest(DCB_ATTR_IEEE, [&](Request& nest) { nest.put(type, value); });
    return out;
  }
  Outgoing app(int command, const dcb_app& entry) const {
    Outgoing out{request_for(interface_, RTM_SETDCB, command)};
    out.request.nest(DCB_ATTR_IEEE, [&](Request& nest) {
      nest.nest(DCB_ATTR_IEEE_APP_TABLE,
                [&](Request& entries) { entries.put(DCB_ATTR_IEEE_APP, entry); });
    });
    return out;
  }

  const std::string& interface_;
};

}  // namespace

Dcb parse_dcb(Bytes payload) {
  Dcb dcb;
  each_attribute(behind<dcbmsg>(payload), [&](const Attribute& attribute) {
    if (attribute.type == DCB_ATTR_DCBX) {
      dcb.dcbx = value_of<std::uint8_t>(attribute.payload);
    } else if (attribute.type == DCB_ATTR_IEEE) {
      each_attribute(attribute.payload, [&](const Attribute& table) { take_tables(dcb, table); });
    }
  });
  return dcb;
}

std::optional<int> parse_dcb_result(Bytes payload, std::uint16_t attribute) {
  std::optional<int> result;
  each_attribute(behind<dcbmsg>(payload), [&](const Attribute& one) {
    if (one.type == attribute) result = value_of<std::int8_t>(one.payload);
  });
  return result;
}

std::vector<Result<Dcb>> get_dcb(std::span<const std::string> interfaces) {
  std::vector<Result<Dcb>> all;
  all.reserve(interfaces.size());
  auto session = NetlinkSession::open(NETLINK_ROUTE);
  for (const std::string& interface : interfaces) {
    auto one = session ? get_one(*session, interface) : Result<Dcb>(fail(session.error()));
    if (!one) one = fail_in(cat("reading DCB of ", printable(interface)), std::move(one).error());
    all.push_back(std::move(one));
  }
  return all;
}

Result<int> set_dcb(const std::string& interface, const DcbSet& set) {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  Outgoing out = std::visit(Build(interface), set);
  std::optional<int> result;
  TRY(session.request(std::move(out.request), [&](const Message& message) {
    if (message.type == RTM_SETDCB) result = parse_dcb_result(message.payload, out.result_in);
  }));
  if (!result) return fail(Errc::io, "the kernel's answer has no result");
  if (out.result_in == DCB_ATTR_DCBX && *result != 0)
    return fail(Errc::denied, "the driver refuses this DCBX mode");
  if (*result < 0) return fail(kernel_error({-*result, ""}));
  return *result;
}

}  // namespace nettune::kernel
