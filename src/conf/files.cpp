// SPDX-License-Identifier: Apache-2.0
#include "conf/files.hpp"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace nettune::conf {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;
constexpr int kMaxLinks = 8;

}  // namespace

/// Resolves links of the last component only: Disk follows those above it.
std::optional<Files::Resolved> Files::resolved(std::string path) const {
  for (int links = 0; links < kMaxLinks; ++links) {
    if (path == "/dev/null") return std::nullopt;
    const auto info = disk_.info(root_ + path);
    if (!info || !*info) return std::nullopt;
    if ((*info)->kind != FileInfo::Kind::symlink) return Resolved{path, (*info)->mode};
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(root_ + path, error);
    if (error) return std::nullopt;
    path = (std::filesystem::path(parent_path(path)) / target).lexically_normal().string();
  }
  return std::nullopt;
}

std::optional<FoundFile> Files::read(const std::string& path) const {
  auto real = resolved(path);
  if (!real) return std::nullopt;
  auto text = disk_.read(root_ + real->path, kMaxBytes);
  if (!text || !*text) return std::nullopt;
  return FoundFile{path, std::move(real->path), std::move(**text), real->mode};
}

std::string Files::real_path(const std::string& path) const {
  auto real = path.empty() ? std::nullopt : resolved(path);
  return real ? std::move(real->path) : std::string();
}

bool Files::is_masked(const std::string& path) const {
  std::error_code error;
  return std::filesystem::read_symlink(root_ + path, error) == "/dev/null";
}

std::vector<std::string> Files::names(const std::string& directory, std::string_view suffix) const {
  auto names = disk_.list(root_ + directory);
  if (!names) return {};
  std::erase_if(*names, [&](const std::string& name) { return !name.ends_with(suffix); });
  return std::move(*names);
}

std::vector<FoundFile> Files::drop_ins(std::span<const std::string_view> directories,
                                       std::string_view suffix) const {
  std::map<std::string, std::string> path_of;
  for (const std::string_view directory : directories) {
    for (const std::string& name : names(std::string(directory), suffix)) {
      path_of.emplace(name, std::string(directory) + "/" + name);
    }
  }
  std::vector<FoundFile> found;
  for (const auto& [name, path] : path_of) {
    if (auto file = read(path)) found.push_back(std::move(*file));
  }
  return found;
}

}  // namespace nettune::conf
