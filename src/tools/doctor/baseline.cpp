// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/baseline.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"
#include "tools/doctor/counters.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kBaselineCounters = observable("baseline.counters");
const Observable kBaselineMtu = observable("baseline.mtu");
const Observable kBaselinePresent = observable("baseline.present");
const Observable kBaselineRate = observable("baseline.rate");
const Observable kBaselineSame = observable("baseline.same");
const Observable kBaselineState = observable("baseline.state");
const Observable kBaselineVersion = observable("baseline.version");

constexpr std::string_view kOf = " of ";

/// Which of two values is worse.
enum class Order { none, number, version, state };

struct Quality {
  std::string_view name;
  Observable what;  ///< the observation, which has the cost
  Order order;
};
const auto kQualities = std::to_array<Quality>({
    {"state", kBaselineState, Order::state},
    {"link", kBaselineState, Order::state},
    {"GIDs", kBaselineState, Order::state},
    {"rate", kBaselineRate, Order::number},
    {"speed", kBaselineRate, Order::number},
    {"PCIe speed", kBaselineRate, Order::number},
    {"PCIe width", kBaselineRate, Order::number},
    {"NVLinks", kBaselineRate, Order::number},
    {"MTU", kBaselineMtu, Order::number},
    {"firmware", kBaselineVersion, Order::version},
    {"OFED", kBaselineVersion, Order::version},
});
const Quality kOther = {"", kBaselineSame, Order::none};

const Quality& quality_of(std::string_view thing) {
  const std::string_view name = thing.substr(0, thing.find(kOf));
  const auto* const found = std::ranges::find(kQualities, name, &Quality::name);
  return found == kQualities.end() ? kOther : *found;
}

/// "mlx5_0/1" of "rate of mlx5_0/1"; "" for a thing of the node.
std::string device_of(const std::string& thing) {
  const auto at = thing.find(kOf);
  return at == std::string::npos ? std::string() : thing.substr(at + kOf.size());
}

std::string thing_of(std::string_view quality, std::string_view device) {
  return cat(quality, kOf, device);
}

/// The numbers of "28.39.1002", "5.8-1.0.1" or "32.0 GT/s".
std::vector<std::int64_t> numbers_of(std::string_view text) {
  std::vector<std::int64_t> numbers;
  bool in_number = false;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit && !in_number) numbers.push_back(0);
    constexpr std::int64_t kEnough = 1'000'000'000;
    if (is_digit && numbers.back() < kEnough) numbers.back() = numbers.back() * 10 + (c - '0');
    in_number = is_digit;
  }
  return numbers;
}

/// Negative if `now` is worse.
int compare(Order order, const std::string& was, const std::string& now) {
  // GIDs begin with their number.
  const auto is_up = [](const std::string& text) {
    return text == "ACTIVE" || text == "up" || (text[0] >= '1' && text[0] <= '9');
  };
  if (order == Order::none || was == now) return 0;
  if (order == Order::state) return static_cast<int>(is_up(now)) - static_cast<int>(is_up(was));
  auto before = numbers_of(was);
  auto after = numbers_of(now);
  if (before.empty() || after.empty()) return 0;
  if (order == Order::number) {
    // The rest of the text names lanes and generations: "400 Gb/sec (4X NDR)".
    before.resize(1);
    after.resize(1);
  }
  return after == before ? 0 : after < before ? -1 : 1;
}

/// "2: 3 0000:...:0a0a:0011": the number of GIDs that other networks reach, and each.
std::string gids_of(const facts::RdmaPort& port) {
  std::vector<std::string> all;
  for (const facts::Gid& gid : port.gids)
    if (gid.type == "RoCE v2" && !gid.gid.starts_with("fe80:"))
      all.push_back(cat(gid.index, " ", gid.gid));
  return cat(all.size(), ": ", join(all, ", "));
}

class Collector {
 public:
  explicit Collector(Baseline& baseline) : baseline_(baseline) {}

  /// An empty value is not known.
  void add(std::string_view quality, std::string_view device, const std::string& value) {
    if (!value.empty()) baseline_.things[thing_of(quality, device)] = value;
  }
  /// An identity that is the name itself says nothing.
  void identify(const std::string& device, const std::string& identity) {
    if (!identity.empty() && !identity.starts_with("name ") &&
        identity.find(" name ") == std::string::npos)
      baseline_.identities[device] = identity;
  }
  void add_link(const std::string& device, const std::optional<PciLink>& link, bool has_speed) {
    if (!link) return;
    add("PCIe width", device, cat("x", link->lanes));
    if (has_speed)
      add("PCIe speed", device,
          cat(link->speed_tenths / 10, ".", link->speed_tenths % 10, " GT/s"));
  }

 private:
  Baseline& baseline_;
};

