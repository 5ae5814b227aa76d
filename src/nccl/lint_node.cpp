// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "nccl/lint.hpp"
#include "nccl/name_list.hpp"
#include "nccl/values.hpp"

namespace nettune::nccl {
namespace {

using facts::Facts;
using facts::Gid;
using facts::PortOfDevice;
using facts::RdmaDevice;
using facts::RdmaPort;

Judgement missing(std::string why, std::string instead = {}, Level level = Level::error) {
  return {Verdict::not_on_this_node, level, std::move(why), std::move(instead), ""};
}

std::vector<PortOfDevice> active_ports(const Facts& node) {
  std::vector<PortOfDevice> ports;
  for (const RdmaDevice& device : node.rdma)
    for (const RdmaPort& port : device.ports)
      if (port.state == "ACTIVE") ports.push_back({&device, &port});
  return ports;
}

std::string port_names(const std::vector<PortOfDevice>& ports) {
  std::string text;
  for (const PortOfDevice& one : ports)
    text += cat(text.empty() ? "" : ", ", one.device->name, ":", one.port->number);
  return text.empty() ? "none" : text;
}

void judge_interfaces(const Facts& node, const Variable& variable, const Assignment& set,
                      Judgements& out) {
  const NameList list = read_names(set.value);
  std::string names;
  bool any = false;
  for (const facts::NetDevice& device : node.net) {
    any = any || (list.takes(device.name, {}) && !device.addresses.empty());
    if (!device.addresses.empty() && device.name != "lo")
      names += cat(names.empty() ? "" : ", ", device.name);
  }
  if (!any)
    out.push_back(missing(
        cat("it selects no interface of this node with an address",
            variable.reader.empty() ? ": init fails with \"no socket interface found\"" : ""),
        cat("one of ", names.empty() ? "(none here)" : names)));
  if (list.exclude) return;
  for (const NameList::Entry& entry : list.entries) {
    const bool here = std::ranges::any_of(node.net, [&](const facts::NetDevice& device) {
      return list.exact ? device.name == entry.name : device.name.starts_with(entry.name);
    });
    if (any && !here)
      out.push_back(missing(cat("there is no interface ", printable(entry.name), " on this node"),
                            "", Level::warning));
  }
}

void judge_hcas(const Facts& node, const Assignment& set, Judgements& out) {
  const NameList list = read_names(set.value);
  const std::vector<PortOfDevice> ports = active_ports(node);
  const bool any = std::ranges::any_of(ports, [&](const PortOfDevice& one) {
    return list.takes(one.device->name, one.port->number);
  });
  if (!any) {
    out.push_back(
        missing("it selects no ACTIVE port of this node: NCCL continues over sockets, and says so "
                "only at NCCL_DEBUG=INFO; with NCCL_NET=IB, init fails",
                ports.empty() ? "" : cat("one of ", port_names(ports))));
    return;
  }
  for (const NameList::Entry& entry : list.entries) {
    std::vector<std::string> hit;
    for (const RdmaDevice& device : node.rdma)
      if (list.exact ? device.name == entry.name : device.name.starts_with(entry.name))
        hit.push_back(device.name);
    if (hit.empty() && !list.exclude)
      out.push_back(missing(cat("there is no RDMA device ", printable(entry.name), " on this node"),
                            "", Level::warning));
    const bool whole = std::ranges::find(hit, entry.name) != hit.end();
    if (whole && hit.size() > 1)
      out.push_back(missing(
          cat(printable(entry.name), " is a prefix: it is ", join(hit, ", "), " on this node"),
          cat(list.exclude ? "^=" : "=", set.value.substr(list.exclude ? 1 : 0)), Level::warning));
  }
}

/// On every port that NCCL takes, by NCCL_IB_HCA or by itself: one index is for all of them.
void judge_gid_index(const Facts& node, const Assignment& set, Rivals& rivals, Judgements& out) {
  const std::int64_t index = read_number(set.value).value;
  if (index < 0) return;
  std::vector<NameList> lists;
  for (const Assignment* const one : rivals.deciding(set, "NCCL_IB_HCA")) {
    if (one->computed) {
      out.push_back(
          {Verdict::unsettled, Level::note,
           cat("which ports NCCL_IB_HCA=", printable(one->value),
               " selects is known only when it runs, and so is whether they have GID ", index),
           "", ""});
      return;
    }
    lists.push_back(read_names(one->value));
  }
  for (const PortOfDevice& one : active_ports(node)) {
    const auto takes = [&](const NameList& list) {
      return list.takes(one.device->name, one.port->number);
    };
    if (one.port->link_layer != "Ethernet" || !std::ranges::all_of(lists, takes)) continue;
    const std::string where = cat(one.device->name, ":", one.port->number);
    if (one.port->gids.empty()) {
      out.push_back({Verdict::unsettled, Level::note,
                     cat("the GIDs of ", where,
                         " are not known, so it is not known whether it has GID ", index),
                     "", ""});
      continue;
    }
    const auto found =
        std::ranges::find_if(one.port->gids, [&](const Gid& gid) { return gid.index == index; });
    if (found == one.port->gids.end())
      out.push_back(missing(cat(where, " has no GID ", index, ": connections over it fail"),
                            "nothing (chosen by NCCL since 2.21.5)"));
    else if (found->type != "RoCE v2")
      out.push_back(missing(cat("GID ", index, " of ", where, " is ", printable(found->type),
                                ", not RoCE v2: it is not routed"),
                            "nothing (chosen by NCCL since 2.21.5)"));
  }
}

void judge_link(const Job& job, const Variable& variable, Judgements& out) {
  if (variable.link.empty() || (variable.link_since && job.version < *variable.link_since)) return;
  const std::vector<PortOfDevice> ports = active_ports(*job.node);
  if (ports.empty()) return;
  const auto on_link = [&](const PortOfDevice& one) {
    return one.port->link_layer == variable.link;
  };
  if (std::ranges::any_of(ports, on_link)) return;
  out.push_back({Verdict::not_on_this_link, Level::warning,
                 cat("it affects only ", variable.link, ", but every ACTIVE port of this node is ",
                     ports[0].port->link_layer),
                 variable.name == "NCCL_IB_TC" ? "NCCL_IB_SL, which InfiniBand has" : "",
                 variable.source});
}

void judge_file(const Job& job, const Variable& variable, const Assignment& set, Judgements& out) {
  static const std::vector<std::string> kRead = {"NCCL_TOPO_FILE", "NCCL_GRAPH_FILE",
                                                 "NCCL_CONF_FILE"};
  if (std::ranges::find(kRead, variable.name) == kRead.end()) return;
  const bool absolute = set.value.starts_with('/');
  const std::optional<bool> there = absolute && job.exists ? job.exists(set.value) : std::nullopt;
  if (!there) {
    out.push_back({Verdict::unsettled, Level::note,
                   "it is not known whether the file exists where the job starts", "", ""});
  } else if (!*there) {
    std::string why = "there is no such file";
    if (variable.name == "NCCL_TOPO_FILE")
      why += job.version < Version{2, 27, 3}
                 ? ": NCCL warns and detects the topology as usual"
                 : ": NCCL says so only at NCCL_DEBUG=INFO, and detects as usual";
    if (variable.name == "NCCL_GRAPH_FILE") why += ": init fails";
    out.push_back(missing(std::move(why), "a file for this type of machine, or nothing"));
  }
}

/// A script, a manifest or an env-file may be for other nodes, or for a container with other files;
/// so may the nccl.conf that a script writes.
bool is_for_this_node(const Assignment& set) {
  return (set.kind == Kind::conf && !set.of_script) || set.kind == Kind::profile ||
         set.kind == Kind::environment;
}

/// Where lint runs with neither a GPU nor an RDMA device, a job hardly does.
bool may_run_jobs(const Job& job) {
  const bool is_another = !job.exists;
  return is_another || !job.node || !job.node->gpus.empty() || !job.node->rdma.empty();
}

}  // namespace

void judge_on_node(const Job& job, const Variable& variable, const Assignment& set, Rivals& rivals,
                   Judgements& out) {
  Judgements found;
  judge_file(job, variable, set, found);
  if (job.node) {
    if (variable.type == Type::interfaces) judge_interfaces(*job.node, variable, set, found);
    if (variable.type == Type::hcas) judge_hcas(*job.node, set, found);
    if (variable.name == "NCCL_IB_GID_INDEX") judge_gid_index(*job.node, set, rivals, found);
    judge_link(job, variable, found);
  }
  for (Judgement& one : found) {
    if (!is_for_this_node(set))
      one.level = std::min(one.level, may_run_jobs(job) ? Level::warning : Level::note);
    out.push_back(std::move(one));
  }
}

}  // namespace nettune::nccl
