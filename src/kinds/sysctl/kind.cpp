// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/kind.hpp"

#include <array>

#include "base/text.hpp"
#include "kinds/sysctl/provider.hpp"

namespace nettune::kinds::sysctl {

namespace {

std::optional<common::DeviceName> find_device(std::string_view rest) {
  static constexpr std::array<std::string_view, 5> kPerInterface = {
      "net.ipv4.conf.", "net.ipv6.conf.", "net.ipv4.neigh.", "net.ipv6.neigh.", "net.mpls.conf."};
  for (const std::string_view prefix : kPerInterface) {
    if (!rest.starts_with(prefix)) continue;
    const std::size_t end = rest.find('.', prefix.size());
    if (end == std::string_view::npos) return {};
    const std::string_view name = rest.substr(prefix.size(), end - prefix.size());
    if (name == "all" || name == "default") return {};
    return common::DeviceName{prefix.size(), name.size(), true};
  }
  return {};
}

std::unique_ptr<Provider> make_sysctl(const common::System& system) {
  common::Loadable loadable{system.places.proc_sys,
                            cat(system.places.modules, '/', system.kernel_release)};
  return std::make_unique<SysctlProvider>(system.places.proc_sys, system.places.sys,
                                          std::move(loadable));
}

}  // namespace

constinit const common::Kind kSysctl = {"sysctl", make_sysctl, false, find_device};

}  // namespace nettune::kinds::sysctl
