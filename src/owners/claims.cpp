// SPDX-License-Identifier: Apache-2.0
#include "owners/claims.hpp"

#include <string>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "owners/limits_claims.hpp"
#include "owners/link_claims.hpp"
#include "owners/lldpad.hpp"
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
    if (setting.address.kind() != "file" || owned.contains(setting.address)) continue;
    const std::string path(setting.address.rest());
    const auto content = disk.read(path, kLargestRead);
    const bool same = content && *content && setting.want &&
                      setting.want->starts_with(cat("sha256:", sha256_hex(**content)));
    if (!content || !*content || same) continue;
    claims.push_back({setting.address, "file", path, 0, "", false,
                      cat(path,
                          " exists and was not written by nettune; apply replaces it, "
                          "rollback restores it")});
  }
  return claims;
}

}  // namespace

std::vector<Claim> find_claims(Disk& disk, const Desired& desired,
                               const std::map<Address, Owned>& owned, std::vector<LinkFacts> links,
                               const std::string& root) {
  const Files files(disk, root);
  std::vector<Claim> claims = sysctl_claims(files, desired);
  for (Claim& claim : link_claims(files, desired, std::move(links)))
    claims.push_back(std::move(claim));
  for (Claim& claim : lldpad_claims(files, desired)) claims.push_back(std::move(claim));
  for (Claim& claim : limits_claims(files, desired)) claims.push_back(std::move(claim));
  for (Claim& claim : nccl_conf_claims(files, desired, owned)) claims.push_back(std::move(claim));
  for (Claim& claim : file_claims(disk, desired, owned)) claims.push_back(std::move(claim));
  return claims;
}

}  // namespace nettune::owners
