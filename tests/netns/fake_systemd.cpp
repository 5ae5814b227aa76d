// SPDX-License-Identifier: Apache-2.0
// A service manager for tests: the part of systemd's D-Bus interface that nettune uses, on
// systemd's own socket, /run/systemd/private. What it says of a unit is in files:
// DIR/UNIT/PROPERTY. What it was asked is appended to DIR/calls, a line each. It links units with
// `systemctl --root=/`, the code of the real one.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

namespace {

constexpr const char* kSocket = "/run/systemd/private";
constexpr const char* kUnits = "/org/freedesktop/systemd1/unit";
std::string state;  // DIR

void note(const std::string& line) {
  std::ofstream(state + "/calls", std::ios::app) << line << '\n';
}

std::string text_of(const std::string& unit, const std::string& property) {
  std::ifstream file(state + '/' + unit + '/' + property);
  std::string text;
  std::getline(file, text);
  if (file || !text.empty()) return text;
  const std::string path = "/lib/systemd/system/" + unit;
  const bool known = std::filesystem::exists(path);
  if (property == "LoadState") return known ? "loaded" : "not-found";
  if (property == "FragmentPath") return known ? path : "";
  return property == "ActiveState" ? "inactive" : "";
}

void set_text(const std::string& unit, const std::string& property, const std::string& text) {
  std::filesystem::create_directories(state + '/' + unit);
  std::ofstream(state + '/' + unit + '/' + property) << text << '\n';
}

/// A list of names, from a file with blanks between them.
int answer_list(sd_bus_message* call, const std::string& names) {
  sd_bus_message* reply = nullptr;
  if (sd_bus_message_new_method_return(call, &reply) < 0) return -1;
  sd_bus_message_open_container(reply, 'v', "as");
  sd_bus_message_open_container(reply, 'a', "s");
  std::istringstream words(names);
  for (std::string word; words >> word;) sd_bus_message_append(reply, "s", word.c_str());
  sd_bus_message_close_container(reply);
  sd_bus_message_close_container(reply);
  const int code = sd_bus_send(nullptr, reply, nullptr);
  sd_bus_message_unref(reply);
  return code;
}

bool is_list(const std::string& name) {
  for (const char* const list :
       {"Requires", "Requisite", "BindsTo", "Wants", "Upholds", "Conflicts", "ConflictedBy",
        "RequiredBy", "RequisiteOf", "BoundBy", "ConsistsOf", "PropagatesStopTo"})
    if (name == list) return true;
  return false;
}

int answer_property(sd_bus_message* call) {
  const char* interface = nullptr;
  const char* name = nullptr;
  char* unit = nullptr;
  if (sd_bus_message_read(call, "ss", &interface, &name) < 0)
    return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_INVALID_ARGS, "no name");
  if (std::strcmp(name, "SystemState") == 0) {
    const std::string system = text_of("", name);
    return sd_bus_reply_method_return(call, "v", "s", system.empty() ? "running" : system.c_str());
  }
  if (std::strcmp(name, "Job") == 0) return sd_bus_reply_method_return(call, "v", "(uo)", 0, "/");
  if (sd_bus_path_decode(sd_bus_message_get_path(call), kUnits, &unit) <= 0)
    return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_INVALID_ARGS, "no such unit");
  const std::string text = text_of(unit, name);
  std::free(unit);
  if (is_list(name)) return answer_list(call, text);
  if (std::strcmp(name, "NeedDaemonReload") == 0)
    return sd_bus_reply_method_return(call, "v", "b", text == "yes" ? 1 : 0);
  if (std::strcmp(name, "MainPID") == 0)
    return sd_bus_reply_method_return(call, "v", "u",
                                      static_cast<unsigned>(std::atoi(text.c_str())));
  return sd_bus_reply_method_return(call, "v", "s", text.c_str());
}

int answer_load(sd_bus_message* call) {
  const char* unit = nullptr;
  char* path = nullptr;
  if (sd_bus_message_read(call, "s", &unit) < 0 || sd_bus_path_encode(kUnits, unit, &path) < 0)
    return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_INVALID_ARGS, "no name");
  const int code = sd_bus_reply_method_return(call, "o", path);
  std::free(path);
  return code;
}

