// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/provider.hpp"
#include "kernel/systemd_units.hpp"
#include "kinds/unit/install.hpp"

namespace nettune::kinds::unit {

/// systemd, as the provider calls it.
struct SystemdCalls {
  std::function<Result<kernel::UnitState>(const std::string&)> state = kernel::unit_state;
  std::function<Result<std::vector<std::string>>(const std::string&,
                                                 const std::vector<const char*>&)>
      related = kernel::related_units;
  std::function<Result<>(const std::string&)> start = kernel::start_unit;
  std::function<Result<>(const std::string&)> stop = kernel::stop_unit;
  std::function<Result<>(kernel::UnitFilesVerb, const std::string&)> change =
      kernel::change_unit_files;
  std::function<Result<>()> reload;  ///< kernel::reload_systemd
  /// Why this process may not ask systemd for changes; "" if it may.
  std::function<std::string()> barrier;

  SystemdCalls();
};

/// What a unit is: unit:irqbalance.service:enabled, :masked and :active, each "yes" or "no".
/// Enabled is what links of /etc/systemd/system say, as its [Install] has them; another state is a
/// value of its own, and is never changed.
class StateProvider final : public Provider {
 public:
  StateProvider(Disk& disk, std::string root, SystemdCalls calls = {})
      : disk_(disk), root_(std::move(root)), calls_(std::move(calls)) {}

  std::string_view kind() const override { return "unit"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::string unit(const Address& address) const override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Lifetime lifetime(const Address& address) const override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  Reading read_one(const Address& address) const;
  Reading read_active(const std::string& unit) const;
  void note_files(const Installed& installed, const Address& address, const Value& before,
                  const Value& after, Effects& effects) const;
  void note_along(const std::string& unit, bool start, Effects& effects) const;
  void note_start(const std::string& unit, Effects& effects) const;
  void note_stop(const std::string& unit, Effects& effects) const;
  Result<> start(const std::string& unit) const;
  Result<> sync_links(const Installed& installed) const;

  Disk& disk_;
  std::string root_;
  SystemdCalls calls_;
};

}  // namespace nettune::kinds::unit
