// SPDX-License-Identifier: Apache-2.0
#include "owners/daemon_sysctls.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "conf/units.hpp"
#include "kinds/sysctl/kind.hpp"
#include "owners/daemon.hpp"

namespace nettune::owners {
namespace {

/// How a daemon writes a key.
enum class Writes {
  always,
  raises,     ///< only where the value is lower
  sometimes,  ///< it depends on what nettune cannot see; `when` says on what
};

struct DaemonKey {
  std::string_view key;
  std::string_view value;
  Writes writes = Writes::always;
  std::string_view when = {};
};

/// setupKernelTunables() in pkg/kubelet/cm/container_manager_linux.go, with the values of
/// component-helpers/node/util/sysctl/sysctl.go (Kubernetes 1.22 to 1.34).
constexpr auto kKubelet = std::to_array<DaemonKey>({
    {"vm.overcommit_memory", "1"},
    {"vm.panic_on_oom", "0"},
    {"kernel.panic", "10"},
    {"kernel.panic_on_oops", "1"},
    {"kernel.keys.root_maxkeys", "1000000"},
    {"kernel.keys.root_maxbytes", "25000000"},
});

constexpr std::string_view kIpvs = "in IPVS mode";
constexpr std::string_view kMaxPerCore =
    "by default to 32768 for each CPU, and to no less than 131072";

/// setIntSysCtl() in cmd/kube-proxy/app/conntrack.go, the defaults in
/// pkg/proxy/apis/config/v1alpha1/defaults.go, EnsureSysctl() in pkg/proxy/iptables/proxier.go and
/// pkg/proxy/ipvs/proxier.go (Kubernetes 1.22 to 1.34).
constexpr auto kKubeProxy = std::to_array<DaemonKey>({
    {"net.netfilter.nf_conntrack_max", "131072", Writes::raises, kMaxPerCore},
    {"net.nf_conntrack_max", "131072", Writes::raises, kMaxPerCore},
    {"net.netfilter.nf_conntrack_tcp_timeout_established", "86400", Writes::raises},
    {"net.netfilter.nf_conntrack_tcp_timeout_close_wait", "3600", Writes::raises},
    {"net.ipv4.conf.all.route_localnet", "1", Writes::sometimes,
     "in iptables mode with node ports on localhost"},
    {"net.ipv4.vs.conntrack", "1", Writes::sometimes, kIpvs},
    {"net.ipv4.ip_forward", "1", Writes::sometimes, kIpvs},
    {"net.ipv4.conf.all.arp_ignore", "1", Writes::sometimes, "in IPVS mode with strictARP"},
    {"net.ipv4.conf.all.arp_announce", "2", Writes::sometimes, "in IPVS mode with strictARP"},
});

/// kernelSysctls() in pkg/agent/syssetup/setup.go (K3s 1.34; RKE2 uses the same agent).
/// ip_forward and conf.all.forwarding are one value in the kernel (devinet_sysctl_forward() in
/// net/ipv4/devinet.c).
constexpr auto kK3s = std::to_array<DaemonKey>({
    {"net.ipv4.ip_forward", "1"},
    {"net.ipv4.conf.all.forwarding", "1"},
    {"net.ipv4.conf.default.forwarding", "1"},
    {"net.ipv6.conf.all.forwarding", "1", Writes::sometimes, "with IPv6"},
    {"net.ipv6.conf.default.forwarding", "1", Writes::sometimes, "with IPv6"},
    {"net.core.devconf_inherit_init_net", "1", Writes::sometimes, "with IPv6"},
    {"net.bridge.bridge-nf-call-iptables", "1", Writes::sometimes, "with kube-proxy or flannel"},
    {"net.bridge.bridge-nf-call-ip6tables", "1", Writes::sometimes, "with IPv6"},
});

/// setupIPv4Forwarding() and setupIPv6Forwarding() in
/// daemon/libnetwork/drivers/bridge/setup_ip_forwarding.go, enableBridgeNetFiltering() in
/// setup_bridgenetfiltering.go (Docker 20.10 to 28).
constexpr auto kDocker = std::to_array<DaemonKey>({
    {"net.ipv4.ip_forward", "1"},
    {"net.ipv4.conf.all.forwarding", "1"},
    {"net.ipv6.conf.all.forwarding", "1", Writes::sometimes, "for networks with IPv6"},
    {"net.ipv6.conf.default.forwarding", "1", Writes::sometimes, "for networks with IPv6"},
    {"net.bridge.bridge-nf-call-iptables", "1", Writes::sometimes, "where br_netfilter is loaded"},
    {"net.bridge.bridge-nf-call-ip6tables", "1", Writes::sometimes, "where br_netfilter is loaded"},
});

/// networkEnableIPForwarding() in src/network/bridge_driver.c (libvirt 9.0).
constexpr auto kLibvirt = std::to_array<DaemonKey>({
    {"net.ipv4.ip_forward", "1", Writes::sometimes, "for a network that forwards"},
    {"net.ipv6.conf.all.forwarding", "1", Writes::sometimes, "for a network that forwards IPv6"},
});

constexpr auto kKubeletUnits =
    std::to_array<std::string_view>({"kubelet.service", "k3s.service", "k3s-agent.service",
                                     "rke2-server.service", "rke2-agent.service"});
constexpr auto kProxyUnits =
    std::to_array<std::string_view>({"kube-proxy.service", "k3s.service", "k3s-agent.service",
                                     "rke2-server.service", "rke2-agent.service"});
constexpr auto kK3sUnits = std::to_array<std::string_view>(
    {"k3s.service", "k3s-agent.service", "rke2-server.service", "rke2-agent.service"});
constexpr auto kDockerUnits = std::to_array<std::string_view>({"docker.service", "docker.socket"});
constexpr auto kLibvirtUnits = std::to_array<std::string_view>(
    {"libvirtd.service", "libvirtd.socket", "virtnetworkd.service", "virtnetworkd.socket"});

struct Daemon {
  std::string_view name;
  std::span<const std::string_view> units;
  std::string_view pod;  ///< the beginning of its pod's name; "" if it has none
  std::span<const DaemonKey> keys;
};
constexpr auto kDaemons = std::to_array<Daemon>({
    {"kubelet", kKubeletUnits, "", kKubelet},
    {"kube-proxy", kProxyUnits, "kube-proxy-", kKubeProxy},
    {"K3s", kK3sUnits, "", kK3s},
    {"dockerd", kDockerUnits, "", kDocker},
    {"libvirt", kLibvirtUnits, "", kLibvirt},
});

/// What shows that a daemon is active, or what it does: a file, and a line if one says it.
struct Evidence {
  std::string file;
  int line = 0;
  std::string text() const { return line > 0 ? cat(file, ':', line) : file; }
};

class DaemonFinder {
 public:
  DaemonFinder(const conf::Files& files, const Desired& desired)
      : files_(files), desired_(desired) {}

