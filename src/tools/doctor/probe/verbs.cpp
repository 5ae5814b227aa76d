// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <infiniband/verbs.h>

#include "base/text.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// Tests for DMA-BUF as NCCL does (src/transport/net_ib, ncclIbDmaBufSupport()): it registers an
/// invalid file descriptor. The error shows whether the kernel supports the call.
std::string dmabuf_of(ibv_context* context) {
  ibv_pd* const domain = ::ibv_alloc_pd(context);
  if (!domain) return cat("error ", std::strerror(errno));
  errno = 0;
  ibv_mr* const region = ::ibv_reg_dmabuf_mr(domain, 0, 0, 0, -1, 0);
  const int error = errno;
  if (region) ::ibv_dereg_mr(region);
  ::ibv_dealloc_pd(domain);
  return error == EOPNOTSUPP || error == EPROTONOSUPPORT ? "no" : "yes";
}

int mtu_bytes(ibv_mtu mtu) { return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128 << mtu : 0; }

void ask_device(ibv_device* device, std::string& text) {
  const std::string name = ::ibv_get_device_name(device);
  ibv_context* const context = ::ibv_open_device(device);
  if (!context) {
    text += cat("device ", name, "\nerror ", std::strerror(errno), "\n");
    return;
  }
  text += cat("device ", name, "\ndmabuf ", dmabuf_of(context), "\n");
  ibv_device_attr attributes{};
  if (::ibv_query_device(context, &attributes) == 0)
    for (std::uint8_t port = 1; port != 0 && port <= attributes.phys_port_cnt; ++port) {
      ibv_port_attr state{};
      if (::ibv_query_port(context, port, &state) != 0) continue;
      text += cat("mtu ", static_cast<int>(port), " ", mtu_bytes(state.active_mtu), "\n");
    }
  ::ibv_close_device(context);
}

}  // namespace

std::string ask_verbs() {
  int count = 0;
  ibv_device** const devices = ::ibv_get_device_list(&count);
  if (!devices) return cat("error ", std::strerror(errno), "\n");
  std::string text = cat("count ", count, "\n");
  for (int i = 0; i < count; ++i) ask_device(devices[i], text);
  ::ibv_free_device_list(devices);
  return text;
}

void parse_verbs(std::string_view text, Machine& machine) {
  std::string device;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 2) continue;
    if (fields[0] == "device") device = std::string(fields[1]);
    if (device.empty()) continue;
    if (fields[0] == "error")
      machine.verbs.push_back(
          {device, unknown(cat(device, " cannot be opened: ", trim(line.substr(5))))});
    if (fields[0] == "dmabuf")
      machine.verbs.push_back({device, fields[1] == "error"
                                           ? Known<bool>(unknown(cat(device, ": ", line)))
                                           : Known<bool>(fields[1] == "yes")});
    if (fields[0] == "mtu" && fields.size() == 3) {
      const auto port = parse_int(fields[1]);
      const auto mtu = parse_int(fields[2]);
      for (PortState& state : machine.ports)
        if (state.device == device && state.port == port && mtu && *mtu > 0)
          state.active_mtu = static_cast<int>(*mtu);
    }
  }
}

}  // namespace nettune::tools::doctor::probe
