// SPDX-License-Identifier: Apache-2.0
#include "kinds/module/provider.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "kernel/sysfs.hpp"
#include "kinds/common/privilege.hpp"
#include "kinds/module/kind.hpp"

namespace nettune::kinds::module {
namespace {

constexpr std::size_t kMaxBuiltInBytes = std::size_t{1} << 20;

std::string name_of(const Address& address) {
  std::string name(address.rest());
  // The kernel has one spelling for modules: '-' in a file name is '_' everywhere else.
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace

Result<Value> ModuleProvider::canonical(const Address& address, const Value& want) const {
  const std::string name = name_of(address);
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (name.empty() || name.size() > kMaxModuleBytes || !std::ranges::all_of(name, fits)) {
    return fail(Errc::invalid,
                cat("'", printable(name.substr(0, 80)), "' is not a valid module name"));
  }
  if (want && *want != "loaded") {
    return fail(Errc::invalid, cat("the value of ", address.text, " must be \"loaded\", not \"",
                                   printable(*want), "\""));
  }
  return want;
}

bool ModuleProvider::is_loaded(const std::string& name) const {
  const auto sys = kernel::Directory::open(sys_);
  if (!sys || !sys->exists(cat("module/", name))) return false;
  // Built-in modules with parameters also have a directory, without this file.
  const auto state = sys->line(cat("module/", name, "/initstate"));
  return !state || *state == "live";
}

bool ModuleProvider::is_built_in(const std::string& name) const {
  const auto directory = kernel::Directory::open(directory_);
  if (!directory) return false;
  const auto list = directory->read("modules.builtin", kMaxBuiltInBytes);
  if (!list) return false;
  return std::ranges::any_of(split(*list, '\n'), [&](std::string_view path) {
    std::string file(path.substr(path.rfind('/') + 1));
    std::ranges::replace(file, '-', '_');
    return file.size() == name.size() + 3 && file.starts_with(name) && file.ends_with(".ko");
  });
}

Reading ModuleProvider::read_one(const Address& address) const {
  const std::string name = name_of(address);
  if (is_loaded(name) || is_built_in(name)) return {Presence::present, "loaded", "", {}};
  if (!kernel::Directory::open(directory_)) {
    return {Presence::not_applicable,
            "",
            cat("there is no ", directory_, ": the running kernel's modules are not installed"),
            {}};
  }
  const auto info = calls_.look_up(directory_, name);
  if (!info) return {Presence::not_permitted, "", info.error().text, {}};
  if (!info->known) {
    return {Presence::not_applicable, "", cat("kernel ", release_, " has no module ", name), {}};
  }
  if (info->name != name) {
    return {Presence::not_applicable,
            "",
            cat(name, " is an alias of the module ", info->name, "; use that name"),
            {}};
  }
  if (!info->install_command.empty()) {
    return {Presence::not_permitted,
            "",
            cat("modprobe.d has \"install ", name, " ", printable(info->install_command),
                "\"; remove that line to load the module"),
            {}};
  }
  return {Presence::absent, "", "", {}};
}

std::vector<Reading> ModuleProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  for (const Address& address : addresses) readings.push_back(read_one(address));
  return readings;
}

Effects ModuleProvider::effects(const Address& address, const Value&, const Value& after) {
  const std::string name = name_of(address);
  Effects effects;
  effects.undo = Undo::residue;
  effects.residue = "the module stays loaded until reboot";
  if (!after) return effects;
  if (!common::may_load_modules()) {
    effects.not_permitted = cat("loading ", name, " needs root (CAP_SYS_MODULE)");
  }
  if (name.starts_with("tcp_")) {
    effects.touches.push_back({Address{"sysctl:net.ipv4.tcp_available_congestion_control"}, "",
                               std::nullopt,
                               "tcp_register_congestion_control, net/ipv4/tcp_cong.c"});
  }
  const auto info = calls_.look_up(directory_, name);
  if (!info) return effects;
  for (const std::string& needed : info->dependencies) {
    if (is_loaded(needed)) continue;
    effects.touches.push_back(
        {Address{cat("module:", needed)}, "", "loaded", cat(name, " needs it")});
  }
  return effects;
}

Result<> ModuleProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  for (const Write& write : unit) {
    if (!write.after) {
      return fail(Errc::unsupported, cat(write.address.text, ": ", stays()));
    }
    TRY(calls_.insert(directory_, name_of(write.address)));
  }
  return {};
}

}  // namespace nettune::kinds::module
