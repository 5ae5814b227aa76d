// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/plan.hpp"

namespace nettune::owners {

/// A line of another manager's file, and what it does to an address.
struct Said {
  Address address;
  std::string owner;
  std::string file;
  int line = 0;
  std::string says;   ///< what the line does, a verb first: "sets MTUBytes = 9K"
  std::string value;  ///< canonical: "9216"; "" when it is not in the file (DHCP)
  bool wins = false;  ///< it is set after nettune sets its own value
  std::string when;   ///< who sets it and when: "networkd sets it whenever it configures the link"
  /// How to get `want` there, if that takes more than changing or removing the line.
  std::string remedy = {};
  bool at_boot = true;  ///< it also happens at boot
};

/// "sets KEY = VALUE", safe to show.
std::string sets(std::string_view key, std::string_view value);

/// Collects what other managers say about wanted settings, and makes claims of it.
class Rivals {
 public:
  explicit Rivals(const Desired& desired);

  /// The wanted setting of that address, if any.
  const Setting* find(const Address& address) const;
  /// The wanted value, for a sentence; "" if the address is not wanted.
  std::string want(const Address& address) const;
  /// Keeps it if its address is wanted.
  void say(Said said);

  std::vector<Said> take() { return std::move(said_); }

 private:
  std::map<Address, const Setting*> wanted_;
  std::vector<Said> said_;
};

/// One sentence: where the line is, what it does, when, and what to do about it.
Claim claim_of(const Said& said, const Setting& setting);

}  // namespace nettune::owners
