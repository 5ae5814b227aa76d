// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <string>

#include "base/text.hpp"

namespace nettune::inline base {

/// A library that only some runs need. It is loaded on first use and kept until the process ends.
/// Derive from it, with function members that are looked up by get().
class DynamicLibrary {
 public:
  std::string missing;  ///< why it cannot be used; "" if it can

 protected:
  /// `file` is its soname, `package` its Debian package.
  DynamicLibrary(const char* file, const char* package)
      : file_(file), handle_(::dlopen(file, RTLD_LAZY | RTLD_LOCAL)) {
    if (!handle_) missing = cat(file, " cannot be loaded; install the package ", package);
  }

  template <class Function>
  void get(Function& function, const char* symbol) {
    if (!handle_) return;
    function = reinterpret_cast<Function>(::dlsym(handle_, symbol));
    if (!function) missing = cat(file_, " has no ", symbol);
  }

 private:
  const char* file_;
  void* handle_;
};

}  // namespace nettune::inline base
