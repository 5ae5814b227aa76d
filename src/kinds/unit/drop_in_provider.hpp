// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "conf/files.hpp"
#include "kernel/systemd_units.hpp"
#include "kinds/common/own_file.hpp"

namespace nettune::kinds::unit {

using AskState = std::function<Result<kernel::UnitState>(const std::string& unit)>;

/// Directives in drop-ins of units: drop-in:containerd.service:Service.LimitMEMLOCK with the value
/// "infinity", written to one file of each unit that is nettune's alone, and in effect once the
/// unit is started with it. No unit is ever restarted for that.
class DropInProvider final : public common::OwnFileProvider {
 public:
  /// `root` is put in front of all paths; `live`: systemd runs here, this is no image.
  DropInProvider(Disk& disk, std::string root, bool live, AskState ask = kernel::unit_state);

  std::string_view kind() const override { return "drop-in"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  std::string takes_effect(const Address& address) const override;
  InEffect in_effect(const Address& address, const Value& written) override;

 protected:
  std::string path_of(const Address& address) const override;
  std::string_view name_of(const Address& address) const override { return address.key(); }

 private:
  std::string why_it_would_end(const std::string& unit, std::string_view key,
                               std::string_view value) const;

  Disk& disk_;
  std::string root_;
  bool live_;
  AskState ask_;
};

}  // namespace nettune::kinds::unit
