// SPDX-License-Identifier: Apache-2.0
#include "node/identity.hpp"

#include <cstdlib>
#include <ctime>
#include <pwd.h>
#include <string_view>
#include <sys/utsname.h>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"

namespace nettune::node {

namespace {

constexpr std::uint64_t kSmallFile = 4096;
constexpr std::size_t kMostStarterBytes = 64;

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

/// The service of systemd that this process belongs to, such as nettune-apply.service or
/// cron.service; "" for a session of a person, and where it is not known.
std::string service_of(Disk& disk) {
  const auto text = disk.read("/proc/self/cgroup", kSmallFile);
  if (!text || !*text) return {};
  for (const std::string_view line : split(**text, '\n')) {
    // cgroups(7): version 2 is hierarchy 0, version 1 has systemd's own.
    const bool is_systemd = line.starts_with("0::") || line.find(":name=systemd:") != line.npos;
    const std::string_view unit = line.substr(line.rfind('/') + 1);
    if (is_systemd && line.find(":/system.slice/") != line.npos && unit.ends_with(".service"))
      return printable(unit);
  }
  return {};
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
  std::vector<std::string> also;
  if (login && *login >= 0 && *login < 0xFFFFFFFF && static_cast<uid_t>(*login) != acting)
    also.push_back(cat("login ", user_name(static_cast<uid_t>(*login))));
  if (const std::string service = service_of(disk); !service.empty()) also.push_back(service);
  if (const char* const said = std::getenv("NETTUNE_STARTED_BY"); said && *said)
    also.push_back(cat("by ", printable(std::string_view(said).substr(0, kMostStarterBytes))));
  if (!also.empty()) identity.who += cat(" (", join(also, ", "), ")");
  return identity;
}

}  // namespace nettune::node
