// SPDX-License-Identifier: Apache-2.0
#include "kernel/firewalld.hpp"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "kernel/sd_bus.hpp"

namespace nettune::kernel {
namespace {

// firewalld.dbus(5); the part used here is the same in 1.3 and 2.3.
constexpr const char* kName = "org.fedoraproject.FirewallD1";
constexpr const char* kZone = "org.fedoraproject.FirewallD1.zone";
constexpr const char* kConfig = "org.fedoraproject.FirewallD1.config";
constexpr const char* kConfigZone = "org.fedoraproject.FirewallD1.config.zone";
constexpr const char* kFirewalldPath = "/org/fedoraproject/FirewallD1";
constexpr const char* kConfigPath = "/org/fedoraproject/FirewallD1/config";

/// While it loads large sets it does not answer.
constexpr std::chrono::seconds kAnswerPatience{30};
/// More than any node has; the bus itself allows up to 128 MiB.
constexpr std::size_t kMaxTexts = 100'000;

/// The object and interface of a method.
struct Method {
  const char* path;
  const char* interface;
  const char* member;
};

Failure not_running() {
  return fail(Errc::not_found, "firewalld is not running: its name has no owner on the system bus");
}

/// firewalld's own errors begin with a code: firewall/errors.py.
Failure own_error(std::string_view message) {
  const std::string said = printable(message.substr(0, 300));
  if (message.starts_with("PANIC_MODE"))
    return fail(Errc::busy,
                "firewalld is in panic mode and accepts no rules; run firewall-cmd --panic-off");
  if (message.starts_with("ACCESS_DENIED"))
    return fail(Errc::denied, cat("firewalld is locked down: ", said));
  if (message.starts_with("INVALID_ZONE"))
    return fail(Errc::not_found, cat("firewalld has no such zone: ", said));
  return fail(Errc::io, cat("firewalld: ", said));
}

Failure failure_of(int code, const BusError& error) {
  const std::string_view name = error.name();
  const std::string said = error.text(code);
  if (name.ends_with("ServiceUnknown") || name.ends_with("NameHasNoOwner")) return not_running();
  if (name.ends_with("NotAuthorizedException") || name.ends_with("AccessDenied"))
    return fail(Errc::denied, cat("firewalld refuses this user: ", said), EACCES);
  if (name == "org.fedoraproject.FirewallD1.Exception") return own_error(error.message());
  if (code == -ETIMEDOUT || name.ends_with("NoReply"))
    return fail(Errc::io, cat("firewalld did not answer within ", kAnswerPatience.count(), " s"),
                ETIMEDOUT);
  return fail(Errc::io, cat("firewalld: ", said), -code);
}

/// A connection to the bus.
class Client {
 public:
  /// not_found without a bus.
  static Result<Client> open() {
    if (!sd_bus_library().missing.empty()) return fail(Errc::unsupported, sd_bus_library().missing);
    sd_bus* raw = nullptr;
    const int code = sd_bus_library().open_system(&raw);
    if (code < 0)
      return fail(
          Errc::not_found,
          cat("firewalld is not running: there is no system bus (", std::strerror(-code), ")"),
          -code);
    return Client(Bus(raw));
  }
  /// Connects to firewalld; not_found if it does not run.
  static Result<Client> to_firewalld() {
    TRY_ASSIGN(Client client, open());
    TRY_ASSIGN(const bool runs, client.runs());
    if (!runs) return not_running();
    return client;
  }

  Result<bool> runs() const {
    TRY_ASSIGN(
        const BusMessage reply,
        call("org.freedesktop.DBus",
             {"/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner"}, {kName}, false));
    int has = 0;
    if (sd_bus_library().read_basic(reply.get(), 'b', &has) < 0) return odd_answer("NameHasOwner");
    return has != 0;
  }

  using Texts = std::initializer_list<const char*>;
  Result<BusMessage> call(const Method& method, Texts texts = {}) const {
    return call(kName, method, texts, false);
  }
  /// Without a timeout as last argument: an added rule stays until it is removed.
  Result<BusMessage> call_for_good(const Method& method, Texts texts) const {
    return call(kName, method, texts, true);
  }

  /// The single text of a method's answer; an object path is also one.
  Result<std::string> text(const Method& method, Texts texts = {}, char type = 's') const {
    TRY_ASSIGN(const BusMessage reply, call(method, texts));
    const char* value = nullptr;
    if (sd_bus_library().read_basic(reply.get(), type, static_cast<void*>(&value)) < 0 || !value)
      return odd_answer(method.member);
    return std::string(value);
  }

