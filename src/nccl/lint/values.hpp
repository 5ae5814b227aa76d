// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nccl/lint/catalog.hpp"
#include "nccl/lint/finding.hpp"

namespace nettune::nccl {

/// What strtoll(text, NULL, 0) makes of a text, as ncclLoadParam() calls it: no digits are 0, and
/// what follows them is ignored (src/misc/param.cc, the same in every release).
struct Number {
  std::int64_t value = 0;
  std::size_t used = 0;  ///< bytes, leading blanks included; 0 for no digits
  bool overflow = false;
};
Number read_number(std::string_view text);

/// A list of names as parseStringList() and its callers read it: '^' and '=' hold for all of it.
struct NameList {
  bool exclude = false;
  bool exact = false;
  struct Entry {
    std::string name;
    std::optional<int> port;
  };
  std::vector<Entry> entries;

  /// The entry that a device (and port) matches, by prefix or exactly; null for none.
  const Entry* match(std::string_view name, std::optional<int> port) const;
  /// What NCCL takes: matched, or not matched by a list that excludes.
  bool takes(std::string_view name, std::optional<int> port) const;
};
NameList read_names(std::string_view text);

/// How NCCL of a version, or another reader, takes the text of a variable that it does read.
Judgement judge_value(const Variable& variable, std::string_view text, const Version& version);

}  // namespace nettune::nccl
