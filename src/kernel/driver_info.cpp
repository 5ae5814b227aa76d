// SPDX-License-Identifier: Apache-2.0
#include "kernel/driver_info.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"

namespace nettune::kernel {
namespace {

template <std::size_t N>
std::string text_in(const char (&field)[N]) {
  return {field, ::strnlen(field, N)};
}

}  // namespace

Result<DriverInfo> driver_info(const std::string& interface) {
  ifreq request{};
  if (interface.empty() || interface.size() >= sizeof request.ifr_name)
    return fail(Errc::invalid, cat("'", printable(interface), "' is not a valid interface name"));
  // A socket of any family takes this call (sock_do_ioctl(), net/socket.c); the services of nettune
  // are allowed only this one and netlink.
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return fail(Errc::io, "cannot open a socket to ask the driver", errno);
  ethtool_drvinfo answer{};
  answer.cmd = ETHTOOL_GDRVINFO;
  std::copy(interface.begin(), interface.end(), std::begin(request.ifr_name));
  request.ifr_data = reinterpret_cast<char*>(&answer);
  if (::ioctl(socket.get(), SIOCETHTOOL, &request) != 0)
    return fail(
        Errc::unsupported,
        cat("the driver of ", interface, " does not report its name: ", std::strerror(errno)),
        errno);
  return DriverInfo{text_in(answer.driver), text_in(answer.version), text_in(answer.fw_version)};
}

}  // namespace nettune::kernel
