// SPDX-License-Identifier: Apache-2.0
#include "kinds/registry.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <sys/utsname.h>

#include "intents/intents.hpp"
#include "kinds/boot/kind.hpp"
#include "kinds/dcb/kind.hpp"
#include "kinds/ethtool/kind.hpp"
#include "kinds/file/kind.hpp"
#include "kinds/firewall/kind.hpp"
#include "kinds/irq/kind.hpp"
#include "kinds/link/kind.hpp"
#include "kinds/module/kind.hpp"
#include "kinds/nccl_conf/kind.hpp"
#include "kinds/qdisc/kind.hpp"
#include "kinds/rdma/kind.hpp"
#include "kinds/sysctl/kind.hpp"
#include "kinds/sysfs/kind.hpp"
#include "kinds/unit/kind.hpp"

namespace nettune::kinds {
namespace {

/// Kinds in the order of writes; undo is in reverse. A module brings sysctls, so it comes before
/// them; what is staged first is placed last.
constexpr std::array kAll = {&file::kDir,        &file::kFile,         &nccl_conf::kNcclConf,
                             &boot::kBoot,       &unit::kDropIn,       &module::kModuleOptions,
                             &module::kModule,   &link::kLink,         &link::kNetns,
                             &ethtool::kEthtool, &dcb::kDcb,           &rdma::kRdma,
                             &qdisc::kQdisc,     &irq::kIrq,           &sysctl::kSysctl,
                             &sysfs::kSysfs,     &firewall::kFirewall, &unit::kUnit};

Providers make(const common::System& system, bool of_files_alone) {
  Providers providers;
  for (const common::Kind* const kind : kAll)
    if (kind->of_files || !of_files_alone) providers.add(kind->make(system));
  return providers;
}

}  // namespace

const common::Kind* find(std::string_view name) {
  const auto* const found = std::ranges::find(kAll, name, &common::Kind::name);
  return found == kAll.end() ? nullptr : *found;
}

bool knows(std::string_view kind) { return find(kind) != nullptr; }

Providers providers(Disk& disk, const common::Places& places,
                    std::shared_ptr<nettune::firewall::LiveRuleset> ruleset) {
  utsname system{};
  const std::string release = ::uname(&system) == 0 ? system.release : "";
  if (!ruleset) ruleset = std::make_shared<nettune::firewall::LiveRuleset>();
  return make({disk, places, std::move(ruleset), release}, false);
}

Providers providers_of_files(Disk& disk, const common::Places& places) {
  return make({disk, places, nullptr, "", true}, true);
}

}  // namespace nettune::kinds

std::span<const nettune::profile::Section* const> nettune::profile::sections() {
  // An intent yields settings before the kinds that it spans; boot files are made from all others.
  static constexpr std::array kSections = {&intents::kLossless,
                                           &kinds::sysctl::kSysctlSection,
                                           &kinds::firewall::kFirewallSection,
                                           &intents::kTcp,
                                           &intents::kAcs,
                                           &kinds::link::kLinkSection,
                                           &kinds::ethtool::kEthtoolSection,
                                           &kinds::rdma::kRdmaSection,
                                           &kinds::qdisc::kQdiscSection,
                                           &kinds::dcb::kDcbSection,
                                           &kinds::irq::kIrqSection,
                                           &kinds::sysfs::kSysfsSection,
                                           &kinds::boot::kBootSection,
                                           &kinds::module::kModuleSection,
                                           &kinds::module::kModuleOptionsSection,
                                           &intents::kLimits,
                                           &kinds::unit::kUnitSection,
                                           &kinds::unit::kDropInSection,
                                           &kinds::file::kFileSection,
                                           &kinds::nccl_conf::kEnvSection,
                                           &intents::kBootFiles};
  return kSections;
}
