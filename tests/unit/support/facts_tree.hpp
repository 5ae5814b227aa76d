// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdlib.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"
#include "facts/collect.hpp"

namespace nettune::test {

/// A node that does not exist: a tree of files in a temporary directory, and what its kernel would
/// answer. Removes the tree when it goes.
class FakeNode {
 public:
  FakeNode() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nettune-node-XXXXXX").string();
    const char* made = ::mkdtemp(pattern.data());
    root_ = made != nullptr ? made : "";
    directory("sys/class/net");
    directory("proc");
    link_to("sys/class/net", "lo", "devices/virtual/net/lo");
    file("sys/devices/virtual/net/lo/ifindex", "1\n");
    add_link("lo", 1, 772);
  }
  FakeNode(const FakeNode&) = delete;
  FakeNode& operator=(const FakeNode&) = delete;
  ~FakeNode() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  const std::string& root() const { return root_; }
  std::string path(const std::string& relative) const { return cat(root_, "/", relative); }

  void directory(const std::string& relative) {
    std::error_code ignored;
    std::filesystem::create_directories(path(relative), ignored);
  }
  void file(const std::string& relative, const std::string& content) {
    directory(std::filesystem::path(relative).parent_path().string());
    std::ofstream(path(relative), std::ios::binary) << content;
  }
  void symlink(const std::string& relative, const std::string& target) {
    directory(std::filesystem::path(relative).parent_path().string());
    std::error_code ignored;
    std::filesystem::create_symlink(target, path(relative), ignored);
  }

  /// A PCI function at a path below sys/devices such as "pci0000:3a/0000:3b:00.0".
  void pci(const std::string& at, const std::string& vendor, const std::string& device,
           const std::string& driver, int numa_node, const std::string& klass = "0x020000") {
    const std::string address = std::filesystem::path(at).filename().string();
    const std::string base = cat("sys/devices/", at);
    file(base + "/vendor", vendor + "\n");
    file(base + "/device", device + "\n");
    file(base + "/class", klass + "\n");
    file(base + "/numa_node", cat(numa_node, "\n"));
    directory("sys/bus/pci/drivers/" + driver);
    symlink(base + "/driver", "/sys/bus/pci/drivers/" + driver);
    symlink("sys/bus/pci/devices/" + address, cat("../../../devices/", at));
  }

  /// An interface of a device below sys/devices; "" for a virtual one.
  kernel::Link& net(const std::string& name, int ifindex, const std::string& parent,
                    const std::string& speed = "") {
    const std::string at =
        parent.empty() ? "devices/virtual/net/" + name : cat("devices/", parent, "/net/", name);
    link_to("sys/class/net", name, at);
    file(cat("sys/", at, "/ifindex"), cat(ifindex, "\n"));
    file(cat("sys/", at, "/dev_port"), "0\n");
    if (!speed.empty()) file(cat("sys/", at, "/speed"), speed + "\n");
    if (!parent.empty()) symlink(cat("sys/", at, "/device"), "/sys/devices/" + parent);
    return add_link(name, ifindex, 1);
  }

  void rdma(const std::string& name, const std::string& parent, const std::string& link_layer,
            const std::string& state, const std::string& rate) {
    const std::string at = cat("devices/", parent, "/infiniband/", name);
    link_to("sys/class/infiniband", name, at);
    const std::string base = cat("sys/", at);
    file(base + "/node_guid", "9803:9b03:00a1:b2c4\n");
    file(base + "/fw_ver", "28.39.1002\n");
    file(base + "/ports/1/link_layer", link_layer + "\n");
    file(base + "/ports/1/state", state + "\n");
    file(base + "/ports/1/phys_state", "5: LinkUp\n");
    file(base + "/ports/1/rate", rate + "\n");
  }

  void gid(const std::string& device, int index, const std::string& text, const std::string& type,
           const std::string& netdev) {
    const std::string port = cat("sys/class/infiniband/", device, "/ports/1/");
    file(cat(port, "gids/", index), text + "\n");
    if (!type.empty()) file(cat(port, "gid_attrs/types/", index), type + "\n");
    if (!netdev.empty()) file(cat(port, "gid_attrs/ndevs/", index), netdev + "\n");
  }

  void process(int pid, const std::string& name, const std::vector<std::string>& open_files = {}) {
    const std::string base = cat("proc/", pid);
    file(base + "/comm", name + "\n");
    directory(base + "/fd");
    for (std::size_t i = 0; i < open_files.size(); ++i) {
      symlink(cat(base, "/fd/", i), open_files[i]);
    }
  }

  void default_route(int ifindex, int family = AF_INET, std::uint32_t table = 254) {
    routes_.push_back({family, table, true, {ifindex}, "", 0});
  }
  void address(int ifindex, const std::string& text, int prefix) {
    const int family = text.find(':') == std::string::npos ? AF_INET : AF_INET6;
    addresses_.push_back({family, ifindex, text, prefix});
  }

  facts::Sources sources() const {
    facts::Sources from;
    from.root = root_;
    from.links = [this] { return Result<std::vector<kernel::Link>>(links_); };
    from.routes = [this] { return Result<std::vector<kernel::Route>>(routes_); };
    from.addresses = [this] { return Result<std::vector<kernel::InterfaceAddress>>(addresses_); };
    from.route_device = [this](const std::string& to) {
      const auto found = route_to.find(to);
      return Result<int>(found == route_to.end() ? 0 : found->second);
    };
    from.link_modes = [this](std::span<const int> ifindexes) {
      std::vector<kernel::LinkModes> modes;
      for (const int ifindex : ifindexes) {
        const auto found = max_speed.find(ifindex);
        modes.push_back(
            {found == max_speed.end() ? std::nullopt : std::optional(found->second), std::nullopt});
      }
      return Result<std::vector<kernel::LinkModes>>(modes);
    };
    return from;
  }

  std::map<std::string, int> route_to;
  std::map<int, int> max_speed;

 private:
  void link_to(const std::string& klass, const std::string& name, const std::string& at) {
    directory("sys/" + at);
    symlink(cat(klass, "/", name), "../../" + at);
  }
  kernel::Link& add_link(const std::string& name, int ifindex, std::uint16_t hardware) {
    kernel::Link link;
    link.name = name;
    link.ifindex = ifindex;
    link.hardware = hardware;
    link.flags = 1;  // IFF_UP
    link.mtu = 1500;
    link.operstate = 6;
    link.carrier = true;
    links_.reserve(64);  // so that references stay good
    links_.push_back(link);
    return links_.back();
  }

  std::string root_;
  std::vector<kernel::Link> links_;
  std::vector<kernel::Route> routes_;
  std::vector<kernel::InterfaceAddress> addresses_;
};

}  // namespace nettune::test
