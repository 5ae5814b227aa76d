// SPDX-License-Identifier: Apache-2.0
#include "owners/cloud_init.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace nettune::owners {
namespace {

/// cloudinit/distros/debian.py, cloudinit/net/{netplan,networkd,network_manager}.py.
bool is_written_by_it(std::string_view path) {
  return path == "/etc/network/interfaces.d/50-cloud-init" ||
         path == "/etc/netplan/50-cloud-init.yaml" ||
         path.starts_with("/etc/systemd/network/10-cloud-init-") ||
         path.starts_with("/etc/NetworkManager/system-connections/cloud-init-");
}

/// The setting is written "network: {config: disabled}" on one line, or on two lines.
bool says_disabled(std::string_view text) {
  bool below_network = false;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = raw.substr(0, raw.find('#'));
    std::string dense;
    for (const char c : line) {
      if (c != ' ' && c != '\t' && c != '\r' && c != '"' && c != '\'') dense += c;
    }
    if (dense.empty()) continue;
    if (dense == "network:{config:disabled}") return true;
    if (below_network && dense == "config:disabled") return true;
    below_network = dense == "network:" && line[0] != ' ';
  }
  return false;
}

}  // namespace

bool cloud_init_writes_network(const conf::Files& files) {
  if (!files.exists("/etc/cloud/cloud.cfg") || files.exists("/etc/cloud/cloud-init.disabled")) {
    return false;
  }
  constexpr std::string_view kDirectory = "/etc/cloud/cloud.cfg.d";
  std::vector<std::string> paths = {"/etc/cloud/cloud.cfg"};
  for (const std::string& name : files.names(std::string(kDirectory), ".cfg")) {
    paths.push_back(cat(kDirectory, "/", name));
  }
  return std::ranges::none_of(paths, [&](const std::string& path) {
    const auto file = files.read(path);
    return file && says_disabled(file->text);
  });
}

void trace_cloud_init(bool writes_network, const Rivals& rivals, Said& said) {
  if (!writes_network || !is_written_by_it(said.file)) return;
  const std::string want = rivals.want(said.address);
  said.owner = cat("cloud-init, ", said.owner);
  said.remedy = cat("cloud-init writes this file again for each new instance: set ",
                    want.empty() ? "it" : want,
                    " in its network configuration, or put \"network: {config: disabled}\" into "
                    "/etc/cloud/cloud.cfg.d and edit the line");
}

}  // namespace nettune::owners
