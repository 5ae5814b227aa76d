// SPDX-License-Identifier: Apache-2.0
#include "conf/unit_files.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "base/text.hpp"
#include "conf/comment.hpp"

namespace nettune::conf {
namespace {

bool is_module_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

struct LimitKind {
  std::string_view item;
  std::string_view directive;
  std::int64_t unit;   ///< bytes, where systemd wants bytes
  std::int64_t least;  ///< with less, a shell or sshd may not start
  std::string_view what;
};
constexpr auto kLimitKinds = std::to_array<LimitKind>({
    {"memlock", "LimitMEMLOCK", 1024, 0, "\"unlimited\" or a number of kibibytes"},
    {"nofile", "LimitNOFILE", 1, 1024, "a number of files of at least 1024"},
    {"stack", "LimitSTACK", 1024, 1024, "\"unlimited\" or a number of kibibytes of at least 1024"},
    {"nproc", "LimitNPROC", 1, 1024, "\"unlimited\" or a number of processes of at least 1024"},
});

/// A parsed limit; -1 is unlimited.
struct Parsed {
  const LimitKind* kind = nullptr;
  std::int64_t number = 0;
};

Result<Parsed> parse_limit(const Limit& limit) {
  const auto* const kind = std::ranges::find(kLimitKinds, limit.item, &LimitKind::item);
  if (kind == kLimitKinds.end())
    return fail(Errc::invalid, cat("'", printable(limit.item), "' is not a known limit"));
  // The kernel refuses RLIM_INFINITY for open files (do_prlimit() in kernel/sys.c, Linux 6.1).
  if (limit.value == "unlimited" && kind->item != "nofile") return Parsed{kind, -1};
  const auto number = parse_int(limit.value);
  if (!number || *number < kind->least ||
      *number > std::numeric_limits<std::int64_t>::max() / kind->unit)
    return fail(Errc::invalid, cat(kind->item, " \"", printable(limit.value.substr(0, 80)),
                                   "\" is not ", kind->what));
  return Parsed{kind, *number};
}

/// The text of each limit, in the order of the table.
Result<std::string> each_limit(std::span<const Limit> limits, std::string text, auto&& line_of) {
  for (const LimitKind& kind : kLimitKinds)
    for (const Limit& limit : limits) {
      TRY_ASSIGN(const Parsed parsed, parse_limit(limit));
      if (parsed.kind == &kind) text += line_of(parsed);
    }
  return text;
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

Result<> check_limit(const Limit& limit) {
  TRY(parse_limit(limit));
  return {};
}

Result<std::string> pam_limits(std::span<const Limit> limits, std::string_view heading) {
  return each_limit(limits, comment(heading), [](const Parsed& limit) {
    const std::string value = limit.number < 0 ? "unlimited" : std::to_string(limit.number);
    // limits.conf(5): '-' sets the soft and the hard limit.
    return cat("* - ", limit.kind->item, " ", value, "\nroot - ", limit.kind->item, " ", value,
               "\n");
  });
}

Result<std::string> service_limits(std::span<const Limit> limits, std::string_view heading) {
  return each_limit(limits, cat(comment(heading), "[Service]\n"), [](const Parsed& limit) {
    return cat(limit.kind->directive, '=',
               limit.number < 0 ? "infinity" : std::to_string(limit.number * limit.kind->unit),
               "\n");
  });
}

std::string service_reapplies_firewall(std::string_view heading, bool reloads) {
  // systemd.service(5): a program without a path is searched in a fixed list of directories, and a
  // command with a leading '-' may fail. With '+' it has none of the service's restrictions:
  // nftables.service sees /etc read-only, and a run that recovers first could not remove what was
  // prepared there.
  constexpr std::string_view kCommand = "=-+nettune reapply --unattended --kind firewall\n";
  return cat(comment(heading), "[Service]\nExecStartPost", kCommand,
             reloads ? cat("ExecReload", kCommand) : "");
}

}  // namespace nettune::conf
