// SPDX-License-Identifier: Apache-2.0
#include "owners/rivals.hpp"

#include "base/text.hpp"

namespace nettune::owners {

std::string sets(std::string_view key, std::string_view value) {
  return cat("sets ", key, " = ", printable(value));
}

Rivals::Rivals(const Desired& desired) {
  for (const Setting& setting : desired.settings) wanted_.emplace(setting.address, &setting);
}

const Setting* Rivals::find(const Address& address) const {
  const auto found = wanted_.find(address);
  return found == wanted_.end() ? nullptr : found->second;
}

std::string Rivals::want(const Address& address) const {
  const Setting* setting = find(address);
  return setting && setting->want ? printable(*setting->want) : std::string();
}

void Rivals::say(Said said) {
  if (find(said.address)) said_.push_back(std::move(said));
}

Claim claim_of(const Said& said, const Setting& setting) {
  const bool same =
      !said.value.empty() && satisfies(setting.relation, setting.want, Value(said.value));
  const std::string want = setting.want ? printable(*setting.want) : std::string("nothing");
  std::string text = cat(printable(said.file), ":", said.line, " ", said.says, "; ");
  if (same) {
    text += "this matches the profile";
  } else {
    text += said.when;
    if (said.wins && said.at_boot) text += ", at boot after nettune";
    text += said.remedy.empty() ? cat("; set ", want, " there or remove the line")
                                : cat("; ", said.remedy);
  }
  return {setting.address, said.owner,         said.file,      said.line,
          said.value,      said.wins && !same, std::move(text)};
}

}  // namespace nettune::owners
