// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conf/files.hpp"
#include "conf/ini.hpp"

namespace nettune::conf {

/// One assignment in the files of a unit.
struct UnitLine : IniLine {
  std::string file;
};

/// The units of the system as systemd finds them: the unit, and its drop-ins in all directories.
class Units {
 public:
  explicit Units(const Files& files) : files_(files) {}

  /// The lines of the unit, then those of its drop-ins, in the order in which systemd reads them: a
  /// later line overrides or adds. Drop-ins are sorted by name, wherever they are: those of the
  /// unit, of its aliases, of its template, of its prefixes ("foo-.service.d") and of its type
  /// ("service.d"). `ours` counts as if it were at its path. No lines for a unit that is not here,
  /// besides those of drop-ins.
  std::vector<UnitLine> lines(const std::string& unit, const FoundFile* ours = nullptr);

  /// The drop-in that systemd reads instead of `ours`, because it has the same name and is in a
  /// stronger directory; "" if there is none.
  std::string shadow(const std::string& unit, const FoundFile& ours);

  /// The path of the unit's own file; "" if there is none.
  std::string path(const std::string& unit);

 private:
  std::vector<std::vector<std::string>> names_of(const std::string& unit);
  std::map<std::string, std::string> drop_ins(const std::string& unit, const FoundFile* ours);
  const std::vector<std::string>& listed(std::string_view directory);
  bool has(std::string_view directory, const std::string& name);
  std::string own_name(const std::string& unit);

  const Files& files_;
  std::map<std::string_view, std::vector<std::string>> listed_;  ///< all names of a directory
};

/// The words of a value, without quotes and backslashes, as in Environment=.
std::vector<std::string> unit_words(std::string_view value);

}  // namespace nettune::conf
