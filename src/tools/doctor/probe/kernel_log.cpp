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
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
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

/// The value of a field, with its line breaks written as in /dev/kmsg; "" if the entry does not
/// have it.
std::string field(const Journal& library, sd_journal* journal, const char* name) {
  const void* data = nullptr;
  std::size_t size = 0;
  if (library.data(journal, name, &data, &size) < 0) return {};
  const std::size_t skip = std::strlen(name) + 1;
  if (size < skip) return {};
  std::string value;
  for (const char c : std::string_view(static_cast<const char*>(data) + skip, size - skip))
    if (c == '\n')
      value += "\\x0a";
    else
      value += c;
  return value;
}

/// The kernel's own messages of this boot, each with the time since boot. False if none can be
/// read.
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
  library.match(journal, "SYSLOG_FACILITY=0", 0);  // programs write to /dev/kmsg, too
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

}  // namespace nettune::tools::doctor::probe
