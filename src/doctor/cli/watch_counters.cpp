// SPDX-License-Identifier: Apache-2.0
#include "doctor/cli/watch_counters.hpp"

#include <map>
#include <poll.h>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "doctor/counters.hpp"
#include "doctor/probe/child.hpp"

namespace nettune::cli {

namespace {

using Values = std::map<std::pair<std::string, std::string>, std::uint64_t>;

Values read_all(const kernel::Directory& root) {
  Values values;
  for (const std::string& device : root.list("sys/class/infiniband"))
    for (const std::string& port : root.list(cat("sys/class/infiniband/", device, "/ports")))
      for (const char* const kind : {"counters", "hw_counters"}) {
        const std::string path = cat("sys/class/infiniband/", device, "/ports/", port, "/", kind);
        for (const std::string& name : root.list(path)) {
          if (name == "lifespan") continue;
          const auto value = root.number(cat(path, "/", name));
          if (value && *value >= 0)
            values[{cat(device, "/", port), name}] = static_cast<std::uint64_t>(*value);
        }
      }
  return values;
}

/// One decimal is enough for a rate.
std::string rate_text(std::uint64_t delta, std::int64_t took_ms) {
  const std::uint64_t tenths = delta * 10'000 / static_cast<std::uint64_t>(took_ms);
  return cat(tenths / 10, ".", tenths % 10, "/s");
}

/// The data counters count words of four bytes.
std::string rate_of(const std::string& name, std::uint64_t delta, std::int64_t took_ms) {
  if (name != "port_xmit_data" && name != "port_rcv_data") return rate_text(delta, took_ms);
  const std::uint64_t mbit = delta * 32 / 1000 / static_cast<std::uint64_t>(took_ms);
  return cat(mbit / 1000, ".", mbit % 1000 / 100, " Gb/s");
}

}  // namespace

Result<Exit> watch_counters(const std::string& root_path, std::int64_t seconds, Output& output) {
  TRY_ASSIGN(const auto root, kernel::Directory::open(root_path));
  const std::int64_t start = doctor::monotonic_ms();
  const Values before = read_all(root);
  if (before.empty()) {
    output.print("there is no RDMA port with counters here\n");
    return Exit::unknown;
  }
  ::poll(nullptr, 0, static_cast<int>(seconds * 1000));
  const Values after = read_all(root);
  const std::int64_t took_ms = std::max<std::int64_t>(doctor::monotonic_ms() - start, 1);
  Table table({{"PORT"}, {"COUNTER"}, {"RATE"}, {"MEANING", Table::Give::first}});
  Exit exit = Exit::done;
  bool any = false;
  for (const auto& [key, value] : after) {
    const auto old = before.find(key);
    if (old == before.end() || value <= old->second) continue;
    const doctor::ErrorCounter* const error = doctor::error_counter(key.second);
    if (error) exit = Exit::drift;
    any = true;
    table.add({key.first, key.second, rate_of(key.second, value - old->second, took_ms),
               error ? std::string(error->meaning) : ""});
  }
  output.print(any ? table.text(output.style(), "")
                   : cat("no counter moved within ", seconds, " s\n"));
  return exit;
}

}  // namespace nettune::cli
