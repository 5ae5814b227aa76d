// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/text.hpp"
#include "conf/environment.hpp"
#include "conf/mark.hpp"
#include "conf/unit_files.hpp"
#include "intents/intents.hpp"
#include "intents/job_files.hpp"
#include "kinds/sysctl/boot_order.hpp"
#include "kinds/sysctl/bounds.hpp"
#include "kinds/sysctl/kind.hpp"
#include "kinds/sysctl/sysctl_d.hpp"

namespace nettune::intents {
namespace {

constexpr std::uint32_t kMode = 0644;

/// It sorts after every file that Debian ships, including Debian 12's 99-sysctl.conf.
constexpr std::string_view kSysctlFile = "/etc/sysctl.d/zz-nettune.conf";

/// The possible values of [env] outputs besides nccl.conf and profile.d.
struct JobFile {
  std::string_view output;
  JobFormat format;
  std::string_view path;
  std::uint32_t mode = kMode;
};

constexpr std::array kJobFiles = {
    JobFile{"env-file", JobFormat::docker, "/etc/nettune/nccl.env"},
    JobFile{"systemd", JobFormat::systemd, "/etc/nettune/nccl.service.conf"},
    JobFile{"slurm", JobFormat::slurm, "/etc/nettune/task-prolog.sh", 0755},
    JobFile{"k8s", JobFormat::k8s, "/etc/nettune/nccl.configmap.yaml"},
    JobFile{"json", JobFormat::json, "/etc/nettune/env.json"},
};

/// The key, with the device instead of its name.
std::string place_of(const Setting& setting) {
  const std::string_view key = setting.address.rest();
  const auto name = kinds::sysctl::kSysctl.find_device(key);
  if (!name || setting.device.empty()) return std::string(key);
  return cat(key.substr(0, name->begin), setting.device, key.substr(name->begin + name->length));
}

class BootFiles {
 public:
  explicit BootFiles(profile::Composer& composer)
      : composer_(composer),
        origin_{composer.merged().name, 0},
        heading_(conf::mark_of(composer.merged().name)) {}

  Result<> compose() {
    TRY(sysctl());
    if (!composer_.boot().modules.empty()) {
      TRY(file("/etc/modules-load.d/nettune.conf",
               conf::modules_load(composer_.boot().modules, heading_)));
    }
    if (!composer_.boot().limits.empty()) TRY(limits());
    for (const auto& [service, reloads] : composer_.boot().firewall_services) {
      TRY(file(cat("/etc/systemd/system/", service, ".service.d/nettune-firewall.conf"),
               conf::service_reapplies_firewall(heading_, reloads)));
    }
    return variables();
  }

 private:
  /// Bounds are left out: in this file, one would lower a larger value at boot. Elements are left
  /// out too: the list also belongs to others.
  Result<> sysctl() {
    std::vector<kinds::sysctl::SysctlLine> lines;
    std::set<std::string_view> keys;
    for (const Setting& setting : composer_.settings()) {
      const bool whole =
          kinds::sysctl::kSysctl.has(setting.address) && setting.address.element().empty();
      if (whole) keys.insert(setting.address.rest());
      if (!whole || setting.relation != Relation::exact || !setting.want) continue;
      kinds::sysctl::SysctlLine line;
      line.key = std::string(setting.address.rest());
      line.value = *setting.want;
      line.ignore_errors = setting.optional;
      line.place = place_of(setting);
      lines.push_back(std::move(line));
    }
    leave_out_absent(lines);
    if (lines.empty()) return {};
    kinds::sysctl::order_for_boot(lines);
    // Of two settings that bound each other, one may be refused at boot, since the values before
    // are unknown. nettune's boot service writes them in the right order.
    for (kinds::sysctl::SysctlLine& line : lines)
      line.ignore_errors |=
          std::ranges::any_of(kinds::sysctl::bounds_of(line.key),
                              [&](std::string_view other) { return keys.contains(other); });
    return file(std::string(kSysctlFile), kinds::sysctl::write_sysctl_d(lines, heading_));
  }

  /// A key that does not exist now is in the file only if the profile loads its module; a key of an
  /// interface appears with the interface.
  void leave_out_absent(std::vector<kinds::sysctl::SysctlLine>& lines) {
    if (!composer_.boot().read_sysctls) return;
    std::vector<Address> addresses;
    for (const kinds::sysctl::SysctlLine& line : lines)
      addresses.push_back({cat("sysctl:", line.key)});
    const std::vector<Reading> readings = composer_.boot().read_sysctls(addresses);
    std::vector<kinds::sysctl::SysctlLine> kept;
    for (std::size_t i = 0; i < lines.size() && i < readings.size(); ++i)
      if (is_or_comes(readings[i])) kept.push_back(std::move(lines[i]));
    lines = std::move(kept);
  }

  bool is_or_comes(const Reading& reading) const {
    if (reading.presence == Presence::not_applicable) return false;
    return reading.presence != Presence::not_yet || kind_of(reading.why) != "module" ||
           std::ranges::find(composer_.settings(), Address{reading.why}, &Setting::address) !=
               composer_.settings().end();
  }

  Result<> limits() {
    const profile::BootParts& boot = composer_.boot();
    TRY(file("/etc/security/limits.d/zz-nettune.conf", conf::pam_limits(boot.limits, heading_)));
    for (const std::string& service : boot.services) {
      TRY(file(cat("/etc/systemd/system/", service, ".service.d/nettune.conf"),
               conf::service_limits(boot.limits, heading_)));
    }
    return {};
  }

  Result<> variables() {
    const profile::BootParts& boot = composer_.boot();
    const std::vector<JobVariable>& all = composer_.job_variables();
    if (all.empty()) return {};
    if (boot.outputs.contains("profile.d")) TRY(login_shells(all));
    for (const JobFile& kind : kJobFiles)
      if (boot.outputs.contains(kind.output)) TRY(job_file(kind, all));
    for (const std::string& service : boot.env_services) {
      TRY(file(cat("/etc/systemd/system/", service, ".service.d/nettune-env.conf"),
               job_text(JobFormat::systemd, origin_.file, all, heading_)));
    }
    return {};
  }

  /// A job carries its submitter's environment to other nodes (sbatch --export=ALL), and the
  /// environment overrides nccl.conf: a value of this node must not get there.
  Result<> login_shells(const std::vector<JobVariable>& all) {
    std::vector<conf::Variable> exports;
    for (const JobVariable& variable : all)
      if (!variable.of_this_node) exports.push_back({variable.name, variable.value});
    if (exports.empty()) return {};
    return file("/etc/profile.d/nettune.sh", conf::shell_exports(exports, heading_));
  }

  Result<> job_file(const JobFile& kind, const std::vector<JobVariable>& all) {
    if (variables_for(kind.format, all).empty()) return {};
    return file(std::string(kind.path), job_text(kind.format, origin_.file, all, heading_),
                kind.mode);
  }

  Result<> file(const std::string& path, Result<std::string> content, std::uint32_t mode = kMode) {
    if (!content) return toml::fail_at(origin_, cat(path, ": ", content.error().text));
    return composer_.add_file(path, std::move(*content), mode, "0:0", origin_);
  }

  profile::Composer& composer_;
  Origin origin_;
  std::string heading_;
};

Result<> compose_boot_files(profile::Composer& composer) { return BootFiles(composer).compose(); }

}  // namespace

constinit const profile::Section kBootFiles = {.name = "", .compose = intents::compose_boot_files};

}  // namespace nettune::intents
