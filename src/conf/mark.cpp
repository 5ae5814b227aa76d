// SPDX-License-Identifier: Apache-2.0
#include "conf/mark.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.hpp"

namespace nettune::conf {
namespace {

constexpr std::string_view kMark = "Written by nettune for the profile ";
constexpr std::string_view kJsonKind = R"(  "kind": "env",)";
constexpr std::string_view kJsonProfile = R"(  "profile": ")";
/// An interpreter line comes before the mark, and a brace before that of JSON.
constexpr std::size_t kHead = 4;

/// The text between two others; nothing if the line is not made of them.
std::optional<std::string> between(std::string_view line, std::string_view begin,
                                   std::string_view end) {
  if (!line.starts_with(begin)) return {};
  line.remove_prefix(begin.size());
  if (!line.ends_with(end) || line.size() == end.size()) return {};
  line.remove_suffix(end.size());
  return std::string(line);
}

}  // namespace

std::string mark_of(std::string_view profile) {
  return cat(kMark, profile, ".\nDo not edit: change the profile and apply it again.");
}

std::optional<std::string> marked_profile(std::string_view content) {
  bool json = false;
  for (std::size_t i = 0; i < kHead && !content.empty(); ++i) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    const std::string_view line = content.substr(0, end);
    content.remove_prefix(std::min(end + 1, content.size()));
    json = json || line == kJsonKind;
    auto profile = json ? between(line, kJsonProfile, "\",") : between(line, cat("# ", kMark), ".");
    if (profile) return profile;
  }
  return {};
}

std::span<const std::string_view> marked_paths() {
  static constexpr auto kPaths = std::to_array<std::string_view>({
      "/etc/nettune/env.json",
      "/etc/nettune/nccl.configmap.yaml",
      "/etc/nettune/nccl.env",
      "/etc/nettune/nccl.service.conf",
      "/etc/nettune/task-prolog.sh",
      "/etc/modules-load.d/nettune.conf",
      "/etc/profile.d/nettune.sh",
      "/etc/security/limits.d/zz-nettune.conf",
      "/etc/sysctl.d/zz-nettune.conf",
      "/etc/systemd/system/*.service.d/nettune.conf",
      "/etc/systemd/system/*.service.d/nettune-env.conf",
      "/etc/systemd/system/*.service.d/nettune-firewall.conf",
  });
  return kPaths;
}

}  // namespace nettune::conf
