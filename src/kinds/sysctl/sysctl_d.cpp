// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/sysctl_d.hpp"

#include <optional>

#include "base/text.hpp"
#include "conf/comment.hpp"
#include "kernel/sysctl_key.hpp"

namespace nettune::kinds::sysctl {
namespace {

/// Both readers also take "/net/ipv4/ip_forward": they append it to "/proc/sys".
std::optional<std::string> key_of(std::string_view typed) {
  typed = trim(typed);
  while (typed.starts_with('/')) typed.remove_prefix(1);
  auto key = kernel::canonical_sysctl_key(typed);
  if (!key) return std::nullopt;
  return std::move(*key);
}

/// The rules of parse_file() in systemd's src/sysctl/sysctl.c: blanks around key and value are
/// removed, '#' and ';' start a comment only as the first character, a line without '=' counts only
/// with a leading '-'. procps 4 reads the same lines the same way.
std::optional<SysctlLine> parse_line(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.front() == '#' || text.front() == ';') return std::nullopt;
  SysctlLine line;
  const std::size_t equals = text.find('=');
  const bool dash = text.front() == '-';
  if (equals == std::string_view::npos) {
    if (!dash) return std::nullopt;
    line.excludes = true;
  } else {
    line.value = trim(text.substr(equals + 1));
    line.ignore_errors = dash;
  }
  const std::string_view name = text.substr(0, equals);
  auto key = key_of(dash ? name.substr(1) : name);
  if (!key) return std::nullopt;
  line.key = std::move(*key);
  return line;
}

Result<> check_line(const SysctlLine& line) {
  const auto key = kernel::canonical_sysctl_key(line.key);
  if (!key) return fail(key.error());
  if (*key != line.key || line.key.find('=') != std::string::npos ||
      line.key.find_first_of("-#;") == 0) {
    return fail(Errc::invalid, cat("sysctl key \"", printable(line.key),
                                   "\" cannot be written in a sysctl.d file; write it with dots"));
  }
  if (line.excludes) return {};
  if (line.value.empty() || trim(line.value) != line.value || has_control_characters(line.value)) {
    return fail(Errc::invalid,
                cat("the value \"", printable(line.value), "\" of ", line.key,
                    " cannot be written in a sysctl.d file: it must be one non-empty line without "
                    "blanks at its ends"));
  }
  return {};
}

}  // namespace

std::vector<SysctlLine> read_sysctl_d(std::string_view text) {
  std::vector<SysctlLine> lines;
  int number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    if (auto line = parse_line(raw)) {
      line->line = number;
      lines.push_back(std::move(*line));
    }
  }
  return lines;
}

Result<std::string> write_sysctl_d(std::span<const SysctlLine> lines, std::string_view heading) {
  std::string out = conf::comment(heading);
  for (const SysctlLine& line : lines) {
    TRY(check_line(line));
    if (line.ignore_errors || line.excludes) out += '-';
    out += line.key;
    if (!line.excludes) out += cat(" = ", line.value);
    out += '\n';
  }
  return out;
}

}  // namespace nettune::kinds::sysctl
