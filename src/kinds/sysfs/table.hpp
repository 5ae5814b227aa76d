// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace nettune::kinds::sysfs {

/// The form of a sysfs file, and so of its value.
enum class SysfsForm {
  choice,  ///< one word of several, the current one in brackets: "always [madvise] never"
  word,
  cpus,  ///< a mask in hexadecimal; as a value a list, "0-7,16", or "none"
};

/// One sysfs attribute that may be set.
struct SysfsRow {
  std::string_view key;
  /// The path below /sys. "{}" is the interface, for an interface's setting; "*" is a number: all
  /// these files get the value.
  std::string_view pattern;
  SysfsForm form;
  std::string_view help;
  std::string_view source;        ///< the kernel's function for it
  std::string_view touches = {};  ///< the address of an affected setting, and
  std::string_view why = {};      ///< where the kernel's source shows it
  /// The name of the file beside it that lists its values as words; "" for none.
  std::string_view list = {};
  /// Values for which the kernel loads a module although they are not in the list yet, unless the
  /// list is `no_more`.
  std::string_view loaded = {};
  std::string_view no_more = {};

  bool of_interface() const { return pattern.find("{}") != pattern.npos; }
};

std::span<const SysfsRow> sysfs_rows();
/// Null for a key that is not in the table.
const SysfsRow* find_sysfs(std::string_view key);

}  // namespace nettune::kinds::sysfs
