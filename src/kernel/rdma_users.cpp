// SPDX-License-Identifier: Apache-2.0
#include "kernel/rdma_users.hpp"

#include <linux/netlink.h>
#include <map>
#include <rdma/rdma_netlink.h>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

std::uint16_t message_type(int command) {
  return static_cast<std::uint16_t>(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command));
}

using Indexes = std::map<std::string, std::uint32_t>;

/// The kernel knows the devices by number.
Result<Indexes> read_indexes(NetlinkSession& session) {
  Indexes indexes;
  TRY(session.dump(
      Request(message_type(RDMA_NLDEV_CMD_GET), NLM_F_DUMP), [&] { indexes.clear(); },
      [&](const Message& message) {
        std::string name;
        std::optional<std::uint32_t> index;
        each_attribute(message.payload, [&](const Attribute& attribute) {
          if (attribute.type == RDMA_NLDEV_ATTR_DEV_NAME) name = text_of(attribute.payload);
          if (attribute.type == RDMA_NLDEV_ATTR_DEV_INDEX)
            index = value_of<std::uint32_t>(attribute.payload);
        });
        if (index) indexes.emplace(name, *index);
      }));
  return indexes;
}

Result<std::vector<ProtectionDomain>> read_one(NetlinkSession& session, const Indexes& indexes,
                                               const std::string& device) {
  const auto index = indexes.find(device);
  if (index == indexes.end())
    return fail(Errc::not_found, cat("the kernel has no RDMA device ", printable(device)));
  std::vector<ProtectionDomain> domains;
  Request request(message_type(RDMA_NLDEV_CMD_RES_PD_GET), NLM_F_DUMP);
  request.put(RDMA_NLDEV_ATTR_DEV_INDEX, index->second);
  TRY(session.dump(
      std::move(request), [&] { domains.clear(); },
      [&](const Message& message) {
        for (ProtectionDomain& domain : parse_protection_domains(message.payload))
          domains.push_back(std::move(domain));
      }));
  return domains;
}

ProtectionDomain parse_entry(Bytes entry) {
  ProtectionDomain domain;
  each_attribute(entry, [&](const Attribute& attribute) {
    if (attribute.type == RDMA_NLDEV_ATTR_RES_PID)
      domain.pid = static_cast<int>(value_of<std::uint32_t>(attribute.payload).value_or(0));
    else if (attribute.type == RDMA_NLDEV_ATTR_RES_KERN_NAME)
      domain.module = text_of(attribute.payload);
    else if (attribute.type == RDMA_NLDEV_ATTR_RES_USECNT)
      domain.users = value_of<std::uint64_t>(attribute.payload).value_or(0);
  });
  return domain;
}

}  // namespace

std::vector<ProtectionDomain> parse_protection_domains(Bytes payload) {
  std::vector<ProtectionDomain> domains;
  each_attribute(payload, [&](const Attribute& table) {
    if (table.type != RDMA_NLDEV_ATTR_RES_PD) return;
    each_attribute(table.payload, [&](const Attribute& entry) {
      if (entry.type == RDMA_NLDEV_ATTR_RES_PD_ENTRY) domains.push_back(parse_entry(entry.payload));
    });
  });
  return domains;
}

std::vector<Result<std::vector<ProtectionDomain>>> protection_domains(
    const std::vector<std::string>& devices) {
  std::vector<Result<std::vector<ProtectionDomain>>> answers;
  auto session = NetlinkSession::open(NETLINK_RDMA);
  const auto indexes = session ? read_indexes(*session) : Result<Indexes>(fail(session.error()));
  for (const std::string& device : devices) {
    if (indexes)
      answers.push_back(read_one(*session, *indexes, device));
    else
      answers.emplace_back(fail(indexes.error()));
  }
  return answers;
}

}  // namespace nettune::kernel
