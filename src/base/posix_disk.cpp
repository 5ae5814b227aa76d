// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/disk.hpp"
#include "base/image_root.hpp"
#include "base/one_pass.hpp"
#include "base/replace_barrier.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "base/walk.hpp"

namespace nettune::inline base {

namespace {

Errc code_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Errc::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case EBUSY:  // a mount point (vfs_rename(), fs/namei.c)
      return Errc::denied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return Errc::no_space;
    case EEXIST:
      return Errc::conflict;
    default:
      return Errc::io;
  }
}

Failure failed(std::string_view doing, const std::string& path, int error) {
  std::string reason = std::strerror(error);
  if (error == ELOOP) reason = "is a symbolic link, which nettune does not follow here";
  if (error == EFBIG) reason += " (above this process's file size limit: ulimit -f)";
  return fail(code_of(error), cat(doing, " ", printable(outside_path(path)), ": ", reason), error);
}

class PosixFile final : public DiskFile {
 public:
  PosixFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Result<> append(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        return failed("writing", path_, errno);
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

  Result<> reserve(std::uint64_t bytes) override {
    const off_t end = ::lseek(fd_.get(), 0, SEEK_CUR);
    if (end < 0) return failed("measuring", path_, errno);
    // fallocate() checks the limit only if it changes the size (vfs_fallocate(), Linux 6.1).
    rlimit most{};
    if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
        static_cast<rlim_t>(end) + bytes > most.rlim_cur)
      return failed("reserving room for", path_, EFBIG);
    while (::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, end, static_cast<off_t>(bytes)) < 0) {
      if (errno == EINTR) continue;
      if (errno == EOPNOTSUPP || errno == ENOSYS) return {};
      return failed("reserving room for", path_, errno);
    }
    return {};
  }

  Result<> sync() override {
    if (::fdatasync(fd_.get()) < 0) return failed("syncing", path_, errno);
    return {};
  }

 private:
  UniqueFd fd_;
  std::string path_;
};

/// The directory for the system calls of the *at family.
class Place {
 public:
  explicit Place(const std::string& path) : name_(path) {}
  explicit Place(Trail::Place place) : lent_(place.directory), name_(std::move(place.name)) {}
  explicit Place(Walked walked)
      : directory_(std::move(walked.directory)), name_(std::move(walked.name)) {}

  int at() const { return directory_.valid() ? directory_.get() : lent_; }
  const char* name() const { return name_.c_str(); }

 private:
  UniqueFd directory_;
  int lent_ = AT_FDCWD;  ///< the directory, if it belongs to somebody else
  std::string name_;
};

class PosixDisk : public Disk {
 public:
  Result<std::optional<FileInfo>> info(const std::string& path) override {
    const auto place = find(path);
    if (!place && place.error().code == Errc::not_found) return std::optional<FileInfo>();
    if (!place) return fail(place.error());
    struct stat status {};
    if (::fstatat(place->at(), place->name(), &status, AT_SYMLINK_NOFOLLOW) < 0) {
      if (errno == ENOENT || errno == ENOTDIR) return std::optional<FileInfo>();
      return failed("reading", path, errno);
    }
    return std::optional<FileInfo>(info_of(status));
  }

  Result<std::optional<std::string>> read(const std::string& path, std::uint64_t limit) override {
    TRY_ASSIGN(auto loaded, load(path, limit));
    if (!loaded) return std::optional<std::string>();
    if (loaded->info.kind == FileInfo::Kind::symlink) return failed("opening", path, ELOOP);
    if (loaded->info.kind != FileInfo::Kind::regular)
      return fail(Errc::unsupported, cat(printable(outside_path(path)), " is not a regular file"));
    return std::optional<std::string>(std::move(loaded->content));
  }

  Result<std::optional<Loaded>> load(const std::string& path, std::uint64_t limit) override {
    TRY_ASSIGN(const auto opened, open_to_load(path));
    if (!opened) return std::optional<Loaded>();
    TRY_ASSIGN(std::string content, content_of(*opened, path, limit));
    return std::optional<Loaded>(Loaded{opened->info, std::move(content)});
  }

