// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace nettune::kinds {

/// What a file of sysfs holds, and so what a value is.
enum class SysfsForm {
  choice,  ///< one word of several, the present one in brackets: "always [madvise] never"
  word,
  cpus,  ///< a mask in hexadecimal; as a value a list, "0-7,16", or "none"
};

/// One attribute of sysfs that may be set.
struct SysfsRow {
  std::string_view key;
  /// Below /sys. "{}" is the interface, for a setting of one; "*" is a number: all these files get
  /// the value.
  std::string_view pattern;
  SysfsForm form;
  std::string_view help;
  std::string_view source;        ///< the kernel's function that takes it
  std::string_view touches = {};  ///< the address of a setting that the kernel moves along, and
  std::string_view why = {};      ///< where its source says so

  bool of_interface() const { return pattern.find("{}") != pattern.npos; }
};

std::span<const SysfsRow> sysfs_rows();
/// Null for a key that is not in the table.
const SysfsRow* find_sysfs(std::string_view key);

}  // namespace nettune::kinds
