// SPDX-License-Identifier: Apache-2.0
// The forms in which a kernel log is written down: dmesg, journalctl, /dev/kmsg, syslog.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// A line, and what was read from its head so far.
struct LogHead {
  std::string_view rest;
  std::optional<double> at_s;
  bool has_uptime = false;
  bool is_stamped = false;  ///< it begins a record
  bool is_foreign = false;
};

bool is_log_digit(char c) { return c >= '0' && c <= '9'; }

/// "12.345678", and "+0.000012" of dmesg --time-format delta.
std::optional<double> stamp_seconds(std::string_view text) {
  const auto value = read_number(text);
  if (!value || !std::isfinite(*value) || text.find('.') == text.npos ||
      text.find_first_of("eE") != text.npos)
    return std::nullopt;
  return value;
}

/// The days before a month, in a year that is not a leap year.
constexpr std::array kBefore = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

std::optional<double> month_days(std::string_view month) {
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (std::size_t i = 0; i < kMonths.size(); ++i)
    if (month == kMonths[i]) return kBefore[i];
  return std::nullopt;
}

/// The seconds of "06:18:01".
std::optional<double> clock_seconds(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 3) return std::nullopt;
  const auto hour = parse_int(parts[0]);
  const auto minute = parse_int(parts[1]);
  const auto second = parse_int(parts[2].substr(0, 2));
  if (!hour || !minute || !second) return std::nullopt;
  return static_cast<double>(*hour * 3600 + *minute * 60 + *second);
}

/// The seconds of "Aug 17 06:18:01" in its year.
std::optional<double> calendar_seconds(std::string_view month, std::string_view day,
                                       std::string_view clock) {
  const auto days = month_days(month);
  const auto number = parse_int(day);
  const auto time = clock_seconds(clock);
  if (!days || !number || !time) return std::nullopt;
  return (*days + static_cast<double>(*number)) * 86400 + *time;
}

/// The facility is 0 for the kernel.
void take_priority(std::int64_t priority, LogHead& head) {
  head.is_stamped = true;
  head.is_foreign = priority >= 8;
}

/// "<4>" of dmesg --raw.
void take_raw(LogHead& head) {
  const auto close = head.rest.find('>');
  if (!head.rest.starts_with('<') || close > 4) return;
  if (const auto priority = parse_int(head.rest.substr(1, close - 1))) {
    take_priority(*priority, head);
    head.rest = head.rest.substr(close + 1);
  }
}

/// "6,3973,227996636,-;" of /dev/kmsg.
bool take_kmsg(LogHead& head) {
  const auto semicolon = head.rest.find(';');
  if (head.rest.empty() || !is_log_digit(head.rest.front()) || semicolon >= 64) return false;
  const auto parts = split(head.rest.substr(0, semicolon), ',');
  if (parts.size() < 4 || !parse_int(parts[1])) return false;
  const auto priority = parse_int(parts[0]);
  const auto usec = parse_int(parts[2]);
  if (!priority || !usec) return false;
  take_priority(*priority, head);
  head.at_s = static_cast<double>(*usec) / 1e6;
  head.has_uptime = true;
  head.rest = head.rest.substr(semicolon + 1);
  return true;
}

/// "kern  :warn  : " of dmesg -x.
void take_decoded(LogHead& head) {
  const auto first = head.rest.find(':');
  if (first > 8) return;
  const auto second = head.rest.find(':', first + 1);
  if (second == std::string_view::npos || second - first > 8) return;
  constexpr auto kLevels = std::to_array<std::string_view>(
      {"emerg", "alert", "crit", "err", "warn", "notice", "info", "debug"});
  if (std::ranges::find(kLevels, trim(head.rest.substr(first + 1, second - first - 1))) ==
      kLevels.end())
    return;
  head.is_stamped = true;
  head.is_foreign = trim(head.rest.substr(0, first)) != "kern";
  head.rest = trim(head.rest.substr(second + 1));
}

/// "[  123.456789] ", "[Tue Jan 21 04:41:44 2025] " and "[Feb 25 2025 13:59:45] ". "[drm] " is
/// not a time.
bool take_bracket(LogHead& head) {
  const auto close = head.rest.find(']');
  if (!head.rest.starts_with('[') || close > 32) return false;
  const std::string_view time = trim(head.rest.substr(1, close - 1));
  const auto fields = words(time);
  std::optional<double> at;
  const bool is_delta = time.starts_with('+');
  if (fields.size() == 1)
    at = stamp_seconds(is_delta ? trim(time.substr(1)) : time);
  else if (is_delta)
    at = stamp_seconds(fields[1]);
  else if (fields.size() == 2)
    at = month_days(fields[0].substr(0, 3));  // "[Jan21 04:41]"
  else if (fields.size() == 5)
    at = calendar_seconds(fields[1], fields[2], fields[3]);
  else if (fields.size() == 4)
    at = calendar_seconds(fields[0], fields[1], fields[3]);
  if (!at) return false;
  head.is_stamped = true;
  head.rest = trim(head.rest.substr(close + 1));
  if (is_delta || fields.size() == 2) return true;
  head.has_uptime = fields.size() == 1;
  head.at_s = at;
  return true;
}

/// "Aug 17 06:18:01 "; the host follows.
bool take_syslog(LogHead& head) {
  const auto fields = words(head.rest.substr(0, 96));
  if (fields.size() < 4) return false;
  const auto at = calendar_seconds(fields[0], fields[1], fields[2]);
  if (!at) return false;
  head.is_stamped = true;
  head.at_s = at;
  head.rest = head.rest.substr(static_cast<std::size_t>(fields[3].data() - head.rest.data()));
  return true;
}

