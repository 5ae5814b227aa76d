// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::providers {

/// What libkmod knows about a module.
struct ModuleInfo {
  bool known = false;                     ///< there is such a module for this kernel
  std::string name;                       ///< its own name, when what was asked for is an alias
  std::string install_command;            ///< of an "install" line in modprobe.d; "" for none
  std::vector<std::string> dependencies;  ///< modules that it needs, loaded or not
};

/// Looks a module up among those in `directory` (/lib/modules/RELEASE) and in modprobe.d.
/// libkmod.so.2 is loaded by the first call, and never before: most runs need no module. Fails when
/// it is not installed.
Result<ModuleInfo> look_up_module(const std::string& directory, const std::string& name);

/// Loads a module with what it needs; one that is loaded already succeeds. Runs no command of
/// modprobe.d: a module, or one that it needs, with an "install" line fails. Needs CAP_SYS_MODULE.
Result<> insert_module(const std::string& directory, const std::string& name);

}  // namespace nettune::providers
