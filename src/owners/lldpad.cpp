// SPDX-License-Identifier: Apache-2.0
#include "owners/lldpad.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "kinds/dcb/kind.hpp"
#include "owners/daemon.hpp"

namespace nettune::owners {
namespace {

constexpr const char* kFile = "/var/lib/lldpad/lldpad.conf";
/// DEFAULT_CFG_FILE and PID_FILE in include/lldpad.h of openlldp; lldpad removes the latter at
/// exit.
constexpr const char* kPidFile = "/run/lldpad.pid";

/// A killed daemon leaves its file behind.
bool runs(const conf::Files& files) {
  const auto file = files.read(kPidFile);
  if (!file) return false;
  const auto pid = parse_int(std::string_view(file->text).substr(0, file->text.find('\n')));
  if (!pid) return false;
  const auto name = files.read(cat("/proc/", *pid, "/comm"));
  return name && name->text == "lldpad\n";
}

/// Reads the groups of libconfig with the line on which each begins; everything else is skipped.
class Groups {
 public:
  explicit Groups(std::string_view text) : text_(text) {}

  /// Moves to the next "{" and keeps the names of the groups that are open there.
  bool next() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (skip_comment() || skip_string()) continue;
      if (c == '\n') ++line_;
      if (is_name(c)) {
        take_name();
      } else if (c == '{') {
        open_.push_back(std::exchange(name_, {}));
        ++at_;
        return true;
      } else if (c == '}' && !open_.empty()) {
        open_.pop_back();
      }
    }
    return false;
  }
  const std::vector<std::string_view>& open() const { return open_; }
  int line() const { return name_line_; }

 private:
  static bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '*';
  }
  void take_name() {
    const std::size_t begin = at_;
    while (at_ + 1 < text_.size() && is_name(text_[at_ + 1])) ++at_;
    name_ = text_.substr(begin, at_ + 1 - begin);
    name_line_ = line_;
  }
  /// Leaves at_ on the last character that belongs to the token.
  void skip_past(std::string_view end) {
    const std::size_t found = text_.find(end, at_ + 1);
    const std::size_t last = found == std::string_view::npos ? text_.size() : found + end.size();
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(last), '\n'));
    at_ = last - 1;
  }
  bool skip_comment() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with('#') || rest.starts_with("//")) {
      skip_past("\n");
    } else if (rest.starts_with("/*")) {
      skip_past("*/");
    } else {
      return false;
    }
    return true;
  }
  bool skip_string() {
    if (text_[at_] != '"') return false;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '\\') ++at_;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string_view name_;
  int name_line_ = 0;
  std::vector<std::string_view> open_;
};

}  // namespace

/// agent_type2section() and config_ifkey() of openlldp: DCB belongs to the agent "nearest bridge",
/// whose section is "lldp".
int lldpad_line(std::string_view conf, std::string_view interface) {
  for (Groups groups(conf); groups.next();) {
    if (groups.open() == std::vector<std::string_view>{"lldp", interface}) return groups.line();
  }
  return 0;
}

/// lldp_8021qaz.c of openlldp: ieee8021qaz_ifup() takes every card that has DCB unless firmware
/// manages it. run_all_sm() then writes all of DCBX, ETS, PFC and APP, and again whenever the
/// neighbour's advertisement changes. Without a setting in the file lldpad uses no PFC, one traffic
/// class and `willing`: the neighbour's values count.
std::vector<Claim> lldpad_claims(const conf::Files& files, const Desired& desired) {
  std::vector<Claim> claims;
  const bool any = std::ranges::any_of(
      desired.settings, [](const Setting& one) { return kinds::dcb::kDcb.has(one.address); });
  if (!any) return claims;
  const bool at_boot = starts_at_boot(files, "lldpad.service");
  const bool by_socket = !at_boot && starts_at_boot(files, "lldpad.socket");
  const bool seen = runs(files);
  if (!at_boot && !by_socket && !seen) return claims;
  const std::string who = by_socket && !seen
                              ? std::string("lldpad, which systemd starts on demand,")
                              : daemon_words("lldpad", at_boot, seen);
  const auto file = files.read(kFile);
  for (const Setting& setting : desired.settings) {
    if (!kinds::dcb::kDcb.has(setting.address)) continue;
    const std::string interface(setting.address.object());
    const int line = file ? lldpad_line(file->text, interface) : 0;
    const std::string where = line > 0 ? cat("its settings are at ", kFile, ":", line)
                                       : cat(kFile, " sets nothing for it");
    std::string text =
        cat(who, " writes DCBX, PFC, ETS and APP of ", interface,
            " after every link-up and whenever its neighbour's advertisement changes (", where,
            "; without a setting: no PFC and one traffic class, or what the neighbour advertises), "
            "which reverts this setting; run systemctl disable --now lldpad.service "
            "lldpad.socket");
    claims.push_back({setting.address, "lldpad", kFile, line, "", true, std::move(text), true});
  }
  return claims;
}

}  // namespace nettune::owners
