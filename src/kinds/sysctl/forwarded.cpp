// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/forwarded.hpp"

#include <map>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"

namespace nettune::kinds::sysctl {
namespace {

struct Forwarder {
  std::string_view pattern;  ///< of interface names, for glob_match()
  std::string_view whose;
};

/// The names that these programs give their interfaces unless somebody chooses others.
constexpr Forwarder kForwarders[] = {
    {"docker*", "Docker"},
    {"br-????????????", "Docker"},
    {"podman*", "Podman"},
    {"cni-podman*", "Podman"},
    {"nerdctl*", "containerd"},
    {"cni*", "Kubernetes"},
    {"cbr*", "Kubernetes"},
    {"flannel*", "Kubernetes"},
    {"cali*", "Kubernetes"},
    {"vxlan.calico", "Kubernetes"},
    {"cilium*", "Kubernetes"},
    {"lxc????????????", "Kubernetes"},
    {"lxc_health", "Kubernetes"},
    {"antrea*", "Kubernetes"},
    {"weave*", "Kubernetes"},
    {"kube-*", "Kubernetes"},
    {"nodelocaldns", "Kubernetes"},
    {"ovn*", "Kubernetes"},
    {"virbr*", "libvirt"},
    {"vnet*", "virtual machines"},
    {"tap*", "virtual machines"},
    {"fwbr*", "Proxmox"},
    {"vmbr*", "Proxmox"},
    {"lxcbr*", "LXC"},
    {"lxdbr*", "LXD"},
    {"incusbr*", "Incus"},
    {"mpqemubr*", "Multipass"},
    {"waydroid*", "Waydroid"},
    {"ve-*", "systemd-nspawn"},
    {"vz-*", "systemd-nspawn"},
    {"veth*", "containers"},
    {"wg*", "WireGuard"},
    {"tailscale*", "Tailscale"},
    {"zt*", "ZeroTier"},
    {"tun*", "a VPN"},
    {"ppp*", "PPP"},
};

/// Whose interface it is; "" for one that shows nothing.
std::string_view whose(std::string_view name, const std::string& sys) {
  for (const Forwarder& row : kForwarders)
    if (glob_match(row.pattern, name)) return row.whose;
  const auto has = [&](std::string_view file) {
    return ::access(cat(sys, "/class/net/", name, "/", file).c_str(), F_OK) == 0;
  };
  if (has("bridge")) return "a bridge";
  if (has("tun_flags")) return "a tunnel";
  return {};
}

constexpr std::size_t kMostForwarders = 4;

}  // namespace

std::string forwarded_text(std::span<const std::string> interfaces, const std::string& sys) {
  std::map<std::string_view, std::vector<std::string>> found;
  for (const std::string& name : interfaces)
    if (const auto by = whose(name, sys); !by.empty()) found[by].push_back(name);
  std::vector<std::string> parts;
  for (auto& [by, names] : found) {
    const std::size_t all = names.size();
    if (all > kMostForwarders) names.resize(kMostForwarders);
    parts.push_back(cat(join(names, " "),
                        all > kMostForwarders ? cat(" and ", all - kMostForwarders, " more") : "",
                        " (", by, ")"));
  }
  if (parts.empty())
    return "cuts what this node forwards; no interface of containers, virtual machines or tunnels "
           "was found";
  return cat("cuts what this node forwards for ", join(parts, ", "));
}

}  // namespace nettune::kinds::sysctl
