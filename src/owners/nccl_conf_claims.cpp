// SPDX-License-Identifier: Apache-2.0
#include "owners/nccl_conf_claims.hpp"

#include <string>
#include <utility>

#include "base/text.hpp"
#include "kinds/nccl_conf/grammar.hpp"
#include "kinds/nccl_conf/kind.hpp"

namespace nettune::owners {

std::vector<Claim> nccl_conf_claims(const conf::Files& files, const Desired& desired,
                                    const std::map<Address, Owned>& owned) {
  const auto file = files.read("/etc/nccl.conf");
  if (!file) return {};
  const kinds::nccl_conf::NcclConf conf(file->text);
  std::vector<Claim> claims;
  for (const Setting& setting : desired.settings) {
    if (!kinds::nccl_conf::kNcclConf.has(setting.address) || owned.contains(setting.address))
      continue;
    const std::string_view name = setting.address.rest();
    const auto value = conf.get(name);
    if (!value) continue;
    const int line = conf.line(name);
    std::string text =
        cat(file->path, ":", line, " sets ", name, "=", printable(*value),
            setting.want == value ? ", the same value; rollback leaves the line"
                                  : "; apply changes the line, rollback restores it");
    claims.push_back(
        {setting.address, "nccl.conf", file->path, line, *value, false, std::move(text)});
  }
  return claims;
}

}  // namespace nettune::owners
