// SPDX-License-Identifier: Apache-2.0
#include "kernel/sysctl_tree.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/trace.hpp"

namespace nettune::kernel {
namespace {

/// Far more than any key has; a fake file in a test must not fill the memory.
constexpr std::size_t kMaxRawBytes = std::size_t{1} << 20;

std::string octal(unsigned mode) {
  std::string out(4, '0');
  for (std::size_t i = 4; i-- > 0; mode >>= 3U) out[i] = static_cast<char>('0' + (mode & 7U));
  return out;
}

ssize_t read_at_start(int fd, char* buffer, std::size_t size) {
  ssize_t got = 0;
  do {
    got = ::pread(fd, buffer, size, 0);
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

int SysctlTree::directory() {
  if (!directory_.valid()) {
    directory_ = UniqueFd(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  return directory_.get();
}

SysctlTree::Raw SysctlTree::read(const std::string& path) {
  trace::line("read ", root_, '/', path);
  Raw raw;
  // A root that cannot be opened says nothing about its content.
  if (directory() < 0) {
    raw.error = errno == 0 ? EIO : errno;
    return raw;
  }
  const UniqueFd file(
      ::openat(directory(), path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY));
  if (!file.valid()) {
    raw.error = errno;
    return raw;
  }
  // One read; if it filled its buffer, one larger read from the start: a bitmap that does not fit
  // is cut in the middle of a number, and the kernel returns 0 after it (proc_do_large_bitmap() in
  // kernel/sysctl.c). The longest list of ports is some 200 KiB.
  std::array<char, 4096> page;
  ssize_t got = read_at_start(file.get(), page.data(), page.size());
  if (got >= 0 && static_cast<std::size_t>(got) < page.size()) {
    raw.text.assign(page.data(), static_cast<std::size_t>(got));
    return raw;
  }
  if (got >= 0) {
    raw.text.resize(kMaxRawBytes);
    got = read_at_start(file.get(), raw.text.data(), kMaxRawBytes);
    raw.text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  if (got < 0) raw.error = errno;
  if (raw.text.size() == kMaxRawBytes) raw.error = EFBIG;
  if (raw.error != 0) raw.text.clear();
  return raw;
}

Result<> SysctlTree::write(const std::string& path, std::string_view key, std::string_view line) {
  const auto failed = [&](int error) {
    const std::string barrier = write_barrier(path);
    const bool denied = error == EACCES || error == EPERM || error == EROFS;
    std::string why = std::strerror(error);
    if (denied && !barrier.empty()) why = barrier;
    if (error == EINVAL) why += "; the kernel rejects this value";
    return fail(denied            ? Errc::denied
                : error == ENOENT ? Errc::not_found
                                  : Errc::io,
                cat("writing \"", printable(line), "\" to ", key, ": ", why), error);
  };
  const UniqueFd file(
      ::openat(directory(), path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY));
  if (!file.valid()) return failed(errno);
  trace::line("write \"", line, "\" to ", root_, '/', path);
  const std::string bytes = cat(line, '\n');
  ssize_t written = 0;
  do {
    written = ::write(file.get(), bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return failed(errno);
  // A smaller count is not an error: addrconf_fixup_forwarding() (net/ipv6/addrconf.c, 6.1) returns
  // 1 after doing all of it. The read-back decides.
  return {};
}

bool SysctlTree::exists(const std::string& path) {
  return ::faccessat(directory(), path.c_str(), F_OK, 0) == 0;
}

bool SysctlTree::is_key(const std::string& path) {
  struct stat status {};
  return ::fstatat(directory(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode);
}

std::vector<std::string> SysctlTree::list(const std::string& path) {
  std::vector<std::string> names;
  UniqueFd file(::openat(directory(), path.empty() ? "." : path.c_str(),
                         O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return names;
  const int fd = ::fcntl(file.get(), F_DUPFD_CLOEXEC, 0);
  const auto close_directory = [](DIR* stream) { ::closedir(stream); };
  const std::unique_ptr<DIR, decltype(close_directory)> stream(fd < 0 ? nullptr : ::fdopendir(fd),
                                                               close_directory);
  if (!stream) {
    if (fd >= 0) ::close(fd);
    return names;
  }
  while (const dirent* const entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

unsigned SysctlTree::mode_of(const std::string& path) {
  struct stat status {};
  if (::fstatat(directory(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) < 0) return 0;
  return status.st_mode & 07777U;
}

std::string SysctlTree::write_barrier(const std::string& path) {
  if (::faccessat(directory(), path.c_str(), W_OK, AT_EACCESS) == 0) return {};
  const int error = errno;
  const std::string full = cat(root_, '/', path);
  if (error == EROFS) {
    return cat(full, " is mounted read-only, as in a container; run nettune on the host");
  }
  const std::string mode = octal(mode_of(path));
  if (error == EACCES && (mode_of(path) & 0222U) == 0) {
    return cat(full, " (mode ", mode,
               ") is read-only here (it may exist only in the host's network namespace)");
  }
  if (::geteuid() != 0) return cat(full, " has mode ", mode, ": writing it needs root");
  return cat(full, " (mode ", mode, ") cannot be written by this process: ", std::strerror(error));
}

std::string SysctlTree::read_barrier(const std::string& path, int error) {
  const std::string full = cat(root_, '/', path);
  const unsigned mode = mode_of(path);
  if (error == EISDIR) return cat(full, " is a directory of keys, not a key");
  if (error == ELOOP) return cat(full, " is a symbolic link");
  if ((mode & 0444U) == 0 && (mode & 0222U) != 0) {
    return cat(full, " has mode ", octal(mode),
               ": it cannot be read, so nettune does not write it");
  }
  if (error == EACCES && ::geteuid() != 0) {
    return cat(full, " has mode ", octal(mode), ": reading it needs root");
  }
  return cat(full, " cannot be read: ", std::strerror(error));
}

}  // namespace nettune::kernel
