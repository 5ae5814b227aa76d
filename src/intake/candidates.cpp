// SPDX-License-Identifier: Apache-2.0
#include "intake/candidates.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.hpp"
#include "conf/environment.hpp"
#include "kinds/dcb/grammar.hpp"
#include "kinds/ethtool/table.hpp"
#include "kinds/rdma/dcqcn.hpp"
#include "kinds/sysctl/keys.hpp"
#include "kinds/sysctl/kind.hpp"
#include "kinds/sysfs/table.hpp"
#include "owners/sysctl_claims.hpp"
#include "profile/device_match.hpp"

namespace nettune::intake {
namespace {

constexpr auto kKinds = std::to_array<std::string_view>(
    {"sysctl", "module", "sysfs", "link", "ethtool", "qdisc", "dcb", "rdma", "nccl.conf"});
constexpr int kMostDscp = 63;

constexpr auto kModuleDirectories =
    std::to_array<std::string_view>({"/etc/modules-load.d", "/run/modules-load.d",
                                     "/usr/local/lib/modules-load.d", "/usr/lib/modules-load.d"});
constexpr std::string_view kOurModules = "/nettune.conf";

/// Modules by name, with the file and line that loads them at boot.
std::map<std::string, std::string> modules_loaded_at_boot(const conf::Files& files) {
  std::map<std::string, std::string> found;
  const auto add = [&](const std::string& path, std::string_view text) {
    int number = 0;
    for (const std::string_view raw : split(text, '\n')) {
      ++number;
      const std::string_view line = trim(raw);
      if (line.empty() || line[0] == '#' || line[0] == ';') continue;
      std::string name(words(line)[0]);
      std::ranges::replace(name, '-', '_');
      found.emplace(std::move(name), cat(path, ':', number));
    }
  };
  for (const conf::FoundFile& file : files.drop_ins(kModuleDirectories))
    if (!file.path.ends_with(kOurModules)) add(file.path, file.text);
  if (const auto file = files.read("/etc/modules")) add("/etc/modules", file->text);
  return found;
}

class Collector {
 public:
  Collector(const facts::Facts& facts, const Defaults& defaults, const conf::Files* files)
      : facts_(facts), defaults_(defaults), files_(files) {}

  std::vector<Address> run() {
    for (const facts::NetDevice& device : facts_.net)
      if (is_captured(device) && profile::is_plain_name(device.name))
        interfaces_.push_back(&device);
    of_defaults();
    for (const facts::NetDevice* const device : interfaces_) of_interface(device->name);
    for (const facts::RdmaDevice& device : facts_.rdma) of_rdma(device);
    for (const kinds::sysfs::SysfsRow& row : kinds::sysfs::sysfs_rows())
      if (!row.of_interface()) add(cat("sysfs:", row.key));
    if (files_ != nullptr) of_files(*files_);
    return {all_.begin(), all_.end()};
  }

 private:
  void add(std::string text) { all_.insert(Address{std::move(text)}); }

  /// The sysctls of the catalogue, of every device where it has "*".
  void of_defaults() {
    for (const Default& each : defaults_.all()) {
      if (!each.address.starts_with("sysctl:")) continue;
      const std::size_t star = each.address.find('*');
      if (star == std::string::npos) {
        add(each.address);
        continue;
      }
      const auto add_for = [&](const std::string& name) {
        add(std::string(each.address).replace(star, 1, name));
      };
      add_for("all");
      add_for("default");
      for (const facts::NetDevice* const device : interfaces_)
        add_for(kinds::sysctl::name_in_key(device->name));
    }
  }

  void of_interface(const std::string& name) {
    for (const std::string_view key : {"mtu", "txqueuelen", "ipoib-mode"})
      add(cat("link:", name, ':', key));
    for (const kinds::ethtool::EthtoolParameter& parameter : kinds::ethtool::ethtool_parameters())
      add(cat("ethtool:", name, ':', parameter.key));
    add(cat("qdisc:", name, ":root"));
    for (const std::string_view key : kinds::dcb::dcb_key_names())
      if (key != "app") add(cat("dcb:", name, ':', key));
    for (int dscp = 0; dscp <= kMostDscp; ++dscp) add(cat("dcb:", name, ":app#dscp-", dscp));
    add(cat("dcb:", name, ":app#dgram-4791"));
    for (const kinds::sysfs::SysfsRow& row : kinds::sysfs::sysfs_rows())
      if (row.of_interface()) add(cat("sysfs:", name, ':', row.key));
  }

  void of_rdma(const facts::RdmaDevice& device) {
    for (const facts::RdmaPort& port : device.ports) {
      const std::string prefix = cat("rdma:", device.name, '/', port.number, ':');
      for (const std::string_view key : {"cma-roce-mode", "cma-roce-tos", "traffic-class"})
        add(cat(prefix, key));
      for (const kinds::rdma::DcqcnParameter& each : kinds::rdma::dcqcn_parameters())
        add(cat(prefix, "cc-", each.name));
    }
  }

  void of_files(const conf::Files& files) {
    for (const std::string& key : owners::sysctl_keys_of_others(files)) {
      const Address address = kinds::sysctl::address_of(key);
      const auto device = kinds::sysctl::kSysctl.find_device(address.rest());
      const std::string name =
          device ? kinds::sysctl::name_in_key(address.rest().substr(device->begin, device->length))
                 : std::string();
      // A profile has the sysctls of an interface by device set.
      if (!device || std::ranges::any_of(interfaces_, [&](const facts::NetDevice* const each) {
            return each->name == name;
          }))
        all_.insert(address);
    }
    for (const auto& [name, where] : modules_loaded_at_boot(files)) add(cat("module:", name));
    const auto variables = files.read("/etc/nccl.conf");
    if (!variables) return;
    for (const std::string_view line : split(variables->text, '\n'))
      if (const auto variable = conf::env_file_line(line)) add(cat("nccl.conf:", variable->name));
  }

  const facts::Facts& facts_;
  const Defaults& defaults_;
  const conf::Files* files_;
  std::vector<const facts::NetDevice*> interfaces_;
  std::set<Address> all_;
};

}  // namespace

std::vector<std::string> captured_kinds() { return {kKinds.begin(), kKinds.end()}; }

bool is_captured(const facts::NetDevice& device) {
  constexpr auto kVirtual = std::to_array<std::string_view>({"bond", "vlan", "team", "ipoib"});
  return device.physical || std::ranges::find(kVirtual, device.kind) != kVirtual.end();
}

std::vector<Address> addresses_to_capture(const facts::Facts& facts, const Defaults& defaults,
                                          const conf::Files* files) {
  return Collector(facts, defaults, files).run();
}

std::string loads_module(const conf::Files& files, std::string_view module) {
  const auto all = modules_loaded_at_boot(files);
  const auto found = all.find(std::string(module));
  return found == all.end() ? std::string() : found->second;
}

}  // namespace nettune::intake
