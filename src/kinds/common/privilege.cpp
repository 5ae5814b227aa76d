// SPDX-License-Identifier: Apache-2.0
#include "kinds/common/privilege.hpp"

#include <array>
#include <linux/capability.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace nettune::kinds::common {
namespace {

bool has_capability(unsigned capability) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return false;
  return (data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability)) != 0;
}

}  // namespace

bool may_administer_network() { return has_capability(CAP_NET_ADMIN); }
bool may_load_modules() { return has_capability(CAP_SYS_MODULE); }

bool may_administer_host_network() {
  // The first user namespace has a number of its own: PROC_USER_INIT_INO, linux/proc_ns.h.
  constexpr std::string_view kInitial = "user:[4026531837]";
  std::array<char, 64> name{};
  const ssize_t size = ::readlink("/proc/self/ns/user", name.data(), name.size());
  const bool other =
      size > 0 && std::string_view(name.data(), static_cast<std::size_t>(size)) != kInitial;
  return may_administer_network() && !other;
}

}  // namespace nettune::kinds::common
