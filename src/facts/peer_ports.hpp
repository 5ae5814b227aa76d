// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::facts {

/// The bridges above GPUs and RDMA cards. A physical function stands for its virtual ones.
std::vector<PeerPort> read_peer_ports(const kernel::Directory& root, const std::vector<Gpu>& gpus,
                                      const std::vector<RdmaDevice>& rdma);

/// What gives devices to guests of this node, and so needs the isolation of ACS: each a sentence.
std::vector<std::string> read_guests(const kernel::Directory& root);

}  // namespace nettune::facts
