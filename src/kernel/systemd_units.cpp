// SPDX-License-Identifier: Apache-2.0
#include "kernel/systemd_units.hpp"

#include <set>

#include "base/text.hpp"
#include "kernel/systemd_bus.hpp"

namespace nettune::kernel {
namespace {

constexpr std::uint64_t kPatience_us = 2'000'000;
constexpr const char* kUnit = "org.freedesktop.systemd1.Unit";

Failure no_answer(const BusError& error, int code) {
  return fail(Errc::io, cat("systemd does not answer: ", error.text(code)), -code);
}

/// The properties of one unit.
class Properties {
 public:
  Properties(sd_bus* bus, std::string path) : bus_(bus), path_(std::move(path)) {}

  Result<BusMessage> get(const char* interface, const char* name) const {
    sd_bus_message* raw = nullptr;
    int code = sd_bus_library().new_call(bus_, &raw, kSystemdName, path_.c_str(),
                                         "org.freedesktop.DBus.Properties", "Get");
    const BusMessage message(raw);
    if (code >= 0) code = sd_bus_library().append(message.get(), "ss", interface, name);
    BusError error;
    sd_bus_message* answer = nullptr;
    if (code >= 0)
      code = sd_bus_library().call(bus_, message.get(), kPatience_us, error.get(), &answer);
    BusMessage reply(answer);
    if (code < 0) return no_answer(error, code);
    return reply;
  }

  /// The members of a list of strings.
  Result<std::vector<std::string>> list(const char* interface, const char* name) const {
    TRY_ASSIGN(const BusMessage reply, get(interface, name));
    std::vector<std::string> members;
    const char* member = nullptr;
    int code = sd_bus_library().enter(reply.get(), 'v', "as");
    if (code >= 0) code = sd_bus_library().enter(reply.get(), 'a', "s");
    while (code >= 0 && (code = sd_bus_library().read_basic(reply.get(), 's', &member)) > 0)
      members.emplace_back(member);
    if (code < 0) return no_answer(BusError(), code);
    return members;
  }

  Result<std::string> text(const char* interface, const char* name) const {
    TRY_ASSIGN(const BusMessage reply, get(interface, name));
    const char* text = nullptr;
    const int code = sd_bus_library().read(reply.get(), "v", "s", &text);
    if (code < 0) return no_answer(BusError(), code);
    return std::string(text);
  }

