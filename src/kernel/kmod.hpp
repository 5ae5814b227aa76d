// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// libkmod's information about a module.
struct ModuleInfo {
  bool known = false;                     ///< there is such a module for this kernel
  std::string name;                       ///< its own name, if the requested one is an alias
  std::string install_command;            ///< from an "install" line in modprobe.d; "" for none
  std::vector<std::string> dependencies;  ///< modules that it needs, loaded or not
};

/// Looks a module up in `directory` (/lib/modules/RELEASE) and in modprobe.d. The first call loads
/// libkmod.so.2: most runs need no module. Fails if it is not installed.
Result<ModuleInfo> look_up_module(const std::string& directory, const std::string& name);

/// The parameters that a module declares (modinfo's "parm" and "parmtype"), sorted; nothing for a
/// module that this kernel does not have. Reads the module's file, so it is not for every check.
Result<std::optional<std::vector<std::string>>> module_parameters(const std::string& directory,
                                                                  const std::string& name);

/// Loads a module with its dependencies; an already loaded one is a success. Runs no command of
/// modprobe.d: if the module or a dependency has an "install" line, it fails. Needs CAP_SYS_MODULE.
Result<> insert_module(const std::string& directory, const std::string& name);

}  // namespace nettune::kernel
