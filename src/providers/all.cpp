// SPDX-License-Identifier: Apache-2.0
#include "providers/all.hpp"

#include <memory>
#include <sys/utsname.h>

#include "providers/dcb.hpp"
#include "providers/dir.hpp"
#include "providers/ethtool.hpp"
#include "providers/file.hpp"
#include "providers/firewall.hpp"
#include "providers/firewall_firewalld.hpp"
#include "providers/firewall_nft.hpp"
#include "providers/firewall_ufw.hpp"
#include "providers/link.hpp"
#include "providers/module.hpp"
#include "providers/nccl_conf.hpp"
#include "providers/qdisc.hpp"
#include "providers/rdma.hpp"
#include "providers/sysctl.hpp"

namespace nettune::providers {

Providers of_files(Disk& disk, const Places& places) {
  Providers providers;
  providers.add(std::make_unique<DirProvider>(disk));
  providers.add(std::make_unique<FileProvider>(disk));
  providers.add(std::make_unique<NcclConfProvider>(disk, places.nccl_conf));
  return providers;
}

Providers all(Disk& disk, const Places& places, std::shared_ptr<firewall::LiveRuleset> ruleset) {
  utsname system{};
  const std::string release = ::uname(&system) == 0 ? system.release : "";
  Providers providers = of_files(disk, places);
  providers.add(std::make_unique<ModuleProvider>(places.sys, places.modules, release));
  providers.add(std::make_unique<LinkProvider>(places.proc_sys));
  providers.add(std::make_unique<EthtoolProvider>(places.sys));
  providers.add(std::make_unique<DcbProvider>(places.sys));
  providers.add(std::make_unique<RdmaProvider>(places.sys));
  providers.add(std::make_unique<QdiscProvider>(places.sys));
  providers.add(std::make_unique<SysctlProvider>(places.proc_sys, places.sys));
  if (!ruleset) ruleset = std::make_shared<firewall::LiveRuleset>();
  FirewallProvider::Backends firewalls;
  firewalls.nft = std::make_unique<NftFirewall>(std::move(ruleset), places.sys);
  firewalls.firewalld = std::make_unique<FirewalldFirewall>(disk);
  firewalls.ufw = std::make_unique<UfwFirewall>(disk);
  providers.add(std::make_unique<FirewallProvider>(std::move(firewalls)));
  return providers;
}

}  // namespace nettune::providers
