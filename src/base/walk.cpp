// SPDX-License-Identifier: Apache-2.0
#include "base/walk.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <memory>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <vector>

#include "base/image_root.hpp"
#include "base/text.hpp"

namespace nettune::inline base {

namespace {

/// The kernel's own limit (MAXSYMLINKS, include/linux/namei.h).
constexpr int kMostLinks = 40;

std::string below(const std::string& directory, std::string_view name) {
  return cat(directory == "/" ? "" : directory, "/", name);
}

Failure walk_failed(const std::string& path, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  const bool denied = error == EACCES || error == EPERM;
  return fail(missing  ? Errc::not_found
              : denied ? Errc::denied
                       : Errc::io,
              cat("opening ", printable(outside_path(path)), ": ", std::strerror(error)), error);
}

}  // namespace

class Walker {
 public:
  Walker(Way way, std::uint32_t trusted_uid) : way_(way), trusted_uid_(trusted_uid) {}

  /// With `again` the walk begins where this path leaves the last one.
  Result<> go(const std::string& path, bool again = false) {
    keeps_ = again;
    left_.clear();
    add(path);
    if (left_.empty()) left_.emplace_back(".");
    if (again && !steps_.empty())
      TRY(rejoin());
    else
      TRY(start());
    for (;;) {
      name_ = std::move(left_.back());
      left_.pop_back();
      const bool is_last = left_.empty();
      if (is_last && (way_ == Way::trusted || name_ == "." || name_ == "..")) return {};
      if (name_ == ".") continue;
      TRY_ASSIGN(const bool arrived, step(name_, is_last));
      if (arrived) return {};
      if (left_.empty()) left_.emplace_back(".");  // after a link to "/"
    }
  }

  int directory() const { return here(); }
  const std::string& name() const { return name_; }
  Walked take() {
    return {std::move(steps_.back().directory), std::move(steps_.back().path), std::move(name_)};
  }

 private:
  /// A directory on the way, from "/" on; all but the last only where the walk is to go on from it.
  struct Step {
    std::string name;
    std::string path;
    UniqueFd directory;
    FileInfo info;
  };

  int here() const { return steps_.back().directory.get(); }
  const std::string& path() const { return steps_.back().path; }

  /// Prepends the components of `path`.
  void add(std::string_view path) {
    const auto names = split(path, '/');
    for (auto name = names.rbegin(); name != names.rend(); ++name)
      if (!name->empty()) left_.emplace_back(*name);
  }

  Result<> start() {
    steps_.clear();
    const std::string root(1, '/');  // g++ 12 warns of "/" here (GCC bug 105329)
    UniqueFd directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    struct stat status {};
    if (!directory.valid() || ::fstat(directory.get(), &status) < 0)
      return walk_failed(root, errno);
    steps_.push_back({"", root, std::move(directory), info_of(status)});
    return check(steps_.back());
  }

  /// Goes back to where the ways part. A directory on the way may be the last one now: then /tmp is
  /// none of ours.
  Result<> rejoin() {
    std::size_t same = 1;
    TRY(check(steps_.front()));
    while (same < steps_.size() && left_.size() > 1 && left_.back() == steps_[same].name) {
      left_.pop_back();
      TRY(check(steps_[same]));
      ++same;
    }
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(same), steps_.end());
    return {};
  }

