// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/plan.hpp"

namespace nettune::owners {

/// A line of somebody's file, and what it does to an address.
struct Said {
  Address address;
  std::string owner;
  std::string file;
  int line = 0;
  std::string says;   ///< what the line does, a verb first: "sets MTUBytes = 9K"
  std::string value;  ///< canonical: "9216"; "" when the file does not tell (a DHCP server does)
  bool wins = false;  ///< it is set again after nettune
  std::string when;   ///< by whom and when: "networkd sets it whenever it configures the link"
  /// What to do there to get `want`, where that is more than to change or remove the line.
  std::string remedy = {};
  bool at_boot = true;  ///< that is so at boot, too
};

/// "sets KEY = VALUE", safe to show.
std::string sets(std::string_view key, std::string_view value);

/// Collects what is said about settings that are wanted, and makes claims of it.
class Rivals {
 public:
  explicit Rivals(const Desired& desired);

  /// Nothing when nobody asked for that address.
  const Setting* find(const Address& address) const;
  /// The value that is wanted there, for a sentence; "" when nobody asked.
  std::string want(const Address& address) const;
  /// What is said about other addresses is forgotten.
  void say(Said said);

  std::vector<Said> take() { return std::move(said_); }

 private:
  std::map<Address, const Setting*> wanted_;
  std::vector<Said> said_;
};

/// One sentence: where it stands, what it does, when, and what to do about it.
Claim claim_of(const Said& said, const Setting& setting);

}  // namespace nettune::owners
