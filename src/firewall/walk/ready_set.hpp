// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "firewall/rules/ranges.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall::walk {

/// A set prepared for lookups.
struct ReadySet {
  struct Group {
    rules::Ranges keys;
    const kernel::NfElement* element = nullptr;
  };
  bool modelled = true;  ///< otherwise a lookup may find anything
  /// Keys of at most 16 bytes, joined if they have the same data; of a plain set all of them.
  std::vector<Group> groups;
  std::vector<rules::KeyRange> ranges;  ///< for concatenations
  const kernel::NfElement* catch_all = nullptr;
  std::vector<std::size_t> field_sizes;  ///< for a concatenation with ranges
};

/// The elements must have been read, and the set must outlive the result.
ReadySet make_ready(const kernel::NfSet& set);

}  // namespace nettune::firewall::walk
