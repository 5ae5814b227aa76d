// SPDX-License-Identifier: Apache-2.0
#include "owners/sysctl_claims.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "kinds/sysctl/kind.hpp"
#include "kinds/sysctl/sysctl_d.hpp"
#include "owners/daemon_sysctls.hpp"
#include "owners/tuned.hpp"

namespace nettune::owners {
namespace {

using kinds::sysctl::SysctlLine;

/// nettune's own file: no claim, and files that sort after it win.
constexpr std::string_view kOurs = "zz-nettune.conf";
constexpr std::string_view kSysctlConf = "/etc/sysctl.conf";

/// The order of systemd's CONF_PATHS (src/basic/constants.h); /lib if it is not /usr/lib.
constexpr std::array<std::string_view, 5> kSysctlDirectories = {
    "/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d",
    "/lib/sysctl.d"};

/// What one file says about one key: its last explicit line, otherwise its last matching glob.
struct SaidOfKey {
  const SysctlLine* line = nullptr;
  bool by_glob = false;
};

bool is_glob(std::string_view key) { return key.find_first_of("*?[") != key.npos; }

class Saying {
 public:
  explicit Saying(const std::vector<SysctlLine>& lines) {
    for (const SysctlLine& line : lines) {
      if (line.excludes) continue;
      by_key_[line.key] = &line;
      if (is_glob(line.key)) globs_.push_back(&line);
    }
  }

  SaidOfKey about(std::string_view key) const {
    if (const auto line = by_key_.find(key); line != by_key_.end()) return {line->second, false};
    const auto glob = std::find_if(globs_.rbegin(), globs_.rend(), [&](const SysctlLine* line) {
      return glob_match(line->key, key);
    });
    return glob == globs_.rend() ? SaidOfKey() : SaidOfKey{*glob, true};
  }

 private:
  std::map<std::string_view, const SysctlLine*> by_key_;  ///< the last of each
  std::vector<const SysctlLine*> globs_;
};

/// The line "-KEY" without a value, if it is the last one of the file for that key.
const SysctlLine* cancels(const std::vector<SysctlLine>& lines, std::string_view key) {
  const SysctlLine* last = nullptr;
  for (const SysctlLine& line : lines)
    if (line.key == key) last = &line;
  return last && last->excludes ? last : nullptr;
}

/// True when a list such as "8000-8080,29400" or "reno bbr" has the member.
bool lists(std::string_view value, std::string_view member) {
  std::string text(value);
  std::ranges::replace(text, ',', ' ');
  const auto number = parse_int(member);
  for (const std::string_view part : words(text)) {
    if (part == member) return true;
    const std::size_t dash = part.find('-');
    if (!number || dash == part.npos) continue;
    const auto first = parse_int(part.substr(0, dash));
    const auto last = parse_int(part.substr(dash + 1));
    if (first && last && *first <= *number && *number <= *last) return true;
  }
  return false;
}

/// True when that value satisfies the setting.
bool agrees(const Setting& setting, const std::string& value) {
  const std::string_view member = setting.address.element();
  if (!member.empty()) return lists(value, member) == setting.want.has_value();
  std::vector<std::string> parts;
  for (const std::string_view word : words(value)) parts.emplace_back(word);
  return satisfies(setting.relation, setting.want, join(parts, " "));
}

/// True for settings in nettune's sysctl.d file. Bounds and members of lists are not there: they
/// would lower or replace what others set.
bool in_our_file(const Setting& setting) {
  return setting.relation == Relation::exact && setting.address.element().empty();
}

class ClaimFinder {
 public:
  ClaimFinder(const conf::Files& files, const Desired& desired)
      : files_(files), desired_(desired) {}

  std::vector<Claim> run() {
    for (const conf::FoundFile& file : files_.drop_ins(kSysctlDirectories)) drop_in(file);
    sysctl_conf();
    ufw();
    tuned();
    return std::move(claims_);
  }

 private:
  /// Calls `judge` with every wanted setting that the lines also set.
  template <class Judge>
  void each(const std::vector<SysctlLine>& lines, Judge judge) {
    const Saying saying(lines);
    for (const Setting& setting : desired_.settings) {
      if (!kinds::sysctl::kSysctl.has(setting.address)) continue;
      const SaidOfKey said = saying.about(setting.address.body());
      if (said.line) judge(setting, said);
    }
  }

  void add(const Setting& setting, const SysctlLine& line, std::string owner, std::string file,
           bool wins, std::string_view what) {
    std::string text = cat(file, ":", line.line, " sets ", line.key, " = ", line.value, "; ", what);
    claims_.push_back({setting.address, std::move(owner), std::move(file), line.line, line.value,
                       wins, std::move(text)});
  }

  void drop_in(const conf::FoundFile& file) {
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    if (name == kOurs) return;
    if (file.real == kSysctlConf) {
      conf_is_linked_ = true;
      return;
    }
    const auto lines = kinds::sysctl::read_sysctl_d(file.text);
    const bool later = name > kOurs;
    if (later) cancelled(file, lines);
    each(lines, [&](const Setting& setting, const SaidOfKey& said) {
      const bool same = agrees(setting, said.line->value);
      if (!in_our_file(setting)) {
        add(setting, *said.line, "sysctl.d", file.path, !same,
            same ? "this satisfies the profile"
                 : "it is in force from boot until nettune apply runs (bounds and members of lists "
                   "are "
                   "not in sysctl.d)");
      } else if (said.by_glob) {
        // systemd-sysctl and procps 4 exclude from a glob any key that has a line of its own.
        add(setting, *said.line, "sysctl.d", file.path, false,
            "it is a pattern; nettune's line for the key itself wins");
      } else if (later) {
        add(setting, *said.line, "sysctl.d", file.path, true,
            "the file sorts after zz-nettune.conf and wins at the next boot; remove the line or "
            "rename the file");
      } else {
        add(setting, *said.line, "sysctl.d", file.path, false,
            same ? "this matches the profile" : "zz-nettune.conf sorts after it and wins at boot");
      }
    });
  }

