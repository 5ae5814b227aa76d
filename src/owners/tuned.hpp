// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conf/files.hpp"
#include "conf/ini.hpp"
#include "kinds/sysctl/sysctl_d.hpp"

namespace nettune::owners {

/// The relevant part of one tuned.conf.
struct TunedFile {
  std::string path;
  std::vector<kinds::sysctl::SysctlLine> lines;  ///< the section [sysctl]
  std::vector<conf::IniLine> net;                ///< the sections for the plugin "net"
};

struct Tuned {
  std::string profile;
  /// TuneD applies the sysctl.d files after its own settings (reapply_sysctl in tuned-main.conf).
  bool reapplies_sysctl_d = true;
  std::vector<TunedFile> files;  ///< included files come first
};

/// TuneD's active profile; nothing when there is none.
std::optional<Tuned> active_tuned(const conf::Files& files);

}  // namespace nettune::owners
