// SPDX-License-Identifier: Apache-2.0
#include "kernel/journald.hpp"

#include <cstring>
#include <sys/uio.h>
// The source location is of no use to readers of the journal.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "base/dynamic_library.hpp"
#include "base/text.hpp"

namespace nettune::kernel {
namespace {

struct Library : DynamicLibrary {
  decltype(&::sd_journal_sendv) send = nullptr;

  Library() : DynamicLibrary("libsystemd.so.0", "libsystemd0") { get(send, "sd_journal_sendv"); }
};

}  // namespace

Result<> write_to_journald(const std::vector<std::string>& fields) {
  static const Library library;
  if (!library.missing.empty()) return fail(Errc::unsupported, library.missing);
  std::vector<iovec> parts;
  parts.reserve(fields.size());
  for (const std::string& field : fields)
    parts.push_back({const_cast<char*>(field.data()), field.size()});
  const int done = library.send(parts.data(), static_cast<int>(parts.size()));
  if (done < 0) return fail(Errc::io, cat("the journal: ", std::strerror(-done)), -done);
  return {};
}

}  // namespace nettune::kernel
