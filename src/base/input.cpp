// SPDX-License-Identifier: Apache-2.0
#include "base/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/inflater.hpp"
#include "base/text.hpp"

namespace nettune::inline base {

namespace {

Failure input_failed(const std::string& name, int error) {
  Errc code = Errc::io;
  if (error == ENOENT || error == ENOTDIR) code = Errc::not_found;
  if (error == EACCES || error == EPERM) code = Errc::denied;
  return fail(code, cat(printable(name), ": ", std::strerror(error)), error);
}

}  // namespace

/// What was read and not yet given, plain or unpacked.
struct Input::Packed {
  std::unique_ptr<Inflater> inflater;  ///< null for a text that is not packed
  std::string ready;
  std::size_t at = 0;
};

Input::Input() = default;
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

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

Result<std::size_t> Input::read_plain(char* to, std::size_t size) {
  const int fd = fd_.valid() ? fd_.get() : STDIN_FILENO;
  for (;;) {
    const ssize_t got = ::read(fd, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return input_failed(name_, errno);
  }
}

/// Of a packed file, which may unpack to a thousand times as much.
constexpr std::size_t kPackedPiece = std::size_t{16} << 10;

Result<std::size_t> Input::read_packed(char* to, std::size_t size) {
  Packed& packed = *packed_;
  while (packed.at == packed.ready.size() && packed.inflater) {
    packed.ready.clear();
    packed.at = 0;
    std::string piece(kPackedPiece, '\0');
    TRY_ASSIGN(const std::size_t got, read_plain(piece.data(), piece.size()));
    if (got == 0 && !packed.inflater->ended())
      return fail(Errc::invalid,
                  cat(printable(name_), ": this gzip file is truncated; copy it again"));
    if (got == 0) return std::size_t{0};
    piece.resize(got);
    if (!packed.inflater->feed(piece, [&](std::string_view text) { packed.ready += text; }))
      return fail(Errc::invalid,
                  cat(printable(name_), ": this gzip file is damaged; gzip -t tells more"));
  }
  const std::size_t some = packed.ready.copy(to, size, packed.at);
  packed.at += some;
  return some;
}

Result<std::size_t> Input::read(char* to, std::size_t size) {
  if (!is_begun_) {
    is_begun_ = true;
    // A pipe may give less than the two bytes by which gzip is known.
    std::string mark(2, '\0');
    std::size_t have = 0;
    while (have < mark.size()) {
      TRY_ASSIGN(const std::size_t got, read_plain(mark.data() + have, mark.size() - have));
      if (got == 0) break;
      have += got;
    }
    mark.resize(have);
    packed_ = std::make_unique<Packed>();
    if (mark == "\x1f\x8b") {
      if (!zlib().missing.empty())
        return fail(Errc::unsupported, cat(printable(name_), " is packed, and ", zlib().missing));
      packed_->inflater = std::make_unique<Inflater>();
      packed_->inflater->feed(mark, [](std::string_view) {});
    } else {
      packed_->ready = std::move(mark);
    }
  }
  if (packed_->inflater || packed_->at < packed_->ready.size()) return read_packed(to, size);
  return read_plain(to, size);
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

}  // namespace nettune::inline base