  /// systemd-sysctl replaces an earlier line by the exclusion and then skips the key (parse_file()
  /// and apply_all() in src/sysctl/sysctl.c, systemd 252). A pattern excludes nothing.
  void cancelled(const conf::FoundFile& file, const std::vector<SysctlLine>& lines) {
    for (const Setting& setting : desired_.settings) {
      if (!kinds::sysctl::kSysctl.has(setting.address) || !in_our_file(setting)) continue;
      const SysctlLine* const line = cancels(lines, setting.address.body());
      if (!line) continue;
      claims_.push_back(
          {setting.address, "sysctl.d", file.path, line->line, "", true,
           cat(file.path, ":", line->line, " excludes ", line->key,
               ", which cancels nettune's line: systemd-sysctl does not set it at the "
               "next boot; remove the line")});
    }
  }

  /// Debian 12 links sysctl.d/99-sysctl.conf to this file; Debian 13 does not read it at boot.
  /// `sysctl --system` reads it last on both (procps, src/sysctl.c).
  void sysctl_conf() {
    const auto file = files_.read(std::string(kSysctlConf));
    if (!file) return;
    const auto lines = kinds::sysctl::read_sysctl_d(file->text);
    each(lines, [&](const Setting& setting, const SaidOfKey& said) {
      if (said.by_glob && in_our_file(setting)) return;
      const bool same = agrees(setting, said.line->value);
      const bool at_boot = conf_is_linked_ && !in_our_file(setting);
      add(setting, *said.line, "sysctl.conf", std::string(kSysctlConf), at_boot && !same,
          same      ? "this matches the profile"
          : at_boot ? "it is in force from boot until nettune apply runs"
                    : "nettune's value wins at boot, but \"sysctl --system\" and \"sysctl -p\" "
                      "read this file last and set its value; remove the line");
    });
  }

  /// ufw-init runs sysctl -p on this file when it starts (ufw, src/ufw-init-functions).
  void ufw() {
    const auto state = files_.read("/etc/ufw/ufw.conf");
    if (!state) return;
    bool enabled = false;
    for (const std::string_view line : split(state->text, '\n')) {
      const std::string_view text = trim(line);
      if (text.starts_with("ENABLED=")) enabled = text.substr(8) == "yes";
    }
    const auto file = enabled ? files_.read("/etc/ufw/sysctl.conf") : std::nullopt;
    if (!file) return;
    const auto lines = kinds::sysctl::read_sysctl_d(file->text);
    each(lines, [&](const Setting& setting, const SaidOfKey& said) {
      const bool same = agrees(setting, said.line->value);
      add(setting, *said.line, "ufw", file->path, !same,
          same ? "this matches the profile"
               : "ufw sets it whenever it starts, after the sysctl.d files; change the line");
    });
  }

  void tuned() {
    const auto active = active_tuned(files_);
    if (!active) return;
    for (const TunedFile& file : active->files) {
      each(file.lines, [&](const Setting& setting, const SaidOfKey& said) {
        const bool same = agrees(setting, said.line->value);
        const bool wins = !same && (!active->reapplies_sysctl_d || !in_our_file(setting));
        add(setting, *said.line, cat("TuneD profile ", active->profile), file.path, wins,
            wins ? "TuneD sets it whenever it starts; change the profile or reapply_sysctl"
            : same
                ? "this matches the profile"
                : "TuneD sets it and then applies the sysctl.d files again, including nettune's");
      });
    }
  }

  const conf::Files& files_;
  const Desired& desired_;
  bool conf_is_linked_ = false;
  std::vector<Claim> claims_;
};

}  // namespace

std::vector<Claim> sysctl_claims(const conf::Files& files, const Desired& desired) {
  std::vector<Claim> claims = ClaimFinder(files, desired).run();
  for (Claim& claim : daemon_sysctl_claims(files, desired)) claims.push_back(std::move(claim));
  return claims;
}

std::vector<std::string> sysctl_keys_of_others(const conf::Files& files) {
  std::set<std::string> keys;
  const auto add = [&](const std::vector<SysctlLine>& lines) {
    for (const SysctlLine& line : lines)
      if (!line.excludes && !is_glob(line.key)) keys.insert(line.key);
  };
  for (const conf::FoundFile& file : files.drop_ins(kSysctlDirectories))
    if (!file.path.ends_with(cat("/", kOurs))) add(kinds::sysctl::read_sysctl_d(file.text));
  for (const char* const path : {"/etc/sysctl.conf", "/etc/ufw/sysctl.conf"})
    if (const auto file = files.read(path)) add(kinds::sysctl::read_sysctl_d(file->text));
  if (const auto active = active_tuned(files))
    for (const TunedFile& file : active->files) add(file.lines);
  return {keys.begin(), keys.end()};
}

std::optional<SysctlDLine> sysctl_d_line(Disk& disk, std::string_view key) {
  std::optional<SysctlDLine> last;
  bool by_glob = false;
  for (const conf::FoundFile& file : conf::Files(disk, "").drop_ins(kSysctlDirectories)) {
    if (file.path.ends_with(cat("/", kOurs))) continue;
    const auto lines = kinds::sysctl::read_sysctl_d(file.text);
    const SaidOfKey said = Saying(lines).about(key);
    // A line of its own beats every pattern, in whatever file.
    if (!said.line || (said.by_glob && last && !by_glob)) continue;
    by_glob = said.by_glob;
    last = {said.line->value, file.path, said.line->line};
  }
  return last;
}

}  // namespace nettune::owners
