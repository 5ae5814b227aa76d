// SPDX-License-Identifier: Apache-2.0
#include "kinds/unit/kind.hpp"

#include "kinds/unit/drop_in_provider.hpp"
#include "kinds/unit/state_provider.hpp"

namespace nettune::kinds::unit {

namespace {

/// The systemd of this machine is none of a recorded node's.
Result<kernel::UnitState> unknown_state(const std::string&) {
  return fail(Errc::unsupported, "systemd is that of another node");
}

SystemdCalls calls_of(const common::System& system) {
  SystemdCalls calls;
  if (system.places.node.empty()) return calls;
  calls.state = unknown_state;
  calls.related = [](const std::string&,
                     const std::vector<const char*>&) -> Result<std::vector<std::string>> {
    return fail(Errc::unsupported, "systemd is that of another node");
  };
  calls.barrier = [] { return std::string("systemd is that of another node"); };
  return calls;
}

std::unique_ptr<Provider> make_drop_in(const common::System& system) {
  return std::make_unique<DropInProvider>(system.disk, system.places.node,
                                          !system.kernel_release.empty(), calls_of(system).state);
}

std::unique_ptr<Provider> make_unit(const common::System& system) {
  return std::make_unique<StateProvider>(system.disk, system.places.node, calls_of(system));
}

}  // namespace

constinit const common::Kind kUnit = {"unit", make_unit};
constinit const common::Kind kDropIn = {"drop-in", make_drop_in, true};

}  // namespace nettune::kinds::unit
