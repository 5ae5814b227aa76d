// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kinds/boot/table.hpp"

namespace nettune::kinds::boot {

/// Names are those of addresses after "boot:": "iommu", "hugepages#2M", "pci#realloc".

/// The row of a name, that of other_argument() for what the table does not have; an error says how
/// pages are written, or that nobody sets this one.
Result<const Argument*> argument_of(std::string_view name);
/// Whether only a site allows it.
bool is_other(std::string_view name);
/// That nettune does not set it, with what it sets and what is near.
Error not_in_table(std::string_view name);
/// What its values look like, as words for a person.
std::string values_text(const Argument& row);
/// The one spelling of a value: "2-15" of "15,2-14". Values with several members have blanks
/// between them.
Result<std::string> canonical_value(std::string_view name, std::string_view value);

/// The words of the command line that set it, in their order.
std::vector<std::string> words_of(std::string_view name, std::string_view value);

/// A command line by its words, as the kernel takes it apart: quotes hold blanks together
/// (next_arg(), lib/cmdline.c); behind "--" everything is for init.
std::vector<std::string> split_command_line(std::string_view text);

/// Whether the kernel got this value from these words; `other` is the one that it got instead.
struct Got {
  bool found = false;  ///< with any value
  bool is = false;
  std::string other;
};
Got got(std::string_view name, std::string_view value, const std::vector<std::string>& words);

/// The name before '=' of a word: what others set, too.
std::string_view word_name(std::string_view word);

/// The bytes of "2M"; nothing if it is no page size.
std::optional<std::int64_t> page_bytes(std::string_view size);

}  // namespace nettune::kinds::boot