  std::vector<Claim> run() {
    for (const Daemon& daemon : kDaemons) {
      std::optional<Evidence> place;
      for (const Setting& setting : desired_.settings) {
        if (!kinds::sysctl::kSysctl.has(setting.address) || !setting.address.element().empty())
          continue;
        const auto key = std::ranges::find(daemon.keys, setting.address.rest(), &DaemonKey::key);
        if (key == daemon.keys.end()) continue;
        if (!place) place = where_active(daemon);
        if (place->file.empty()) break;
        judge(daemon, *key, setting, *place);
      }
    }
    return std::move(claims_);
  }

 private:
  /// The unit that starts it, or its pod's log; no file if neither is here.
  Evidence where_active(const Daemon& daemon) const {
    for (const std::string_view unit : daemon.units)
      if (starts_at_boot(files_, unit)) {
        std::string path = conf::Units(files_).path(std::string(unit));
        return {path.empty() ? std::string(unit) : std::move(path), 0};
      }
    // kubelet links the logs of running containers there
    // (pkg/kubelet/kuberuntime/legacy.go, legacyLogSymlink()).
    if (!daemon.pod.empty())
      for (const std::string& name : files_.names("/var/log/containers", ".log"))
        if (name.starts_with(daemon.pod)) return {cat("/var/log/containers/", name), 0};
    return {};
  }

