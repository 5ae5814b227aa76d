// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/pci_ends.hpp"

#include <algorithm>
#include <tuple>

#include "base/number_text.hpp"
#include "base/text.hpp"

namespace nettune::tools::measure::program {
namespace {

struct PciLink {
  std::optional<double> gtps;
  std::optional<int> lanes;
};

std::string device_path(std::string_view address) { return cat("sys/bus/pci/devices/", address); }

/// The functions between the root and the device, which is the last one.
std::vector<std::string> pci_path_of(const kernel::Directory& root, const std::string& address) {
  std::vector<std::string> out;
  const auto target = root.link(device_path(address));
  if (address.empty() || !target) return out;
  for (const std::string_view part : split(*target, '/'))
    if (std::ranges::count(part, ':') == 2) out.emplace_back(part);
  return out;
}

double link_speed(const kernel::Directory& root, const std::string& address,
                  std::string_view attribute) {
  const std::string text = root.line(cat(device_path(address), "/", attribute)).value_or("");
  return read_number(text.substr(0, text.find(' '))).value_or(0);
}

/// Takes the link if it is slower than the slowest so far.
void take_link(double gtps, const std::optional<long long>& lanes, PciLink& slowest) {
  if (!lanes || *lanes > 32) return;  // 255: not known
  const auto gbps = pcie_gbps(gtps, static_cast<int>(*lanes));
  if (!gbps) return;
  if (slowest.gtps && *pcie_gbps(*slowest.gtps, *slowest.lanes) <= *gbps) return;
  slowest = {gtps, static_cast<int>(*lanes)};
}

PciLink slowest_link(const kernel::Directory& root, const std::vector<std::string>& path) {
  PciLink slowest;
  for (const std::string& address : path)
    take_link(link_speed(root, address, "current_link_speed"),
              root.number(device_path(address) + "/current_link_width"), slowest);
  return slowest;
}

/// An idle GPU slows its own link down, at both ends of it; under load it has the speed that both
/// can do.
PciLink slowest_link_of_gpu(const kernel::Directory& root, std::vector<std::string> path) {
  if (path.empty()) return {};
  const std::string gpu = path.back();
  path.pop_back();
  double gtps = link_speed(root, gpu, "max_link_speed");
  if (!path.empty()) {
    const double port = link_speed(root, path.back(), "max_link_speed");
    if (port > 0) gtps = std::min(gtps, port);
    path.pop_back();
  }
  PciLink slowest = slowest_link(root, path);
  take_link(gtps, root.number(device_path(gpu) + "/current_link_width"), slowest);
  return slowest;
}

std::size_t common_steps(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

void add_pci(const kernel::Directory& root, End& end) {
  const PciLink slowest = slowest_link(root, pci_path_of(root, end.pci_address));
  end.pci_gtps = slowest.gtps;
  end.pci_lanes = slowest.lanes;
}

std::optional<GpuEnd> nearest_gpu(const kernel::Directory& root,
                                  const std::vector<facts::Gpu>& gpus,
                                  const std::string& pci_address,
                                  const std::optional<int>& numa_node) {
  const std::vector<std::string> card = pci_path_of(root, pci_address);
  const facts::Gpu* nearest = nullptr;
  std::tuple<std::size_t, bool> best;
  for (const facts::Gpu& gpu : gpus) {
    if (gpu.driver != "nvidia") continue;
    const std::tuple<std::size_t, bool> now{common_steps(card, pci_path_of(root, gpu.pci_address)),
                                            numa_node && gpu.numa_node == numa_node};
    if (nearest != nullptr && now <= best) continue;
    nearest = &gpu;
    best = now;
  }
  if (nearest == nullptr) return {};
  const PciLink link = slowest_link_of_gpu(root, pci_path_of(root, nearest->pci_address));
  return GpuEnd{nearest->pci_address, link.gtps, link.lanes};
}

}  // namespace nettune::tools::measure::program