/// Links units as the real one does. The words of `verb` are those of systemctl.
int answer_files(sd_bus_message* call, const std::string& verb, bool has_force) {
  char** units = nullptr;
  int runtime = 0;
  int force = 0;
  if (sd_bus_message_read_strv(call, &units) < 0 || sd_bus_message_read(call, "b", &runtime) < 0 ||
      (has_force && sd_bus_message_read(call, "b", &force) < 0))
    return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_INVALID_ARGS, "bad arguments");
  std::string names;
  for (char** unit = units; *unit != nullptr; ++unit) {
    names += std::string(" '") + *unit + '\'';
    std::free(*unit);
  }
  std::free(units);
  note(verb + names);
  const std::string command =
      "systemctl --root=/ --quiet " + verb + names + " > /dev/null 2> '" + state + "/said'";
  if (std::system(command.c_str()) != 0) {
    std::ifstream said(state + "/said");
    const std::string text((std::istreambuf_iterator<char>(said)), {});
    return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_FAILED, "%s", text.c_str());
  }
  return verb == "enable" ? sd_bus_reply_method_return(call, "ba(sss)", 1, 0)
                          : sd_bus_reply_method_return(call, "a(sss)", 0);
}

/// What requires the unit stops with it, what it requires starts with it.
void set_running(const std::string& unit, bool start) {
  if ((text_of(unit, "ActiveState") == "active") == start) return;
  set_text(unit, "ActiveState", start ? "active" : "inactive");
  std::istringstream others(text_of(unit, start ? "Requires" : "RequiredBy"));
  for (std::string other; others >> other;)
    if (text_of(other, "LoadState") == "loaded") set_running(other, start);
}

/// Starts and stops take no time: a unit with a file DIR/UNIT/fails stays as it was.
int answer_job(sd_bus_message* call, bool start) {
  const char* unit = nullptr;
  const char* mode = nullptr;
  if (sd_bus_message_read(call, "ss", &unit, &mode) < 0)
    return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_INVALID_ARGS, "bad arguments");
  note(std::string(start ? "start " : "stop ") + unit);
  const bool fails = std::filesystem::exists(state + '/' + unit + "/fails");
  if (!fails) set_running(unit, start);
  const char* const job = "/org/freedesktop/systemd1/job/1";
  const int code = sd_bus_reply_method_return(call, "o", job);
  if (code < 0) return code;
  return sd_bus_emit_signal(sd_bus_message_get_bus(call), "/org/freedesktop/systemd1",
                            "org.freedesktop.systemd1.Manager", "JobRemoved", "uoss", 1, job, unit,
                            fails ? "failed" : "done");
}

int on_message(sd_bus_message* message, void*, sd_bus_error*) {
  if (sd_bus_message_is_method_call(message, nullptr, nullptr) <= 0) return 0;
  const std::string member = sd_bus_message_get_member(message);
  int code = 0;
  if (member == "Get")
    code = answer_property(message);
  else if (member == "LoadUnit")
    code = answer_load(message);
  else if (member == "EnableUnitFiles")
    code = answer_files(message, "enable", true);
  else if (member == "DisableUnitFiles")
    code = answer_files(message, "disable", false);
  else if (member == "MaskUnitFiles")
    code = answer_files(message, "mask", true);
  else if (member == "UnmaskUnitFiles")
    code = answer_files(message, "unmask", false);
  else if (member == "StartUnit")
    code = answer_job(message, true);
  else if (member == "StopUnit")
    code = answer_job(message, false);
  else if (member == "Subscribe")
    code = sd_bus_reply_method_return(message, "");
  else if (member == "Reload") {
    note("reload");
    code = sd_bus_reply_method_return(message, "");
  } else {
    code = sd_bus_reply_method_errorf(message, SD_BUS_ERROR_UNKNOWN_METHOD, "%s", member.c_str());
  }
  return code < 0 ? code : 1;
}

void serve(int client) {
  sd_bus* bus = nullptr;
  sd_id128_t id{};
  sd_id128_randomize(&id);
  if (sd_bus_new(&bus) < 0 || sd_bus_set_fd(bus, client, client) < 0 ||
      sd_bus_set_server(bus, 1, id) < 0 || sd_bus_set_anonymous(bus, 1) < 0 ||
      sd_bus_add_filter(bus, nullptr, on_message, nullptr) < 0 || sd_bus_start(bus) < 0)
    return;
  for (;;) {
    const int code = sd_bus_process(bus, nullptr);
    if (code < 0) break;
    if (code == 0 && sd_bus_wait(bus, UINT64_MAX) < 0) break;
  }
  sd_bus_flush_close_unref(bus);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  state = argv[1];
  std::signal(SIGPIPE, SIG_IGN);
  ::unlink(kSocket);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, kSocket, sizeof(address.sun_path) - 1);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener, 8) != 0)
    return 1;
  for (;;) {
    const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) serve(client);
  }
}
