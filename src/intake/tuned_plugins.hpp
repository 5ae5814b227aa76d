// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "intake/account.hpp"

namespace nettune::intake {

/// What a line of TuneD belongs to.
struct TunedUnit {
  std::string plugin;   ///< "sysctl", "net", ...
  std::string devices;  ///< "*", or rules such as "ens*,!ens9"
};

/// Turns the options of TuneD's plugins into settings of nettune.
class TunedPlugins {
 public:
  explicit TunedPlugins(Account& account) : account_(account) {}

  /// Accounts for one option, with its variables inserted.
  void set(LineId id, const TunedUnit& unit, const std::string& key, const std::string& value);

 private:
  void no_kind(LineId id, const std::string& plugin, const std::string& key);
  void sysctl(LineId id, const std::string& key, const std::string& value);
  void vm(LineId id, const std::string& key, const std::string& value);
  /// False for a key that nettune has no kind for.
  bool cpu(LineId id, const std::string& key, const std::string& value);
  void module(LineId id, const std::string& name, const std::string& value);
  void sysfs(LineId id, const std::string& path, const std::string& value);
  bool net(LineId id, const std::string& key, const std::string& value, const std::string& devices);
  std::string set_for(const std::string& devices);

  Account& account_;
  std::map<std::string, std::string> sets_;  ///< names of sets by their rules
};

/// The members of "a, b;c".
std::vector<std::string> names_in_list(std::string_view list);

}  // namespace nettune::intake
