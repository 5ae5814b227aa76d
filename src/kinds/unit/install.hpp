// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/disk.hpp"
#include "base/result.hpp"

namespace nettune::kinds::unit {

/// The files and links of a unit, as systemctl enable and mask make them.
struct Installed {
  std::string file;     ///< the unit's own file, masked or not; "" if it is not installed
  bool masked = false;  ///< by a link in /etc/systemd/system
  /// Why neither can be changed here: "it is an alias of ssh.service". "" if both can.
  std::string unusual;
  /// Why it cannot be enabled: it is static, its [Install] names other units, ...
  std::string not_enabled;
  std::set<std::string> wanted;  ///< the links of its [Install], below /etc/systemd/system
  std::map<std::string, std::string> links;  ///< those that are there, and where they lead
  bool file_in_etc = false;                  ///< where a mask would be

  bool is_enabled() const;
};

/// `root` is put in front of all paths. An error if a directory cannot be read.
Result<Installed> read_installed(Disk& disk, const std::string& root, const std::string& unit);

}  // namespace nettune::kinds::unit
