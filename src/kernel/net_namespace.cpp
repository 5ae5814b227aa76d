// SPDX-License-Identifier: Apache-2.0
#include "kernel/net_namespace.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/magic.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <map>
#include <sched.h>
#include <set>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "kernel/driver_info.hpp"
#include "kernel/netlink.hpp"
#include "kernel/rtnl_parse.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::kernel {
namespace {

/// The first PID namespace has a number of its own: PROC_PID_INIT_INO, linux/proc_ns.h.
constexpr std::string_view kFirstPids = "pid:[4026531836]";
constexpr std::size_t kLargestMountInfo = std::size_t{64} << 20;

struct LinkTarget {
  std::string text;
  int error = 0;
};

LinkTarget target_of(const std::string& path) {
  std::array<char, 256> text{};
  const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
  if (size < 0) return {{}, errno};
  return {std::string(text.data(), static_cast<std::size_t>(size)), 0};
}

/// 4026532841 of "net:[4026532841]"; 0 for another text.
std::uint64_t inode_in(std::string_view text) {
  constexpr std::string_view kNet = "net:[";
  if (!text.starts_with(kNet) || !text.ends_with(']')) return 0;
  const auto number = parse_int(text.substr(kNet.size(), text.size() - kNet.size() - 1));
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

/// Paths in mountinfo have blanks and backslashes as three octal digits (proc(5)).
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool octal = text[i] == '\\' && i + 3 < text.size();
    out += octal ? static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                     (text[i + 3] - '0'))
                 : text[i];
    if (octal) i += 3;
  }
  return out;
}

std::string shortened(std::string_view id) {
  constexpr std::size_t kShort = 12;  // as docker ps and crictl show them
  return std::string(id.substr(0, kShort));
}

bool is_container_id(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  return text.size() == 64 && text.find_first_not_of(kHex) == std::string_view::npos;
}

/// What one component of a control group's path says; "" for nothing.
std::string container_in(std::string_view component, std::string_view above) {
  struct Named {
    std::string_view prefix;
    std::string_view suffix;
    std::string_view words;
    bool is_id;
  };
  constexpr std::array<Named, 9> kNamed = {{{"docker-", ".scope", "docker container ", true},
                                            {"cri-containerd-", ".scope", "container ", true},
                                            {"crio-", ".scope", "container ", true},
                                            {"libpod-", ".scope", "podman container ", true},
                                            {"libpod-", "", "podman container ", true},
                                            {"machine-", ".scope", "machine ", false},
                                            {"systemd-nspawn@", ".service", "machine ", false},
                                            {"lxc.payload.", "", "LXC container ", false},
                                            {"", ".service", "service ", false}}};
  if (is_container_id(component))
    return cat(above == "docker" ? "docker container " : "container ", shortened(component));
  for (const Named& named : kNamed) {
    if (!component.starts_with(named.prefix) || !component.ends_with(named.suffix)) continue;
    if (component.size() <= named.prefix.size() + named.suffix.size()) continue;
    component.remove_prefix(named.prefix.size());
    component.remove_suffix(named.suffix.size());
    if (named.is_id && !is_container_id(component)) return {};
    return cat(named.words, named.is_id ? shortened(component) : printable(component));
  }
  return {};
}

/// The UID in "kubepods-burstable-pod1f2e_....slice" or "pod1f2e-...", as kubectl shows it.
std::string pod_in(std::string_view component) {
  if (component.ends_with(".slice")) component.remove_suffix(std::string_view(".slice").size());
  const auto at = component.rfind("pod");
  constexpr std::size_t kUid = 36;
  if (at == std::string_view::npos || component.size() - at - 3 != kUid) return {};
  std::string uid(component.substr(at + 3));
  std::ranges::replace(uid, '_', '-');
  return cat("pod ", printable(uid));
}

