// SPDX-License-Identifier: Apache-2.0
#include "node/qualify/device_state.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "node/qualify/hardware.hpp"

namespace nettune::node::qualify {

namespace {

constexpr std::string_view kMac = "MAC address";
constexpr std::string_view kAddressList = "addresses";
constexpr std::string_view kGids = "GIDs";
constexpr std::array kAddresses = {kMac, kAddressList, kGids};

template <class Number>
std::string known(const std::optional<Number>& value) {
  return value ? cat(*value) : std::string();
}

void add_net(const facts::NetDevice& net, DeviceState& state) {
  const auto put = [&](std::string_view what, std::string value) {
    state[cat(net.name, " ", what)] = std::move(value);
  };
  std::vector<std::string> addresses = net.addresses;
  std::sort(addresses.begin(), addresses.end());
  put("MTU", known(net.mtu));
  put("txqueuelen", known(net.txqueuelen));
  put("speed", known(net.speed_mbps));
  put("carrier", net.carrier ? (*net.carrier ? "up" : "down") : "");
  put("operstate", net.operstate);
  put(kMac, net.mac);
  put(kAddressList, join(addresses, " "));
}

void add_rdma(const facts::RdmaDevice& device, DeviceState& state) {
  for (const facts::RdmaPort& port : device.ports) {
    const std::string name = cat(device.name, "/", port.number);
    state[name + " state"] = port.state;
    std::string& gids = state[cat(name, " ", kGids)];
    for (const facts::Gid& gid : port.gids)
      gids += cat(gids.empty() ? "" : " ", gid.index, "=", gid.gid, "(", gid.type, ")");
  }
}

}  // namespace

DeviceState device_state(const facts::Facts& facts, const std::string& device) {
  DeviceState state;
  for (const std::string& name : with_siblings(facts, device)) {
    if (const facts::NetDevice* const net = facts.find_net(name)) add_net(*net, state);
    for (const facts::RdmaDevice& rdma : facts.rdma)
      if (rdma.name == name) add_rdma(rdma, state);
  }
  return state;
}

std::vector<Moved> compare_states(const DeviceState& before, const DeviceState& now) {
  std::vector<Moved> moved;
  for (const auto& [what, old] : before) {
    const auto found = now.find(what);
    const std::string value = found == now.end() ? "gone" : found->second;
    if (value != old) moved.push_back({Address{what}, old, value});
  }
  for (const auto& [what, value] : now)
    if (!before.contains(what)) moved.push_back({Address{what}, "not there", value});
  return moved;
}

bool tells_address(const Moved& moved) {
  return std::any_of(kAddresses.begin(), kAddresses.end(), [&](const std::string_view what) {
    return moved.address.text.ends_with(cat(" ", what));
  });
}

}  // namespace nettune::node::qualify
