// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <sys/utsname.h>
#include <utility>

#include "base/text.hpp"
#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

constexpr std::size_t kSmallFile = std::size_t{64} * 1024;
constexpr std::size_t kEnvironment = std::size_t{1024} * 1024;

/// os-release(5): the file in /etc wins.
void read_os_release(const kernel::Directory& root, Node& node) {
  auto text = root.read("etc/os-release", kSmallFile);
  if (!text) text = root.read("usr/lib/os-release", kSmallFile);
  if (!text) return;
  for (const std::string_view raw : split(*text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.starts_with("ID=")) node.os_id = unquoted(line.substr(3));
    if (line.starts_with("VERSION_ID=")) node.os_version = unquoted(line.substr(11));
  }
}

/// Where the layers of / lie: docker, podman and containerd each keep them in a directory of their
/// own, and mountinfo(5) names it inside the container, too.
std::string keeper_of_root(const kernel::Directory& root) {
  constexpr auto kKeepers =
      std::to_array<std::pair<std::string_view, const char*>>({{"/containerd/", "containerd"},
                                                               {"/containers/storage/", "podman"},
                                                               {"/docker/overlay2/", "docker"}});
  const auto mounts = root.read("proc/self/mountinfo", kEnvironment);
  if (!mounts) return {};
  for (const std::string_view line : split(*mounts, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 10 || fields[4] != "/") continue;
    for (const auto& [directory, keeper] : kKeepers)
      if (line.find(directory) != std::string_view::npos) return keeper;
  }
  return {};
}

/// PROC_PID_INIT_INO of linux/proc_ns.h: the PID namespace of the machine itself.
constexpr const char* kMachinesPids = "pid:[4026531836]";

/// The marks that container managers leave; "" if there is none.
std::string container_of(const kernel::Directory& root) {
  if (const auto manager = root.line("run/systemd/container")) {
    return manager->empty() ? "unknown" : *manager;
  }
  const auto environment = root.read("proc/1/environ", kEnvironment);
  if (environment) {
    for (const std::string_view variable : split(*environment, '\0')) {
      if (variable.starts_with("container=")) {
        return variable.size() > 10 ? std::string(variable.substr(10)) : "unknown";
      }
    }
  }
  const auto pids = root.link("proc/self/ns/pid");
  std::string keeper = keeper_of_root(root);
  // The image of a virtual machine may have been a container's.
  const bool is_machine = pids && *pids == kMachinesPids && keeper.empty();
  if (!is_machine && root.exists("run/.containerenv")) return "podman";
  if (!is_machine && root.exists(".dockerenv")) return "docker";
  // A pod under containerd or CRI-O: other users cannot read the environment of process 1.
  if ((environment && environment->find("KUBERNETES_SERVICE_HOST=") != std::string::npos) ||
      root.exists("run/secrets/kubernetes.io")) {
    return "kubernetes";
  }
  if (!keeper.empty()) return keeper;
  return pids && !is_machine ? "unknown" : "";
}

/// Members of a list such as "0-63,128": the format of /sys/devices/system/cpu/online.
int count_cpus(std::string_view list) {
  constexpr std::int64_t kHighest = 1 << 20;
  std::int64_t count = 0;
  for (const std::string_view range : split(list, ',')) {
    const std::size_t dash = range.find('-');
    const auto first = parse_int(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_int(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > kHighest) return 0;
    count += *last - *first + 1;
  }
  return count > kHighest ? 0 : static_cast<int>(count);
}

/// Kernels before 6.1 have no kernel.arch; this process has the same one.
std::string architecture_of(const kernel::Directory& root) {
  if (const auto text = root.line("proc/sys/kernel/arch")) return *text;
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "";
}

}  // namespace

Node read_node(const kernel::Directory& root) {
  Node node;
  node.hostname = root.line("proc/sys/kernel/hostname").value_or("");
  node.kernel = root.line("proc/sys/kernel/osrelease").value_or("");
  node.architecture = architecture_of(root);
  node.machine_id = root.line("etc/machine-id").value_or("");
  node.boot_id = root.line("proc/sys/kernel/random/boot_id").value_or("");
  node.container = container_of(root);
  node.cpus = count_cpus(root.line("sys/devices/system/cpu/online").value_or(""));
  read_os_release(root, node);
  return node;
}

std::vector<std::string> read_services(const kernel::Directory& root) {
  // In the order of systemd.unit(5): the first directory with the unit decides, also by masking it.
  static constexpr std::array kDirectories = {
      "etc/systemd/system",     "run/systemd/system",         "usr/local/lib/systemd/system",
      "usr/lib/systemd/system", "run/systemd/generator.late", "lib/systemd/system"};
  static constexpr std::string_view kSuffix = ".service";
  std::map<std::string, bool> masked;
  for (const std::string directory : kDirectories)
    for (const std::string& entry : root.list(directory))
      if (entry.ends_with(kSuffix) && entry.size() > kSuffix.size())
        masked.try_emplace(entry.substr(0, entry.size() - kSuffix.size()),
                           root.link(cat(directory, '/', entry)) == "/dev/null");
  std::vector<std::string> installed;
  for (const auto& [name, is_masked] : masked)
    if (!is_masked) installed.push_back(name);
  return installed;
}

}  // namespace nettune::facts