class Finder {
 public:
  Result<NetNamespaces> run() {
    TRY_ASSIGN(const Directory proc, Directory::open("/proc"));
    result_.own = {inode_in(target_of("/proc/self/ns/net").text), "/proc/self/ns/net", {}};
    for (const std::string& entry : proc.list("")) {
      const auto pid = parse_int(entry);
      if (pid && *pid > 0) look_at(proc, entry, *pid);
    }
    for (auto& [inode, holder] : holders_)
      if (inode != result_.own.inode)
        result_.others.push_back({inode, holder.path, user_of(proc, holder)});
    if (target_of("/proc/self/ns/pid").text != kFirstPids)
      result_.unseen = "processes outside of this container cannot be seen";
    else if (closed_ > 0)
      result_.unseen = cat(closed_, closed_ == 1 ? " process" : " processes",
                           " cannot be inspected (no CAP_SYS_PTRACE, or a security module)");
    return std::move(result_);
  }

 private:
  struct Holder {
    std::string path;
    std::int64_t pid = 0;  ///< of a process that is in it; 0: only held
    std::string mount;     ///< where it is mounted; "" for nowhere
  };

  /// A process that is in the namespace says most about it, the first one above all.
  void add(std::uint64_t inode, std::string path, std::int64_t pid, const std::string& mount = {}) {
    Holder& holder = holders_[inode];
    if (!mount.empty()) holder.mount = mount;
    const bool better = holder.path.empty() || (pid > 0 && (holder.pid == 0 || pid < holder.pid));
    if (!better) return;
    holder.path = std::move(path);
    holder.pid = pid;
  }

  void look_at(const Directory& proc, const std::string& entry, std::int64_t pid) {
    const std::string base = cat("/proc/", entry);
    bool closed = false;
    // A thread may have entered another namespace alone (setns(2)).
    for (const std::string& thread : proc.list(entry + "/task")) {
      const std::string path = cat(base, "/task/", thread, "/ns/net");
      const LinkTarget target = target_of(path);
      closed = closed || target.error == EACCES || target.error == EPERM;
      if (const std::uint64_t inode = inode_in(target.text); inode != 0) add(inode, path, pid);
    }
    const auto files = proc.entries(entry + "/fd");
    if (files) {
      for (const std::string& file : *files) {
        const std::string path = cat(base, "/fd/", file);
        if (const std::uint64_t inode = inode_in(target_of(path).text); inode != 0)
          add(inode, path, 0);
      }
    } else {
      closed = closed || files.error().code == Errc::denied;
    }
    const std::string mounts = target_of(base + "/ns/mnt").text;
    if (!mounts.empty() && mounts_.insert(mounts).second) look_at_mounts(proc, entry);
    if (closed) ++closed_;
  }

  /// "218 195 0:4 net:[4026532254] /run/netns/pod1 rw shared:2 - nsfs nsfs rw"
  void look_at_mounts(const Directory& proc, const std::string& entry) {
    const auto text = proc.read(entry + "/mountinfo", kLargestMountInfo);
    if (!text) return;
    for (const std::string_view line : split(*text, '\n')) {
      if (line.find(" net:[") == std::string_view::npos) continue;
      const auto fields = words(line);
      if (fields.size() < 5) continue;
      const std::uint64_t inode = inode_in(fields[3]);
      const std::string point = unescaped(fields[4]);
      if (inode != 0) add(inode, cat("/proc/", entry, "/root", point), 0, point);
    }
  }

  static std::string user_of(const Directory& proc, const Holder& holder) {
    std::vector<std::string> parts;
    if (holder.pid > 0) {
      const std::string process = cat(holder.pid);
      const auto cgroup = proc.read(process + "/cgroup", std::size_t{1} << 16);
      std::string container = cgroup ? container_of(*cgroup) : std::string();
      const std::string name = printable(proc.line(process + "/comm").value_or("a process"));
      if (container.starts_with("service ") && !holder.mount.empty()) container.clear();
      parts.push_back(container.empty() ? cat(name, ", process ", process)
                                        : cat(container, " (", name, ")"));
    }
    if (!holder.mount.empty())
      parts.push_back(
          cat("namespace ", printable(holder.mount.substr(holder.mount.rfind('/') + 1))));
    if (parts.empty()) parts.emplace_back("a namespace without a process");
    return join(parts, ", ");
  }

