// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "tools/doctor/card_ports.hpp"

namespace nettune::tools::doctor {

const Observable kRdmaRate = observable("rdma.rate", "equal|below|narrow");
const Observable kRdmaRateCard = observable("rdma.rate-card");

namespace {

/// The fastest link of the card models of the mlx5 driver (mlx5_core_pci_table,
/// drivers/net/ethernet/mellanox/mlx5/core/main.c), in Gb/s. Most have slower variants.
struct CardModel {
  std::string_view pci_id;
  std::string_view name;
  int gbps;
};
constexpr auto kModels = std::to_array<CardModel>({{"15b3:1013", "ConnectX-4", 100},
                                                   {"15b3:1017", "ConnectX-5", 100},
                                                   {"15b3:1019", "ConnectX-5 Ex", 100},
                                                   {"15b3:101b", "ConnectX-6", 200},
                                                   {"15b3:1021", "ConnectX-7", 400},
                                                   {"15b3:1023", "ConnectX-8", 800}});

/// What a card is known to support, and from where.
struct Ability {
  double gbps = 0;
  std::string who;
};

/// Its own link modes, else the fastest that a card with the same PSID supports or runs at.
Ability ability_of(const Machine& machine, const CardPort& port, const std::vector<CardPort>& all) {
  const auto modes = [&](const CardPort& one) {
    const facts::NetDevice* const net = machine.facts.find_net(one.port->netdev);
    return net && net->max_speed_mbps ? *net->max_speed_mbps / 1000.0 : 0;
  };
  if (const double own = modes(port); own > 0) return {own, "its card"};
  Ability best;
  for (const CardPort& other : all) {
    if (port.device->psid.empty() || other.device->psid != port.device->psid ||
        other.device == port.device)
      continue;
    const double gbps = std::max(modes(other), other.port->rate_gbps.value_or(0));
    if (gbps > best.gbps) best = {gbps, cat(other.name(), " of the same PSID")};
  }
  return best;
}

void observe_against_card(const Machine& machine, const CardPort& port,
                          const std::vector<CardPort>& all, Sightings& out) {
  const double rate = *port.port->rate_gbps;
  auto [most, who] = ability_of(machine, port, all);
  const auto* const model = std::ranges::find(kModels, port.device->pci_id, &CardModel::pci_id);
  const bool is_fastest = model != kModels.end() && rate >= model->gbps;
  if (most <= 0 && is_fastest) {
    most = model->gbps;
    who = cat("the fastest ", model->name);
  }
  if (most <= 0) {
    // The model alone is no evidence: a ConnectX-7 may be made for 200 Gb/s.
    const Gap gap =
        model == kModels.end()
            ? not_applicable("it is not known what its card supports")
            : unknown(cat("its rate is ", port.port->rate, "; whether this ", model->name,
                          port.device->psid.empty() ? "" : cat(" (PSID ", port.device->psid, ")"),
                          " supports more is not known"));
    about(out.gap(kRdmaRateCard, port.name(), gap), port);
    return;
  }
  auto& seen = about(out.add(kRdmaRateCard, port.name(), rate < most ? "below" : "full",
                             cat("its rate is ", port.port->rate, ", ", who, " has ",
                                 static_cast<int>(most), " Gb/s")),
                     port);
  seen.sureness = facts::Sureness::inferred;
}

/// "100 Gb/sec (1X NDR)": no cable is made with one lane.
bool has_lost_lanes(const CardPort& port) {
  return port.port->rate.find("(1X ") != std::string::npos;
}

}  // namespace

void observe_rate(const Machine& machine, const CardPort& port, const std::vector<CardPort>& all,
                  Sightings& out) {
  for (const Observable& what : {kRdmaRate, kRdmaRateCard}) {
    if (!port.active())
      about(out.gap(what, port.name(), not_applicable("a port that is not active has no rate")),
            port);
    else if (!port.port->rate_gbps)
      about(out.gap(what, port.name(), unknown("its rate could not be read")), port);
  }
  if (!port.active() || !port.port->rate_gbps) return;
  const double rate = *port.port->rate_gbps;
  double best = 0;
  const CardPort* faster = nullptr;
  for (const CardPort& other : all) {
    if (!are_siblings(port, other) || !other.active() || !other.port->rate_gbps) continue;
    if (*other.port->rate_gbps > best) faster = &other;
    best = std::max(best, *other.port->rate_gbps);
  }
  const auto alike = std::ranges::count_if(all, [&](const CardPort& other) {
    return are_siblings(port, other) && other.active() && other.port->rate_gbps == rate;
  });
  // A link that lost lanes has another width. Ports with equal rates were configured like that.
  const bool lost_lanes = has_lost_lanes(port);
  if (faster && rate < best && alike > 0 && !lost_lanes)
    about(out.gap(kRdmaRate, port.name(),
                  not_applicable(cat("its rate is ", port.port->rate, ", as of ", alike,
                                     " other ports, and others are faster: two fabrics"))),
          port);
  else if (!faster)
    about(out.gap(kRdmaRate, port.name(),
                  may_have_more_siblings(machine, port, all)
                      ? unknown("not every port that may be like it is known")
                      : not_applicable("no other port is like it")),
          port);
  else
    about(out.add(kRdmaRate, port.name(),
                  rate >= best ? "equal"
                  : lost_lanes ? "narrow"
                               : "below",
                  rate < best ? cat("its rate is ", port.port->rate, ", that of ", faster->name(),
                                    " is ", faster->port->rate)
                              : cat("its rate is ", port.port->rate)),
          port)
        .sureness = facts::Sureness::measured;
  observe_against_card(machine, port, all, out);
}

}  // namespace nettune::tools::doctor
