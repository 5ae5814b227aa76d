// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/setting.hpp"

namespace nettune::cli {

/// Rows of a plan for the map from DSCP to priority of one interface, as one: a card has 64 of
/// them, and a person looks for what they have in common. Nothing is lost: every value is told, by
/// ranges.
class DscpRows {
 public:
  /// What a row says besides its setting and values; rows that differ in it are not one.
  struct Rest {
    std::vector<std::string> cells;
    std::vector<std::string> details;

    bool operator==(const Rest&) const = default;
  };

  bool empty() const { return now_.empty(); }
  const Rest& rest() const { return rest_; }

  /// False, and not taken, where it is of another interface or says something else.
  bool take(const Address& address, std::string now, std::string wanted, const Rest& rest);

  /// "dcb:ens1:app#dscp-0..63 (64 entries)", or the address of the only one.
  std::string setting() const;
  std::string now() const { return values(now_); }
  std::string wanted() const { return values(wanted_); }

 private:
  using ByDscp = std::map<int, std::string>;

  /// One value where all have it, else "0..7: 0, 8..15: 1".
  static std::string values(const ByDscp& by_dscp);

  std::string prefix_;
  Rest rest_;
  ByDscp now_;
  ByDscp wanted_;
};

}  // namespace nettune::cli
