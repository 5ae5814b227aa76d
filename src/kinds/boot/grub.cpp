// SPDX-License-Identifier: Apache-2.0
#include "kinds/boot/grub.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/scratch_directory.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "kernel/command.hpp"

namespace nettune::kinds::boot {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGenerator = "/usr/sbin/grub-mkconfig";
constexpr std::uint64_t kMostMenuBytes = std::uint64_t{4} << 20;
/// COMMAND_LINE_SIZE of x86 and arm64, without the byte at its end: what is longer is cut off.
constexpr std::size_t kMostCommandLine = 2047;
constexpr int kTimeout_ms = 180'000;
constexpr std::string_view kEnvironmentHead = "# GRUB Environment Block\n";
/// GRUB_ENVBLK_SIZE is not fixed, but grub-editenv makes 1024 bytes (util/grub-editenv.c, 2.06).
constexpr std::size_t kEnvironmentBytes = 1024;
constexpr std::string_view kTrialVariable = "nettune_trial=";
/// XFS_SUPER_MAGIC is not in linux/magic.h.
constexpr long kXfs = 0x58465342;

std::string path(std::string_view text) { return std::string(text); }

Result<std::string> read_file(Disk& disk, std::string_view name) {
  TRY_ASSIGN(auto text, disk.read(path(name), kMostMenuBytes));
  if (!text) return fail(Errc::not_found, cat("there is no ", name));
  return std::move(*text);
}

/// A copy of a directory of configuration, with or without our file in it.
Result<> copy_with(const std::string& from, const std::string& to, const std::string& ours,
                   const std::string* text, fs::perms mode) {
  std::error_code error;
  fs::copy(from, to, fs::copy_options::copy_symlinks | fs::copy_options::recursive, error);
  if (!error) fs::remove(cat(to, "/", ours), error);
  if (error) return fail(Errc::io, cat("cannot copy ", from, ": ", error.message()));
  if (text == nullptr) return {};
  std::ofstream(cat(to, "/", ours)) << *text;
  fs::permissions(cat(to, "/", ours), mode, error);
  if (error) return fail(Errc::io, cat("cannot write below ", to, ": ", error.message()));
  return {};
}

std::string name_of(std::string_view file) { return path(file.substr(file.rfind('/') + 1)); }

/// The locales in which somebody may have made the live one: its titles are translated.
std::vector<std::string> locales(Disk& disk) {
  std::vector<std::string> all;
  const auto add = [&](std::string name) {
    if (!name.empty() && std::ranges::find(all, name) == all.end()) all.push_back(std::move(name));
  };
  if (const char* const here = std::getenv("LC_ALL")) add(here);
  if (const char* const here = std::getenv("LANG")) add(here);
  for (const std::string_view file : {"/etc/default/locale", "/etc/locale.conf"})
    if (const auto text = disk.read(path(file), kMostMenuBytes); text && *text)
      for (std::string_view line : split(**text, '\n'))
        if (trim(line).starts_with("LANG=")) {
          line = trim(line).substr(5);
          std::string name(line);
          std::erase(name, '"');
          add(std::move(name));
        }
  add("C.UTF-8");
  return all;
}

std::string first_difference(std::string_view live, std::string_view made) {
  const auto left = split(live, '\n');
  const auto right = split(made, '\n');
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const std::string_view is = i < left.size() ? left[i] : "";
    const std::string_view would = i < right.size() ? right[i] : "";
    if (is != would)
      return cat("line ", i + 1, " is \"", printable(trim(is).substr(0, 60)), "\" and would be \"",
                 printable(trim(would).substr(0, 60)), "\"");
  }
  return "they differ";
}

Result<> run_generator(const std::string& locale, const std::string& output,
                       const ScratchDirectory& scratch) {
  std::error_code ignored;
  fs::remove(output, ignored);
  kernel::CommandLine command;
  command.words = {"/usr/bin/env",
                   cat("LC_ALL=", locale),
                   "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                   path(kGenerator),
                   "-o",
                   output};
  command.timeout_ms = kTimeout_ms;
  command.over = {{"/etc/grub.d", cat(scratch.name(), "/grub.d")},
                  {"/etc/default/grub.d", cat(scratch.name(), "/default")}};
  const auto done = kernel::run_and_listen(command);
  fs::remove(unfinished_menu(output), ignored);
  if (!done) return fail(done.error());
  if (done->status == 0) return {};
  const auto said = split(trim(done->said), '\n');
  return fail(Errc::io, cat(kGenerator, " failed with ", done->status, ": ",
                            printable(said.empty() ? "" : said.back())));
}

/// The bytes are in the file, with the mode and owner of the live one.
Result<> settle(const std::string& file) {
  struct stat live {};
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid() || ::stat(path(kMenuFile).c_str(), &live) != 0 ||
      ::fchown(fd.get(), live.st_uid, live.st_gid) != 0 ||
      ::fchmod(fd.get(), live.st_mode & 07777U) != 0 || ::fsync(fd.get()) != 0)
    return fail(Errc::io, cat(file, ": ", std::strerror(errno)), errno);
  return {};
}

}  // namespace

std::string unfinished_menu(const std::string& output) { return cat(output, ".new"); }

std::string why_not_grub(Disk& disk) {
  for (const std::string_view file : {kMenuFile, kGenerator})
    if (const auto info = disk.info(path(file)); !info || !*info) return cat("there is no ", file);
  for (const std::string_view directory : {"/etc/grub.d", "/etc/default/grub.d"})
    if (const auto info = disk.info(path(directory)); !info || !*info)
      return cat("there is no ", directory);
  // GRUB puts BOOT_IMAGE in front of each line (grub-core/loader/i386/linux.c, 2.06). Without it
  // this menu is on a disk that the node does not start from: PXE, an EFI stub. What is there of
  // nettune is undone however this boot came.
  if (const auto ours = disk.info(path(kScriptFile)); ours && *ours) return {};
  const auto line = disk.read("/proc/cmdline", kMostMenuBytes);
  if (line && *line && cat(" ", **line).find(" BOOT_IMAGE=") == std::string::npos)
    return "this boot did not come by it: /proc/cmdline has no BOOT_IMAGE";
  return {};
}

