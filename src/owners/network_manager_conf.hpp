// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conf/files.hpp"
#include "conf/ini.hpp"
#include "owners/link.hpp"

namespace nettune::owners {

/// True when a device list of NetworkManager.conf(5) ("interface-name:ib*;except:mac:...") names
/// the interface.
bool in_device_list(std::string_view list, const Link& link);

/// NetworkManager.conf with its conf.d directories.
class NetworkManagerConf {
 public:
  struct Line : conf::IniLine {
    std::string file;
  };

  explicit NetworkManagerConf(const conf::Files& files);

  /// The effective line of a plain section; nothing when there is none.
  const Line* last(std::string_view section, std::string_view key) const;
  /// The effective line for the interface in a [connection*] or [device*] section (prefix
  /// "connection" or "device").
  const Line* for_link(std::string_view prefix, std::string_view key, const Link& link) const;
  /// False for interfaces in unmanaged-devices or in a [device*] section with managed=0.
  bool manages(const Link& link) const;
  bool has_plugin(std::string_view name) const;

 private:
  struct Section {
    std::string name;
    std::vector<Line> lines;
  };
  void add(const conf::FoundFile& file);

  std::vector<std::vector<Section>> files_;  ///< in reading order
};

}  // namespace nettune::owners
