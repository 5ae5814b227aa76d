// SPDX-License-Identifier: Apache-2.0
#include "node/image.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.hpp"
#include "base/image_root.hpp"
#include "base/text.hpp"
#include "kinds/registry.hpp"

namespace nettune::node {

namespace {

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_this_machine(const std::string& directory) {
  struct stat here {};
  struct stat there {};
  return ::stat("/", &here) == 0 && ::stat(directory.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

}  // namespace

Result<> enter_image(const std::string& directory) {
  const std::string shown = printable(directory);
  if (!is_directory(directory))
    return fail(Errc::invalid, cat("--root ", shown, " is not a directory"));
  if (is_this_machine(directory))
    return fail(Errc::invalid, cat("--root ", shown, " is this machine; leave the option out"));
  if (!is_directory(directory + "/etc"))
    return fail(Errc::invalid, cat("--root ", shown, " has no etc, so it is not a system image"));
  // glibc chooses name services by this machine's configuration and libraries, and does not choose
  // again after a chroot.
  (void)::getpwuid(::geteuid());
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(directory.c_str(), nullptr),
                                                         &std::free);
  if (::chroot(directory.c_str()) != 0 || ::chdir("/") != 0) {
    const int error = errno;
    if (error == EPERM) return fail(Errc::denied, "--root needs root: try sudo", error);
    return fail(Errc::io, cat("--root ", shown, ": ", std::strerror(error)), error);
  }
  set_image_root(real ? real.get() : directory);
  return {};
}

std::string leave_for_first_boot(profile::Resolved& resolved) {
  // Only asks what a write would do; reads nothing.
  const auto disk = posix_disk();
  const Providers providers = kinds::providers(*disk, kinds::common::Places());
  std::string lasting;
  std::size_t later = 0;
  const auto waits = [&](const Setting& setting) {
    Provider* const provider = providers.find(setting.address.kind());
    if (provider && provider->staged()) return false;
    ++later;
    const Effects effects =
        provider ? provider->effects(setting.address, {}, setting.want) : Effects();
    if (effects.undo == Undo::none && lasting.empty())
      lasting = cat(setting.address.text, " cannot be undone (", effects.residue, ")");
    return true;
  };
  std::erase_if(resolved.desired.settings, waits);
  resolved.misfits.clear();
  // Devices are absent, as always in an image.
  resolved.desired.notes.clear();
  resolved.desired.notes.push_back(cat(later, later == 1 ? " setting follows" : " settings follow",
                                       " at the first boot, with those of devices"));
  if (::access("/usr/sbin/nettune", X_OK) != 0)
    resolved.desired.notes.emplace_back(
        "the image has no /usr/sbin/nettune to apply them; install the package nettune in it");
  return lasting;
}

}  // namespace nettune::node
