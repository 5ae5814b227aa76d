// SPDX-License-Identifier: Apache-2.0
#include "owners/limits_claims.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace nettune::owners {
namespace {

constexpr std::string_view kDirectory = "/etc/security/limits.d";
constexpr std::string_view kOurs = "zz-nettune.conf";

struct Limit {
  std::string_view domain;
  std::string_view value;
  int line = 0;
};

/// The fields as in parse_config_file() of modules/pam_limits/pam_limits.c: domain, type, item,
/// value.
std::vector<Limit> memlock_lines(std::string_view text) {
  std::vector<Limit> found;
  int number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const auto part = words(raw.substr(0, raw.find('#')));
    if (part.size() == 4 && part[2] == "memlock") found.push_back({part[0], part[3], number});
  }
  return found;
}

bool is_unlimited(std::string_view value) {
  return value == "unlimited" || value == "-1" || value == "infinity";
}

/// The limit that nettune's file gives everybody, from the content of the setting.
std::string our_value(const Desired& desired, const Setting& setting) {
  for (const auto& [digest, content] : desired.contents) {
    if (setting.want->find(digest) == std::string::npos) continue;
    for (const Limit& limit : memlock_lines(content)) return std::string(limit.value);
  }
  return {};
}

}  // namespace

std::vector<Claim> limits_claims(const Files& files, const Desired& desired) {
  const Address address{cat("file:", kDirectory, "/", kOurs)};
  const auto setting = std::ranges::find(desired.settings, address, &Setting::address);
  if (setting == desired.settings.end() || !setting->want) return {};
  const std::string ours = our_value(desired, *setting);

  std::vector<Claim> claims;
  const auto look_at = [&](const std::string& path, bool later) {
    const auto file = files.read(path);
    if (!file) return;
    for (const Limit& limit : memlock_lines(file->text)) {
      const bool same = limit.value == ours || (is_unlimited(limit.value) && is_unlimited(ours));
      // A line for a user or group overrides '*', in any order.
      const bool special = limit.domain != "*" && limit.domain != "root";
      if (same || !(later || special)) continue;
      std::string text = cat(path, ":", limit.line, " sets memlock = ", printable(limit.value),
                             " for ", printable(limit.domain),
                             special ? ", which overrides the line for everybody"
                                     : ", and is read after zz-nettune.conf");
      claims.push_back({address, "limits.conf", path, limit.line, std::string(limit.value), true,
                        std::move(text)});
    }
  };
  look_at("/etc/security/limits.conf", false);
  for (const std::string& name : files.names(std::string(kDirectory), ".conf")) {
    if (name != kOurs) look_at(cat(kDirectory, "/", name), name > kOurs);
  }
  return claims;
}

}  // namespace nettune::owners
