// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/kmod.hpp"
#include "kinds/common/kind.hpp"
#include "kinds/common/own_file.hpp"
#include "kinds/module/provider.hpp"

namespace nettune::kinds::module {

/// Options of kernel modules: modprobe:mlx5_core:prof_sel with the value "3", written to a file of
/// modprobe.d, and in effect once the module is loaded with it. A loaded module is never loaded
/// again for that.
class OptionsProvider final : public common::OwnFileProvider {
 public:
  using Parameters = std::function<Result<std::optional<std::vector<std::string>>>(
      const std::string& directory, const std::string& name)>;

  OptionsProvider(Disk& disk, const common::Places& places, std::string release,
                  ModuleCalls calls = {}, Parameters parameters = kernel::module_parameters);

  std::string_view kind() const override { return "modprobe"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  std::string takes_effect(const Address& address) const override;
  InEffect in_effect(const Address& address, const Value& written) override;

 private:
  /// Why this kernel does not read modprobe.d for the module; "" if it does.
  std::string not_applicable(const Address& address);
  /// What to do where the initramfs is older than the option; "" if it is not, or there is none.
  std::string older_initramfs(const Address& address) const;

  Disk& disk_;
  std::string sys_;
  std::string directory_;
  std::string release_;
  ModuleProvider modules_;
  ModuleCalls calls_;
  Parameters parameters_;
};

}  // namespace nettune::kinds::module
