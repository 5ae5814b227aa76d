// SPDX-License-Identifier: Apache-2.0
#include "kinds/registry.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <sys/utsname.h>

#include "intents/intents.hpp"
#include "kinds/dcb/kind.hpp"
#include "kinds/ethtool/kind.hpp"
#include "kinds/file/kind.hpp"
#include "kinds/firewall/kind.hpp"
#include "kinds/link/kind.hpp"
#include "kinds/module/kind.hpp"
#include "kinds/nccl_conf/kind.hpp"
#include "kinds/qdisc/kind.hpp"
#include "kinds/rdma/kind.hpp"
#include "kinds/sysctl/kind.hpp"
#include "kinds/sysfs/kind.hpp"

namespace nettune {
namespace kinds {
namespace {

/// Kinds in the order of writes; undo is in reverse. A module brings sysctls, so it comes before
/// them; what is staged first is placed last.
constexpr std::array kAll = {&kDir, &kFile, &kNcclConf, &kModule, &kLink,  &kNetns,   &kEthtool,
                             &kDcb, &kRdma, &kQdisc,    &kSysctl, &kSysfs, &kFirewall};

Providers make(const System& system, bool of_files_alone) {
  Providers providers;
  for (const Kind* const kind : kAll)
    if (kind->of_files || !of_files_alone) providers.add(kind->make(system));
  return providers;
}

}  // namespace

const Kind* find(std::string_view name) {
  const auto* const found = std::ranges::find(kAll, name, &Kind::name);
  return found == kAll.end() ? nullptr : *found;
}

Providers providers(Disk& disk, const Places& places,
                    std::shared_ptr<firewall::LiveRuleset> ruleset) {
  utsname system{};
  const std::string release = ::uname(&system) == 0 ? system.release : "";
  if (!ruleset) ruleset = std::make_shared<firewall::LiveRuleset>();
  return make({disk, places, std::move(ruleset), release}, false);
}

Providers providers_of_files(Disk& disk, const Places& places) {
  return make({disk, places, nullptr, ""}, true);
}

}  // namespace kinds

namespace profile {

std::span<const Section* const> sections() {
  // An intent yields settings before the kinds that it spans; boot files are made from all others.
  static constexpr std::array kSections = {
      &intents::kLossless,   &kinds::kSysctlSection, &kinds::kFirewallSection,
      &intents::kTcp,        &kinds::kLinkSection,   &kinds::kEthtoolSection,
      &kinds::kRdmaSection,  &kinds::kQdiscSection,  &kinds::kDcbSection,
      &kinds::kSysfsSection, &kinds::kModuleSection, &intents::kLimits,
      &kinds::kFileSection,  &kinds::kEnvSection,    &intents::kBootFiles};
  return kSections;
}

}  // namespace profile
}  // namespace nettune
