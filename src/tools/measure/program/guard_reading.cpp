// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/guard_reading.hpp"

#include <array>
#include <ctime>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "kernel/sysfs.hpp"
#include "tools/measure/program/this_node.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr std::array<std::string_view, 3> kNetErrors = {"rx_errors", "tx_errors", "rx_crc_errors"};
constexpr std::array<std::string_view, 5> kPortErrors = {"link_downed", "link_error_recovery",
                                                         "symbol_error", "port_rcv_errors",
                                                         "local_link_integrity_errors"};

/// The number of Xid lines in the kernel's ring buffer; nothing if it may not be read.
std::optional<std::int64_t> count_xid() {
  const UniqueFd log(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!log.valid()) return {};
  std::int64_t count = 0;
  std::array<char, 8192> record{};
  // One record a read(). EPIPE: one was overwritten (Documentation/ABI/testing/dev-kmsg).
  for (int i = 0; i < 1'000'000; ++i) {
    const ssize_t got = ::read(log.get(), record.data(), record.size());
    if (got < 0 && errno == EPIPE) continue;
    if (got <= 0) break;
    const std::string_view text(record.data(), static_cast<std::size_t>(got));
    if (text.find("NVRM: Xid") != text.npos) ++count;
  }
  return count;
}

void add_throttling(const kernel::Directory& root, GuardReading& out) {
  std::int64_t sum = 0;
  bool seen = false;
  for (const std::string& cpu : root.list("sys/devices/system/cpu")) {
    const std::string at = cat("sys/devices/system/cpu/", cpu, "/thermal_throttle/");
    for (const char* const name : {"core_throttle_count", "package_throttle_count"})
      if (const auto value = root.number(at + name)) {
        sum += *value;
        seen = true;
      }
  }
  if (seen) out.counters["cpu.throttled"] = sum;
}

double seconds_of(clockid_t clock) {
  timespec now{};
  (void)::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

GuardReading read_guards() {
  GuardReading out;
  const double steady = seconds_of(CLOCK_MONOTONIC);
  out.clock_ahead_s = seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME);
  out.slept_s = seconds_of(CLOCK_BOOTTIME) - steady;
  const auto root = kernel::Directory::open("/");
  if (!root) return out;
  for (const std::string& name : root->list("sys/class/net")) {
    const std::string at = cat("sys/class/net/", name, "/");
    if (const auto value = root->number(at + "carrier_changes"))
      out.counters[cat(name, ".carrier_changes")] = *value;
    for (const std::string_view counter : kNetErrors)
      if (const auto value = root->number(cat(at, "statistics/", counter)))
        out.counters[cat(name, ".", counter)] = *value;
  }
  for (const std::string& device : root->list("sys/class/infiniband"))
    for (const std::string& port : root->list(cat("sys/class/infiniband/", device, "/ports")))
      for (const std::string_view counter : kPortErrors)
        if (const auto value = root->number(
                cat("sys/class/infiniband/", device, "/ports/", port, "/counters/", counter)))
          out.counters[cat(device, "/", port, ".", counter)] = *value;
  if (const auto xid = count_xid()) out.counters["kernel.xid"] = *xid;
  add_throttling(*root, out);
  return out;
}

Result<std::vector<std::string>> read_jobs(node::Context& context) {
  context.forget();
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  std::vector<std::string> out;
  for (const facts::Work& work : facts->at_work)
    if (work.what == "GPU process" || work.what == "RDMA user" ||
        (work.what == "slurmstepd" && !in_slurm_job()))
      out.push_back(cat(work.what, work.pid > 0 ? cat(" ", work.pid) : "", ": ", work.detail));
  return out;
}

}  // namespace nettune::tools::measure::program
