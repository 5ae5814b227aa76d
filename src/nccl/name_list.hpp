// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nccl/catalog.hpp"
#include "nccl/finding.hpp"

namespace nettune::nccl {

/// A list of names as parseStringList() and its callers read it: '^' and '=' apply to the whole
/// list.
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
  /// Whether NCCL uses the device: it matches, or does not match an excluding list.
  bool takes(std::string_view name, std::optional<int> port) const;
};
NameList read_names(std::string_view text);

/// Judges a list of interfaces, HCAs or devices.
Judgement judge_names(const Variable& variable, std::string_view text, const Version& version);

}  // namespace nettune::nccl
