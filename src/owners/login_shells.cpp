// SPDX-License-Identifier: Apache-2.0
#include "owners/login_shells.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace nettune::owners {
namespace {

constexpr std::string_view kProfileFile = "/etc/profile.d/nettune.sh";

constexpr auto kOtherShells = std::to_array<std::string_view>(
    {"fish", "zsh", "csh", "tcsh", "nu", "xonsh", "elvish", "pwsh"});

/// Debian's zsh reads /etc/zsh/zprofile, which the site may have made read /etc/profile.
bool zsh_reads_profile(const conf::Files& files) {
  for (const char* const path : {"/etc/zsh/zprofile", "/etc/zsh/zlogin", "/etc/zsh/zshenv"})
    if (const auto file = files.read(path))
      for (const std::string_view line : split(file->text, '\n'))
        if (!trim(line).starts_with('#') && line.find("/etc/profile") != line.npos) return true;
  return false;
}

}  // namespace

std::vector<Claim> login_shell_claims(const conf::Files& files, const Desired& desired) {
  const Address address{cat("file:", kProfileFile)};
  if (std::ranges::find(desired.settings, address, &Setting::address) == desired.settings.end())
    return {};
  const auto shells = files.read("/etc/shells");
  if (!shells) return {};
  std::vector<Claim> claims;
  std::set<std::string_view> told;
  int number = 0;
  for (const std::string_view raw : split(shells->text, '\n')) {
    ++number;
    const std::string_view path = trim(raw.substr(0, raw.find('#')));
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (std::ranges::find(kOtherShells, name) == kOtherShells.end()) continue;
    if (name == "zsh" && zsh_reads_profile(files)) continue;
    if (!told.insert(name).second) continue;
    claims.push_back({address, std::string(name), shells->path, number, "", false,
                      cat(shells->path, ":", number, " lists ", printable(path),
                          ", a login shell that does not read ", kProfileFile,
                          ": its sessions get the variables from /etc/nccl.conf only")});
  }
  return claims;
}

}  // namespace nettune::owners