  NetNamespaces result_;
  std::map<std::uint64_t, Holder> holders_;
  std::set<std::string> mounts_;  ///< mount namespaces that were read
  int closed_ = 0;                ///< processes that may not be looked at
};

/// A descriptor of the namespace. The path may be in a container that can change what is there
/// while it is opened, so it is opened without effect first.
Result<UniqueFd> open_namespace(const NetNamespace& there) {
  const auto failed = [&](int error) -> Failure {
    const bool is_gone = error == ENOENT || error == ESRCH || error == ENOTDIR;
    const bool is_denied = error == EACCES || error == EPERM;
    return fail(is_gone     ? Errc::not_found
                : is_denied ? Errc::denied
                            : Errc::io,
                cat("network namespace ", there.inode,
                    is_gone     ? std::string(" has ended")
                    : is_denied ? std::string(" may not be opened (CAP_SYS_PTRACE)")
                                : cat(" cannot be opened: ", std::strerror(error))),
                error);
  };
  const UniqueFd place(::open(there.path.c_str(), O_PATH | O_CLOEXEC));
  if (!place.valid()) return failed(errno);
  struct stat status {};
  struct statfs files {};
  if (::fstat(place.get(), &status) != 0 || ::fstatfs(place.get(), &files) != 0)
    return failed(errno);
  if (files.f_type != NSFS_MAGIC || status.st_ino != there.inode) return failed(ENOENT);
  UniqueFd fd(::open(cat("/proc/self/fd/", place.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return failed(errno);
  return fd;
}

/// Links of these drivers stand on others or follow their members. The name is the one that the
/// driver gives (ethtool -i), by default that of its kind: ethtool_get_drvinfo(),
/// net/ethtool/ioctl.c (6.1).
bool is_stacked(std::string_view driver) {
  constexpr std::array<std::string_view, 9> kDrivers = {"802.1Q VLAN Support",
                                                        "macvlan",
                                                        "macvtap",
                                                        "ipvlan",
                                                        "ipvtap",
                                                        "macsec",
                                                        "bridge",
                                                        "bonding",
                                                        "team"};
  return std::ranges::find(kDrivers, driver) != kDrivers.end();
}

Result<std::optional<Link>> ask_link(NetlinkSession& session, int ifindex,
                                     const std::string& name) {
  ifinfomsg header{};
  header.ifi_family = AF_UNSPEC;
  header.ifi_index = ifindex;
  Request request(RTM_GETLINK, NLM_F_ACK);
  request.header(header).put(IFLA_EXT_MASK, std::uint32_t{RTEXT_FILTER_SKIP_STATS});
  if (!name.empty()) request.put_text(IFLA_IFNAME, name);
  std::optional<Link> link;
  auto done = session.request(std::move(request), [&](const Message& message) {
    if (message.type == RTM_NEWLINK) link = parse_link(message.payload);
  });
  if (!done && done.error().sys == ENODEV) return std::optional<Link>();
  if (!done) return fail_in("reading a link", std::move(done).error());
  return link;
}

/// The names in /proc/net/dev of this thread's namespace, "eth0" of "  eth0: 0 0 ...".
Result<std::vector<std::string>> link_names() {
  TRY_ASSIGN(const Directory net, Directory::open("/proc/thread-self/net"));
  TRY_ASSIGN(const std::string text, net.read("dev", kLargestMountInfo));
  std::vector<std::string> names;
  for (const std::string_view line : split(text, '\n'))
    if (const auto colon = line.find(':'); colon != std::string_view::npos)
      names.emplace_back(trim(line.substr(0, colon)));
  return names;
}

}  // namespace

std::string container_of(std::string_view cgroup) {
  std::string container;
  std::string pod;
  for (const std::string_view line : split(cgroup, '\n')) {
    const auto colon = line.find(":/");
    if (colon == std::string_view::npos) continue;
    std::string_view above;
    for (const std::string_view component : split(line.substr(colon + 2), '/')) {
      if (std::string found = container_in(component, above); !found.empty())
        container = std::move(found);
      if (std::string found = pod_in(component); !found.empty()) pod = std::move(found);
      above = component;
    }
    if (!container.empty()) break;
  }
  if (pod.empty()) return container;
  return container.empty() ? pod : cat(pod, ", ", container);
}

NetNamespaces find_net_namespaces() {
  auto found = Finder().run();
  if (found) return std::move(*found);
  NetNamespaces none;
  none.unseen = found.error().text;
  return none;
}

Result<> in_net_namespace(const NetNamespace& there, const std::function<Result<>()>& work) {
  TRY_ASSIGN(const UniqueFd fd, open_namespace(there));
  Result<> result;
  const auto run = [&] {
    // setns(2) moves the calling thread alone.
    if (::setns(fd.get(), CLONE_NEWNET) == 0)
      result = work();
    else
      result = fail(errno == EPERM ? Errc::denied : Errc::io,
                    cat("network namespace ", there.inode,
                        " may not be entered (CAP_SYS_ADMIN): ", std::strerror(errno)),
                    errno);
  };
  try {
    std::thread(run).join();
  } catch (const std::system_error& error) {
    return fail(Errc::io, cat("no thread could be started: ", error.what()));
  }
  return result;
}

Result<std::vector<int>> known_nsids() {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  Request request(RTM_GETNSID, NLM_F_DUMP);
  request.header(rtgenmsg{AF_UNSPEC});
  std::vector<int> numbers;
  auto done = session.dump(
      std::move(request), [&] { numbers.clear(); },
      [&](const Message& message) {
        if (message.type != RTM_NEWNSID) return;
        each_attribute(behind<rtgenmsg>(message.payload), [&](const Attribute& attribute) {
          const auto number = value_of<std::int32_t>(attribute.payload);
          if (attribute.type == NETNSA_NSID && number && *number >= 0) numbers.push_back(*number);
        });
      });
  if (!done) return fail_in("reading the numbers of namespaces", std::move(done).error());
  return numbers;
}

Result<std::vector<std::optional<int>>> nsids_of(std::span<const NetNamespace> namespaces) {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  std::vector<std::optional<int>> numbers(namespaces.size());
  for (std::size_t i = 0; i < namespaces.size(); ++i) {
    const auto fd = open_namespace(namespaces[i]);
    if (!fd) continue;  // it ended meanwhile, or entering it will say why not
    Request request(RTM_GETNSID, NLM_F_ACK);
    request.header(rtgenmsg{AF_UNSPEC}).put(NETNSA_FD, static_cast<std::uint32_t>(fd->get()));
    TRY(session.request(std::move(request), [&](const Message& message) {
      if (message.type != RTM_NEWNSID) return;
      each_attribute(behind<rtgenmsg>(message.payload), [&](const Attribute& attribute) {
        const auto number = value_of<std::int32_t>(attribute.payload);
        if (attribute.type == NETNSA_NSID && number && *number >= 0) numbers[i] = *number;
      });
    }));
  }
  return numbers;
}

Result<std::vector<Link>> stacked_links() {
  TRY_ASSIGN(const std::vector<std::string> names, link_names());
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  std::vector<Link> links;
  for (const std::string& name : names) {
    const auto driver = driver_info(name);
    const bool is_none =
        !driver && (driver.error().sys == EOPNOTSUPP || driver.error().sys == ENODEV);
    if (is_none) continue;
    TRY(driver);
    if (!is_stacked(driver->driver)) continue;
    TRY_ASSIGN(const std::optional<Link> link, ask_link(session, 0, name));
    if (link) links.push_back(*link);
  }
  return links;
}

Result<std::optional<Link>> read_link_at(int ifindex) {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_ROUTE));
  return ask_link(session, ifindex, "");
}

}  // namespace nettune::kernel
