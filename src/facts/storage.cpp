// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <map>
#include <netinet/in.h>

#include "base/text.hpp"
#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

constexpr std::size_t kMountinfoLimit = std::size_t{16} * 1024 * 1024;

constexpr std::array<std::string_view, 8> kNetworkTypes = {
    "nfs", "nfs4", "cifs", "smb3", "ceph", "lustre", "glusterfs", "fuse.glusterfs"};

bool is_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, text.substr(0, text.find('%')).c_str(), bytes.data()) == 1;
}

void add(std::vector<std::string>& addresses, std::string_view candidate) {
  std::string text(candidate);
  if (is_address(text) && std::find(addresses.begin(), addresses.end(), text) == addresses.end()) {
    addresses.push_back(std::move(text));
  }
}

/// mountinfo writes blank, tab, newline and backslash as three octal digits.
std::string unescaped(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      const int code = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      out += static_cast<char>(code);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

struct Mount {
  std::string_view point, type, source, options;
};

/// proc_pid_mountinfo(5): a "-" ends the optional fields.
std::optional<Mount> parse_mount(std::string_view line) {
  const auto fields = words(line);
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (fields.size() < 6 || fields.end() - dash < 4) return std::nullopt;
  return Mount{fields[4], dash[1], dash[2], dash[3]};
}

/// The servers: what the kernel resolved (addr=, mon_addr=), otherwise the source's.
std::vector<std::string> servers_of(const Mount& mount) {
  std::vector<std::string> addresses;
  for (const std::string_view option : split(mount.options, ',')) {
    if (option.starts_with("addr=")) add(addresses, option.substr(5));
    if (option.starts_with("mon_addr=")) {
      for (const std::string& found : find_addresses(option.substr(9))) add(addresses, found);
    }
  }
  if (!addresses.empty()) return addresses;
  return find_addresses(mount.source.substr(0, mount.source.find(":/")));
}

/// NVMe over Fabrics: a PCIe controller has the transport "pcie".
void add_nvme(const kernel::Directory& root, std::vector<RemoteStorage>& storage) {
  for (const std::string& name : root.list("sys/class/nvme")) {
    const std::string path = cat("sys/class/nvme/", name);
    const auto transport = root.line(path + "/transport");
    if (transport != "tcp" && transport != "rdma") continue;
    RemoteStorage controller{cat("the NVMe-oF controller ", printable(name)), {}};
    const std::string address = root.line(path + "/address").value_or("");
    for (const std::string_view field : split(address, ',')) {
      if (field.starts_with("traddr=")) add(controller.addresses, trim(field.substr(7)));
    }
    storage.push_back(std::move(controller));
  }
}

}  // namespace

std::vector<std::string> find_addresses(std::string_view text) {
  std::vector<std::string> addresses;
  add(addresses, text);
  constexpr std::string_view kIpv4 = "0123456789.";
  constexpr std::string_view kIpv6 = "0123456789abcdefABCDEF:.%";
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '[') {
      const std::size_t end = text.find_first_not_of(kIpv6, i + 1);
      if (end != std::string_view::npos && text[end] == ']') {
        add(addresses, text.substr(i + 1, end - i - 1));
      }
      ++i;
    } else if (kIpv4.find(text[i]) != std::string_view::npos) {
      const std::size_t end = std::min(text.find_first_not_of(kIpv4, i), text.size());
      add(addresses, text.substr(i, end - i));
      i = end;
    } else {
      ++i;
    }
  }
  return addresses;
}

std::vector<RemoteStorage> parse_network_mounts(std::string_view mountinfo) {
  std::vector<RemoteStorage> mounts;
  std::map<std::pair<std::string_view, std::string_view>, int> seen;
  for (const std::string_view line : split(mountinfo, '\n')) {
    const auto mount = parse_mount(line);
    if (!mount ||
        std::find(kNetworkTypes.begin(), kNetworkTypes.end(), mount->type) == kNetworkTypes.end()) {
      continue;
    }
    // A thousand home directories from one server are one reason.
    const std::string_view server = mount->source.substr(0, mount->source.find(":/"));
    if (++seen[{mount->type, server}] > 1) continue;
    mounts.push_back({cat("the ", mount->type, " mount ", printable(unescaped(mount->point)),
                          " from ", printable(unescaped(server))),
                      servers_of(*mount)});
  }
  return mounts;
}

std::vector<RemoteStorage> read_remote_storage(const kernel::Directory& root, Notes& notes) {
  std::vector<RemoteStorage> storage;
  const auto mountinfo = root.read("proc/self/mountinfo", kMountinfoLimit);
  if (mountinfo) {
    storage = parse_network_mounts(*mountinfo);
  } else {
    notes.push_back(cat("network mounts are not known: ", mountinfo.error().text));
  }
  add_nvme(root, storage);
  return storage;
}

}  // namespace nettune::facts
