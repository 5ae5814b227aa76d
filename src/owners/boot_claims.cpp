// SPDX-License-Identifier: Apache-2.0
#include "owners/boot_claims.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "kinds/boot/argument.hpp"
#include "kinds/boot/grub.hpp"
#include "kinds/boot/kind.hpp"
#include "kinds/boot/script.hpp"

namespace nettune::owners {
namespace {

namespace boot = kinds::boot;

constexpr std::string_view kOurs = "zz-nettune.cfg";
constexpr std::array<std::string_view, 1> kGrubDirectories = {"/etc/default/grub.d"};

/// The words between the quotes of NAME="..."; what the shell would put in for $ stays as it is.
std::vector<std::string> assigned_words(std::string_view line) {
  std::string_view text = trim(line.substr(line.find('=') + 1));
  const char quote = text.empty() ? ' ' : text.front();
  if (quote != '"' && quote != '\'') return boot::split_command_line(text);
  text.remove_prefix(1);
  return boot::split_command_line(text.substr(0, text.rfind(quote)));
}

class ArgumentFinder {
 public:
  explicit ArgumentFinder(std::span<const Setting> settings) : settings_(settings) {}

  /// Lines that assign one of `names`; only the last name can put words behind nettune's.
  void see(const conf::FoundFile& file, std::span<const std::string_view> names, bool later) {
    int number = 0;
    for (const std::string_view whole : split(file.text, '\n')) {
      ++number;
      std::string_view line = trim(whole);
      if (line.starts_with("export ")) line = trim(line.substr(7));
      const auto name = std::ranges::find(names, line.substr(0, line.find('=')));
      if (line.find('=') == line.npos || name == names.end()) continue;
      const auto found = assigned_words(line);
      for (const Setting& setting : settings_)
        add(setting, found, cat(file.path, ':', number), number, later && name + 1 == names.end());
    }
  }

  /// A menu that has them although nettune's script is gone.
  void see_menu(const std::vector<std::string>& found) {
    for (const Setting& setting : settings_)
      if (boot::kBoot.has(setting.address) && setting.want &&
          boot::got(setting.address.rest(), *setting.want, found).found)
        claims_.push_back({setting.address, "GRUB", std::string(boot::kScriptFile), 0, "", true,
                           cat(boot::kScriptFile,
                               " is gone, so the next menu has no argument of nettune; run "
                               "update-grub, then nettune reapply")});
  }

  std::vector<Claim> take() { return std::move(claims_); }

 private:
  void add(const Setting& setting, const std::vector<std::string>& found, const std::string& place,
           int number, bool later) {
    if (!boot::kBoot.has(setting.address) || !setting.want) return;
    const std::string_view name = setting.address.rest();
    const boot::Got theirs = boot::got(name, *setting.want, found);
    if (!theirs.found) return;
    const std::string value = theirs.is ? *setting.want : theirs.other;
    claims_.push_back({setting.address, "GRUB", place.substr(0, place.rfind(':')), number, value,
                       later && !theirs.is,
                       cat(printable(place), " sets ", name, " = ", printable(value),
                           theirs.is ? "; this matches the profile"
                           : later   ? cat("; it counts after ", kOurs, ", so remove it")
                                     : cat("; ", kOurs, " counts after it"))});
  }

  std::span<const Setting> settings_;
  std::vector<Claim> claims_;
};

}  // namespace

std::vector<Claim> boot_claims(const conf::Files& files, std::span<const Setting> settings) {
  if (std::ranges::none_of(settings,
                           [](const Setting& setting) { return boot::kBoot.has(setting.address); }))
    return {};
  constexpr auto kGrub =
      std::to_array<std::string_view>({"GRUB_CMDLINE_LINUX", "GRUB_CMDLINE_LINUX_DEFAULT"});
  constexpr auto kTuned = std::to_array<std::string_view>({"TUNED_BOOT_CMDLINE"});
  ArgumentFinder finder(settings);
  if (const auto file = files.read("/etc/default/grub")) finder.see(*file, kGrub, false);
  for (const conf::FoundFile& file : files.drop_ins(kGrubDirectories, ".cfg")) {
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    if (name != kOurs) finder.see(file, kGrub, name > kOurs);
  }
  if (const auto file = files.read("/etc/tuned/bootcmdline")) finder.see(*file, kTuned, false);
  const auto menu = files.read("/boot/grub/grub.cfg");
  if (menu && !files.read(std::string(boot::kScriptFile)))
    finder.see_menu(boot::words_in_menu(menu->text));
  return finder.take();
}

}  // namespace nettune::owners
