// SPDX-License-Identifier: Apache-2.0
#include "owners/claims.hpp"

#include <string>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "conf/mark.hpp"
#include "core/contents_view.hpp"
#include "kinds/file/kind.hpp"
#include "owners/boot_claims.hpp"
#include "owners/drop_in_claims.hpp"
#include "owners/irqbalance.hpp"
#include "owners/limits_claims.hpp"
#include "owners/link_claims.hpp"
#include "owners/lldpad.hpp"
#include "owners/login_shells.hpp"
#include "owners/module_claims.hpp"
#include "owners/nccl_conf_claims.hpp"
#include "owners/sysctl_claims.hpp"

namespace nettune::owners {

namespace {

constexpr std::uint64_t kLargestRead = 1U << 20;

/// Reports a file that is at the path of a managed file and was not written by nettune.
std::vector<Claim> file_claims(Disk& disk, const Desired& desired,
                               const std::map<Address, Owned>& owned) {
  std::vector<Claim> claims;
  for (const Setting& setting : desired.settings) {
    if (!kinds::file::kFile.has(setting.address) || owned.contains(setting.address)) continue;
    const std::string path(setting.address.rest());
    const auto content = disk.read(path, kLargestRead);
    const bool same = content && *content && setting.want &&
                      setting.want->starts_with(cat("sha256:", sha256_hex(**content)));
    if (!content || !*content || same) continue;
    claims.push_back({setting.address, "file", path, 0, "", false,
                      cat(path,
                          conf::marked_profile(**content)
                              ? " bears nettune's mark, but no record of nettune has it"
                              : " exists and was not written by nettune",
                          "; apply replaces it, rollback restores it")});
  }
  return claims;
}

bool others_may_override(const Setting& setting) {
  const std::string_view path = setting.address.rest();
  return kinds::file::kFile.has(setting.address) && setting.want &&
         (is_drop_in(path) || is_limits_file(path));
}

/// With the texts that they are about to get.
std::vector<OurFile> wanted_files(const Desired& desired) {
  std::vector<OurFile> ours;
  for (const Setting& setting : desired.settings) {
    if (auto own = own_drop_in(setting)) ours.push_back(std::move(*own));
    if (!others_may_override(setting)) continue;
    const auto text = desired.contents.find(content_digest(setting.want));
    if (text == desired.contents.end()) continue;
    const std::string path(setting.address.rest());
    ours.push_back({setting.address, {path, path, text->second}});
  }
  return ours;
}

}  // namespace

std::vector<Claim> find_overrides(Disk& disk, std::span<const Setting> settings,
                                  const std::string& root) {
  const conf::Files files(disk, root);
  std::vector<OurFile> ours;
  for (const Setting& setting : settings) {
    if (auto own = own_drop_in(setting)) ours.push_back(std::move(*own));
    if (!others_may_override(setting)) continue;
    if (auto file = files.read(std::string(setting.address.rest())))
      ours.push_back({setting.address, std::move(*file)});
  }
  std::vector<Claim> claims = drop_in_claims(files, ours);
  for (Claim& claim : limits_claims(files, ours, LimitsOf::everybody))
    claims.push_back(std::move(claim));
  for (Claim& claim : module_claims(files, settings))
    if (claim.wins) claims.push_back(std::move(claim));
  for (Claim& claim : boot_claims(files, settings))
    if (claim.wins) claims.push_back(std::move(claim));
  return claims;
}

std::vector<Claim> find_claims(Disk& disk, const Desired& desired,
                               const std::map<Address, Owned>& owned, std::vector<LinkFacts> links,
                               const std::string& root) {
  const conf::Files files(disk, root);
  std::vector<Claim> claims = sysctl_claims(files, desired);
  for (Claim& claim : link_claims(files, desired, std::move(links)))
    claims.push_back(std::move(claim));
  for (Claim& claim : lldpad_claims(files, desired)) claims.push_back(std::move(claim));
  for (Claim& claim : irqbalance_claims(files, desired, root)) claims.push_back(std::move(claim));
  const std::vector<OurFile> ours = wanted_files(desired);
  for (Claim& claim : limits_claims(files, ours, LimitsOf::special_users))
    claims.push_back(std::move(claim));
  for (Claim& claim : drop_in_claims(files, ours)) claims.push_back(std::move(claim));
  for (Claim& claim : login_shell_claims(files, desired)) claims.push_back(std::move(claim));
  for (Claim& claim : module_claims(files, desired.settings)) claims.push_back(std::move(claim));
  for (Claim& claim : boot_claims(files, desired.settings)) claims.push_back(std::move(claim));
  for (Claim& claim : nccl_conf_claims(files, desired, owned)) claims.push_back(std::move(claim));
  for (Claim& claim : file_claims(disk, desired, owned)) claims.push_back(std::move(claim));
  return claims;
}

}  // namespace nettune::owners
