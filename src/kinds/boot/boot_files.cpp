// SPDX-License-Identifier: Apache-2.0
#include "kinds/boot/boot_files.hpp"

#include <algorithm>
#include <unistd.h>

#include "base/image_root.hpp"
#include "base/text.hpp"
#include "kinds/boot/grub.hpp"
#include "kinds/common/staging.hpp"

namespace nettune::kinds::boot {

namespace {

constexpr std::uint64_t kMostScriptBytes = std::uint64_t{1} << 20;
constexpr std::uint32_t kExecutable = 0755;
constexpr std::uint32_t kReadable = 0644;

bool stays(const Script& script) { return !script.wanted.empty() || script.trial; }

std::optional<std::string> script_of(const Script& script) {
  return stays(script) ? std::optional(script_text(script)) : std::nullopt;
}
std::optional<std::string> defaults_of(const Script& script) {
  return stays(script) ? std::optional(defaults_text(script)) : std::nullopt;
}

}  // namespace

Result<BootFiles::Present> BootFiles::load() const {
  Present present;
  const std::string path(kScriptFile);
  TRY_ASSIGN(const auto loaded, disk_.load(path, kMostScriptBytes));
  if (loaded) {
    if (loaded->info.kind == FileInfo::Kind::regular)
      present.script = parse_script(loaded->content);
    if (!present.script)
      return fail(Errc::conflict, cat(outside_path(path),
                                      " was edited, or not written by nettune; move what is "
                                      "yours to a file of another name, and remove it"));
    if ((loaded->info.mode & 0100U) == 0) present.unmade = cat(path, " is not executable");
  }
  TRY_ASSIGN(const auto defaults, disk_.read(std::string(kDefaultsFile), kMostScriptBytes));
  if (defaults != defaults_of(present.script.value_or(Script())))
    present.unmade = cat(outside_path(std::string(kDefaultsFile)), " is not as nettune writes it");
  if (!live_ || !why_not_grub(disk_).empty()) return present;
  TRY_ASSIGN(const auto menu, disk_.read(std::string(kMenuFile), kMostScriptBytes));
  const bool is_made = present.script ? is_in_menu(*present.script, menu.value_or(""))
                                      : without_ours(menu.value_or("")) == menu.value_or("");
  if (!present.script) present.left_in_menu = words_in_menu(menu.value_or(""));
  if (!is_made)
    present.unmade = cat(kMenuFile, " was not made with ", kScriptFile, " as it is now");
  return present;
}

Result<Script> BootFiles::changed(const Script& present, Values wanted) const {
  Script script;
  script.wanted = std::move(wanted);
  const std::vector<std::string> usual = usual_words(present);
  const std::vector<std::string> words = words_of(script.wanted);
  const bool adds = std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(usual, word) == usual.end();
  });
  if (!live_ || !adds) return script;
  TRY_ASSIGN(const std::string why_not, why_no_trial(disk_));
  if (!why_not.empty()) return script;
  script.trial = true;
  script.kept = usual;
  return script;
}

Result<std::optional<Script>> BootFiles::staged(const std::string& transaction) const {
  TRY_ASSIGN(
      const auto text,
      disk_.read(common::temporary_path(std::string(kScriptFile), transaction), kMostScriptBytes));
  return text ? parse_script(*text) : std::nullopt;
}

Result<> BootFiles::stage(const Script& script, const std::string& transaction) const {
  const auto text = script_of(script);
  const auto defaults = defaults_of(script);
  if (text) {
    TRY(common::stage(disk_, std::string(kScriptFile), transaction, *text, kExecutable, 0, 0));
    TRY(common::stage(disk_, std::string(kDefaultsFile), transaction, *defaults, kReadable, 0, 0));
    TRY(disk_.sync_directory(parent_path(std::string(kDefaultsFile))));
  }
  if (!live_) return {};
  TRY(common::check_replaceable(disk_, std::string(kMenuFile)));
  const std::string menu = common::temporary_path(std::string(kMenuFile), transaction);
  TRY(common::drop_stale(disk_, std::string(kMenuFile)));
  TRY(make_menu(disk_, text ? &script : nullptr, menu));
  return disk_.sync_directory(parent_path(menu));
}

Result<> BootFiles::place_one(std::string_view file, const std::optional<std::string>& text,
                              std::uint32_t mode, const std::string& transaction) const {
  const std::string path(file);
  TRY_ASSIGN(const auto now, disk_.read(path, kMostScriptBytes));
  if (now == text) return common::drop(disk_, path, transaction);
  if (!text) {
    TRY(common::remove_target(disk_, path));
  } else {
    TRY_ASSIGN(const auto staged,
               disk_.read(common::temporary_path(path, transaction), kMostScriptBytes));
    if (staged != text) TRY(common::stage(disk_, path, transaction, *text, mode, 0, 0));
    TRY(common::put_in_place(disk_, path, transaction));
  }
  return disk_.sync_directory(parent_path(path));
}

Result<> BootFiles::drop_menu(const std::string& transaction) const {
  const std::string menu(kMenuFile);
  const std::string unfinished = unfinished_menu(common::temporary_path(menu, transaction));
  TRY_ASSIGN(const auto there, disk_.info(unfinished));
  if (there) TRY(disk_.remove(unfinished));
  return common::drop(disk_, menu, transaction);
}

Result<> BootFiles::place(const Script& script, const std::string& transaction) const {
  const auto text = script_of(script);
  TRY(place_one(kScriptFile, text, kExecutable, transaction));
  TRY(place_one(kDefaultsFile, defaults_of(script), kReadable, transaction));
  if (!live_) return {};
  // Before the menu: the mark alone does nothing, and what is read back is the menu.
  TRY_ASSIGN(const std::string why_not, why_no_trial(disk_));
  if (why_not.empty()) TRY(set_trial_next(disk_, script.trial));
  const std::string menu(kMenuFile);
  const std::string made = common::temporary_path(menu, transaction);
  TRY_ASSIGN(const auto live, disk_.read(menu, kMostScriptBytes));
  const auto fits = [&](const std::string& grub_cfg) {
    return text ? is_in_menu(script, grub_cfg) : without_ours(grub_cfg) == grub_cfg;
  };
  if (!live || !fits(*live)) {
    TRY_ASSIGN(const auto staged, disk_.read(made, kMostScriptBytes));
    // Somebody may have made the live one anew since.
    if (!staged || !fits(*staged) || without_ours(*staged) != without_ours(live.value_or("")))
      TRY(make_menu(disk_, text ? &script : nullptr, made));
    // The one before stays beside it, for a person at GRUB's prompt.
    const std::string before(kMenuBefore);
    TRY(disk_.remove(before));
    if (text && live && ::link(menu.c_str(), before.c_str()) != 0) {
      TRY_ASSIGN(const auto copy, disk_.create(before, kReadable, 0, 0));  // FAT has no links
      TRY(copy->append(*live));
    }
    // What is read back is the menu, so it is the last.
    TRY(common::put_in_place(disk_, menu, transaction));
  } else {
    TRY(drop_menu(transaction));
  }
  return disk_.sync_directory(parent_path(menu));
}

Result<> BootFiles::discard(const std::string& transaction) const {
  TRY(common::drop(disk_, std::string(kScriptFile), transaction));
  TRY(common::drop(disk_, std::string(kDefaultsFile), transaction));
  if (!live_) return {};
  return drop_menu(transaction);
}

}  // namespace nettune::kinds::boot
