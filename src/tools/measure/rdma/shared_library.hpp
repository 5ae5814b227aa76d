// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

namespace nettune::tools::measure::rdma {

/// A library that is loaded on demand, and kept.
class SharedLibrary {
 public:
  explicit SharedLibrary(const char* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  explicit operator bool() const { return handle_ != nullptr; }

  /// nullptr if the library has no such function.
  template <typename Function>
  void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(::dlsym(handle_, name));
  }
  /// The same, and remembers that it is missing.
  template <typename Function>
  void need(Function& function, const char* name) {
    find(function, name);
    if (function == nullptr) missing_ = name;
  }
  const char* missing() const { return missing_; }

 private:
  void* handle_;
  const char* missing_ = nullptr;
};

}  // namespace nettune::tools::measure::rdma
