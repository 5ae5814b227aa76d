// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "tools/doctor/machine.hpp"
#include "tools/doctor/observe.hpp"

/// The RDMA ports of the node's cards, and which of them should behave alike.
namespace nettune::tools::doctor {

struct CardPort {
  const facts::RdmaDevice* device;
  const facts::RdmaPort* port;
  std::optional<int> function;  ///< which of its card's

  std::string name() const { return cat(device->name, "/", port->number); }
  bool active() const { return port->state == "ACTIVE"; }
};

std::vector<CardPort> ports_of(const Machine& machine);

/// Cards of the same variant, the same port: both should behave alike.
bool are_siblings(const CardPort& left, const CardPort& right);

/// Whether the state of every port of the node is known.
bool knows_ports(const Machine& machine);

/// Whether there may be ports like this one that are not known to be.
bool may_have_more_siblings(const Machine& machine, const CardPort& port,
                            const std::vector<CardPort>& all);

/// The other ports like one, and how many of them are active.
struct Siblings {
  std::ptrdiff_t all = 0;
  std::ptrdiff_t active = 0;
};
Siblings siblings_of(const CardPort& port, const std::vector<CardPort>& all);

/// Adds what else the observation concerns.
facts::Observation& about(facts::Observation& seen, const CardPort& port);

// observe_rdma_rates.cpp
extern const Observable kRdmaRate;
extern const Observable kRdmaRateCard;
void observe_rate(const Machine& machine, const CardPort& port, const std::vector<CardPort>& all,
                  Sightings& out);

}  // namespace nettune::tools::doctor
