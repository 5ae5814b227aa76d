// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

/// Kernel modules with a protection domain on an unused device: the management QPs of ib_core, the
/// drivers' own for registrations, and IPoIB, which serves an interface: like TCP on Ethernet, it
/// survives a short loss of the link.
constexpr std::array<std::string_view, 6> kAlwaysThere = {"ib_core", "ib_ipoib", "mlx5_ib",
                                                          "mlx4_ib", "irdma",    "bnxt_re"};
/// Drivers that pass a device to a guest.
constexpr std::array<std::string_view, 2> kGivenAway = {"vfio-pci", "mlx5_vfio_pci"};

bool says_use(const kernel::ProtectionDomain& domain) {
  if (domain.module.empty()) return true;
  // A domain without users: rds_rdma and smc make one for every device when they are loaded.
  if (domain.users == 0) return false;
  return std::find(kAlwaysThere.begin(), kAlwaysThere.end(), domain.module) == kAlwaysThere.end();
}

Work work_of(const kernel::Directory& root, const kernel::ProtectionDomain& domain,
             const std::string& device) {
  if (!domain.module.empty())
    return {"kernel user", 0, cat(domain.module, " has queue pairs"), device};
  if (domain.pid == 0) return {"RDMA user", 0, "a process that is not visible here", device};
  const std::string name = root.line(cat("proc/", domain.pid, "/comm")).value_or("a process");
  return {"RDMA user", domain.pid, cat(name, " has a protection domain"), device};
}

/// A process is reported once for each device.
void add_once(Work work, std::vector<Work>& at_work) {
  const bool known = std::any_of(at_work.begin(), at_work.end(), [&](const Work& other) {
    if (other.device != work.device || other.what != work.what || other.pid != work.pid)
      return false;
    return work.pid > 0 || other.detail == work.detail;
  });
  if (!known) at_work.push_back(std::move(work));
}

/// "uverbs0" becomes "mlx5_0"; a device without a name counts for the node.
void name_open_devices(const kernel::Directory& root, std::vector<Work>& at_work) {
  for (Work& work : at_work)
    if (!work.device.empty())
      work.device =
          root.line(cat("sys/class/infiniband_verbs/", work.device, "/ibdev")).value_or("");
}

void add_rdma_users(const kernel::Directory& root, const Sources& sources, Facts& facts) {
  if (facts.rdma.empty() || !sources.protection_domains) return;
  std::vector<std::string> names;
  for (const RdmaDevice& device : facts.rdma) names.push_back(device.name);
  const auto answers = sources.protection_domains(names);
  for (std::size_t i = 0; i < answers.size() && i < names.size(); ++i) {
    if (!answers[i]) {
      const std::string text =
          cat("the users of ", names[i], " could not be read: ", answers[i].error().text);
      facts.notes.push_back(text);
      facts.at_work.push_back({"unseen", 0, text, names[i]});
      continue;
    }
    for (const kernel::ProtectionDomain& domain : *answers[i])
      if (says_use(domain)) add_once(work_of(root, domain, names[i]), facts.at_work);
  }
}

/// Why a VF is in use although its traffic cannot be seen here; "" if it is not. If its physical
/// function has an interface here, the VF has one as well: a missing one was moved to another
/// network namespace, although its RDMA device is still visible here (`rdma system`: netns shared).
std::string given_away(const kernel::Directory& root, const std::string& vf, bool has_interfaces) {
  const std::string path = pci_path(vf);
  const std::string driver = root.link_name(path + "/driver").value_or("");
  if (driver.empty()) return {};
  if (std::find(kGivenAway.begin(), kGivenAway.end(), driver) != kGivenAway.end())
    return cat("VF ", vf, " is bound to ", driver);
  if (!root.list(path + "/net").empty()) return {};
  if (!has_interfaces && !root.list(path + "/infiniband").empty()) return {};
  return cat("VF ", vf, " (", driver, ") has no interface in this network namespace");
}

/// Users of a VF's RDMA device use the physical function.
void add_users_of_vf(const kernel::Directory& root, const std::string& vf,
                     const std::string& device, std::vector<Work>& at_work) {
  for (const std::string& name : root.list(pci_path(vf) + "/infiniband")) {
    std::vector<Work> of_vf;
    for (const Work& work : at_work)
      if (work.device == name) of_vf.push_back(work);
    for (Work& work : of_vf) {
      work.detail = cat("VF ", name, ": ", work.detail);
      work.device = device;
      add_once(std::move(work), at_work);
    }
  }
}

void add_vfs_of(const kernel::Directory& root, const std::string& pci_address,
                const std::string& device, std::vector<Work>& at_work) {
  const std::string path = pci_path(pci_address);
  if (root.number(path + "/sriov_numvfs").value_or(0) <= 0) return;
  const bool has_interfaces = !root.list(path + "/net").empty();
  for (const std::string& entry : root.list(path)) {
    if (!entry.starts_with("virtfn")) continue;
    const std::string vf = root.link_name(cat(path, "/", entry)).value_or("");
    if (!is_pci_address(vf)) continue;
    // If the VF has an interface here, Facts::work_on() knows its devices.
    if (root.list(pci_path(vf) + "/net").empty()) add_users_of_vf(root, vf, device, at_work);
    if (std::string why = given_away(root, vf, has_interfaces); !why.empty())
      at_work.push_back({"VF", 0, std::move(why), device});
  }
}

void add_vfs(const kernel::Directory& root, Facts& facts) {
  std::set<std::string> seen;
  for (const NetDevice& device : facts.net) {
    if (device.pci_address.empty()) continue;
    seen.insert(device.pci_address);
    add_vfs_of(root, device.pci_address, device.name, facts.at_work);
  }
  for (const RdmaDevice& device : facts.rdma)
    if (!device.pci_address.empty() && seen.insert(device.pci_address).second)
      add_vfs_of(root, device.pci_address, device.name, facts.at_work);
}

}  // namespace

void add_users(const kernel::Directory& root, const Sources& sources, Facts& facts) {
  name_open_devices(root, facts.at_work);
  add_rdma_users(root, sources, facts);
  add_vfs(root, facts);
}

}  // namespace nettune::facts
