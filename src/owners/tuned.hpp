// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conf/files.hpp"
#include "conf/ini.hpp"
#include "kinds/sysctl/sysctl_d.hpp"

namespace nettune::owners {

/// What counts here of one tuned.conf.
struct TunedFile {
  std::string path;
  std::vector<formats::SysctlLine> lines;  ///< of [sysctl]
  std::vector<IniLine> net;                ///< of sections for the plugin "net"
};

struct Tuned {
  std::string profile;
  /// TuneD sets the sysctl.d files again after its own (reapply_sysctl in tuned-main.conf).
  bool reapplies_sysctl_d = true;
  std::vector<TunedFile> files;  ///< what is included first
};

/// The profile that TuneD was told to keep; nothing when there is none.
std::optional<Tuned> active_tuned(const Files& files);

}  // namespace nettune::owners
