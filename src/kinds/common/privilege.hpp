// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nettune::providers {

/// True when this process has CAP_NET_ADMIN (or CAP_SYS_MODULE) in effect, whoever it runs as. In a
/// user namespace the kernel may still refuse what belongs to the host.
bool may_administer_network();
bool may_load_modules();
/// may_administer_network(), and not only in a user namespace of this process: what the kernel asks
/// by netlink_capable() (DCB).
bool may_administer_host_network();

}  // namespace nettune::providers
