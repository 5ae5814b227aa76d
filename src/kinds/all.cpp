// SPDX-License-Identifier: Apache-2.0
#include "kinds/all.hpp"

#include <memory>
#include <sys/utsname.h>

#include "kinds/dcb/provider.hpp"
#include "kinds/ethtool/provider.hpp"
#include "kinds/file/dir_provider.hpp"
#include "kinds/file/file_provider.hpp"
#include "kinds/firewall/firewalld_provider.hpp"
#include "kinds/firewall/nft_provider.hpp"
#include "kinds/firewall/provider.hpp"
#include "kinds/firewall/ufw_provider.hpp"
#include "kinds/link/provider.hpp"
#include "kinds/module/provider.hpp"
#include "kinds/nccl_conf/provider.hpp"
#include "kinds/qdisc/provider.hpp"
#include "kinds/rdma/provider.hpp"
#include "kinds/sysctl/provider.hpp"

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
