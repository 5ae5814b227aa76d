// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/watch_counters.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <poll.h>

#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/table.hpp"
#include "tools/doctor/counters.hpp"
#include "tools/doctor/probe/child.hpp"

namespace nettune::tools::doctor::program {

namespace {

using Values = std::map<std::pair<std::string, std::string>, std::uint64_t>;

/// Selects from a thousand counters of a driver those of the link.
bool is_about_the_link(std::string_view name) {
  for (const std::string_view word : {"pause", "discard", "out_of_buffer", "corrected_bits",
                                      "symbol_err", "crc_err", "ecn_mark", "down_events"})
    if (name.find(word) != std::string_view::npos) return true;
  return false;
}

void read_interfaces(const kernel::Directory& root, Values& values) {
  for (const std::string& device : root.list("sys/class/infiniband"))
    for (const std::string& name : root.list(cat("sys/class/infiniband/", device, "/device/net")))
      for (const auto& [counter, value] : probe::read_statistics(name))
        if (is_about_the_link(counter)) values[{name, counter}] = value;
}

/// The errors of the data link layer that both ends of a PCIe link corrected by a replay.
void read_pci_replays(const kernel::Directory& root, Values& values) {
  constexpr std::size_t kLargest = 4096;
  for (const std::string& address : root.list("sys/bus/pci/devices")) {
    const auto text =
        root.read(cat("sys/bus/pci/devices/", address, "/aer_dev_correctable"), kLargest);
    if (!text) continue;
    for (const std::string_view line : split(*text, '\n')) {
      const auto fields = words(line);
      const auto value = fields.size() == 2 ? parse_int(fields[1]) : std::nullopt;
      if (value && *value >= 0 && !fields[0].starts_with("TOTAL"))
        values[{cat("PCI ", address), std::string(fields[0])}] = static_cast<std::uint64_t>(*value);
    }
  }
}

/// The meaning of a counter of errors or of flow control; "" for one of plain traffic.
std::string meaning_of(const std::string& device, const std::string& counter) {
  if (const ErrorCounter* const error = doctor::error_counter(counter))
    return std::string(error->meaning);
  if (device.starts_with("PCI "))
    return "the PCIe link corrected an error: seat, riser or retimer (its partner may count it)";
  if (counter.find("prio") != std::string::npos && counter.find("pause") != std::string::npos)
    return "PFC paused this priority";
  if (counter.find("pause") != std::string::npos)
    return "global pause stopped all traffic of the port";
  return {};
}

bool is_error(const std::string& device, const std::string& counter) {
  const ErrorCounter* const error = doctor::error_counter(counter);
  return device.starts_with("PCI ") || (error && !error->needs_another);
}

Values read_all(const kernel::Directory& root, bool live) {
  Values values;
  read_pci_replays(root, values);
  if (live) read_interfaces(root, values);
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

/// A counter that grew.
struct Grown {
  std::string port;
  std::string counter;
  std::uint64_t by = 0;
  std::string rate;
  std::string meaning;
  bool error = false;
};

std::string json_of(const std::vector<Grown>& all, std::int64_t took_ms) {
  using Document = nlohmann::ordered_json;
  Document counters = Document::array();
  for (const Grown& one : all)
    counters.push_back(
        {{"port", one.port},
         {"counter", one.counter},
         {"grew_by", one.by},
         {"error", one.error},
         {"meaning", one.meaning.empty() ? Document(nullptr) : Document(one.meaning)}});
  const Document document = {
      {"schema", 1},           {"kind", "doctor-watch"}, {"nettune", NETTUNE_VERSION},
      {"build", build_info()}, {"took_ms", took_ms},     {"counters", counters}};
  return document.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

}  // namespace

Result<node::Exit> watch_counters(const std::string& root_path, std::int64_t seconds, bool json,
                                  cli::Output& output) {
  TRY_ASSIGN(const auto root, kernel::Directory::open_node(root_path));
  const std::int64_t start = probe::monotonic_ms();
  const bool live = root_path == "/";
  const Values before = read_all(root, live);
  if (before.empty()) {
    output.print(json ? json_of({}, 0)
                      : "there are no RDMA ports with counters here, and no PCIe error counters\n");
    return node::Exit::unknown;
  }
  ::poll(nullptr, 0, static_cast<int>(seconds * 1000));
  const Values after = read_all(root, live);
  const std::int64_t took_ms = std::max<std::int64_t>(probe::monotonic_ms() - start, 1);
  std::vector<Grown> all;
  for (const auto& [key, value] : after) {
    const auto old = before.find(key);
    if (old == before.end() || value <= old->second) continue;
    const std::uint64_t by = value - old->second;
    all.push_back({key.first, key.second, by, rate_of(key.second, by, took_ms),
                   meaning_of(key.first, key.second), is_error(key.first, key.second)});
  }
  cli::Table table({{"PORT"}, {"COUNTER"}, {"RATE"}, {"MEANING", cli::Table::Give::first}});
  for (const Grown& one : all) table.add({one.port, one.counter, one.rate, one.meaning});
  if (json)
    output.print(json_of(all, took_ms));
  else
    output.print(all.empty() ? cat("no counter changed within ", seconds, " s\n")
                             : table.text(output.style(), ""));
  return std::ranges::any_of(all, &Grown::error) ? node::Exit::drift : node::Exit::done;
}

}  // namespace nettune::tools::doctor::program
