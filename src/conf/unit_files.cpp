// SPDX-License-Identifier: Apache-2.0
#include "conf/unit_files.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/text.hpp"
#include "conf/comment.hpp"

namespace nettune::formats {
namespace {

bool is_module_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/// Parses kibibytes; -1 for "unlimited".
Result<std::int64_t> memlock_kib(std::string_view memlock) {
  if (memlock == "unlimited") return -1;
  const auto kib = parse_int(memlock);
  if (!kib || *kib < 0 || *kib > std::numeric_limits<std::int64_t>::max() / 1024) {
    return fail(Errc::invalid, cat("memlock \"", printable(memlock.substr(0, 80)),
                                   "\" is not \"unlimited\" or a number of kibibytes"));
  }
  return *kib;
}

}  // namespace

Result<std::string> modules_load(std::span<const std::string> modules, std::string_view heading) {
  std::string out = comment(heading);
  for (const std::string& name : modules) {
    if (name.empty() || name.size() > 55 || !std::ranges::all_of(name, is_module_character)) {
      return fail(Errc::invalid, cat("'", printable(std::string_view(name).substr(0, 80)),
                                     "' is not a valid module name"));
    }
    out += cat(name, '\n');
  }
  return out;
}

Result<std::string> pam_memlock(std::string_view memlock, std::string_view heading) {
  TRY_ASSIGN(const std::int64_t kib, memlock_kib(memlock));
  const std::string value = kib < 0 ? "unlimited" : std::to_string(kib);
  // limits.conf(5): '-' sets the soft and the hard limit.
  return cat(comment(heading), "* - memlock ", value, "\nroot - memlock ", value, "\n");
}

Result<std::string> service_memlock(std::string_view memlock, std::string_view heading) {
  TRY_ASSIGN(const std::int64_t kib, memlock_kib(memlock));
  return cat(comment(heading),
             "[Service]\nLimitMEMLOCK=", kib < 0 ? "infinity" : std::to_string(kib * 1024), "\n");
}

std::string service_reapplies_firewall(std::string_view heading, bool reloads) {
  // systemd.service(5): a program without a path is searched in a fixed list of directories, and a
  // command with a leading '-' may fail.
  constexpr std::string_view kCommand = "=-nettune reapply --unattended --kind firewall\n";
  return cat(comment(heading), "[Service]\nExecStartPost", kCommand,
             reloads ? cat("ExecReload", kCommand) : "");
}

}  // namespace nettune::formats
