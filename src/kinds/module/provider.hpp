// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/kmod.hpp"

namespace nettune::kinds::module {

/// Access to libkmod; tests substitute their own.
struct ModuleCalls {
  std::function<Result<kernel::ModuleInfo>(const std::string&, const std::string&)> look_up =
      kernel::look_up_module;
  std::function<Result<>(const std::string&, const std::string&)> insert = kernel::insert_module;
};

/// Kernel modules: module:tcp_bbr with the value "loaded". Built-in counts as loaded. Modules are
/// only loaded, never unloaded: a module may be in use.
class ModuleProvider final : public Provider {
 public:
  /// `sys` and `modules` are the paths of /sys and /lib/modules, `release` is the kernel's.
  ModuleProvider(std::string sys, const std::string& modules, std::string release,
                 ModuleCalls calls = {})
      : sys_(std::move(sys)),
        directory_(modules + "/" + release),
        release_(std::move(release)),
        calls_(std::move(calls)) {}

  std::string_view kind() const override { return "module"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  std::string_view stays() const override {
    return "a loaded module may be in use; it stays loaded until reboot";
  }
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

  /// By its name in the kernel's spelling, with '_'. Built-in modules with parameters count as
  /// loaded.
  bool is_loaded(const std::string& name) const;
  bool is_built_in(const std::string& name) const;

 private:
  Reading read_one(const Address& address) const;

  std::string sys_;
  std::string directory_;
  std::string release_;
  ModuleCalls calls_;
};

}  // namespace nettune::kinds::module