void add_gpu(const Machine& machine, const std::string& address, Collector& to) {
  const std::string name = gpu_name(address);
  const GpuState* const state = machine.find_gpu(address);
  const PciFunction* const function = machine.find_pci(address);
  const std::string model = state ? state->name : "";
  to.add("model", name, model.empty() ? "GPU" : model);
  // The speed of a GPU that sleeps says nothing.
  const bool is_busy = state && state->utilisation.value_or(0) > 0;
  if (function) to.add_link(name, function->now, is_busy);
  if (state && state->nvlinks_up) to.add("NVLinks", name, std::to_string(*state->nvlinks_up));
}

void add_rdma(const Machine& machine, const facts::RdmaDevice& device, Collector& to) {
  to.identify(device.name, device.identity);
  to.add("firmware", device.name, device.firmware);
  if (const PciFunction* const function = machine.find_pci(device.pci_address))
    to.add_link(device.name, function->now, true);
  for (const facts::RdmaPort& port : device.ports) {
    const std::string name = cat(device.name, "/", port.number);
    to.identify(name, device.identity.empty() ? "" : cat(device.identity, " port ", port.number));
    to.add("state", name, port.state);
    if (port.state == "ACTIVE") to.add("rate", name, port.rate);
    const bool has_types =
        std::ranges::none_of(port.gids, [](const facts::Gid& gid) { return gid.type.empty(); });
    if (!port.gids.empty() && has_types) to.add("GIDs", name, gids_of(port));
  }
}

void add_interface(const facts::NetDevice& device, Collector& to) {
  if (!device.physical) return;
  to.identify(device.name, device.identity);
  if (device.mtu.value_or(0) > 0) to.add("MTU", device.name, std::to_string(*device.mtu));
  if (device.operstate != "unknown") to.add("link", device.name, device.operstate);
  if (device.speed_mbps && *device.speed_mbps > 0)
    to.add("speed", device.name, cat(*device.speed_mbps, " Mb/s"));
}

std::set<std::string> devices_of(const Baseline& baseline) {
  std::set<std::string> devices;
  for (const auto& [thing, value] : baseline.things) devices.insert(device_of(thing));
  devices.erase("");
  return devices;
}

/// Today's names of the devices of a baseline: of one that was renamed, the name of the device with
/// its identity.
std::map<std::string, std::string> names_now(const Baseline& before, const Baseline& now) {
  std::map<std::string, std::string> by_identity;
  for (const auto& [device, identity] : now.identities) by_identity[identity] = device;
  std::map<std::string, std::string> names;
  for (const std::string& device : devices_of(before)) {
    const auto identity = before.identities.find(device);
    const auto found = identity == before.identities.end() ? by_identity.end()
                                                           : by_identity.find(identity->second);
    names[device] = found == by_identity.end() ? device : found->second;
  }
  return names;
}

/// Nothing if the list that the device would be in was read.
std::optional<Gap> list_gap(const Machine& machine, const std::string& device) {
  if (device.starts_with("GPU ") && !machine.pci && !machine.nvidia.gpus) return machine.pci.gap;
  return std::nullopt;
}

/// Adds the observation for one cost of one device; `values` has its worst value first.
void observe_quality(const Quality& quality, const std::string& device, const std::string& thing,
                     const std::string& was, const std::string& is, Sightings& out) {
  const int order = compare(quality.order, was, is);
  const std::string name = thing.substr(0, thing.find(kOf));
  const std::string text =
      was == is ? cat("its ", name, " is ", was) : cat("its ", name, " was ", was, ", it is ", is);
  facts::Observation* seen = nullptr;
  if (quality.order != Order::none && (order != 0 || was == is || name != "GIDs"))
    seen = &out.add(quality.what, device,
                    order < 0   ? "worse"
                    : order > 0 ? "better"
                                : "as-before",
                    text);
  else
    seen = &out.add(kBaselineSame, device, was == is ? "same" : "changed", text);
  seen->sureness = facts::Sureness::measured;
  if (!device.empty()) seen->concerns = {device, device.substr(0, device.find('/'))};
}

void observe_devices(const std::map<std::string, std::string>& names, const Baseline& before,
                     const Baseline& now, const Machine& machine, Sightings& out) {
  const std::set<std::string> present = devices_of(now);
  for (const auto& [was, is] : names) {
    if (present.contains(is)) {
      out.add(kBaselinePresent, is, "present",
              was == is ? "it is still there" : cat("it was called ", was));
      if (was != is && was.find('/') == std::string::npos)
        out.add(
            kBaselineSame, is, "changed",
            cat("it was called ", was, ": it is the same card (", before.identities.at(was), ")"));
    } else if (const auto gap = list_gap(machine, was)) {
      out.gap(kBaselinePresent, was, *gap);
    } else {
      out.add(kBaselinePresent, was, "gone", "it was there when the baseline was saved");
    }
  }
}

