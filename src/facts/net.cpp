// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <map>

#include "base/text.hpp"
#include "facts/parts.hpp"
#include "kernel/device_interrupts.hpp"

namespace nettune::facts {
namespace {

std::string link_layer_text(std::uint16_t hardware) {
  switch (hardware) {
    case ARPHRD_ETHER:
      return "Ethernet";
    case ARPHRD_INFINIBAND:
      return "InfiniBand";
    case ARPHRD_LOOPBACK:
      return "Loopback";
    case ARPHRD_TUNNEL:
    case ARPHRD_TUNNEL6:
    case ARPHRD_SIT:
    case ARPHRD_IPGRE:
    case ARPHRD_IP6GRE:
      return "Tunnel";
    case ARPHRD_PPP:
      return "PPP";
    case ARPHRD_NONE:
      return "None";
    default:
      return cat("type ", hardware);
  }
}

/// RFC 2863, in the words of /sys/class/net/X/operstate.
std::string operstate_text(std::uint8_t state) {
  static constexpr std::array<const char*, 7> kTexts = {
      "unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up"};
  return state < kTexts.size() ? kTexts[state] : "unknown";
}

std::optional<int> small_number(std::uint32_t value) {
  return value <= 0x7fffffff ? std::optional<int>(static_cast<int>(value)) : std::nullopt;
}

/// Reads a file in which the driver reports -1, 0 or an error for unknown.
std::optional<int> read_speed(const kernel::Directory& root, const std::string& path) {
  const auto speed = root.number(path + "/speed");
  constexpr long long kHighest = 100'000'000;
  if (!speed || *speed <= 0 || *speed > kHighest) return std::nullopt;
  return static_cast<int>(*speed);
}

/// The port of a card with several ports on one function. dev_port counts from 0; older drivers
/// (before Linux 3.15) use dev_id.
std::string port_text(const kernel::Directory& root, const std::string& path) {
  const long long port = root.number(path + "/dev_port").value_or(0);
  if (port > 0) return cat(port);
  const std::string id = root.line(path + "/dev_id").value_or("0x0");
  return id == "0x0" || id.empty() ? "0" : id;
}

/// True for an interface above another one of the same card (an IPoIB child, a VLAN).
bool is_stacked(const kernel::Link& link) {
  return link.link > 0 && link.link != link.ifindex && !link.link_netns;
}

/// A port of an embedded switch ("pf0vf1"): it shares function and port number with the uplink.
std::string representor(const kernel::Directory& root, const std::string& path) {
  const auto name = root.line(path + "/phys_port_name");
  return name && name->starts_with("pf") ? cat(" ", *name) : "";
}

std::string identity_of(const kernel::Directory& root, const NetDevice& device,
                        const kernel::Link& link, const std::string& path,
                        const std::string& place) {
  if (device.physical && !is_stacked(link)) {
    if (!place.empty()) {
      return cat(place, " port ", port_text(root, path), representor(root, path));
    }
    if (!device.permanent_mac.empty()) return cat("mac ", device.permanent_mac);
    // NET_ADDR_PERM: the card's permanent address.
    if (root.number(path + "/addr_assign_type") == 0 && !device.mac.empty()) {
      return cat("mac ", device.mac);
    }
  }
  return cat("name ", device.name);
}

/// Reads what only sysfs shows.
void read_hardware(const kernel::Directory& root, const kernel::Link& link, const std::string& path,
                   NetDevice& device) {
  const std::string bus_device = path + "/device";
  device.physical = root.exists(bus_device);
  device.speed_mbps = read_speed(root, path);
  Place place;
  if (device.physical) {
    place = place_of(root, path);
    device.driver = root.link_name(bus_device + "/driver").value_or("");
    device.pci_address = place.pci_address;
    const std::string source = place.pci_address.empty() ? bus_device : pci_path(place.pci_address);
    device.pci_id = read_pci_id(root, source);
    device.numa_node = read_numa_node(root, source);
    device.near_cpus = read_near_cpus(root, source);
    if (const auto interrupts = kernel::device_interrupts(root, path))
      device.interrupts = static_cast<int>(interrupts->size());
  }
  device.identity = identity_of(root, device, link, path, place.key);
}

/// The facts from the dump alone, for an interface that sysfs does not show: /sys was mounted in
/// another network namespace.
void assume_hardware(const kernel::Link& link, NetDevice& device) {
  device.physical = !link.parent_bus.empty();
  if (link.parent_bus == "pci" && is_pci_address(link.parent_device)) {
    device.pci_address = link.parent_device;
  }
  const bool permanent = device.physical && !link.permanent_mac.empty() && !is_stacked(link);
  device.identity = permanent ? cat("mac ", link.permanent_mac.text()) : cat("name ", link.name);
}

NetDevice from_link(const kernel::Link& link) {
  NetDevice device;
  device.name = link.name;
  device.ifindex = link.ifindex;
  device.kind = link.kind;
  device.mtu = small_number(link.mtu);
  if (link.min_mtu != 0) device.min_mtu = small_number(link.min_mtu);
  if (link.max_mtu != 0) device.max_mtu = small_number(link.max_mtu);
  device.txqueuelen = small_number(link.txqueuelen);
  device.mac = link.mac.text();
  device.permanent_mac = link.permanent_mac.text();
  device.operstate = operstate_text(link.operstate);
  // The kernel also reports "carrier" for an interface that is down.
  if ((link.flags & IFF_UP) != 0) device.carrier = link.carrier;
  device.link_layer = link_layer_text(link.hardware);
  return device;
}

/// A name from the kernel has no '/' and is not ".."; a recorded or hostile one may.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

void read_link_modes(const Sources& sources, std::vector<NetDevice>& net, Notes& notes) {
  std::vector<int> ifindexes;
  std::vector<NetDevice*> devices;
  for (NetDevice& device : net) {
    if (!device.physical) continue;
    ifindexes.push_back(device.ifindex);
    devices.push_back(&device);
  }
  if (ifindexes.empty() || !sources.link_modes) return;
  const auto modes = sources.link_modes(ifindexes);
  if (!modes) {
    notes.push_back(cat("the maximum link speeds are not known: ", modes.error().text));
    return;
  }
  for (std::size_t i = 0; i < devices.size() && i < modes->size(); ++i) {
    devices[i]->max_speed_mbps = (*modes)[i].max_speed_mbps;
    if (!devices[i]->speed_mbps) devices[i]->speed_mbps = (*modes)[i].speed_mbps;
  }
}

/// Two devices must never have the same identity; their names make it unique.
void separate_identities(std::vector<NetDevice>& net) {
  std::map<std::string, int> count;
  for (const NetDevice& device : net) ++count[device.identity];
  for (NetDevice& device : net) {
    if (count[device.identity] > 1) device.identity += cat(" name ", device.name);
  }
}

void note_unseen(const std::vector<std::string>& names, Notes& notes) {
  if (names.empty()) return;
  const std::string more = names.size() > 1 ? cat(" and ", names.size() - 1, " more") : "";
  notes.push_back(
      cat("not in /sys/class/net (another network namespace?), so without driver and speed: ",
          names.front(), more));
}

}  // namespace

std::vector<NetDevice> read_net(const kernel::Directory& root, const Sources& sources,
                                const std::vector<kernel::Link>& links, Notes& notes) {
  std::vector<NetDevice> net;
  net.reserve(links.size());
  std::vector<std::string> unseen;
  for (const kernel::Link& link : links) {
    NetDevice device = from_link(link);
    const std::string path = cat("sys/class/net/", link.name);
    if (is_plain_name(link.name) && root.number(path + "/ifindex") == link.ifindex) {
      read_hardware(root, link, path, device);
    } else {
      assume_hardware(link, device);
      unseen.push_back(printable(link.name));
    }
    net.push_back(std::move(device));
  }
  note_unseen(unseen, notes);
  read_link_modes(sources, net, notes);
  separate_identities(net);
  return net;
}

}  // namespace nettune::facts