  static Failure odd_answer(const char* member) {
    return fail(Errc::io, cat("firewalld answers ", member, " in an undocumented form"));
  }

 private:
  explicit Client(Bus bus) : bus_(std::move(bus)) {}

  Result<BusMessage> call(const char* destination, const Method& method, Texts texts,
                          bool for_good) const {
    const SdBus& bus = sd_bus_library();
    sd_bus_message* raw = nullptr;
    BusError error;
    int code =
        bus.new_call(bus_.get(), &raw, destination, method.path, method.interface, method.member);
    const BusMessage message(raw);
    // Reading a firewall must not start one: it has a service file on the bus.
    if (code >= 0) code = bus.set_auto_start(message.get(), 0);
    for (const char* const text : texts)
      if (code >= 0) code = bus.append_basic(message.get(), 's', text);
    const std::int32_t no_timeout = 0;
    if (code >= 0 && for_good) code = bus.append_basic(message.get(), 'i', &no_timeout);
    sd_bus_message* answer = nullptr;
    if (code >= 0)
      code = bus.call(bus_.get(), message.get(), std::chrono::microseconds(kAnswerPatience).count(),
                      error.get(), &answer);
    BusMessage reply(answer);
    if (code < 0) return failure_of(code, error);
    return reply;
  }

  Bus bus_;
};

/// The texts of an array, at the reader's position.
std::optional<std::vector<std::string>> read_texts(sd_bus_message* message) {
  std::vector<std::string> texts;
  if (sd_bus_library().enter(message, 'a', "s") < 0) return std::nullopt;
  const char* text = nullptr;
  int more = 0;
  while ((more = sd_bus_library().read_basic(message, 's', static_cast<void*>(&text))) > 0) {
    if (texts.size() >= kMaxTexts) return std::nullopt;
    texts.emplace_back(text);
  }
  if (more < 0 || sd_bus_library().exit(message) < 0) return std::nullopt;
  return texts;
}

/// a{sas} of one zone: its interfaces and sources.
bool read_members(sd_bus_message* message, FirewalldZone& zone) {
  if (sd_bus_library().enter(message, 'a', "{sas}") < 0) return false;
  int more = 0;
  while ((more = sd_bus_library().enter(message, 'e', "sas")) > 0) {
    const char* key = nullptr;
    if (sd_bus_library().read_basic(message, 's', static_cast<void*>(&key)) <= 0) return false;
    const std::string_view name = key;
    auto* const into = name == "interfaces" ? &zone.interfaces
                       : name == "sources"  ? &zone.sources
                                            : nullptr;
    auto texts = read_texts(message);
    if (!texts || sd_bus_library().exit(message) < 0) return false;
    if (into) *into = std::move(*texts);
  }
  return more == 0 && sd_bus_library().exit(message) >= 0;
}

Result<std::vector<FirewalldZone>> active_zones(const Client& client) {
  TRY_ASSIGN(const BusMessage reply, client.call({kFirewalldPath, kZone, "getActiveZones"}));
  sd_bus_message* const message = reply.get();
  std::vector<FirewalldZone> zones;
  bool good = sd_bus_library().enter(message, 'a', "{sa{sas}}") >= 0;
  int more = 0;
  while (good && (more = sd_bus_library().enter(message, 'e', "sa{sas}")) > 0) {
    FirewalldZone zone;
    const char* name = nullptr;
    good = sd_bus_library().read_basic(message, 's', static_cast<void*>(&name)) > 0;
    if (good) zone.name = name;
    good = good && read_members(message, zone) && sd_bus_library().exit(message) >= 0;
    zones.push_back(std::move(zone));
  }
  if (!good || more < 0) return Client::odd_answer("getActiveZones");
  return zones;
}

/// "target" of a{sv}.
Result<std::string> target_of(const Client& client, const std::string& zone) {
  TRY_ASSIGN(const BusMessage reply,
             client.call({kFirewalldPath, kZone, "getZoneSettings2"}, {zone.c_str()}));
  sd_bus_message* const message = reply.get();
  if (sd_bus_library().enter(message, 'a', "{sv}") < 0)
    return Client::odd_answer("getZoneSettings2");
  while (sd_bus_library().enter(message, 'e', "sv") > 0) {
    const char* key = nullptr;
    if (sd_bus_library().read_basic(message, 's', static_cast<void*>(&key)) <= 0) break;
    if (std::string_view(key) != "target") {
      if (sd_bus_library().skip(message, "v") < 0 || sd_bus_library().exit(message) < 0) break;
      continue;
    }
    const char* target = nullptr;
    if (sd_bus_library().enter(message, 'v', "s") <= 0 ||
        sd_bus_library().read_basic(message, 's', static_cast<void*>(&target)) <= 0)
      break;
    return std::string(target);
  }
  return std::string("default");
}

Result<std::string> version_of(const Client& client) {
  TRY_ASSIGN(
      const BusMessage reply,
      client.call({kFirewalldPath, "org.freedesktop.DBus.Properties", "Get"}, {kName, "version"}));
  const char* version = nullptr;
  if (sd_bus_library().enter(reply.get(), 'v', "s") <= 0 ||
      sd_bus_library().read_basic(reply.get(), 's', static_cast<void*>(&version)) <= 0)
    return Client::odd_answer("version");
  return std::string(version);
}

Result<bool> in_panic(const Client& client) {
  TRY_ASSIGN(const BusMessage reply, client.call({kFirewalldPath, kName, "queryPanicMode"}));
  int panic = 0;
  if (sd_bus_library().read_basic(reply.get(), 'b', &panic) < 0)
    return Client::odd_answer("queryPanicMode");
  return panic != 0;
}

/// The object of the zone's permanent configuration.
Result<std::string> object_of(const Client& client, const std::string& zone) {
  return client.text({kConfigPath, kConfig, "getZoneByName"}, {zone.c_str()}, 'o');
}

const char* member_of(const FirewalldChange& change) {
  return change.add ? "addRichRule" : "removeRichRule";
}

Result<BusMessage> change_runtime(const Client& client, const std::string& zone,
                                  const FirewalldChange& change) {
  const Method method{kFirewalldPath, kZone, member_of(change)};
  return change.add ? client.call_for_good(method, {zone.c_str(), change.rule.c_str()})
                    : client.call(method, {zone.c_str(), change.rule.c_str()});
}

/// Whether it failed because the change is already there.
bool is_so_already(const Error& error, bool add) {
  return error.text.find(add ? "firewalld: ALREADY_ENABLED" : "firewalld: NOT_ENABLED") !=
         std::string::npos;
}

}  // namespace

Result<bool> firewalld_runs() {
  auto client = Client::open();
  if (!client && client.error().code != Errc::io) return false;
  if (!client) return fail(std::move(client).error());
  return client->runs();
}

Result<FirewalldState> read_firewalld() {
  TRY_ASSIGN(const Client client, Client::to_firewalld());
  FirewalldState state;
  TRY_ASSIGN(state.default_zone, client.text({kFirewalldPath, kName, "getDefaultZone"}));
  TRY_ASSIGN(state.zones, active_zones(client));
  TRY_ASSIGN(state.version, version_of(client));
  // firewalld 1.3 omits the default zone while it has no interfaces or sources.
  bool listed = false;
  for (const FirewalldZone& zone : state.zones) listed = listed || zone.name == state.default_zone;
  if (!listed) state.zones.push_back({state.default_zone, "", {}, {}});
  for (FirewalldZone& zone : state.zones) {
    TRY_ASSIGN(zone.target, target_of(client, zone.name));
  }
  TRY_ASSIGN(state.panic, in_panic(client));
  return state;
}

Result<std::vector<std::string>> firewalld_rules(FirewalldLayer layer, const std::string& zone) {
  TRY_ASSIGN(const Client client, Client::to_firewalld());
  BusMessage reply;
  if (layer == FirewalldLayer::permanent) {
    TRY_ASSIGN(const std::string object, object_of(client, zone));
    TRY_ASSIGN(reply, client.call({object.c_str(), kConfigZone, "getRichRules"}));
  } else {
    TRY_ASSIGN(reply, client.call({kFirewalldPath, kZone, "getRichRules"}, {zone.c_str()}));
  }
  auto rules = read_texts(reply.get());
  if (!rules) return Client::odd_answer("getRichRules");
  return std::move(*rules);
}

Result<> change_firewalld(FirewalldLayer layer, const std::string& zone,
                          std::span<const FirewalldChange> changes) {
  TRY_ASSIGN(const Client client, Client::to_firewalld());
  std::string object;
  if (layer == FirewalldLayer::permanent) {
    TRY_ASSIGN(object, object_of(client, zone));
  }
  for (const FirewalldChange& change : changes) {
    auto done = object.empty() ? change_runtime(client, zone, change)
                               : client.call({object.c_str(), kConfigZone, member_of(change)},
                                             {change.rule.c_str()});
    if (!done && !is_so_already(done.error(), change.add)) return fail(std::move(done).error());
  }
  return {};
}

}  // namespace nettune::kernel
