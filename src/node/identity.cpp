// SPDX-License-Identifier: Apache-2.0
#include "node/identity.hpp"

#include <ctime>
#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.hpp"

namespace nettune::node {

namespace {

constexpr std::uint64_t kSmallFile = 4096;

/// "" if the file does not exist. A file that cannot be read is an error: machine and boot decide
/// what is undone, and must not be guessed.
Result<std::string> first_line(Disk& disk, const std::string& path) {
  TRY_ASSIGN(const auto content, disk.read(path, kSmallFile));
  return std::string(trim(content.value_or("")));
}

std::int64_t milliseconds(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return 0;
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::string user_name(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (::getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) == 0 && found)
    return printable(found->pw_name);
  return cat("uid ", uid);
}

Result<> say_which_machine(Identity& identity, Disk& disk) {
  TRY_ASSIGN(identity.machine_id, machine_id(disk));
  TRY_ASSIGN(identity.boot_id, boot_id(disk));
  if (identity.boot_id.empty())
    return fail(Errc::not_found,
                "/proc/sys/kernel/random/boot_id does not exist, so this boot is unknown; "
                "mount /proc");
  utsname system{};
  if (::uname(&system) == 0) identity.kernel = system.release;
  return {};
}

}  // namespace

Result<std::string> machine_id(Disk& disk) {
  TRY_ASSIGN(std::string id, first_line(disk, "/etc/machine-id"));
  // machine-id(5): the content in an image before its first boot.
  return id == "uninitialized" ? std::string() : std::move(id);
}

std::int64_t boottime_ms() { return milliseconds(CLOCK_BOOTTIME); }
std::int64_t boottime_s() { return boottime_ms() / 1000; }

Result<std::string> boot_id(Disk& disk) {
  return first_line(disk, "/proc/sys/kernel/random/boot_id");
}

Result<Identity> personal_identity(Disk& disk, bool image) {
  Identity identity;
  if (image)
    identity.boot_id = "image";
  else
    TRY(say_which_machine(identity, disk));
  identity.time_s = milliseconds(CLOCK_REALTIME) / 1000;
  identity.boottime_s = boottime_s();
  const uid_t acting = ::geteuid();
  identity.who = user_name(acting);
  // 4294967295 means "nobody logged in": a service, or a kernel without audit.
  const auto login_text = first_line(disk, "/proc/self/loginuid");
  const auto login = login_text ? parse_int(*login_text) : std::nullopt;
  if (login && *login >= 0 && *login < 0xFFFFFFFF && static_cast<uid_t>(*login) != acting)
    identity.who += cat(" (login ", user_name(static_cast<uid_t>(*login)), ")");
  return identity;
}

}  // namespace nettune::node