 private:
  sd_bus* bus_;
  std::string path_;
};

Result<std::string> path_of(sd_bus* bus, const std::string& unit) {
  sd_bus_message* raw = nullptr;
  int code = sd_bus_library().new_call(bus, &raw, kSystemdName, kSystemdPath, kManager, "LoadUnit");
  const BusMessage message(raw);
  if (code >= 0) code = sd_bus_library().append(message.get(), "s", unit.c_str());
  BusError error;
  sd_bus_message* answer = nullptr;
  if (code >= 0)
    code = sd_bus_library().call(bus, message.get(), kPatience_us, error.get(), &answer);
  const BusMessage reply(answer);
  const char* path = nullptr;
  if (code >= 0) code = sd_bus_library().read(reply.get(), "o", &path);
  if (code < 0) return no_answer(error, code);
  return std::string(path);
}

/// The type of the job that is queued for the unit; "" for none.
Result<std::string> job_of(sd_bus* bus, const Properties& unit) {
  TRY_ASSIGN(const BusMessage reply, unit.get(kUnit, "Job"));
  std::uint32_t id = 0;
  const char* path = nullptr;
  const int code = sd_bus_library().read(reply.get(), "v", "(uo)", &id, &path);
  if (code < 0) return no_answer(BusError(), code);
  if (id == 0) return std::string();
  // A job that has ended meanwhile is none.
  return Properties(bus, path).text("org.freedesktop.systemd1.Job", "JobType").value_or("");
}

/// The interface of units of that type that have a cgroup; null for others.
const char* cgroup_interface(std::string_view unit) {
  if (unit.ends_with(".service")) return "org.freedesktop.systemd1.Service";
  if (unit.ends_with(".slice")) return "org.freedesktop.systemd1.Slice";
  return nullptr;
}

/// Queues a job, and waits for its end unless the machine boots.
Result<> run_job(const char* method, std::string_view verb, const std::string& unit) {
  AwaitedJob job;
  TRY_ASSIGN(const SystemdBus connected, connect_to_systemd());
  TRY(hear_of_jobs(connected, job));
  const Properties manager(connected.bus.get(), kSystemdPath);
  TRY_ASSIGN(const std::string state, manager.text(kManager, "SystemState"));
  BusError error;
  sd_bus_message* answer = nullptr;
  int code =
      sd_bus_library().call_method(connected.bus.get(), kSystemdName, kSystemdPath, kManager,
                                   method, error.get(), &answer, "ss", unit.c_str(), "replace");
  const BusMessage reply(answer);
  const char* path = nullptr;
  if (code >= 0) code = sd_bus_library().read(reply.get(), "o", &path);
  if (code < 0)
    return fail(Errc::io, cat("systemd cannot ", verb, " ", unit, ": ", error.text(code)), -code);
  if (state == "initializing" || state == "starting") return {};
  job.path = path;
  return wait_for_job(connected, job, verb, unit);
}

struct FilesCall {
  const char* method;
  std::string_view verb;
  bool has_force;
};

FilesCall call_of(UnitFilesVerb verb) {
  switch (verb) {
    case UnitFilesVerb::enable:
      return {"EnableUnitFiles", "enable", true};
    case UnitFilesVerb::disable:
      return {"DisableUnitFiles", "disable", false};
    case UnitFilesVerb::mask:
      return {"MaskUnitFiles", "mask", true};
    case UnitFilesVerb::unmask:
      break;
  }
  return {"UnmaskUnitFiles", "unmask", false};
}

}  // namespace

Result<UnitState> unit_state(const std::string& unit) {
  TRY_ASSIGN(const SystemdBus connected, connect_to_systemd());
  TRY_ASSIGN(std::string path, path_of(connected.bus.get(), unit));
  const Properties properties(connected.bus.get(), std::move(path));
  UnitState state;
  TRY_ASSIGN(state.load, properties.text(kUnit, "LoadState"));
  TRY_ASSIGN(state.file, properties.text(kUnit, "FragmentPath"));
  TRY_ASSIGN(state.active, properties.text(kUnit, "ActiveState"));
  TRY_ASSIGN(const BusMessage reload, properties.get(kUnit, "NeedDaemonReload"));
  int needs = 0;
  (void)sd_bus_library().read(reload.get(), "v", "b", &needs);
  state.needs_reload = needs != 0;
  TRY_ASSIGN(state.job, job_of(connected.bus.get(), properties));
  const char* const interface = cgroup_interface(unit);
  if (interface == nullptr) return state;
  TRY_ASSIGN(state.cgroup, properties.text(interface, "ControlGroup"));
  if (!unit.ends_with(".service")) return state;
  TRY_ASSIGN(const BusMessage pid, properties.get(interface, "MainPID"));
  std::uint32_t number = 0;
  (void)sd_bus_library().read(pid.get(), "v", "u", &number);
  state.main_pid = number;
  return state;
}

Result<std::vector<std::string>> related_units(const std::string& unit,
                                               const std::vector<const char*>& properties) {
  TRY_ASSIGN(const SystemdBus connected, connect_to_systemd());
  TRY_ASSIGN(std::string path, path_of(connected.bus.get(), unit));
  const Properties of_unit(connected.bus.get(), std::move(path));
  std::set<std::string> all;
  for (const char* const name : properties) {
    TRY_ASSIGN(std::vector<std::string> some, of_unit.list(kUnit, name));
    all.insert(some.begin(), some.end());
  }
  return std::vector<std::string>(all.begin(), all.end());
}

Result<> start_unit(const std::string& unit) { return run_job("StartUnit", "start", unit); }
Result<> stop_unit(const std::string& unit) { return run_job("StopUnit", "stop", unit); }

Result<> change_unit_files(UnitFilesVerb verb, const std::string& unit) {
  const FilesCall call = call_of(verb);
  TRY_ASSIGN(const SystemdBus connected, connect_to_systemd());
  BusError error;
  // Not only until the next boot; never over a file that is there.
  const int code =
      call.has_force ? sd_bus_library().call_method(connected.bus.get(), kSystemdName, kSystemdPath,
                                                    kManager, call.method, error.get(), nullptr,
                                                    "asbb", 1, unit.c_str(), 0, 0)
                     : sd_bus_library().call_method(connected.bus.get(), kSystemdName, kSystemdPath,
                                                    kManager, call.method, error.get(), nullptr,
                                                    "asb", 1, unit.c_str(), 0);
  if (code < 0)
    return fail(Errc::io, cat("systemd cannot ", call.verb, " ", unit, ": ", error.text(code)),
                -code);
  return {};
}

}  // namespace nettune::kernel
