// SPDX-License-Identifier: Apache-2.0
#include "nccl/library.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/text.hpp"
#include "base/tree_path.hpp"
#include "base/unique_fd.hpp"

namespace nettune::nccl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "libnccl.so.2";
constexpr std::string_view kMark = "NCCL version ";
constexpr std::size_t kMaxSections = 4096;
constexpr std::uint64_t kMaxConstants = std::uint64_t{64} * 1024 * 1024;
constexpr std::size_t kMaxEntries = 4096;  ///< of a directory, and of files of ld.so.conf
constexpr std::size_t kChunk = std::size_t{1} << 20;

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T& into) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset & INT64_MAX));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&into), sizeof into));
}

std::optional<Version> find_mark(std::string_view text) {
  for (std::size_t at = 0; (at = text.find(kMark, at)) != text.npos; ++at) {
    const std::string_view rest = text.substr(at + kMark.size(), 24);
    const std::size_t end = rest.find_first_not_of("0123456789.");
    if (const auto version = parse_version(rest.substr(0, end))) return version;
  }
  return {};
}

std::optional<Version> scan(std::ifstream& file, std::uint64_t offset, std::uint64_t size) {
  std::string chunk;
  size = std::min(size, kMaxConstants);
  for (std::uint64_t done = 0; done < size; done += kChunk) {
    // A little of the next chunk, so that no text is cut in two.
    const std::uint64_t length = std::min<std::uint64_t>(kChunk + 64, size - done);
    chunk.resize(static_cast<std::size_t>(length));
    file.clear();
    file.seekg(static_cast<std::streamoff>((offset + done) & INT64_MAX));
    file.read(chunk.data(), static_cast<std::streamsize>(length));
    chunk.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
    if (const auto version = find_mark(chunk)) return version;
    if (!file) break;
  }
  return {};
}

std::string section_name(std::ifstream& file, const Elf64_Shdr& names, std::uint32_t at) {
  std::array<char, 16> name{};
  if (at >= names.sh_size || !read_at(file, names.sh_offset + at, name)) return {};
  return {name.data(), strnlen(name.data(), name.size())};
}

std::optional<Version> in_constants(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file || !read_at(file, 0, header)) return {};
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum > kMaxSections)
    return {};
  const auto section = [&](std::size_t index) {
    Elf64_Shdr entry{};
    const bool read = read_at(file, header.e_shoff + index * sizeof entry, entry);
    return read ? std::optional(entry) : std::nullopt;
  };
  const auto names = section(header.e_shstrndx);
  if (!names) return {};
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto entry = section(i);
    if (!entry || entry->sh_type != SHT_PROGBITS) continue;
    if (!section_name(file, *names, entry->sh_name).starts_with(".rodata")) continue;
    if (const auto version = scan(file, entry->sh_offset, entry->sh_size)) return version;
  }
  return {};
}

/// libnccl.so.2.21.5, as packages name it.
std::optional<Version> in_name(const fs::path& path) {
  const std::string name = path.filename().string();
  constexpr std::string_view kBase = "libnccl.so.";
  return name.starts_with(kBase) ? parse_version(std::string_view(name).substr(kBase.size()))
                                 : std::nullopt;
}

class Search {
 public:
  explicit Search(const Places& places) : places_(places) {
    std::error_code error;
    root_ = places.root.empty() ? fs::path() : fs::canonical(places.root, error);
    if (!root_.empty()) tree_ = UniqueFd(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }

  std::vector<Library> run() {
    if (!places_.root.empty() && root_.empty()) return {};
    for (const std::string& directory : places_.first) look(directory);
    read_conf("/etc/ld.so.conf", 0);
    for (const char* directory :
         {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
          "/lib", "/usr/local/lib", "/usr/local/cuda/lib64"})
      look(directory);
    for (const std::string& prefix : places_.prefixes) look_python(cat(prefix, "/lib"));
    look_python("/usr/lib");
    look_python("/usr/local/lib");
    for (const std::string& name : list("/opt")) look_python(cat("/opt/", name, "/lib"));
    return std::move(found_);
  }

 private:
  std::string real(const std::string& path) const {
    if (places_.root.empty()) return path;
    return cat(root_.string(), "/", path_in_tree(tree_.get(), path).value_or(""));
  }

  std::vector<std::string> list(const std::string& directory) const {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(real(directory), error), end;
         !error && at != end && names.size() < kMaxEntries; at.increment(error))
      names.push_back(at->path().filename().string());
    std::ranges::sort(names);
    return names;
  }

  void look(const std::string& directory) {
    std::error_code error;
    const fs::path file = fs::canonical(real(cat(directory, "/", kName)), error);
    if (error || !fs::is_regular_file(file, error)) return;
    if (!root_.empty() && !file.string().starts_with(root_.string() + "/")) return;
    if (std::ranges::find(found_, file.string(), &Library::path) != found_.end()) return;
    if (const auto version = library_version(file.string()))
      found_.push_back({file.string(), *version});
  }

  /// lib/python3.11/site-packages and Debian's dist-packages.
  void look_python(const std::string& lib) {
    for (const std::string& name : list(lib)) {
      if (!name.starts_with("python3")) continue;
      for (const char* packages : {"site-packages", "dist-packages"})
        look(cat(lib, "/", name, "/", packages, "/nvidia/nccl/lib"));
    }
  }

  void read_conf(const std::string& path, int depth) {
    constexpr int kMaxDepth = 4;
    if (depth > kMaxDepth || ++files_read_ > kMaxEntries) return;
    std::ifstream file(real(path));
    std::string line;
    for (std::size_t lines = 0; lines < kMaxEntries && std::getline(file, line); ++lines) {
      const std::vector<std::string_view> part =
          words(std::string_view(line).substr(0, line.find('#')));
      if (part.size() == 1 && part[0].starts_with('/')) look(std::string(part[0]));
      if (part.size() != 2 || part[0] != "include") continue;
      const std::size_t slash = part[1].rfind('/');
      if (slash == part[1].npos) continue;
      const std::string directory(part[1].substr(0, slash));
      for (const std::string& name : list(directory))
        if (glob_match(part[1].substr(slash + 1), name))
          read_conf(cat(directory, "/", name), depth + 1);
    }
  }

  const Places& places_;
  fs::path root_;
  UniqueFd tree_;  ///< the directory root_
  std::size_t files_read_ = 0;
  std::vector<Library> found_;
};

}  // namespace

Result<Version> library_version(const std::string& path) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  if (error || !fs::is_regular_file(file, error))
    return fail(Errc::not_found, cat("there is no library ", printable(path)));
  if (const auto version = in_constants(file.string())) return *version;
  if (const auto version = in_name(file)) return *version;
  return fail(Errc::invalid,
              cat(printable(path), " does not state its NCCL version; give it with --nccl X.Y.Z"));
}

std::vector<Library> find_libraries(const Places& places) { return Search(places).run(); }

}  // namespace nettune::nccl
