// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/kmod.hpp"

namespace nettune::providers {

/// How the module provider reaches libkmod; tests put a kernel of their own in place.
struct ModuleCalls {
  std::function<Result<ModuleInfo>(const std::string&, const std::string&)> look_up =
      look_up_module;
  std::function<Result<>(const std::string&, const std::string&)> insert = insert_module;
};

/// Kernel modules: module:tcp_bbr with the value "loaded". Built-in counts as loaded. Loading is
/// all that it does: somebody may use a module that we loaded, so undo leaves it.
class ModuleProvider final : public Provider {
 public:
  /// `sys` and `modules` are where /sys and /lib/modules stand, `release` is that of the kernel.
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

 private:
  bool loaded(const std::string& name) const;
  bool built_in(const std::string& name) const;
  Reading read_one(const Address& address) const;

  std::string sys_;
  std::string directory_;
  std::string release_;
  ModuleCalls calls_;
};

}  // namespace nettune::providers
