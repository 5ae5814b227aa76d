// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kinds/sysfs/table.hpp"

namespace nettune::kinds::sysfs {

/// The canonical text of one file. Errc::invalid for a text that is not of the form.
Result<std::string> sysfs_value(SysfsForm form, std::string_view file_text);
/// The text to write into a file for a canonical value.
std::string sysfs_file_text(SysfsForm form, std::string_view value);

/// The canonical text of a wanted value: one for all files, or one for each, separated by ';'.
/// Errc::invalid with the reason.
Result<std::string> canonical_sysfs(SysfsForm form, std::string_view text);

/// The last one of a list such as "0-7,16"; nothing for "none", and for what is no list.
std::optional<std::size_t> highest_cpu(std::string_view list);

/// One value if all files have the same; otherwise one for each, separated by ';'.
std::string joined(const std::vector<std::string>& values);
/// The reverse. Errc::conflict if the number of values is neither 1 nor `count`.
Result<std::vector<std::string>> for_each_file(std::string_view value, std::size_t count);

}  // namespace nettune::kinds::sysfs
