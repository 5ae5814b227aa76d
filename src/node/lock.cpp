// SPDX-License-Identifier: Apache-2.0
#include "node/lock.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>

#include "base/text.hpp"
#include "base/trace.hpp"
#include "kernel/command.hpp"

namespace nettune::node {

namespace {

constexpr std::chrono::milliseconds kBetweenTries{100};
constexpr mode_t kLockMode = 0600;
constexpr std::uint64_t kLocksLimit = 16U << 20;

std::string lock_path(const std::string& state_directory) { return state_directory + "/lock"; }

/// Device and inode as in /proc/locks: "08:01:131089", device numbers in hex (lock_get_status() in
/// fs/locks.c).
std::string locks_key(const struct stat& status) {
  const auto hex = [](unsigned number) {
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
    const std::string text(digits, end);
    return text.size() < 2 ? "0" + text : text;
  };
  return cat(hex(major(status.st_dev)), ":", hex(minor(status.st_dev)), ":", status.st_ino);
}

Failure open_failure(const std::string& path, int error) {
  const Errc code = error == ENOENT || error == ENOTDIR                   ? Errc::not_found
                    : error == EACCES || error == EPERM || error == EROFS ? Errc::denied
                    : error == ENOSPC || error == EDQUOT                  ? Errc::no_space
                                                                          : Errc::io;
  const std::string reason = error == EISDIR  ? "it is a directory; move it away"
                             : error == ELOOP ? "it is a symbolic link; move it away"
                                              : std::strerror(error);
  return fail(code, cat("cannot open the lock ", printable(path), ": ", reason), error);
}

}  // namespace

Lock::Lock(UniqueFd file) : file_(std::move(file)) { kernel::keep_in_writers(file_.get()); }

Lock::~Lock() {
  if (file_.valid()) kernel::keep_in_writers(-1);
}

Result<Lock> Lock::take(const std::string& state_directory, std::int64_t patience_s) {
  const std::string path = lock_path(state_directory);
  const trace::Step step("lock ", path);
  UniqueFd file(
      ::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kLockMode));
  if (!file.valid()) return open_failure(path, errno);
  struct stat status {};
  // The umask took bits away.
  if (::fstat(file.get(), &status) == 0 && (status.st_mode & 07777U) != kLockMode)
    static_cast<void>(::fchmod(file.get(), kLockMode));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(patience_s);
  int error = 0;
  do {
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return Lock(std::move(file));
    error = errno;
    if (patience_s > 0) std::this_thread::sleep_for(kBetweenTries);
  } while (error == EWOULDBLOCK && std::chrono::steady_clock::now() < deadline);
  if (error != EWOULDBLOCK)
    return fail(Errc::io, cat("cannot lock ", printable(path), ": ", std::strerror(error)), error);
  const auto holder = lock_holder(*posix_disk(), state_directory);
  return fail(Errc::busy, cat("another nettune is running on this node",
                              holder ? cat(": ", *holder) : std::string(),
                              "; wait until it has finished and try again"));
}

std::optional<std::string> lock_holder(Disk& disk, const std::string& state_directory) {
  struct stat status {};
  if (::lstat(lock_path(state_directory).c_str(), &status) < 0) return {};
  const auto locks = disk.read("/proc/locks", kLocksLimit);
  if (!locks || !*locks) return {};
  const std::string key = locks_key(status);
  for (const std::string_view line : split(**locks, '\n')) {
    // "1: FLOCK  ADVISORY  WRITE 4711 08:01:131089 0 EOF"; "->" marks a waiting one.
    const auto fields = words(line);
    if (fields.size() < 6 || fields[1] != "FLOCK" || fields[5] != key) continue;
    const auto pid = parse_int(fields[4]);
    if (!pid || *pid <= 0) return {};
    const auto comm = disk.read(cat("/proc/", *pid, "/comm"), 4096);
    const std::string name = comm && *comm ? std::string(trim(**comm)) : std::string();
    return cat("pid ", *pid,
               name.empty() ? ", which has ended; a program that it started is still running"
                            : cat(" (", printable(name), ")"));
  }
  return {};
}

}  // namespace nettune::node
