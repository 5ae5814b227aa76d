// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "kinds/link/provider.hpp"

namespace nettune::kinds::link {

inline kernel::Link make_link(int ifindex, std::string name, std::uint32_t mtu,
                              std::string kind = "", int stands_on = 0, int master = 0) {
  kernel::Link link;
  link.ifindex = ifindex;
  link.name = std::move(name);
  link.mtu = mtu;
  link.txqueuelen = 1000;
  link.kind = std::move(kind);
  link.link = stands_on;
  link.master = master;
  return link;
}

}  // namespace nettune::kinds::link