  void judge(const Daemon& daemon, const DaemonKey& key, const Setting& setting,
             const Evidence& place) {
    if (daemon.name == "dockerd" && key.key.find("ipv4") != key.key.npos &&
        docker_leaves_forwarding())
      return;
    const std::string value(key.value);
    const bool raises = key.writes == Writes::raises && setting.want && is_integer(*setting.want) &&
                        compare_integers(*setting.want, value) >= 0;
    const bool same =
        satisfies(setting.relation, setting.want, value) || (raises && key.when.empty());
    if (same && key.writes != Writes::always) return;
    const auto strict = daemon.name == "kubelet" ? protected_defaults() : std::nullopt;
    std::string text = cat(printable(place.text()), ": ", daemon.name);
    if (same) {
      text += cat(" also sets ", key.key, " = ", value, "; this matches the profile");
    } else if (strict) {
      text += cat(" wants ", key.key, " = ", value, " and does not start with another value (",
                  printable(strict->text()), "); set ", value, " in the profile");
    } else {
      text += key.writes == Writes::raises ? cat(" raises ", key.key, " to ", value)
                                           : cat(" sets ", key.key, " = ", value);
      text += key.writes == Writes::raises && !key.when.empty() ? cat(" (", key.when, ")") : "";
      text += cat(" whenever it starts", key.writes == Writes::sometimes ? cat(", ", key.when) : "",
                  "; ", remedy(daemon, key));
    }
    const bool wins = !same && !strict && !raises && key.writes != Writes::sometimes;
    claims_.push_back({setting.address, std::string(daemon.name),
                       strict ? strict->file : place.file, strict ? strict->line : place.line,
                       value, wins, std::move(text)});
  }

  static std::string remedy(const Daemon& daemon, const DaemonKey& key) {
    if (daemon.name == "kube-proxy" && key.key.find("conntrack") != key.key.npos &&
        key.writes == Writes::raises)
      return "set it in the conntrack section of kube-proxy's configuration, or 0 there to leave "
             "it";
    if (daemon.name == "dockerd" && key.key.find("ipv4") != key.key.npos)
      return "set \"ip-forward\": false in /etc/docker/daemon.json, or leave the key out of the "
             "profile";
    return "leave the key out of the profile, or set this value";
  }

  /// The first line with one of these texts.
  std::optional<Evidence> find_line(const std::string& path,
                                    std::span<const std::string_view> texts) const {
    const auto file = files_.read(path);
    if (!file) return std::nullopt;
    int number = 0;
    for (const std::string_view line : split(file->text, '\n')) {
      ++number;
      if (trim(line).starts_with('#')) continue;
      for (const std::string_view text : texts)
        if (line.find(text) != line.npos) return Evidence{path, number};
    }
    return std::nullopt;
  }

  /// kubelet then fails with "invalid kernel flag" instead of writing (setupKernelTunables(),
  /// option KernelTunableError). RKE2's profile "cis" sets it too.
  std::optional<Evidence> protected_defaults() const {
    static constexpr auto kTexts = std::to_array<std::string_view>(
        {"protectKernelDefaults: true", "protect-kernel-defaults: true",
         "--protect-kernel-defaults=true", "--protect-kernel-defaults ",
         "protect-kernel-defaults=true"});
    for (const char* const path :
         {"/var/lib/kubelet/config.yaml", "/var/lib/kubelet/kubeadm-flags.env",
          "/etc/default/kubelet", "/etc/rancher/k3s/config.yaml", "/etc/rancher/rke2/config.yaml"})
      if (auto found = find_line(path, kTexts)) return found;
    return std::nullopt;
  }

  bool docker_leaves_forwarding() const {
    const auto file = files_.read("/etc/docker/daemon.json");
    if (!file) return false;
    std::string text;
    for (const char c : file->text)
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') text += c;
    return text.find("\"ip-forward\":false") != text.npos;
  }

  const conf::Files& files_;
  const Desired& desired_;
  std::vector<Claim> claims_;
};

}  // namespace

std::vector<Claim> daemon_sysctl_claims(const conf::Files& files, const Desired& desired) {
  return DaemonFinder(files, desired).run();
}

}  // namespace nettune::owners