/// "2025-01-21T04:41:44,285060+00:00 ".
bool take_iso(LogHead& head) {
  if (head.rest.size() < 20 || head.rest[10] != 'T') return false;
  const auto date = split(head.rest.substr(0, 10), '-');
  const auto clock = clock_seconds(head.rest.substr(11, 8));
  const auto end = head.rest.find(' ');
  if (date.size() != 3 || !clock || end == std::string_view::npos) return false;
  const auto year = parse_int(date[0]);
  const auto month = parse_int(date[1]);
  const auto day = parse_int(date[2]);
  if (!year || !month || !day || *month < 1 || *month > 12) return false;
  const auto days = *year * 366 + kBefore[static_cast<std::size_t>(*month - 1)] + *day;
  head.is_stamped = true;
  head.at_s = static_cast<double>(days) * 86400 + *clock;
  head.rest = trim(head.rest.substr(end));
  return true;
}

/// "host kernel: ", or the host in front of the name of a program.
void take_host(LogHead& head) {
  const auto blank = head.rest.find(' ');
  if (blank == std::string_view::npos) return;
  const std::string_view rest = trim(head.rest.substr(blank));
  if (rest.starts_with("kernel: ")) {
    head.rest = trim(rest.substr(8));
    LogHead inner;  // syslog repeats the kernel's own time
    inner.rest = head.rest;
    if (take_bracket(inner)) head.rest = inner.rest;
    return;
  }
  head.rest = rest;
  head.is_foreign = true;
}

/// "host kernel: " after the uptime, as journalctl -o short-monotonic writes it.
void take_host_of_journal(LogHead& head) {
  const auto blank = head.rest.find(' ');
  if (blank != std::string_view::npos && head.rest.substr(blank).starts_with(" kernel: "))
    take_host(head);
}

/// Where no form is known, "kernel: " or "NVRM: " near the beginning begins the message.
void take_unknown(LogHead& head) {
  const std::string_view front = head.rest.substr(0, 96);
  if (const auto at = front.find("kernel: "); at != std::string_view::npos)
    head.rest = trim(head.rest.substr(at + 8));
  else if (const auto nvrm = front.find("NVRM: "); nvrm != std::string_view::npos)
    head.rest = head.rest.substr(nvrm);
}

LogHead log_head_of(std::string_view line) {
  LogHead head;
  head.rest = line;
  take_raw(head);
  if (take_kmsg(head)) return head;
  take_decoded(head);
  if (take_bracket(head)) {
    take_host_of_journal(head);
  } else if (take_syslog(head)) {
    take_host(head);
  } else if (const bool named = head.is_stamped; take_iso(head)) {
    // dmesg writes a comma before the microseconds, and no host.
    if (!named && line.substr(0, 20).find(',') == std::string_view::npos) take_host(head);
  } else if (!head.is_stamped) {
    take_unknown(head);
  }
  return head;
}

constexpr std::string_view kDriver = "NVRM: ";

/// Whether "NVRM: BAR1 is 0M ..." goes on with what "NVRM: This PCI I/O region ..." began: the
/// driver ends a message with a full stop and begins the next one with a capital or a name.
bool goes_on(std::string_view before, std::string_view line) {
  if (!before.starts_with(kDriver) || !line.starts_with(kDriver)) return false;
  if (before.ends_with('.') || before.ends_with('!') || before.starts_with("NVRM: Xid"))
    return false;
  line.remove_prefix(kDriver.size());
  if (line.starts_with('(')) return true;
  if (line.starts_with("BAR")) return line.size() > 3 && is_log_digit(line[3]);
  const std::string_view word = line.substr(0, line.find(' '));
  return !word.empty() &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz/.,") == std::string_view::npos;
}

class LogLines {
 public:
  explicit LogLines(KernelLog& log) : log_(log) {}

  void add(std::string_view raw) {
    LogHead head = log_head_of(raw);
    log_.uptime_clock |= head.has_uptime;
    // A line break within a record, as the kernel and rsyslog write it.
    bool same_record = stamped_ && !head.is_stamped;  // dmesg and journalctl indent instead
    if (same_record) head.is_foreign = log_.lines.back().is_foreign;
    stamped_ |= head.is_stamped;
    for (std::size_t end = 0; end != std::string_view::npos; same_record = true) {
      end = std::min(head.rest.find("\\x0a"), head.rest.find("#012NVRM: "));
      add_part(trim(head.rest.substr(0, end)), head, same_record);
      if (end != std::string_view::npos) head.rest = head.rest.substr(end + 4);
    }
  }

 private:
  void add_part(std::string_view text, const LogHead& head, bool same_record) {
    if (text.empty()) return;
    if (!log_.lines.empty() && text.starts_with(kDriver) && !text.starts_with("NVRM: Xid")) {
      LogLine& last = log_.lines.back();
      if (last.text.starts_with(kDriver) && last.text.size() < kLongest &&
          last.is_foreign == head.is_foreign &&
          (same_record || (last.at_s == head.at_s && goes_on(last.text, text)))) {
        last.text += cat(" ", text.substr(kDriver.size()));
        return;
      }
    }
    log_.lines.push_back({head.at_s, std::string(text), head.is_foreign});
  }

  static constexpr std::size_t kLongest = 2000;
  KernelLog& log_;
  bool stamped_ = false;
};

}  // namespace

KernelLog parse_kernel_log(std::string_view text) {
  KernelLog log;
  log.found_in = "the kernel log";
  LogLines lines(log);
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("from ") && log.lines.empty()) {
      log.found_in = std::string(line.substr(5));
      continue;
    }
    lines.add(line);
  }
  return log;
}

}  // namespace nettune::tools::doctor::probe