void observe_grown(const Baseline& before, const Baseline& now,
                   const std::map<std::string, std::string>& names, Sightings& out) {
  std::vector<std::string> grown;
  for (const auto& [counter, was] : before.counters) {
    const auto blank = std::min(counter.find(' '), counter.size());
    const auto name = names.find(counter.substr(0, blank));
    const auto found =
        now.counters.find(name == names.end() ? counter : cat(name->second, counter.substr(blank)));
    // A counter that fell was reset in between: its value is new.
    if (found == now.counters.end() || found->second == was) continue;
    grown.push_back(found->second > was ? cat(found->first, " grew by ", found->second - was)
                                        : cat(found->first, " was reset, and is ", found->second));
  }
  if (before.counters.empty())
    out.gap(kBaselineCounters, "", not_applicable("the baseline has no error counters"));
  else if (now.counters.empty())
    out.gap(kBaselineCounters, "", unknown("no counters were read"));
  else
    out.add(kBaselineCounters, "", grown.empty() ? "quiet" : "grown",
            grown.empty() ? "no error counter has grown since" : join(grown, ", "))
        .sureness = facts::Sureness::measured;
}

}  // namespace

Baseline baseline_of(const Machine& machine) {
  Baseline baseline;
  Collector to(baseline);
  if (!machine.facts.node.kernel.empty()) baseline.things["kernel"] = machine.facts.node.kernel;
  if (machine.nvidia.module_version)
    baseline.things["nvidia module"] = *machine.nvidia.module_version;
  if (machine.ofed) baseline.things["OFED"] = *machine.ofed;
  for (const std::string& gpu : nvidia_gpus(machine)) add_gpu(machine, gpu, to);
  for (const facts::RdmaDevice& device : machine.facts.rdma) add_rdma(machine, device, to);
  for (const facts::NetDevice& device : machine.facts.net) add_interface(device, to);
  for (const PortState& port : machine.ports)
    for (const auto& [name, value] : port.counters)
      if (const ErrorCounter* const known = error_counter(name); known && !known->needs_another)
        baseline.counters[cat(port.device, "/", port.port, " ", name)] = value;
  return baseline;
}

void split_old_things(Baseline& baseline) {
  std::map<std::string, std::string> things;
  for (auto& [thing, value] : baseline.things) {
    const auto blank = thing.find(' ');
    const std::string kind = thing.substr(0, std::min(blank, thing.size()));
    const std::string device = blank == std::string::npos ? "" : thing.substr(blank + 1);
    const auto comma = value.find(", ");
    const std::string first = value.substr(0, comma);
    const std::string second = comma == std::string::npos ? "" : value.substr(comma + 2);
    if (kind == "rdma") {
      things[thing_of("state", device)] = first;
      if (first == "ACTIVE" && !second.empty()) things[thing_of("rate", device)] = second;
    } else if (kind == "interface") {
      if (first.starts_with("MTU ")) things[thing_of("MTU", device)] = first.substr(4);
      if (!second.empty()) things[thing_of("speed", device)] = second;
    } else if (kind == "GPU") {
      // "NVIDIA H100 80GB HBM3 x16"
      const auto lanes = value.rfind(" x");
      const bool has_lanes = lanes != std::string::npos &&
                             value.find_first_not_of("0123456789", lanes + 2) == std::string::npos;
      if (has_lanes) things[thing_of("PCIe width", thing)] = value.substr(lanes + 1);
      const std::string model = value.substr(0, has_lanes ? lanes : std::string::npos);
      things[thing_of("model", thing)] = model.empty() ? "GPU" : model;
    } else {
      things[thing] = std::move(value);
    }
  }
  baseline.things = std::move(things);
}

Owed owed_of(const Owed& site, const Baseline& before) {
  Owed owed = site;
  std::vector<std::string> ports;
  std::set<std::string> nvlinks;
  int gpus = 0;
  for (const auto& [thing, value] : before.things) {
    if (thing.starts_with("model of ")) ++gpus;
    if (thing.starts_with("NVLinks of ")) nvlinks.insert(value);
    if (thing.starts_with("state of ") && value == "ACTIVE") ports.push_back(device_of(thing));
  }
  if (owed.by.empty()) owed.by = "the baseline";
  if (!owed.gpus && gpus > 0) owed.gpus = gpus;
  if (!owed.nvlinks && nvlinks.size() == 1)
    if (const auto number = parse_int(*nvlinks.begin())) owed.nvlinks = static_cast<int>(*number);
  if (owed.ports.empty()) owed.ports = std::move(ports);
  return owed;
}

void observe_baseline(const Baseline& before, const Machine& machine, Sightings& out) {
  const Baseline now = baseline_of(machine);
  const auto names = names_now(before, now);
  observe_devices(names, before, now, machine, out);
  for (const auto& [thing, was] : before.things) {
    const std::string device = device_of(thing);
    const std::string is = device.empty() ? device : names.at(device);
    const auto found =
        now.things.find(device.empty() ? thing : thing_of(thing.substr(0, thing.find(kOf)), is));
    if (found != now.things.end())
      observe_quality(quality_of(thing), is, thing, was, found->second, out);
    else if (device.empty())
      out.gap(kBaselineSame, "", unknown(cat(thing, " was ", was, ", and is not known now")));
  }
  observe_grown(before, now, names, out);
}

}  // namespace nettune::tools::doctor
