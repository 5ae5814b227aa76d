// SPDX-License-Identifier: Apache-2.0
#include "base/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"

namespace nettune {

namespace {

Failure input_failed(const std::string& name, int error) {
  Errc code = Errc::io;
  if (error == ENOENT || error == ENOTDIR) code = Errc::not_found;
  if (error == EACCES || error == EPERM) code = Errc::denied;
  return fail(code, cat(printable(name), ": ", std::strerror(error)), error);
}

}  // namespace

Result<Input> Input::open(const std::string& path) {
  Input input;
  input.name_ = path == "-" ? "standard input" : path;
  if (path == "-") return input;
  input.fd_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!input.fd_.valid()) return input_failed(path, errno);
  struct stat info {};
  if (::fstat(input.fd_.get(), &info) != 0) return input_failed(path, errno);
  if (S_ISDIR(info.st_mode))
    return fail(Errc::invalid, cat(printable(path), " is a directory; name a file in it"));
  return input;
}

Result<std::size_t> Input::read(char* to, std::size_t size) {
  const int fd = fd_.valid() ? fd_.get() : STDIN_FILENO;
  for (;;) {
    const ssize_t got = ::read(fd, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return input_failed(name_, errno);
  }
}

Result<std::string> read_input(const std::string& path, std::size_t limit) {
  TRY_ASSIGN(Input input, Input::open(path));
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::string text;
  std::size_t have = 0;
  for (;;) {
    if (text.size() == have) text.resize(std::max(kPiece, have * 2));
    TRY_ASSIGN(const std::size_t got, input.read(text.data() + have, text.size() - have));
    if (got == 0) break;
    have += got;
    if (have > limit)
      return fail(Errc::invalid, cat(printable(path), " is larger than ", limit, " bytes"));
  }
  text.resize(have);
  return text;
}

}  // namespace nettune