  Result<std::vector<std::string>> list(const std::string& path) override {
    std::vector<std::string> names;
    auto opened = open_path(path, O_RDONLY | O_DIRECTORY, "opening directory");
    if (!opened) {
      if (opened.error().sys == ENOENT) return names;
      return fail(std::move(opened).error());
    }
    // readdir(3) costs three system calls more.
    alignas(dirent64) std::array<char, 32768> entries;
    ssize_t size = 0;
    while ((size = ::getdents64(opened->get(), entries.data(), entries.size())) > 0) {
      for (const char* at = entries.data(); at < entries.data() + size;) {
        const auto* const entry = reinterpret_cast<const dirent64*>(at);
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
        at += entry->d_reclen;
      }
    }
    if (size < 0) return failed("listing", path, errno);
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<std::unique_ptr<DiskFile>> create(const std::string& path, std::uint32_t mode,
                                           std::uint32_t uid, std::uint32_t gid) override {
    TRY_ASSIGN(const Place place, find(path));
    int fd = -1;
    do {
      fd = ::openat(place.at(), place.name(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                    0600);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) return failed("creating", path, errno);
    UniqueFd file(fd);
    struct stat status {};
    if (::fstat(fd, &status) < 0) return failed("reading", path, errno);
    if ((status.st_uid != uid || status.st_gid != gid) && ::fchown(fd, uid, gid) < 0)
      return failed("changing the owner of", path, errno);
    if ((status.st_mode & 07777U) != mode && ::fchmod(fd, mode) < 0)
      return failed("changing the mode of", path, errno);
    return std::unique_ptr<DiskFile>(std::make_unique<PosixFile>(std::move(file), path));
  }

  Result<std::unique_ptr<DiskFile>> extend(const std::string& path, std::uint64_t size) override {
    TRY_ASSIGN(UniqueFd file, open_path(path, O_WRONLY, "opening"));
    struct stat status {};
    if (::fstat(file.get(), &status) < 0) return failed("reading", path, errno);
    if (static_cast<std::uint64_t>(status.st_size) > size &&
        ::ftruncate(file.get(), static_cast<off_t>(size)) < 0)
      return failed("cutting", path, errno);
    if (::lseek(file.get(), static_cast<off_t>(size), SEEK_SET) < 0)
      return failed("positioning", path, errno);
    return std::unique_ptr<DiskFile>(std::make_unique<PosixFile>(std::move(file), path));
  }

  Result<> rename(const std::string& from, const std::string& to) override {
    TRY_ASSIGN(const Place source, find(from));
    TRY_ASSIGN(const Place target, find(to));
    if (::renameat(source.at(), source.name(), target.at(), target.name()) < 0)
      return failed(cat("renaming ", printable(outside_path(from)), " to"), to, errno);
    return {};
  }

  Result<> remove(const std::string& path) override { return remove_entry(path, 0, "removing"); }

  Result<> make_directory(const std::string& path, std::uint32_t mode) override {
    TRY_ASSIGN(const Place place, find(path));
    if (::mkdirat(place.at(), place.name(), 0700) < 0) {
      const int error = errno;
      struct stat status {};
      if (error == EEXIST &&
          ::fstatat(place.at(), place.name(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISDIR(status.st_mode))
        return {};
      return failed("making directory", path, error);
    }
    struct stat made {};
    if (::fstatat(place.at(), place.name(), &made, AT_SYMLINK_NOFOLLOW) < 0)
      return failed("reading", path, errno);
    // The umask took bits away. Nobody else can replace the directory meanwhile.
    if ((made.st_mode & 07777U) != mode && ::fchmodat(place.at(), place.name(), mode, 0) < 0)
      return failed("changing the mode of", path, errno);
    return {};
  }

  Result<> remove_directory(const std::string& path) override {
    return remove_entry(path, AT_REMOVEDIR, "removing directory");
  }

  std::string write_barrier(const std::string& directory) override {
    const auto place = find(directory + "/.");
    if (!place) return place.error().code == Errc::not_found ? "" : place.error().text;
    if (::faccessat(place->at(), place->name(), W_OK | X_OK, AT_EACCESS) == 0) return {};
    const std::string shown = printable(outside_path(directory));
    if (errno == EROFS) return cat(shown, " is on a read-only file system");
    if (errno != EACCES && errno != EPERM) return {};
    return cat("this process cannot write in ", shown, ::geteuid() == 0 ? "" : "; it needs root");
  }

  std::string replace_barrier(const std::string& path) override {
    const auto above = open_path(parent_path(path) + "/.", O_PATH | O_DIRECTORY, "opening");
    if (!above) return {};
    return nettune::replace_barrier(above->get(), path.substr(path.rfind('/') + 1), path);
  }

  std::string lost_by_replacing(const std::string& path) override {
    const auto place = find(path);
    struct stat status {};
    if (!place || ::fstatat(place->at(), place->name(), &status, AT_SYMLINK_NOFOLLOW) < 0 ||
        !S_ISREG(status.st_mode))
      return {};
    if (status.st_nlink > 1) return "its other hard links, which keep the old content";
    // The *at family has no such call before Linux 6.13; this one only reads.
    return ::llistxattr(path.c_str(), nullptr, 0) > 0
               ? "its extended attributes (access lists, labels)"
               : "";
  }

  Result<> sync_directory(const std::string& path) override {
    // "/.": the directory itself, even if its name is a link, as /lib is.
    TRY_ASSIGN(const UniqueFd directory,
               open_path(path + "/.", O_RDONLY | O_DIRECTORY, "opening directory"));
    if (::fsync(directory.get()) < 0) return failed("syncing directory", path, errno);
    return {};
  }

 private:
  /// Finds `path`. A disk with rules for the directories refuses it here.
  virtual Result<Place> find(const std::string& path) const { return Place(path); }

  static Result<UniqueFd> open(const Place& place, const std::string& path, int flags,
                               std::string_view doing) {
    for (;;) {
      const int fd = ::openat(place.at(), place.name(), flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
      if (fd >= 0) return UniqueFd(fd);
      if (errno != EINTR) return failed(doing, path, errno);
    }
  }

  Result<UniqueFd> open_path(const std::string& path, int flags, std::string_view doing) const {
    TRY_ASSIGN(const Place place, find(path));
    return open(place, path, flags, doing);
  }

  /// A missing or non-empty directory is left and is a success.
  Result<> remove_entry(const std::string& path, int flags, std::string_view doing) const {
    const auto place = find(path);
    if (!place && place.error().sys == ENOENT) return {};
    if (!place) return fail(place.error());
    if (::unlinkat(place->at(), place->name(), flags) == 0 || errno == ENOENT) return {};
    if (flags == AT_REMOVEDIR && (errno == ENOTEMPTY || errno == EEXIST)) return {};
    return failed(doing, path, errno);
  }

  struct Opened {
    UniqueFd fd;  ///< none for a symbolic link
    FileInfo info;
  };

  /// Nothing if there is no such file.
  Result<std::optional<Opened>> open_to_load(const std::string& path) const {
    // O_NONBLOCK: a fifo in the place of a file must not block.
    auto fd = open_path(path, O_RDONLY | O_NONBLOCK, "opening");
    Opened opened;
    if (!fd) {
      if (fd.error().code == Errc::not_found) return std::optional<Opened>();
      // A link at the path itself; one above it is a conflict.
      if (fd.error().sys != ELOOP || fd.error().code == Errc::conflict)
        return fail(std::move(fd).error());
      opened.info.kind = FileInfo::Kind::symlink;
      return std::optional<Opened>(std::move(opened));
    }
    struct stat status {};
    if (::fstat(fd->get(), &status) < 0) return failed("reading", path, errno);
    opened.fd = std::move(*fd);
    opened.info = info_of(status);
    return std::optional<Opened>(std::move(opened));
  }

  /// The content of a regular file; "" for anything else.
  static Result<std::string> content_of(const Opened& opened, const std::string& path,
                                        std::uint64_t limit) {
    if (opened.info.kind != FileInfo::Kind::regular) return std::string();
    if (opened.info.size > limit) return too_large(path, limit);
    return read_all(opened.fd.get(), path, opened.info.size, limit);
  }

  static Result<std::string> read_all(int fd, const std::string& path, std::uint64_t size,
                                      std::uint64_t limit) {
    std::string content;
    std::size_t filled = 0;
    for (;;) {
      if (content.size() == filled)
        content.resize(filled + std::max<std::size_t>(static_cast<std::size_t>(size) + 1, 4096));
      const ssize_t got = ::read(fd, content.data() + filled, content.size() - filled);
      if (got < 0) {
        if (errno == EINTR) continue;
        return failed("reading", path, errno);
      }
      filled += static_cast<std::size_t>(got);
      // A short read of a regular file is its end once the size from stat is reached.
      if (got == 0 || (filled < content.size() && filled >= size)) break;
      if (filled > limit) return too_large(path, limit);
    }
    content.resize(filled);
    return content;
  }

  static Failure too_large(const std::string& path, std::uint64_t limit) {
    return fail(Errc::invalid,
                cat(printable(outside_path(path)), " is larger than ", limit, " bytes"));
  }
};

/// For reads of RootsDisk, with one trail for all paths. A place is valid until the next, so
/// nothing that needs two is done here.
class RootsPass final : public PosixDisk {
 public:
  explicit RootsPass(std::uint32_t trusted_uid) : trail_(trusted_uid) {}

  Result<> rename(const std::string& from, const std::string& to) override {
    return fail(Errc::unsupported,
                cat("renaming ", printable(from), " to ", printable(to), " in a pass of reads"));
  }

 private:
  Result<Place> find(const std::string& path) const override {
    TRY_ASSIGN(Trail::Place place, trail_.to(path));
    return Place(std::move(place));
  }

  mutable Trail trail_;
};

/// Walks to each path itself: nothing is done through directories that others can change.
class RootsDisk final : public PosixDisk {
 public:
  explicit RootsDisk(std::uint32_t trusted_uid) : trusted_uid_(trusted_uid) {}

  std::unique_ptr<Disk> one_pass() const override {
    return std::make_unique<RootsPass>(trusted_uid_);
  }

 private:
  Result<Place> find(const std::string& path) const override {
    TRY_ASSIGN(Walked walked, walk(path, Way::trusted, trusted_uid_));
    return Place(std::move(walked));
  }

  std::uint32_t trusted_uid_;
};

}  // namespace

OnePass::OnePass(Disk& disk) : disk_(disk), own_(disk.one_pass()) {}

std::string parent_path(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

Result<std::optional<Disk::Loaded>> Disk::load(const std::string& path, std::uint64_t limit) {
  TRY_ASSIGN(const auto found, info(path));
  if (!found) return std::optional<Loaded>();
  Loaded loaded{*found, {}};
  if (found->kind == FileInfo::Kind::regular) {
    TRY_ASSIGN(auto content, read(path, limit));
    if (!content) return std::optional<Loaded>();
    loaded.content = std::move(*content);
  }
  return std::optional<Loaded>(std::move(loaded));
}

Result<> write_new_file(Disk& disk, const std::string& path, std::string_view content,
                        std::uint32_t mode, std::uint32_t uid, std::uint32_t gid) {
  TRY_ASSIGN(const auto file, disk.create(path, mode, uid, gid));
  TRY(file->append(content));
  TRY(file->sync());
  return disk.sync_directory(parent_path(path));
}

std::unique_ptr<Disk> posix_disk() { return std::make_unique<PosixDisk>(); }

std::unique_ptr<Disk> roots_disk(std::uint32_t trusted_uid) {
  return std::make_unique<RootsDisk>(trusted_uid);
}

}  // namespace nettune::inline base