  /// Goes to `name` in this directory; true if that is the last component and not a link to follow.
  Result<bool> step(const std::string& name, bool is_last) {
    const std::string full = name == ".." ? parent_path(path()) : below(path(), name);
    UniqueFd next(::openat(here(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid()) {
      if (is_last && errno == ENOENT) return true;
      return walk_failed(full, errno);
    }
    struct stat status {};
    if (::fstat(next.get(), &status) < 0) return walk_failed(full, errno);
    if (S_ISLNK(status.st_mode)) {
      if (is_last && is_in_proc(next)) return true;
      TRY(follow(next, full, status.st_uid));
      return false;
    }
    if (is_last) return true;
    if (!S_ISDIR(status.st_mode)) return walk_failed(full, ENOTDIR);
    if (!keeps_) steps_.clear();
    steps_.push_back({name, full, std::move(next), info_of(status)});
    TRY(check(steps_.back()));
    return false;
  }

  /// The links of /proc/self/fd do not lead where their text says.
  static bool is_in_proc(const UniqueFd& link) {
    struct statfs system {};
    return ::fstatfs(link.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
  }

  Result<> follow(const UniqueFd& link, const std::string& full, std::uint32_t owner) {
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(link.get(), "", target, sizeof target);
    if (size < 0) return walk_failed(full, errno);
    const std::string_view text(target, static_cast<std::size_t>(size));
    const std::string what =
        cat(printable(outside_path(full)), " is a symbolic link to ", printable(text));
    if (way_ == Way::trusted)
      return fail(Errc::conflict, cat(what, ", which nettune does not follow here", instead(full)),
                  ELOOP);
    if (owner != 0 && owner != trusted_uid_)
      return fail(Errc::conflict,
                  cat(what, " made by uid ", owner,
                      "; nettune follows only links of root and of your own user"),
                  ELOOP);
    if (++links_ > kMostLinks) return walk_failed(full, ELOOP);
    add(text);
    if (text.starts_with('/')) TRY(start());
    return {};
  }

  /// The real path of the rest, through this link.
  std::string instead(const std::string& link) const {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(link.c_str(), nullptr),
                                                           &std::free);
    if (!real) return {};
    std::string path = real.get();
    for (auto name = left_.rbegin(); name != left_.rend(); ++name)
      if (*name != ".") path = below(path, *name);
    return cat("; to use it, give the path ", printable(path));
  }

  Result<> check(const Step& step) const {
    if (way_ != Way::trusted) return {};
    return check_directory(step.info, step.path, trusted_uid_, left_.size() > 1);
  }

  Way way_;
  std::uint32_t trusted_uid_;
  bool keeps_ = false;             ///< all steps, not only the last one
  std::vector<std::string> left_;  ///< components to come, the next one last
  std::string name_;               ///< the last component
  std::vector<Step> steps_;
  int links_ = 0;
};

Trail::Trail(std::uint32_t trusted_uid)
    : walker_(std::make_unique<Walker>(Way::trusted, trusted_uid)) {}
Trail::~Trail() = default;

Result<Trail::Place> Trail::to(const std::string& path) {
  TRY(walker_->go(path, true));
  return Place{walker_->directory(), walker_->name()};
}

Result<Walked> walk(const std::string& path, Way way, std::uint32_t trusted_uid) {
  Walker walker(way, trusted_uid);
  TRY(walker.go(path));
  return walker.take();
}

Result<> check_directory(const FileInfo& info, const std::string& path, std::uint32_t trusted_uid,
                         bool is_on_the_way) {
  constexpr std::uint32_t kSticky = 01000;
  const std::string outside = outside_path(path);
  const std::string shown = printable(outside);
  if (info.uid != 0 && info.uid != trusted_uid)
    return fail(
        Errc::conflict,
        cat(shown, " belongs to uid ", info.uid,
            ", who can replace files in it; nettune uses only directories of root: chown root ",
            shell_word(outside)));
  if ((info.mode & 022U) != 0 && !(is_on_the_way && (info.mode & kSticky) != 0))
    return fail(Errc::conflict, cat(shown, " is writable by users other than root (mode ",
                                    mode_text(info.mode), "): chmod go-w ", shell_word(outside)));
  return {};
}

FileInfo info_of(const struct stat& status) {
  FileInfo found;
  if (S_ISREG(status.st_mode)) found.kind = FileInfo::Kind::regular;
  if (S_ISDIR(status.st_mode)) found.kind = FileInfo::Kind::directory;
  if (S_ISLNK(status.st_mode)) found.kind = FileInfo::Kind::symlink;
  found.mode = status.st_mode & 07777U;
  found.uid = status.st_uid;
  found.gid = status.st_gid;
  found.size = static_cast<std::uint64_t>(status.st_size);
  found.mtime_ns =
      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
  return found;
}

std::string mode_text(std::uint32_t mode) {
  std::string out(4, '0');
  for (std::size_t i = 0; i < out.size(); ++i)
    out[3 - i] = static_cast<char>('0' + ((mode >> (3 * i)) & 7U));
  return out;
}

}  // namespace nettune::inline base
