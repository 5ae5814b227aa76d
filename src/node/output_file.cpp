// SPDX-License-Identifier: Apache-2.0
#include "node/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "base/walk.hpp"
#include "node/context.hpp"

namespace nettune::node {

namespace {

Failure output_failed(std::string_view doing, const std::string& path, int error) {
  const bool denied = error == EACCES || error == EPERM || error == EROFS;
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return fail(denied ? Errc::denied
              : full ? Errc::no_space
                     : Errc::io,
              cat(doing, " ", printable(path), ": ", std::strerror(error)), error);
}

Failure refused(const std::string& path, std::string_view why) {
  return fail(Errc::invalid, cat(printable(path), " ", why));
}

/// The target of the output; no status if it does not exist yet.
struct Target {
  Walked at;
  std::optional<struct stat> there;

  bool is_written_to() const { return there && !S_ISREG(there->st_mode); }
};

/// Somebody else's file in a directory that everybody can write: its purpose is unknown.
Result<> check_shared(const Target& target, const std::string& path) {
  struct stat directory {};
  if (::fstat(target.at.directory.get(), &directory) < 0)
    return output_failed("looking at", target.at.path, errno);
  const bool shared = (directory.st_mode & S_ISVTX) != 0 && (directory.st_mode & 0022) != 0;
  const uid_t owner = target.there->st_uid;
  if (!shared || owner == ::geteuid() || owner == directory.st_uid) return {};
  return fail(Errc::denied, cat(printable(path), " belongs to uid ", owner,
                                ", and everybody can create files in ", printable(target.at.path),
                                "; name another file"));
}

Result<Target> find_target(const std::string& path) {
  if (path.ends_with('/')) return refused(path, "is a directory; name a file in it");
  TRY_ASSIGN(Walked at, walk(absolute_path(path), Way::named, ::geteuid()));
  Target target{std::move(at), std::nullopt};
  struct stat status {};
  if (::fstatat(target.at.directory.get(), target.at.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) <
      0) {
    if (errno == ENOENT) return target;
    return output_failed("looking at", path, errno);
  }
  target.there = status;
  switch (status.st_mode & S_IFMT) {
    case S_IFDIR:
      return refused(path, "is a directory; name a file in it");
    case S_IFSOCK:
      return refused(path, "is a socket, which cannot be written to as a file");
    case S_IFBLK:
      return refused(path, "is a block device; its content would be overwritten");
    case S_IFLNK:  // in /proc: a descriptor
      return target;
    default:
      TRY(check_shared(target, path));
      return target;
  }
}

Result<> write_all(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return output_failed("writing", path, errno);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

/// /dev/stdout and /dev/fd/N are open already; writing continues at the caller's position.
Result<UniqueFd> open_descriptor(const Target& target, const std::string& path) {
  struct stat behind {};
  struct stat ours {};
  const auto number = parse_int(target.at.name);
  const bool is_ours =
      number && *number >= 0 && *number < 1 << 20 &&
      ::fstatat(target.at.directory.get(), target.at.name.c_str(), &behind, 0) == 0 &&
      ::fstat(static_cast<int>(*number), &ours) == 0 && behind.st_dev == ours.st_dev &&
      behind.st_ino == ours.st_ino;
  if (!is_ours) return refused(path, "is neither a file nor a descriptor of this process");
  UniqueFd fd(::fcntl(static_cast<int>(*number), F_DUPFD_CLOEXEC, 3));
  if (!fd.valid()) return output_failed("opening", path, errno);
  return fd;
}

Result<UniqueFd> open_to_write(const Target& target, const std::string& path) {
  if (S_ISLNK(target.there->st_mode)) return open_descriptor(target, path);
  UniqueFd fd;
  do {
    fd = UniqueFd(::openat(target.at.directory.get(), target.at.name.c_str(),
                           O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  } while (!fd.valid() && errno == EINTR);
  if (!fd.valid()) return output_failed("opening", path, errno);
  struct stat opened {};
  if (::fstat(fd.get(), &opened) < 0) return output_failed("looking at", path, errno);
  if (opened.st_dev != target.there->st_dev || opened.st_ino != target.there->st_ino)
    return refused(path, "was replaced in the meantime; try again");
  return fd;
}

/// The new file beside its target.
Result<UniqueFd> begin_replacing(const Target& target, const std::string& name,
                                 const std::string& path) {
  const int at = target.at.directory.get();
  (void)::unlinkat(at, name.c_str(), 0);  // left by a dead process
  UniqueFd fd(
      ::openat(at, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return output_failed("creating", path, errno);
  return fd;
}

/// Owner and mode as before; if the owner cannot be kept, the file becomes ours.
Result<> dress(const UniqueFd& fd, const Target& target, std::uint32_t mode,
               const std::string& path) {
  if (target.there && ::fchown(fd.get(), target.there->st_uid, target.there->st_gid) == 0)
    mode = target.there->st_mode & 0777U;
  if (::fchmod(fd.get(), mode) < 0) return output_failed("changing the mode of", path, errno);
  return {};
}

std::string unfinished_name() { return cat(".nettune-", ::getpid(), ".tmp"); }

Result<> replace(const Target& target, std::string_view content, std::uint32_t mode,
                 const std::string& path) {
  const std::string name = unfinished_name();
  const int at = target.at.directory.get();
  TRY_ASSIGN(const UniqueFd fd, begin_replacing(target, name, path));
  auto done = write_all(fd.get(), content, path);
  if (done) done = dress(fd, target, mode, path);
  if (done && ::renameat(at, name.c_str(), at, target.at.name.c_str()) < 0)
    done = output_failed("replacing", path, errno);
  if (!done) (void)::unlinkat(at, name.c_str(), 0);
  return done;
}

}  // namespace

Result<> write_output_file(const std::string& path, std::string_view content, std::uint32_t mode) {
  TRY_ASSIGN(const Target target, find_target(path));
  if (!target.is_written_to()) return replace(target, content, mode, path);
  TRY_ASSIGN(const UniqueFd fd, open_to_write(target, path));
  return write_all(fd.get(), content, path);
}

Result<> check_output_file(const std::string& path) {
  TRY_ASSIGN(const Target target, find_target(path));
  // A pipe is opened only once; otherwise its reader would see its end.
  if (target.is_written_to()) return {};
  const std::string name = unfinished_name();
  TRY(begin_replacing(target, name, path));
  (void)::unlinkat(target.at.directory.get(), name.c_str(), 0);
  return {};
}

}  // namespace nettune::node
