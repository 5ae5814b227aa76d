// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "base/dynamic_library.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "doctor/probe/gather.hpp"

namespace nettune::doctor {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

struct Journal : DynamicLibrary {
  decltype(&::sd_journal_open) open = nullptr;
  decltype(&::sd_journal_add_match) match = nullptr;
  decltype(&::sd_journal_seek_head) head = nullptr;
  decltype(&::sd_journal_next) next = nullptr;
  decltype(&::sd_journal_get_data) data = nullptr;
  decltype(&::sd_journal_close) close = nullptr;

  Journal() : DynamicLibrary("libsystemd.so.0", "libsystemd0") {
    get(open, "sd_journal_open");
    get(match, "sd_journal_add_match");
    get(head, "sd_journal_seek_head");
    get(next, "sd_journal_next");
    get(data, "sd_journal_get_data");
    get(close, "sd_journal_close");
  }
};

/// The value of a field; "" if the entry does not have it.
std::string field(const Journal& library, sd_journal* journal, const char* name) {
  const void* data = nullptr;
  std::size_t size = 0;
  if (library.data(journal, name, &data, &size) < 0) return {};
  const std::size_t skip = std::strlen(name) + 1;
  if (size < skip) return {};
  std::string value(static_cast<const char*>(data) + skip, size - skip);
  for (char& c : value)
    if (c == '\n') c = ' ';
  return value;
}

/// The kernel messages of this boot, each with the time since boot. False if none can be read.
bool read_journal(std::string& text) {
  const Journal library;
  if (!library.missing.empty()) return false;
  std::string boot;
  if (const UniqueFd file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
      file.valid()) {
    std::array<char, 64> id{};
    if (::read(file.get(), id.data(), id.size()) > 0)
      for (const char c : id)
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')) boot += c;
  }
  if (boot.empty()) return false;
  sd_journal* journal = nullptr;
  if (library.open(&journal, SD_JOURNAL_LOCAL_ONLY | SD_JOURNAL_SYSTEM) < 0) return false;
  library.match(journal, "_TRANSPORT=kernel", 0);
  library.match(journal, cat("_BOOT_ID=", boot).c_str(), 0);
  library.head(journal);
  bool any = false;
  while (library.next(journal) > 0 && text.size() < kMostBytes) {
    const auto usec = parse_int(field(library, journal, "_SOURCE_MONOTONIC_TIMESTAMP"));
    const std::int64_t time = usec.value_or(0);
    text += cat("[", time / 1'000'000, ".", time % 1'000'000, "] ",
                field(library, journal, "MESSAGE"), "\n");
    any = true;
  }
  library.close(journal);
  return any;
}

/// Reads the ring buffer, one record a read(). It is complete if the first sequence number is 0.
bool read_kmsg(std::string& text, bool& complete) {
  const UniqueFd file(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid()) return false;
  std::array<char, 8192> record;
  bool first = true;
  while (text.size() < kMostBytes) {
    const ssize_t got = ::read(file.get(), record.data(), record.size());
    if (got < 0 && (errno == EINTR || errno == EPIPE)) continue;
    if (got <= 0) return first ? errno == EAGAIN : true;
    std::string_view line(record.data(), static_cast<std::size_t>(got));
    line = line.substr(0, line.find('\n'));
    if (first) {
      const auto parts = split(line, ',');
      complete = parts.size() > 1 && parse_int(parts[1]).value_or(1) == 0;
    }
    first = false;
    text += cat(line, "\n");
  }
  return true;
}

std::optional<double> seconds(std::string_view whole, std::string_view part) {
  const auto left = parse_int(whole);
  if (!left) return std::nullopt;
  double value = static_cast<double>(*left);
  double unit = 0.1;
  for (const char c : part) {
    if (c < '0' || c > '9') break;
    value += unit * (c - '0');
    unit /= 10;
  }
  return value;
}

/// The days before a month, in a year that is not a leap year.
std::optional<double> month_days(std::string_view month) {
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr std::array kBefore = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
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

/// Parses "[  123.456789] text" of dmesg, "6,3973,227996636,-;text" of /dev/kmsg, "Aug 17 06:18:01
/// host text" of syslog, and "kern  :warn  : 2025-01-21T04:41:44,285060+00:00 text" of dmesg -x
/// --time-format iso; any other line has no time.
LogLine parse_line(std::string_view line, bool& uptime) {
  if (line.starts_with('[')) {
    const auto close = line.find(']');
    const std::string_view time =
        trim(line.substr(1, close == std::string_view::npos ? 0 : close - 1));
    const auto dot = time.find('.');
    if (dot != std::string_view::npos)
      if (const auto at = seconds(time.substr(0, dot), time.substr(dot + 1))) {
        uptime = true;
        return {at, std::string(trim(line.substr(close + 1)))};
      }
  }
  const auto semicolon = line.find(';');
  if (semicolon < 64) {  // npos is not
    const auto parts = split(line.substr(0, semicolon), ',');
    if (parts.size() >= 4 && parse_int(parts[0]) && parse_int(parts[1]))
      if (const auto usec = parse_int(parts[2])) {
        uptime = true;
        return {static_cast<double>(*usec) / 1e6, std::string(trim(line.substr(semicolon + 1)))};
      }
  }
  const auto fields = words(line.substr(0, 96));
  if (fields.size() > 4)
    if (const auto days = month_days(fields[0])) {
      const auto day = parse_int(fields[1]);
      const auto clock = clock_seconds(fields[2]);
      if (day && clock) {
        const auto host = static_cast<std::size_t>(fields[4].data() - line.data());
        return {(*days + static_cast<double>(*day)) * 86400 + *clock,
                std::string(line.substr(host))};
      }
    }
  if (const auto stamp = line.find('T');
      stamp != std::string_view::npos && stamp >= 10 && stamp < 40) {
    const auto begin = line.rfind(' ', stamp);
    const auto end = line.find(' ', stamp);
    const std::string_view date = line.substr(begin == std::string_view::npos ? 0 : begin + 1, 10);
    const auto year_month = split(date, '-');
    const auto clock = clock_seconds(line.substr(stamp + 1, 8));
    if (year_month.size() == 3 && clock && end != std::string_view::npos) {
      const auto year = parse_int(year_month[0]);
      const auto month = parse_int(year_month[1]);
      const auto day = parse_int(year_month[2]);
      if (year && month && day && *month >= 1 && *month <= 12) {
        constexpr std::array kBefore = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
        const auto days = *year * 366 + kBefore[static_cast<std::size_t>(*month - 1)] + *day;
        return {static_cast<double>(days) * 86400 + *clock, std::string(trim(line.substr(end)))};
      }
    }
  }
  return {std::nullopt, std::string(line)};
}

}  // namespace

std::string read_kernel_log() {
  std::string text;
  if (read_journal(text)) return cat("from the journal\n", text);
  bool complete = false;
  if (read_kmsg(text, complete))
    return cat("from ", complete ? "/dev/kmsg" : "/dev/kmsg, which has lost its beginning", "\n",
               text);
  return "from nowhere\n";
}

KernelLog parse_kernel_log(std::string_view text) {
  KernelLog log;
  log.found_in = "the kernel log";
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("from ") && log.lines.empty()) {
      log.found_in = std::string(line.substr(5));
      continue;
    }
    log.lines.push_back(parse_line(line, log.uptime_clock));
  }
  return log;
}

}  // namespace nettune::doctor
