// SPDX-License-Identifier: Apache-2.0
#include "kinds/module/options_provider.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "kernel/sysfs.hpp"
#include "kinds/module/options.hpp"

namespace nettune::kinds::module {
namespace {

constexpr std::size_t kMaxShownBytes = 4096;  ///< a page: kernel/params.c

std::string module_of(const Address& address) { return std::string(address.object()); }
std::string parameter_of(const Address& address) { return std::string(address.key()); }

}  // namespace

OptionsProvider::OptionsProvider(Disk& disk, const common::Places& places, std::string release,
                                 ModuleCalls calls, Parameters parameters)
    : OwnFileProvider(disk, places.module_options, kOptionsFormat),
      disk_(disk),
      sys_(places.sys),
      directory_(places.modules + "/" + release),
      release_(release),
      modules_(places.sys, places.modules, std::move(release), calls),
      calls_(std::move(calls)),
      parameters_(std::move(parameters)) {}

Result<Value> OptionsProvider::canonical(const Address& address, const Value& want) const {
  TRY_ASSIGN(const std::string name, option_name(address.rest()));
  if (name != address.rest())
    return fail(Errc::invalid, cat(printable(address.text), " is written modprobe:", name));
  if (want) TRY(check_option_value(*want));
  return want;
}

std::string OptionsProvider::not_applicable(const Address& address) {
  // An image has no running kernel, and the next boot may have another one.
  if (release_.empty()) return {};
  const std::string name = module_of(address);
  if (modules_.is_built_in(name))
    return cat(name, " is built into kernel ", release_,
               ", which reads its parameters from the kernel command line only: ", name, '.',
               parameter_of(address));
  if (modules_.is_loaded(name) || !kernel::Directory::open(directory_)) return {};
  const auto info = calls_.look_up(directory_, name);
  if (!info) return {};  // unknown, and the line does no harm
  if (!info->known) return cat("kernel ", release_, " has no module ", name);
  if (info->name != name)
    return cat(name, " is an alias of the module ", info->name, "; use that name");
  return {};
}

std::vector<Reading> OptionsProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings = OwnFileProvider::read(addresses);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (readings[i].presence != Presence::absent) continue;
    if (std::string why = not_applicable(addresses[i]); !why.empty())
      readings[i] = {Presence::not_applicable, "", std::move(why), {}};
  }
  return readings;
}

Effects OptionsProvider::effects(const Address& address, const Value& before, const Value& after) {
  Effects effects = OwnFileProvider::effects(address, before, after);
  if (!after || release_.empty()) return effects;
  const auto known = parameters_(directory_, module_of(address));
  const std::string parameter = parameter_of(address);
  if (!known || !*known || std::ranges::find(**known, parameter) != (*known)->end()) return effects;
  effects.impossible =
      cat(module_of(address), " of kernel ", release_, " has no parameter ", parameter,
          (*known)->empty() ? std::string("; it has none") : cat("; it has ", join(**known, ", ")));
  return effects;
}

std::string OptionsProvider::takes_effect(const Address& address) const {
  const std::string name = module_of(address);
  if (release_.empty()) return cat("when ", name, " is loaded");
  return modules_.is_loaded(name) ? cat(kAtNextBoot, ", or when ", name, " is loaded again")
                                  : cat("when ", name, " is loaded");
}

/// The options that the initramfs has are those of when it was made (initramfs-tools 0.142,
/// hook-functions: it copies modprobe.d).
std::string OptionsProvider::older_initramfs(const Address& address) const {
  const std::string initramfs = cat("/boot/initrd.img-", release_);
  const auto made = disk_.info(initramfs);
  const auto written = written_ns(address);
  if (!made || !*made || !written || (*made)->mtime_ns >= *written) return {};
  return cat("; ", initramfs, " is older: if it loads ", module_of(address),
             ", run update-initramfs -u");
}

InEffect OptionsProvider::in_effect(const Address& address, const Value& written) {
  using enum InEffect::State;
  const std::string name = module_of(address);
  const std::string parameter = parameter_of(address);
  if (!written) return {unseen, cat("what ", name, " uses without it is not known")};
  const auto sys = kernel::Directory::open(sys_);
  if (!sys || !modules_.is_loaded(name)) return {unseen, cat(name, " is not loaded")};
  const std::string path = cat("module/", name, "/parameters/", parameter);
  const auto shown = sys->read(path, kMaxShownBytes);
  if (shown) {
    const std::string_view now = trim(*shown);
    if (is_shown_as(*written, now)) return {yes, cat("/sys/", path, " is ", printable(now))};
    return {no, cat("/sys/", path, " is ", printable(now), older_initramfs(address))};
  }
  if (shown.error().sys != ENOENT)
    return {unseen, cat("/sys/", path, ": ", std::strerror(shown.error().sys))};
  const auto known = parameters_(directory_, name);
  if (known && *known && std::ranges::find(**known, parameter) == (*known)->end())
    return {no, cat(name, " of kernel ", release_, " has no parameter ", parameter)};
  return {unseen, cat(name, " does not show ", parameter, " in /sys/module")};
}

}  // namespace nettune::kinds::module
