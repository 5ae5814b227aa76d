// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/engine.hpp"

namespace nettune {

/// How to take records back.
struct RestoreInput {
  Disk& disk;
  std::span<const Record> records;  ///< in the order of writes
  std::string transaction;          ///< names the temporaries of staged kinds
  bool same_boot = true;            ///< false: values that live until reboot are gone already
  std::function<std::optional<Address>(const Address&, const std::string& device)> locate =
      [](const Address& address, const std::string&) { return std::optional<Address>(address); };
};

struct Restored {
  std::vector<Step> restored;
  std::vector<Step> not_restored;  ///< of no device
  Debts owed;                      ///< of devices that are away, or whose driver refused
  std::vector<std::string> notes;
};

/// Takes records back, last unit first, each by comparing with what stood there before: what is
/// there already is not written. Inside a transaction everything of ours is restored. Goes on past
/// failures and reads everything back in the end. A device that is away or refuses holds up nothing
/// else: its values are owed.
Restored restore(const RestoreInput& input, const Providers& providers, const Contents& contents);

}  // namespace nettune
