// SPDX-License-Identifier: Apache-2.0
#include "kernel/systemd.hpp"

#include <algorithm>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "kernel/sd_bus.hpp"
#include "kernel/systemd_bus.hpp"

namespace nettune::kernel {
namespace {

constexpr const char* kDestination = kSystemdName;

/// Whether /proc/PID/`link` is the same for this process and the first one.
bool same_file(const std::string& link) {
  struct stat mine {};
  struct stat of_first {};
  return ::stat(cat("/proc/self/", link).c_str(), &mine) == 0 &&
         ::stat(cat("/proc/1/", link).c_str(), &of_first) == 0 && mine.st_dev == of_first.st_dev &&
         mine.st_ino == of_first.st_ino;
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

}  // namespace

bool systemd_is_ours() {
  return ::access("/run/systemd/system/", F_OK) == 0 && same_file("ns/net") &&
         same_file("ns/mnt") && same_file("root");
}

bool systemd_has_our_root() {
  return ::access("/run/systemd/system/", F_OK) == 0 && same_file("ns/pid") && same_file("root");
}

Result<> start_transient_service(const std::string& name, const std::string& description,
                                 const std::vector<std::string>& command) {
  if (!sd_bus_library().missing.empty()) return fail(Errc::unsupported, sd_bus_library().missing);
  AwaitedJob job;  // outlives the connection, whose callback writes to it
  TRY_ASSIGN(const SystemdBus connected, connect_to_systemd());
  const Bus& bus = connected.bus;
  TRY(hear_of_jobs(connected, job));
  BusError error;
  sd_bus_message* raw = nullptr;
  int code = sd_bus_library().new_call(bus.get(), &raw, kDestination, kSystemdPath, kManager,
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
  return wait_for_job(connected, job, "start", name);
}

Result<std::map<std::string, std::string>> active_states(const std::vector<std::string>& units) {
  constexpr std::uint64_t kPatience_us = 2'000'000;
  const SdBus& bus = sd_bus_library();
  if (!bus.missing.empty()) return fail(Errc::unsupported, bus.missing);
  TRY_ASSIGN(const SystemdBus connected, connect_to_systemd());
  std::vector<char*> names;
  names.reserve(units.size() + 1);
  // sd-bus only reads them; its parameter lacks a const.
  for (const std::string& unit : units) names.push_back(const_cast<char*>(unit.c_str()));
  names.push_back(nullptr);
  sd_bus_message* raw = nullptr;
  int code = bus.new_call(connected.bus.get(), &raw, kDestination, kSystemdPath, kManager,
                          "ListUnitsByNames");
  const BusMessage message(raw);
  if (code >= 0) code = bus.append_strv(message.get(), names.data());
  BusError error;
  sd_bus_message* answer = nullptr;
  if (code >= 0)
    code = bus.call(connected.bus.get(), message.get(), kPatience_us, error.get(), &answer);
  const BusMessage reply(answer);
  std::map<std::string, std::string> states;
  if (code >= 0) code = bus.enter(reply.get(), 'a', "(ssssssouso)");
  while (code >= 0) {
    const char* text[9] = {};
    std::uint32_t job = 0;
    // Name, description, loaded, active, detail, followed, path, job with type and path.
    code = bus.read(reply.get(), "(ssssssouso)", &text[0], &text[1], &text[2], &text[3], &text[4],
                    &text[5], &text[6], &job, &text[7], &text[8]);
    if (code <= 0) break;
    states[text[0]] = text[3];
  }
  if (code < 0) return fail(Errc::io, cat("systemd does not answer: ", error.text(code)), -code);
  return states;
}

Result<> reload_systemd() {
  if (!sd_bus_library().missing.empty()) return fail(Errc::unsupported, sd_bus_library().missing);
  TRY_ASSIGN(const SystemdBus connected, connect_to_systemd());
  BusError error;
  const int code = sd_bus_library().call_method(connected.bus.get(), kDestination, kSystemdPath,
                                                kManager, "Reload", error.get(), nullptr, nullptr);
  if (code < 0)
    return fail(Errc::io, cat("systemd cannot reload its units: ", error.text(code)), -code);
  return {};
}

}  // namespace nettune::kernel
