// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/engine.hpp"

namespace nettune::inline core {

/// How to undo records.
struct RestoreInput {
  Disk& disk;
  std::span<const Record> records;  ///< in the order of writes
  std::string transaction;          ///< names the temporaries of staged kinds
  bool same_boot = true;            ///< false: runtime values are gone already
  std::function<std::optional<Address>(const Address&, const std::string& device)> locate =
      [](const Address& address, const std::string&) { return std::optional<Address>(address); };
};

struct Restored {
  std::vector<Step> restored;
  std::vector<Step> not_restored;  ///< without a device
  Debts owed;                      ///< of devices that are away or whose driver refused
  std::vector<std::string> notes;
};

/// Undoes records, last unit first. Values that are already restored are not written. Inside a
/// transaction everything of ours is restored. Continues past failures, and reads everything back
/// at the end. A device that is away or refuses holds up nothing else: its values become debts.
Restored restore(const RestoreInput& input, const Providers& providers, const Contents& contents);

}  // namespace nettune::inline core
