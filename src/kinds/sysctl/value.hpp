// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::kinds::sysctl {

/// The format of a key, if it is not integers or one line of text.
enum class Form {
  plain,     ///< integers, or one line of text
  mask,      ///< a hexadecimal CPU mask: leading zeros count
  word_set,  ///< words in the kernel's order, not the writer's
  ranges,    ///< numbers from 0 to 65535 as "1-3,8" (proc_do_large_bitmap in kernel/sysctl.c)
};

/// The canonical text of a key's file: integers in decimal with one blank between them, ranges
/// merged, word sets sorted; other text without blanks at its ends.
std::string canonical_reading(Form form, std::string_view raw);

/// The same for a wanted value: what read() returns after writing it. Integers may be written as
/// proc_dointvec() accepts them: 0x10 is 16 and 010 is 8 (base 0, kernel/sysctl.c). Fails on a
/// value that cannot be written in one line.
Result<std::string> canonical_wanted(Form form, std::string_view wanted);

/// Checks elements of a `ranges` or `word_set` value: "29400" or "bbr".
Result<> check_element(Form form, std::string_view element);
bool has_element(Form form, std::string_view canonical, std::string_view element);
/// The value with the element in it, or without it.
std::string with_element(Form form, std::string_view canonical, std::string_view element,
                         bool present);

}  // namespace nettune::kinds::sysctl
