// SPDX-License-Identifier: Apache-2.0
#include "formats/boot_files.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "formats/sysctl_d.hpp"
#include "profile/compose.hpp"

namespace nettune::profile {
namespace {

constexpr std::uint32_t kMode = 0644;

/// Sorts behind every file that Debian ships, 99-sysctl.conf of Debian 12 included.
constexpr std::string_view kSysctlFile = "/etc/sysctl.d/zz-nettune.conf";

class BootFiles {
 public:
  explicit BootFiles(Composer& composer)
      : composer_(composer),
        origin_{composer.merged().name, 0},
        heading_(cat("Written by nettune for the profile ", composer.merged().name, ".\n",
                     "Do not edit: change the profile and apply it again.")) {}

  Result<> compose() {
    TRY(sysctl());
    if (!composer_.boot().modules.empty()) {
      TRY(file("/etc/modules-load.d/nettune.conf",
               formats::modules_load(composer_.boot().modules, heading_)));
    }
    if (!composer_.boot().memlock.empty()) TRY(limits());
    return variables();
  }

 private:
  /// Bounds stay out: written here, one would lower a larger value at boot. Elements stay out too:
  /// the list belongs to others as well.
  Result<> sysctl() {
    std::vector<formats::SysctlLine> lines;
    for (const Setting& setting : composer_.settings()) {
      const bool whole = setting.address.kind() == "sysctl" && setting.address.element().empty();
      if (!whole || setting.relation != Relation::exact || !setting.want) continue;
      formats::SysctlLine line;
      line.key = std::string(setting.address.rest());
      line.value = *setting.want;
      line.ignore_errors = setting.optional;
      lines.push_back(std::move(line));
    }
    if (lines.empty()) return {};
    std::ranges::sort(lines, {}, &formats::SysctlLine::key);
    return file(std::string(kSysctlFile), formats::write_sysctl_d(lines, heading_));
  }

  Result<> limits() {
    const BootParts& boot = composer_.boot();
    TRY(file("/etc/security/limits.d/zz-nettune.conf",
             formats::pam_memlock(boot.memlock, heading_)));
    for (const std::string& service : boot.services) {
      TRY(file(cat("/etc/systemd/system/", service, ".service.d/nettune.conf"),
               formats::service_memlock(boot.memlock, heading_)));
    }
    return {};
  }

  Result<> variables() {
    const BootParts& boot = composer_.boot();
    if (!boot.exports.empty()) {
      TRY(file("/etc/profile.d/nettune.sh", formats::shell_exports(boot.exports, heading_)));
    }
    if (boot.variables.empty()) return {};
    return file("/etc/nettune/nccl.env", formats::env_file(boot.variables, heading_));
  }

  Result<> file(const std::string& path, Result<std::string> content) {
    if (!content) return fail_at(origin_, cat(path, ": ", content.error().text));
    return composer_.add_file(path, std::move(*content), kMode, "0:0", origin_);
  }

  Composer& composer_;
  Origin origin_;
  std::string heading_;
};

}  // namespace

Result<> compose_boot_files(Composer& composer) { return BootFiles(composer).compose(); }

}  // namespace nettune::profile