Result<std::string> why_no_trial(Disk& disk) {
  TRY_ASSIGN(const auto text, disk.read(path(kEnvironmentFile), kMostMenuBytes));
  if (!text) return cat("there is no ", kEnvironmentFile);
  if (text->size() != kEnvironmentBytes || !text->starts_with(kEnvironmentHead))
    return cat(kEnvironmentFile, " is no environment block of GRUB");
  struct statfs of {};
  struct stat file {};
  if (::statfs(path(kEnvironmentFile).c_str(), &of) != 0 ||
      ::stat(path(kEnvironmentFile).c_str(), &file) != 0)
    return fail(Errc::io, cat(kEnvironmentFile, ": ", std::strerror(errno)), errno);
  if (of.f_type != EXT4_SUPER_MAGIC && of.f_type != MSDOS_SUPER_MAGIC && of.f_type != kXfs)
    return cat("GRUB does not write to the file system of ", kEnvironmentFile);
  const std::string device = cat("/sys/dev/block/", major(file.st_dev), ":", minor(file.st_dev));
  for (const std::string_view layer : {"dm", "md"}) {
    std::error_code error;
    const bool has_layer = fs::exists(cat(device, "/", layer), error);
    if (error) return fail(Errc::io, cat(device, ": ", error.message()), error.value());
    if (has_layer)
      return cat("GRUB does not write to the device below ", kEnvironmentFile, " (", layer, ")");
  }
  return std::string();
}

Result<bool> is_trial_next(Disk& disk) {
  TRY_ASSIGN(const std::string text, read_file(disk, kEnvironmentFile));
  return text.find(cat("\n", kTrialVariable, "1\n")) != text.npos;
}

Result<> set_trial_next(Disk& disk, bool on) {
  TRY_ASSIGN(const std::string text, read_file(disk, kEnvironmentFile));
  std::string block(kEnvironmentHead);
  if (text.size() != kEnvironmentBytes || !text.starts_with(kEnvironmentHead))
    return fail(Errc::corrupt, cat(kEnvironmentFile, " is no environment block of GRUB"));
  // Behind the last line there is only filling.
  const std::string_view lines = std::string_view(text).substr(
      kEnvironmentHead.size(), text.rfind('\n') + 1 - kEnvironmentHead.size());
  for (const std::string_view line : split(lines, '\n'))
    if (!line.empty() && !line.starts_with(kTrialVariable)) block += cat(line, "\n");
  if (on) block += cat(kTrialVariable, "1\n");
  if (block.size() > kEnvironmentBytes)
    return fail(Errc::no_space, cat(kEnvironmentFile, " is full"));
  block.resize(kEnvironmentBytes, '#');
  if (block == text) return {};
  const UniqueFd file(::open(path(kEnvironmentFile).c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid() ||
      ::pwrite(file.get(), block.data(), block.size(), 0) != static_cast<ssize_t>(block.size()) ||
      ::fsync(file.get()) != 0)
    return fail(Errc::io, cat(kEnvironmentFile, ": ", std::strerror(errno)), errno);
  return {};
}

Result<> make_menu(Disk& disk, const Script* script, const std::string& output) {
  TRY_ASSIGN(const std::string live, read_file(disk, kMenuFile));
  TRY_ASSIGN(const auto scratch, ScratchDirectory::make("/run/nettune-boot-"));
  const std::string text = script != nullptr ? script_text(*script) : std::string();
  const std::string defaults = script != nullptr ? defaults_text(*script) : std::string();
  constexpr auto kReadable = fs::perms(0644);
  constexpr auto kExecutable = fs::perms(0755);
  TRY(copy_with("/etc/grub.d", cat(scratch.name(), "/grub.d"), name_of(kScriptFile),
                script != nullptr ? &text : nullptr, kExecutable));
  TRY(copy_with("/etc/default/grub.d", cat(scratch.name(), "/default"), name_of(kDefaultsFile),
                script != nullptr ? &defaults : nullptr, kReadable));
  std::string made;
  for (const std::string& locale : locales(disk)) {
    TRY(run_generator(locale, output, scratch));
    TRY_ASSIGN(auto read, disk.read(output, kMostMenuBytes));
    if (!read) return fail(Errc::io, cat(kGenerator, " wrote nothing"));
    made = std::move(*read);
    if (without_ours(made) == without_ours(live)) break;
  }
  if (without_ours(made) != without_ours(live))
    return fail(Errc::conflict, cat(kMenuFile, " is not what its inputs make now: ",
                                    first_difference(without_ours(live), without_ours(made)),
                                    "; if that is right, run update-grub first"));
  if (script != nullptr && !is_in_menu(*script, made))
    return fail(Errc::conflict,
                cat("the new ", kMenuFile, " would not have the arguments: no entry of it has ",
                    "GRUB_CMDLINE_LINUX_DEFAULT; look for what replaces it below /etc/grub.d"));
  const std::size_t bytes = script != nullptr ? longest_line(*script, made) : 0;
  if (bytes > kMostCommandLine)
    return fail(Errc::invalid, cat("the kernel would get a line of ", bytes, " bytes and takes ",
                                   kMostCommandLine, "; set fewer arguments"));
  return settle(output);
}

}  // namespace nettune::kinds::boot
