// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nettune::kinds::common {

/// True if this process has CAP_NET_ADMIN (or CAP_SYS_MODULE) in effect, under any user ID. In a
/// user namespace the kernel may still refuse to change the host.
bool may_administer_network();
bool may_load_modules();
/// True if may_administer_network() holds in the initial user namespace, as netlink_capable()
/// requires (DCB).
bool may_administer_host_network();

}  // namespace nettune::kinds::common
