// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::providers {

/// How the kernel writes and reads a key, where that is not one line of text or integers.
enum class Form {
  plain,     ///< integers, or one line of text
  mask,      ///< a hexadecimal CPU mask: leading zeros mean something
  word_set,  ///< words whose order is the kernel's, not the writer's
  ranges,    ///< numbers from 0 to 65535 as "1-3,8" (proc_do_large_bitmap in kernel/sysctl.c)
};

/// What a key's file says, in the one spelling that nettune compares: integers with one blank
/// between them and in decimal, ranges merged, word sets sorted; other text without blanks at its
/// ends.
std::string canonical_reading(Form form, std::string_view raw);

/// The same for a value that is to be written: what read() gives back once it has been. Integers
/// may be written as proc_dointvec() takes them: 0x10 is 16 and 010 is 8 (base 0, kernel/sysctl.c).
/// Fails on what cannot be written in one line.
Result<std::string> canonical_wanted(Form form, std::string_view wanted);

/// Elements of a `ranges` or `word_set` value: "29400" or "bbr". Fails on a text that can be none.
Result<> check_element(Form form, std::string_view element);
bool has_element(Form form, std::string_view canonical, std::string_view element);
/// The value with the element in it, or without it.
std::string with_element(Form form, std::string_view canonical, std::string_view element,
                         bool present);

}  // namespace nettune::providers
