// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/disk.hpp"
#include "base/result.hpp"
#include "kinds/boot/script.hpp"

namespace nettune::kinds::boot {

/// The files of nettune for GRUB, and the menu that is made from them.
class BootFiles {
 public:
  /// Not `live`: an image, whose menu its own build makes.
  BootFiles(Disk& disk, bool live) : disk_(disk), live_(live) {}

  struct Present {
    std::optional<Script> script;  ///< nothing: there is none
    std::string unmade;            ///< why the menu is not made from it as it is; "" if it is
    /// Without a script: what the menu still gives the kernel.
    std::vector<std::string> left_in_menu = {};
  };
  /// Errc::conflict: somebody edited nettune's script.
  Result<Present> load() const;

  /// `wanted` instead of what is there now. A first boot with it is a trial where GRUB can do that
  /// and there is anything new in it.
  Result<Script> changed(const Script& present, Values wanted) const;
  /// What stage() prepared; nothing if it is not there any more, or never was.
  Result<std::optional<Script>> staged(const std::string& transaction) const;

  /// Prepares the files beside their places, or nothing where they go; then the menu.
  Result<> stage(const Script& script, const std::string& transaction) const;
  /// Puts them in place, durably, the menu last. Succeeds if that was done before.
  Result<> place(const Script& script, const std::string& transaction) const;
  Result<> discard(const std::string& transaction) const;

 private:
  Result<> place_one(std::string_view file, const std::optional<std::string>& text,
                     std::uint32_t mode, const std::string& transaction) const;
  Result<> drop_menu(const std::string& transaction) const;

  Disk& disk_;
  bool live_;
};

}  // namespace nettune::kinds::boot
