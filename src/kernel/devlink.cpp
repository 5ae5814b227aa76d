// SPDX-License-Identifier: Apache-2.0
#include "kernel/devlink.hpp"

#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "base/text.hpp"
#include "kernel/genetlink.hpp"

namespace nettune::kernel {
namespace {

void add_version(Bytes nest, std::map<std::string, std::string>& versions) {
  std::string name;
  std::string value;
  each_attribute(nest, [&](const Attribute& attribute) {
    if (attribute.type == DEVLINK_ATTR_INFO_VERSION_NAME) name = text_of(attribute.payload);
    if (attribute.type == DEVLINK_ATTR_INFO_VERSION_VALUE) value = text_of(attribute.payload);
  });
  if (!name.empty()) versions.insert_or_assign(printable(name), printable(value));
}

/// A flag is on if its attribute is there (devlink_nl_param_value_fill_one, net/devlink).
std::optional<bool> value_at_start(Bytes nest) {
  bool on = false;
  bool at_start = false;
  each_attribute(nest, [&](const Attribute& attribute) {
    if (attribute.type == DEVLINK_ATTR_PARAM_VALUE_DATA) on = true;
    if (attribute.type == DEVLINK_ATTR_PARAM_VALUE_CMODE)
      at_start = value_of<std::uint8_t>(attribute.payload) == DEVLINK_PARAM_CMODE_DRIVERINIT;
  });
  return at_start ? std::optional(on) : std::nullopt;
}

Result<> ask(devlink_command command, const std::string& pci_address, const std::string& parameter,
             const std::function<void(Bytes)>& take) {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_GENERIC));
  TRY_ASSIGN(const std::uint16_t family, generic_family(session, DEVLINK_GENL_NAME));
  Request request(family, NLM_F_ACK);
  request.header(genlmsghdr{static_cast<std::uint8_t>(command), DEVLINK_GENL_VERSION, 0});
  request.put_text(DEVLINK_ATTR_BUS_NAME, "pci");
  request.put_text(DEVLINK_ATTR_DEV_NAME, pci_address);
  if (!parameter.empty()) request.put_text(DEVLINK_ATTR_PARAM_NAME, parameter);
  return session.request(std::move(request), [&](const Message& message) {
    if (message.type == family) take(message.payload);
  });
}

}  // namespace

DevlinkVersions parse_devlink_versions(Bytes payload) {
  DevlinkVersions versions;
  each_attribute(behind<genlmsghdr>(payload), [&](const Attribute& attribute) {
    if (attribute.type == DEVLINK_ATTR_INFO_VERSION_RUNNING)
      add_version(attribute.payload, versions.running);
    if (attribute.type == DEVLINK_ATTR_INFO_VERSION_STORED)
      add_version(attribute.payload, versions.stored);
  });
  return versions;
}

std::optional<bool> parse_devlink_switch(Bytes payload) {
  constexpr std::uint8_t kFlag = 6;  // DEVLINK_PARAM_TYPE_BOOL: NLA_FLAG
  bool is_switch = false;
  std::optional<bool> value;
  const auto take_value = [&](const Attribute& attribute) {
    if (attribute.type != DEVLINK_ATTR_PARAM_VALUE) return;
    if (const auto found = value_at_start(attribute.payload)) value = found;
  };
  each_attribute(behind<genlmsghdr>(payload), [&](const Attribute& attribute) {
    if (attribute.type != DEVLINK_ATTR_PARAM) return;
    each_attribute(attribute.payload, [&](const Attribute& field) {
      if (field.type == DEVLINK_ATTR_PARAM_TYPE)
        is_switch = value_of<std::uint8_t>(field.payload) == kFlag;
      if (field.type == DEVLINK_ATTR_PARAM_VALUES_LIST) each_attribute(field.payload, take_value);
    });
  });
  return is_switch ? value : std::nullopt;
}

Result<DevlinkVersions> devlink_versions(const std::string& pci_address) {
  DevlinkVersions versions;
  TRY(ask(DEVLINK_CMD_INFO_GET, pci_address, "",
          [&](Bytes payload) { versions = parse_devlink_versions(payload); }));
  return versions;
}

Result<bool> devlink_switch(const std::string& pci_address, const std::string& name) {
  std::optional<bool> value;
  auto done = ask(DEVLINK_CMD_PARAM_GET, pci_address, name,
                  [&](Bytes payload) { value = parse_devlink_switch(payload); });
  // An unknown name is EINVAL (devlink_param_get_from_info, net/devlink).
  if (!done && done.error().code == Errc::invalid)
    return fail(Errc::unsupported, cat("the driver has no parameter ", name));
  TRY(std::move(done));
  if (!value)
    return fail(Errc::unsupported, cat(name, " is not a boolean parameter of the driver's start"));
  return *value;
}

}  // namespace nettune::kernel
