// SPDX-License-Identifier: Apache-2.0
#include "kernel/attribute_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"

namespace nettune::kernel {
namespace {

Failure failed_at(const std::string& path, int error) {
  const bool denied = error == EACCES || error == EPERM || error == EROFS;
  const std::string barrier = denied ? write_barrier(path) : std::string();
  std::string why = barrier.empty() ? std::strerror(error) : barrier;
  if (error == EINVAL) why += "; the kernel rejects this value";
  return fail(denied            ? Errc::denied
              : error == ENOENT ? Errc::not_found
                                : Errc::io,
              std::move(why), error);
}

}  // namespace

Result<> write_attribute(const std::string& path, std::string_view line) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.valid()) return failed_at(path, errno);
  const std::string bytes = cat(line, '\n');
  ssize_t written = 0;
  do {
    written = ::write(file.get(), bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return failed_at(path, errno);
  return {};
}

std::string write_barrier(const std::string& path) {
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0) return {};
  const int error = errno;
  if (error == EROFS)
    return cat(path, " is mounted read-only, as in a container; run nettune on the host");
  if (error == EACCES && ::geteuid() != 0) return cat("writing ", path, " needs root");
  return cat(path, " cannot be written by this process: ", std::strerror(error));
}

}  // namespace nettune::kernel
