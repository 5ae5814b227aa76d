// SPDX-License-Identifier: Apache-2.0
#include "kernel/sysfs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/text.hpp"
#include "base/tree_path.hpp"

namespace nettune::kernel {
namespace {

constexpr std::size_t kLineLimit = 4096;
constexpr std::size_t kEntryLimit = 200'000;

const char* relative(const std::string& path) {
  const std::size_t start = path.find_first_not_of('/');
  return start == std::string::npos ? "." : path.c_str() + start;
}

Failure failure(const std::string& path, int sys) {
  Errc code = Errc::io;
  if (sys == ENOENT || sys == ENOTDIR || sys == ESRCH || sys == ENODEV) code = Errc::not_found;
  if (sys == EACCES || sys == EPERM) code = Errc::denied;
  return fail(code, cat(printable(path), ": ", std::generic_category().message(sys)), sys);
}

UniqueFd open_at(int base, const char* path, int flags) {
  return UniqueFd(::openat(base, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags));
}

/// Reads up to `size` bytes; -1 with errno on failure.
ssize_t read_some(int fd, char* data, std::size_t size) {
  ssize_t got = 0;
  do {
    got = ::read(fd, data, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

struct CloseDirectory {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

}  // namespace

Result<Directory> Directory::open(const std::string& path) {
  UniqueFd fd = open_at(AT_FDCWD, path.c_str(), O_DIRECTORY);
  if (!fd.valid()) return failure(path, errno);
  return Directory(std::move(fd));
}

Result<Directory> Directory::open_node(const std::string& path) {
  TRY_ASSIGN(Directory root, open(path));
  if (path != "/") root.in_tree_ = ".";
  return root;
}

std::optional<std::string> Directory::at(const std::string& path, bool follow) const {
  if (!in_tree_) return relative(path);
  return path_in_tree(fd_.get(), cat(*in_tree_, "/", path), follow);
}

UniqueFd Directory::open_below(const std::string& path, int flags) const {
  const auto place = at(path, true);
  if (place) return open_at(fd_.get(), place->c_str(), flags);
  errno = ELOOP;
  return UniqueFd();
}

std::optional<Directory> Directory::directory(const std::string& path) const {
  auto place = at(path, true);
  if (!place) return std::nullopt;
  UniqueFd fd = open_at(fd_.get(), place->c_str(), O_DIRECTORY);
  if (!fd.valid()) return std::nullopt;
  if (!in_tree_) return Directory(std::move(fd));
  Directory found(open_at(fd_.get(), ".", O_DIRECTORY));
  if (!found.fd_.valid()) return std::nullopt;
  found.in_tree_ = std::move(place);
  return found;
}

Result<std::string> Directory::read(const std::string& path, std::size_t limit) const {
  const UniqueFd fd = open_below(path, 0);
  if (!fd.valid()) return failure(path, errno);
  std::string content;
  std::size_t used = 0;
  while (true) {
    if (used == content.size()) content.resize(std::max<std::size_t>(kLineLimit, used * 2));
    const ssize_t got = read_some(fd.get(), content.data() + used, content.size() - used);
    if (got < 0) return failure(path, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > limit) return failure(path, EFBIG);
  }
  content.resize(used);
  return content;
}

std::optional<std::string> Directory::line(const std::string& path) const {
  const UniqueFd fd = open_below(path, 0);
  if (!fd.valid()) return std::nullopt;
  std::array<char, kLineLimit> buffer;
  const ssize_t got = read_some(fd.get(), buffer.data(), buffer.size());
  if (got < 0) return std::nullopt;
  const std::string_view all(buffer.data(), static_cast<std::size_t>(got));
  return std::string(trim(all.substr(0, all.find('\n'))));
}

std::optional<long long> Directory::number(const std::string& path) const {
  const auto text = line(path);
  if (!text) return std::nullopt;
  const auto value = parse_int(*text);
  return value ? std::optional<long long>(*value) : std::nullopt;
}

std::optional<std::string> Directory::link(const std::string& path) const {
  std::array<char, PATH_MAX> buffer;
  const auto place = at(path, false);
  if (!place) return std::nullopt;
  const ssize_t got = ::readlinkat(fd_.get(), place->c_str(), buffer.data(), buffer.size());
  if (got < 0) return std::nullopt;
  return std::string(buffer.data(), static_cast<std::size_t>(got));
}

std::optional<std::string> Directory::link_name(const std::string& path) const {
  auto target = link(path);
  if (target) target->erase(0, target->rfind('/') + 1);
  return target;
}

Result<std::vector<std::string>> Directory::entries(const std::string& path) const {
  UniqueFd fd = open_below(path, O_DIRECTORY);
  if (!fd.valid()) return failure(path, errno);
  const std::unique_ptr<DIR, CloseDirectory> stream(::fdopendir(fd.get()));
  if (!stream) return failure(path, errno);
  static_cast<void>(fd.release());  // the stream closes it
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    if (names.size() > kEntryLimit) return failure(path, EFBIG);
  }
  if (errno != 0) return failure(path, errno);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Directory::list(const std::string& path) const {
  auto names = entries(path);
  return names ? std::move(*names) : std::vector<std::string>();
}

bool Directory::exists(const std::string& path) const {
  struct stat status {};
  const auto place = at(path, false);
  return place && ::fstatat(fd_.get(), place->c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace nettune::kernel
