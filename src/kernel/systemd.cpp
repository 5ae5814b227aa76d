// SPDX-License-Identifier: Apache-2.0
#include "kernel/systemd.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "kernel/sd_bus.hpp"

namespace nettune::kernel {
namespace {

constexpr const char* kDestination = "org.freedesktop.systemd1";
constexpr const char* kSystemdPath = "/org/freedesktop/systemd1";
constexpr const char* kManager = "org.freedesktop.systemd1.Manager";
constexpr std::chrono::seconds kJobPatience{20};

/// Whether /proc/PID/`link` is the same for this process and the first one.
bool same_file(const std::string& link) {
  struct stat mine {};
  struct stat of_first {};
  return ::stat(cat("/proc/self/", link).c_str(), &mine) == 0 &&
         ::stat(cat("/proc/1/", link).c_str(), &of_first) == 0 && mine.st_dev == of_first.st_dev &&
         mine.st_ino == of_first.st_ino;
}

struct Connected {
  Bus bus;
  /// The sender of signals that count: on the bus anybody may send some. Null on systemd's own
  /// socket, which has no other senders.
  const char* sender = nullptr;
};

/// A connection to systemd: over the bus, otherwise over the socket that systemctl uses as root.
Result<Connected> connect() {
  sd_bus* raw = nullptr;
  int code = sd_bus_library().open_system(&raw);
  Bus bus(raw);
  if (code >= 0) return Connected{std::move(bus), kDestination};
  raw = nullptr;
  if (sd_bus_library().create(&raw) < 0) return fail(Errc::io, "D-Bus: out of memory");
  bus.reset(raw);
  code = sd_bus_library().set_address(bus.get(), "unix:path=/run/systemd/private");
  if (code >= 0) code = sd_bus_library().start(bus.get());
  if (code >= 0) return Connected{std::move(bus), nullptr};
  return fail(Errc::io, cat("systemd does not answer: ", std::strerror(-code)), -code);
}

/// The result of the awaited job, from JobRemoved.
struct Job {
  std::string path;
  std::string result;  ///< "done"; "" until it has ended
};

int on_job_removed(sd_bus_message* message, void* data, sd_bus_error*) {
  std::uint32_t id = 0;
  const char* path = nullptr;
  const char* unit = nullptr;
  const char* result = nullptr;
  auto* const job = static_cast<Job*>(data);
  if (sd_bus_library().read(message, "uoss", &id, &path, &unit, &result) >= 0 && job->path == path)
    job->result = result;
  return 0;
}

/// The StartTransientUnit call; returns the last negative code, if any.
int fill(sd_bus_message* message, const std::string& name, const std::string& description,
         const std::vector<std::string>& command) {
  const SdBus& bus = sd_bus_library();
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  // sd-bus only reads them; its parameter lacks a const.
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int worst = 0;
  const auto note = [&](int code) { worst = std::min(worst, code); };
  note(bus.append(message, "ss", name.c_str(), "fail"));
  note(bus.open_container(message, 'a', "(sv)"));
  note(bus.append(message, "(sv)", "Description", "s", description.c_str()));
  // exec: the job is done only after the program has been executed.
  note(bus.append(message, "(sv)", "Type", "s", "exec"));
  note(bus.append(message, "(sv)", "CollectMode", "s", "inactive-or-failed"));
  note(bus.append(message, "(sv)", "IgnoreOnIsolate", "b", 1));
  // If killed, it starts again and reads the journal for what is left to do.
  note(bus.append(message, "(sv)", "Restart", "s", "on-abnormal"));
  note(bus.append(message, "(sv)", "OOMScoreAdjust", "i", -900));
  note(bus.open_container(message, 'r', "sv"));
  note(bus.append(message, "s", "ExecStart"));
  note(bus.open_container(message, 'v', "a(sasb)"));
  note(bus.open_container(message, 'a', "(sasb)"));
  note(bus.open_container(message, 'r', "sasb"));
  note(bus.append(message, "s", command.front().c_str()));
  note(bus.append_strv(message, words.data()));
  note(bus.append(message, "b", 0));
  for (int container = 0; container < 5; ++container) note(bus.close_container(message));
  note(bus.append(message, "a(sa(sv))", 0));
  return worst;
}

Result<> wait_for(sd_bus* bus, const Job& job, const std::string& name) {
  const auto deadline = std::chrono::steady_clock::now() + kJobPatience;
  while (job.result.empty()) {
    const int processed = sd_bus_library().process(bus, nullptr);
    if (processed < 0)
      return fail(Errc::io, cat("the connection to systemd was lost: ", std::strerror(-processed)),
                  -processed);
    if (processed > 0) continue;
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left.count() <= 0) return fail(Errc::io, cat("systemd did not start ", name, " in time"));
    (void)sd_bus_library().wait(
        bus, static_cast<std::uint64_t>(
                 std::chrono::duration_cast<std::chrono::microseconds>(left).count()));
  }
  if (job.result == "done") return {};
  return fail(Errc::io, cat("systemd could not start ", name, ": ", printable(job.result)));
}

}  // namespace

bool systemd_is_ours() {
  return ::access("/run/systemd/system/", F_OK) == 0 && same_file("ns/net") &&
         same_file("ns/mnt") && same_file("root");
}

Result<> start_transient_service(const std::string& name, const std::string& description,
                                 const std::vector<std::string>& command) {
  if (!sd_bus_library().missing.empty()) return fail(Errc::unsupported, sd_bus_library().missing);
  Job job;  // outlives the connection, whose callback writes to it
  TRY_ASSIGN(const Connected connected, connect());
  const Bus& bus = connected.bus;
  int code = sd_bus_library().match_signal(bus.get(), nullptr, connected.sender, kSystemdPath,
                                           kManager, "JobRemoved", on_job_removed, &job);
  BusError error;
  if (code >= 0)
    code = sd_bus_library().call_method(bus.get(), kDestination, kSystemdPath, kManager,
                                        "Subscribe", error.get(), nullptr, nullptr);
  if (code < 0) return fail(Errc::io, cat("systemd does not answer: ", error.text(code)), -code);
  sd_bus_message* raw = nullptr;
  code = sd_bus_library().new_call(bus.get(), &raw, kDestination, kSystemdPath, kManager,
                                   "StartTransientUnit");
  const BusMessage message(raw);
  if (code >= 0) code = fill(message.get(), name, description, command);
  sd_bus_message* answer = nullptr;
  if (code >= 0) code = sd_bus_library().call(bus.get(), message.get(), 0, error.get(), &answer);
  const BusMessage reply(answer);
  const char* path = nullptr;
  if (code >= 0) code = sd_bus_library().read(reply.get(), "o", &path);
  if (code < 0)
    return fail(Errc::io, cat("systemd cannot start ", name, ": ", error.text(code)), -code);
  job.path = path;
  return wait_for(bus.get(), job, name);
}

Result<> reload_systemd() {
  if (!sd_bus_library().missing.empty()) return fail(Errc::unsupported, sd_bus_library().missing);
  TRY_ASSIGN(const Connected connected, connect());
  BusError error;
  const int code = sd_bus_library().call_method(connected.bus.get(), kDestination, kSystemdPath,
                                                kManager, "Reload", error.get(), nullptr, nullptr);
  if (code < 0)
    return fail(Errc::io, cat("systemd cannot reload its units: ", error.text(code)), -code);
  return {};
}

}  // namespace nettune::kernel
