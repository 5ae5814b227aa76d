// SPDX-License-Identifier: Apache-2.0
#include "intake/sets.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/text.hpp"
#include "profile/devices.hpp"

namespace nettune::intake {
namespace {

using toml::Node;

/// What a set can match by.
struct Traits {
  std::string name;
  std::string driver;
  std::string link_layer;
  std::string pci_id;
  std::string pci_address;
  std::string kind;
  std::int64_t gbps = 0;  ///< 0: unknown
};

struct Criterion {
  std::string_view key;
  std::string Traits::*member;
};

/// In the order in which they are tried, each together with those before it.
constexpr Criterion kCriteria[] = {{"driver", &Traits::driver},
                                   {"link_layer", &Traits::link_layer},
                                   {"kind", &Traits::kind},
                                   {"pci_id", &Traits::pci_id}};
constexpr Criterion kPlaces[] = {{"pci_address", &Traits::pci_address}, {"name", &Traits::name}};

Traits traits_of(const facts::NetDevice& device) {
  return {device.name,
          device.driver,
          device.link_layer,
          device.pci_id,
          device.pci_address,
          device.kind,
          device.top_speed_mbps().value_or(0) / 1000};
}

Traits traits_of(const facts::RdmaDevice& device, const facts::RdmaPort& port) {
  return {device.name,
          device.driver,
          port.link_layer,
          device.pci_id,
          device.pci_address,
          "",
          static_cast<std::int64_t>(port.rate_gbps.value_or(0))};
}

/// One string, or a list of those that occur; nothing if a device lacks it.
std::optional<Node> common(const std::vector<Traits>& all, std::string Traits::*member) {
  std::set<std::string> values;
  for (const Traits& each : all) values.insert(each.*member);
  if (values.contains("")) return {};
  if (values.size() == 1) return Node::string(*values.begin(), {});
  Node list;
  list.kind = Node::Kind::array;
  for (const std::string& value : values) list.items.push_back(Node::string(value, {}));
  return list;
}

class Chooser {
 public:
  Chooser(const std::vector<std::string>& names, bool of_rdma, const facts::Facts& facts)
      : names_(names.begin(), names.end()), of_rdma_(of_rdma), facts_(facts) {
    for (const facts::NetDevice& device : facts.net)
      if (!of_rdma && names_.contains(device.name)) all_.push_back(traits_of(device));
    for (const facts::RdmaDevice& device : facts.rdma)
      for (const facts::RdmaPort& port : device.ports)
        if (of_rdma && names_.contains(cat(device.name, '/', port.number)))
          all_.push_back(traits_of(device, port));
  }

  Result<SetText> run(std::set<std::string>& taken) {
    // A name has letters, digits and '_', with a letter first.
    std::string base = name_made_of(all_.empty() ? "" : first_name(), "devices");
    std::ranges::replace(base, '-', '_');
    if (base[0] >= '0' && base[0] <= '9') base.insert(0, "nic_");
    SetText set;
    for (int number = 1; set.name.empty() || !taken.insert(set.name).second; ++number)
      set.name = number == 1 ? base : cat(base, '_', number);
    TRY_ASSIGN(const Node match, match_of(set));
    if (of_rdma_) set.definition.entries.emplace_back("of", Node::string("rdma", {}));
    set.definition.entries.emplace_back("match", match);
    set.definition.entries.emplace_back("require", Node::string(cat("== ", names_.size()), {}));
    set.comments.insert(
        set.comments.begin(),
        cat("here: ", join(std::vector<std::string>(names_.begin(), names_.end()), ", ")));
    return set;
  }

 private:
  std::string first_name() const {
    const Traits& first = all_.front();
    const std::string& what = !first.driver.empty() ? first.driver : first.kind;
    return of_rdma_ ? cat(what, " ports") : what.empty() ? "devices" : what;
  }

  Result<Node> match_of(SetText& set) {
    Node match;
    for (const Criterion& each : kCriteria) {
      if (of_rdma_ && each.key == "kind") continue;
      const auto value = common(all_, each.member);
      if (!value) continue;
      match.entries.emplace_back(each.key, *value);
      if (selects(match)) return match;
    }
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (const Traits& each : all_) slowest = std::min(slowest, each.gbps);
    if (slowest > 0) {
      match.entries.emplace_back(of_rdma_ ? "rate_gbps" : "max_speed_gbps", Node::number(slowest));
      if (selects(match)) return match;
    }
    for (const Criterion& each : kPlaces) {
      const auto value = common(all_, each.member);
      if (!value) continue;
      Node place;
      place.entries.emplace_back(each.key, *value);
      if (!selects(place)) continue;
      set.comments.push_back(
          each.key == "name" ? "by name: others here have the same properties and other values"
                             : "by PCI address, which servers of one type have in common: others "
                               "here have the same properties and other values");
      return place;
    }
    return fail(Errc::invalid,
                cat("no device set has just ",
                    join(std::vector<std::string>(names_.begin(), names_.end()), ", ")));
  }

  bool selects(const Node& match) const {
    Node definition;
    if (of_rdma_) definition.entries.emplace_back("of", Node::string("rdma", {}));
    definition.entries.emplace_back("match", match);
    const auto selection = profile::select_devices("captured", definition, facts_);
    if (!selection) return false;
    std::set<std::string> selected;
    if (of_rdma_)
      for (const facts::PortOfDevice& port : selection->set.ports)
        selected.insert(cat(port.device->name, '/', port.port->number));
    else
      for (const facts::NetDevice* const device : selection->set.members)
        selected.insert(device->name);
    return selected == names_;
  }

  std::set<std::string> names_;
  bool of_rdma_;
  const facts::Facts& facts_;
  std::vector<Traits> all_;
};

}  // namespace

Result<SetText> set_of(const std::vector<std::string>& names, bool of_rdma,
                       const facts::Facts& facts, std::set<std::string>& taken) {
  return Chooser(names, of_rdma, facts).run(taken);
}

}  // namespace nettune::intake
