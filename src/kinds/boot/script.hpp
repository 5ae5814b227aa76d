// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::kinds::boot {

/// Values by name, as in addresses after "boot:".
using Values = std::map<std::string, std::string, std::less<>>;

/// The arguments of the kernel that nettune has in GRUB's menu. They are variables of GRUB: its
/// menu is made anew only if their number changes or a kernel comes, and which of two lines is
/// booted is decided while GRUB runs.
struct Script {
  Values wanted;
  /// The first boot with `wanted` is still to come, or did not come up. Until somebody has seen it
  /// come up, every other boot has `kept`.
  bool trial = false;
  std::vector<std::string> kept;  ///< words, each one argument

  bool operator==(const Script&) const = default;
};

/// The words of the command line, in their order.
std::vector<std::string> words_of(const Values& wanted);
/// What a boot that is no trial has.
std::vector<std::string> usual_words(const Script& script);

/// /etc/grub.d/42_nettune, and back: nothing for what is not, byte for byte, such a file.
std::string script_text(const Script& script);
std::optional<Script> parse_script(std::string_view text);
/// What that script adds to grub.cfg.
std::string menu_text(const Script& script);
/// /etc/default/grub.d/zz-nettune.cfg: the variables, as part of every entry that is no rescue.
std::string defaults_text(const Script& script);

/// The longest line that this grub.cfg would give the kernel with all arguments, in bytes.
std::size_t longest_line(const Script& script, std::string_view grub_cfg);
/// Whether this grub.cfg was made with both files.
bool is_in_menu(const Script& script, std::string_view grub_cfg);
/// The words that nettune's part of this grub.cfg gives the kernel in some boot.
std::vector<std::string> words_in_menu(std::string_view grub_cfg);
/// A grub.cfg without what nettune adds to it, whichever it was made with.
std::string without_ours(std::string_view grub_cfg);

}  // namespace nettune::kinds::boot
