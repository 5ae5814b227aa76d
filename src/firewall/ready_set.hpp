// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "firewall/ranges.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall {

/// A set made ready for lookups.
struct ReadySet {
  struct Group {
    Ranges keys;
    const kernel::NfElement* element = nullptr;
  };
  bool modelled = true;  ///< else a lookup may find anything
  /// Keys of at most 16 bytes: those of the same data together; of a plain set all of them.
  std::vector<Group> groups;
  std::vector<KeyRange> ranges;  ///< of concatenations
  const kernel::NfElement* catch_all = nullptr;
  std::vector<std::size_t> field_sizes;  ///< of a concatenation with ranges
};

/// Of a set whose elements were read; it must outlive what is made of it.
ReadySet make_ready(const kernel::NfSet& set);

}  // namespace nettune::firewall
