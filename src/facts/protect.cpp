// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <sys/socket.h>
#include <unordered_map>
#include <unordered_set>

#include "base/text.hpp"
#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

constexpr std::size_t kTcpTableLimit = std::size_t{256} * 1024 * 1024;
constexpr std::uint16_t kSshPort = 22;

std::string table_text(std::uint32_t table) {
  if (table == 254) return "main";
  if (table == 253) return "default";
  if (table == 255) return "local";
  return cat(table);
}

/// Collects reasons, first for the devices themselves, then for what is stacked on them.
class Protection {
 public:
  Protection(const kernel::Directory& root, const Sources& sources, Facts& facts)
      : root_(root), sources_(sources), facts_(facts) {
    for (std::size_t i = 0; i < facts.net.size(); ++i) {
      by_index_.emplace(facts.net[i].ifindex, i);
      by_name_.emplace(facts.net[i].name, i);
    }
  }

  void routes() {
    if (!sources_.routes) return all("may carry the default route: the routes are not known");
    const auto list = sources_.routes();
    if (!list) {
      facts_.notes.push_back(cat("the routes are not known: ", list.error().text));
      return all("may carry the default route: the routes could not be read");
    }
    for (const kernel::Route& route : *list) {
      if (!route.is_default) continue;
      const std::string_view family = route.family == AF_INET6 ? "IPv6" : "IPv4";
      for (const int ifindex : route.ifindexes) {
        const auto device = by_index_.find(ifindex);
        if (device != by_index_.end()) facts_.net[device->second].default_route = true;
        add(ifindex,
            cat("carries the default route (", family, ", table ", table_text(route.table), ")"));
      }
    }
  }

  void ssh(const Processes& processes, const std::vector<kernel::InterfaceAddress>& addresses) {
    if (processes.ssh_unreadable) {
      facts_.notes.push_back(cat("the sockets of sshd could not be read; only connections to port ",
                                 kSshPort, " count as ssh (run as root to see all)"));
    }
    for (const char* table : {"proc/net/tcp", "proc/net/tcp6"}) {
      const auto text = root_.read(table, kTcpTableLimit);
      if (!text) {
        // Without IPv6 there is no tcp6.
        if (text.error().code != Errc::not_found) {
          facts_.notes.push_back(cat("ssh connections are not known: ", text.error().text));
        }
        continue;
      }
      for (const TcpConnection& connection : parse_tcp_table(*text)) {
        // The port counts on its own: in a container with the host's network sshd is not visible.
        const bool of_sshd = processes.ssh_sockets.count(connection.inode) > 0;
        if (of_sshd || connection.local_port == kSshPort) add_connection(connection, addresses);
      }
    }
  }

  void storage() {
    for (const RemoteStorage& each : read_remote_storage(root_, facts_.notes)) {
      if (each.addresses.empty()) {
        facts_.notes.push_back(
            cat("the device for ", each.what, " is not known: its server has no address"));
      }
      for (const std::string& address : each.addresses) {
        if (const int device = route_to(address); device > 0) {
          add(device, cat("carries ", each.what));
        }
      }
    }
  }

  /// Devices below or above one with a reason would be cut with it.
  void spread() {
    std::vector<std::pair<std::size_t, std::string>> direct;
    for (std::size_t i = 0; i < facts_.net.size(); ++i) {
      const NetDevice& device = facts_.net[i];
      if (!device.protected_by.empty()) direct.emplace_back(i, device.protected_by.front());
    }
    for (const auto& [start, reason] : direct) {
      spread_from(start, "is below ", reason, &NetDevice::lowers);
      spread_from(start, "is above ", reason, &NetDevice::uppers);
    }
  }

 private:
  void add_at(std::size_t at, std::string reason) {
    auto& reasons = facts_.net[at].protected_by;
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(std::move(reason));
    }
  }

  void add(int ifindex, std::string reason) {
    const auto found = by_index_.find(ifindex);
    if (found != by_index_.end()) add_at(found->second, std::move(reason));
  }

  void all(const std::string& reason) {
    for (std::size_t i = 0; i < facts_.net.size(); ++i) {
      if (facts_.net[i].link_layer != "Loopback") add_at(i, reason);
    }
  }

  int route_to(const std::string& address) {
    const auto known = routed_.find(address);
    if (known != routed_.end()) return known->second;
    const auto device = sources_.route_device ? sources_.route_device(address) : Result<int>(0);
    if (!device) facts_.notes.push_back(device.error().text);
    return routed_[address] = device.value_or(0);
  }

  /// The interface with the address, and the one of the answers' route: they may differ.
  void add_connection(const TcpConnection& connection,
                      const std::vector<kernel::InterfaceAddress>& addresses) {
    const std::string reason = cat("carries the ssh connection from ", connection.remote);
    SshSession session{connection.local, connection.local_port, connection.remote, {}, {}};
    for (const kernel::InterfaceAddress& address : addresses) {
      if (address.text != connection.local) continue;
      add(address.ifindex, reason);
      session.interface = way_in(address.ifindex);
    }
    // The route to a link-local address is not known without its zone.
    if (!connection.remote.starts_with("fe80:")) {
      const int device = route_to(connection.remote);
      add(device, reason);
      session.leaves_by = way_in(device);
    }
    facts_.ssh.push_back(std::move(session));
  }

  /// The name under which a device's packets arrive; "" if none arrive through it from outside: an
  /// address of lo or of a dummy is reached through every interface.
  std::string way_in(int ifindex) const {
    const auto found = by_index_.find(ifindex);
    if (found == by_index_.end()) return {};
    const NetDevice& device = facts_.net[found->second];
    if (device.link_layer == "Loopback" || device.kind == "dummy") return {};
    return device.master.empty() ? device.name : device.master;
  }

  void spread_from(std::size_t start, std::string_view where, const std::string& reason,
                   std::vector<std::string> NetDevice::*next) {
    const std::string text = cat(where, facts_.net[start].name, ", which ", reason);
    std::unordered_set<std::size_t> seen = {start};
    std::vector<std::size_t> open = {start};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::string& name : facts_.net[at].*next) {
        const auto found = by_name_.find(name);
        if (found == by_name_.end() || !seen.insert(found->second).second) continue;
        add_at(found->second, text);
        open.push_back(found->second);
      }
    }
  }

  const kernel::Directory& root_;
  const Sources& sources_;
  Facts& facts_;
  std::unordered_map<int, std::size_t> by_index_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::map<std::string, int> routed_;
};

}  // namespace

void protect(const kernel::Directory& root, const Sources& sources, const Processes& processes,
             const std::vector<kernel::InterfaceAddress>& addresses, Facts& facts) {
  Protection protection(root, sources, facts);
  // Without routes every device is protected.
  protection.routes();
  const auto before = static_cast<std::ptrdiff_t>(facts.notes.size());
  protection.ssh(processes, addresses);
  protection.storage();
  protection.spread();
  facts.access_gaps.insert(facts.access_gaps.end(), facts.notes.begin() + before,
                           facts.notes.end());
}

}  // namespace nettune::facts
