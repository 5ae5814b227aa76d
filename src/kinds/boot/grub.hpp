// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/disk.hpp"
#include "base/result.hpp"
#include "kinds/boot/script.hpp"

namespace nettune::kinds::boot {

inline constexpr std::string_view kScriptFile = "/etc/grub.d/42_nettune";
inline constexpr std::string_view kDefaultsFile = "/etc/default/grub.d/zz-nettune.cfg";
inline constexpr std::string_view kMenuFile = "/boot/grub/grub.cfg";
inline constexpr std::string_view kMenuBefore = "/boot/grub/grub.cfg.nettune-before";
inline constexpr std::string_view kEnvironmentFile = "/boot/grub/grubenv";

/// Why the command line of this node is not made by GRUB as Debian sets it up; "" if it is.
std::string why_not_grub(Disk& disk);

/// Why a boot cannot be a trial: GRUB could not take back its mark before it starts the kernel. ""
/// if it can. GRUB writes neither to LVM, RAID and encrypted disks nor to btrfs and zfs (GRUB
/// manual, "The GRUB environment block").
Result<std::string> why_no_trial(Disk& disk);

/// Whether the next boot is a trial.
Result<bool> is_trial_next(Disk& disk);
/// Makes it one, or none, durably: in place, as grub-editenv does, since GRUB knows the file by its
/// blocks.
Result<> set_trial_next(Disk& disk, bool on);

/// Makes a grub.cfg by grub-mkconfig into `path`, which is beside the live one: with both files of
/// nettune as `script` asks for, or without them (null). The live one is never its output: it is
/// written in place at the end (grub-mkconfig 2.06, `cat new > grub.cfg`). Fails if the live one is
/// not what its inputs make now, if the new one differs in anything but what is nettune's, or if
/// grub-script-check rejects it.
Result<> make_menu(Disk& disk, const Script* script, const std::string& path);

/// What a generator that was killed leaves beside its output (grub-mkconfig 2.06, grub_cfg.new).
std::string unfinished_menu(const std::string& output);

}  // namespace nettune::kinds::boot
