// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/reader/input.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inflater.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"

namespace nettune::tools::nccl::log::reader {

namespace {

using Piece = Inflater::Piece;
constexpr std::size_t kPiece = Inflater::kPiece;

/// By its mark, or by a zero beside each of the first letters.
bool is_utf16(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return true;
  constexpr std::size_t kEnough = 16;
  if (bytes.size() < kEnough) return false;
  for (const std::size_t zero : {0U, 1U}) {
    bool is_all = true;
    for (std::size_t i = 0; i < kEnough; ++i)
      is_all = is_all && (bytes[i] == '\0') == (i % 2 == zero);
    if (is_all) return true;
  }
  return false;
}

Errc code_of(int error) {
  if (error == ENOENT || error == ENOTDIR) return Errc::not_found;
  if (error == EACCES || error == EPERM) return Errc::denied;
  return Errc::io;
}

Failure failed(const std::string& path, int error) {
  return fail(code_of(error), cat(printable(path), ": ", std::strerror(error)), error);
}

Result<> read_all(int fd, const std::string& path, Reader& reader, bool& cut) {
  const auto piece = std::make_unique<Piece>();
  std::unique_ptr<Inflater> inflater;
  bool first = true;
  bool begins = true;  // of the text, which may have been packed
  bool utf16 = false;
  const auto take = [&](std::string_view text) {
    utf16 = utf16 || (begins && is_utf16(text));
    begins = begins && text.empty();
    if (!utf16) reader.feed(text);
  };
  for (;;) {
    // A pipe may give less than the two bytes by which gzip is known.
    std::size_t have = 0;
    while (have < (first ? 2U : 1U)) {
      const ssize_t got = read(fd, piece->data() + have, kPiece - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failed(path, errno);
      if (got == 0) break;
      have += static_cast<std::size_t>(got);
    }
    if (have == 0) break;
    const std::string_view bytes(piece->data(), have);
    if (first && bytes.starts_with("\x1f\x8b")) {
      if (!zlib().missing.empty())
        return fail(Errc::unsupported, cat(printable(path), " is packed, and ", zlib().missing));
      inflater = std::make_unique<Inflater>();
    }
    first = false;
    bool is_sound = true;
    if (inflater)
      is_sound = inflater->feed(bytes, take);
    else
      take(bytes);
    if (utf16)
      return fail(Errc::unsupported,
                  cat(printable(path), " is UTF-16, as PowerShell writes it; convert it first: ",
                      inflater ? "zcat | " : "", "iconv -f UTF-16 -t UTF-8"));
    if (!is_sound)
      return fail(Errc::invalid, cat(printable(path),
                                     ": this gzip file is damaged; gzip -t tells "
                                     "more"));
  }
  cut = inflater && !inflater->ended();
  return {};
}

}  // namespace

Result<> read_log(const std::string& path, Reader& reader, bool& cut) {
  cut = false;
  reader.begin_file(path == "-" ? "standard input" : path);
  if (path == "-") return read_all(STDIN_FILENO, path, reader, cut);
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return failed(path, errno);
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) return failed(path, errno);
  if (S_ISDIR(info.st_mode))
    return fail(Errc::invalid, cat(printable(path), " is a directory; name the logs in it"));
  return read_all(fd.get(), path, reader, cut);
}

}  // namespace nettune::tools::nccl::log::reader
