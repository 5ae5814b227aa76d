// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/provider.hpp"
#include "kernel/sysctl_tree.hpp"
#include "kinds/common/loadable.hpp"
#include "kinds/sysctl/table.hpp"

namespace nettune::kinds::sysctl {

/// Files below /proc/sys: sysctl:net.core.rmem_max, the key in the spelling of
/// kernel::canonical_sysctl_key(). Members of sets that others also write have addresses of their
/// own, with the value "present": sysctl:net.ipv4.ip_local_reserved_ports#29400. All members of one
/// key are one unit: one write that keeps every other member. Keys that bound, replace or switch
/// each other are also one unit, written one after another in the order that the kernel accepts
/// (order.hpp). What nettune knows about single keys is in table.cpp and bounds.cpp.
class SysctlProvider final : public Provider {
 public:
  /// `sys` is the path of /sys: it shows whether a key's module is loaded. `loadable` shows which
  /// can be.
  SysctlProvider(const std::string& proc_sys, std::string sys, common::Loadable loadable = {})
      : tree_(proc_sys), loadable_(std::move(loadable)), sys_(std::move(sys)) {
    loadable_.proc_sys = proc_sys;
  }

  std::string_view kind() const override { return "sysctl"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  /// It costs open, read and close for each readable key, nothing else.
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::string unit(const Address& address) const override;
  std::vector<Address> needs(const Address& address) const override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Turn turn(const Address& address, const Value& before, const Value& after) const override;
  std::string no_effect(const Address& address, const Value& value, const Later& later) override;
  bool lists(const Address& address, const std::string& value) override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  Reading reading_of(const Address& address, const kernel::SysctlTree::Raw& raw);
  Reading unreadable(const std::string& key, int error);
  Reading absent(const std::string& key);
  std::optional<Reading> without_interface(const std::string& key);
  std::optional<Reading> misspelled(const std::string& key, std::optional<std::string> meant);
  std::optional<std::string> existing_near(const std::string& key);
  std::optional<std::string> path_near(std::span<const std::string_view> names,
                                       const std::string& directory, bool slipped);
  std::string first_key_below(const std::string& directory);
  std::string nearest_hint(const std::string& key);

  std::string not_offered(const std::string& key, const std::string& value);
  void add_cautions(const std::string& key, const std::string& after, Effects& effects);
  void add_hazards(const Exposure& exposure, const Captures& captures, Effects& effects);
  std::vector<std::string> exposed(Exposed which, const std::string& own);
  bool purges_others();
  std::optional<std::set<std::string>> routed_by_routers() const;
  std::vector<Witness> witnesses(const std::string& key, const Value& after);
  std::vector<std::string> expand(std::string_view pattern, const Captures& captures);
  std::optional<std::string> moved(const SideEffect& row, const std::string& touched,
                                   const std::optional<std::string>& written);
  Error with_bounds(const std::string& key, Error error);
  bool is_lost(const std::string& key, const Value& value);
  void add_module_effects(const std::string& key, const Value& after, Effects& effects);
  Result<> write_elements(const std::string& key, std::span<const Write> unit);

  kernel::SysctlTree tree_;
  common::Loadable loadable_;
  std::string sys_;
};

}  // namespace nettune::kinds::sysctl
