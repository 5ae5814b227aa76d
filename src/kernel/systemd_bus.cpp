// SPDX-License-Identifier: Apache-2.0
#include "kernel/systemd_bus.hpp"

#include <chrono>
#include <cstring>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

constexpr std::chrono::seconds kJobPatience{20};

int on_job_removed(sd_bus_message* message, void* data, sd_bus_error*) {
  std::uint32_t id = 0;
  const char* path = nullptr;
  const char* unit = nullptr;
  const char* result = nullptr;
  auto* const job = static_cast<AwaitedJob*>(data);
  if (sd_bus_library().read(message, "uoss", &id, &path, &unit, &result) >= 0 && job->path == path)
    job->result = result;
  return 0;
}

}  // namespace

Result<SystemdBus> connect_to_systemd() {
  if (!sd_bus_library().missing.empty()) return fail(Errc::unsupported, sd_bus_library().missing);
  sd_bus* raw = nullptr;
  int code = sd_bus_library().open_system(&raw);
  Bus bus(raw);
  if (code >= 0) return SystemdBus{std::move(bus), kSystemdName};
  raw = nullptr;
  if (sd_bus_library().create(&raw) < 0) return fail(Errc::io, "D-Bus: out of memory");
  bus.reset(raw);
  code = sd_bus_library().set_address(bus.get(), "unix:path=/run/systemd/private");
  if (code >= 0) code = sd_bus_library().start(bus.get());
  if (code >= 0) return SystemdBus{std::move(bus), nullptr};
  return fail(Errc::io, cat("systemd does not answer: ", std::strerror(-code)), -code);
}

Result<> hear_of_jobs(const SystemdBus& connected, AwaitedJob& job) {
  int code =
      sd_bus_library().match_signal(connected.bus.get(), nullptr, connected.sender, kSystemdPath,
                                    kManager, "JobRemoved", on_job_removed, &job);
  BusError error;
  if (code >= 0)
    code = sd_bus_library().call_method(connected.bus.get(), kSystemdName, kSystemdPath, kManager,
                                        "Subscribe", error.get(), nullptr, nullptr);
  if (code < 0) return fail(Errc::io, cat("systemd does not answer: ", error.text(code)), -code);
  return {};
}

Result<> wait_for_job(const SystemdBus& connected, const AwaitedJob& job, std::string_view verb,
                      const std::string& unit) {
  const auto deadline = std::chrono::steady_clock::now() + kJobPatience;
  while (job.result.empty()) {
    const int processed = sd_bus_library().process(connected.bus.get(), nullptr);
    if (processed < 0)
      return fail(Errc::io, cat("the connection to systemd was lost: ", std::strerror(-processed)),
                  -processed);
    if (processed > 0) continue;
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left.count() <= 0)
      return fail(Errc::io, cat("systemd did not ", verb, " ", unit, " in time"));
    (void)sd_bus_library().wait(
        connected.bus.get(),
        static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(left).count()));
  }
  if (job.result == "done") return {};
  return fail(Errc::io, cat("systemd could not ", verb, " ", unit, ": ", printable(job.result)));
}

}  // namespace nettune::kernel
