// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kLimitMemlock = observable("limit.memlock", "unlimited|service|login|docker");
const Observable kLimitNofile = observable("limit.nofile");
const Observable kLimitStack = observable("limit.stack");
const Observable kLogindRemoveIpc = observable("logind.remove-ipc");

using Limit = Known<std::optional<std::uint64_t>>;

/// As good as unlimited: no node can lock more.
constexpr std::uint64_t kPlenty = std::uint64_t{1} << 40;

std::string in_words(const std::optional<std::uint64_t>& bytes) {
  if (!bytes) return "unlimited";
  constexpr std::uint64_t kKib = 1024;
  if (*bytes % (kKib * kKib) == 0) return cat(*bytes / (kKib * kKib), " MiB");
  return cat(*bytes / kKib, " KiB");
}

std::string jobs_of(const ServiceLimits& service) {
  return cat("a job of ", service.service, " (", service.found, ")");
}

/// If a scheduler starts the jobs, the limits of a login or of another service do not apply to
/// them.
std::optional<Gap> starts_no_job(const Machine& machine, const std::string& service) {
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(machine.services,
                               [&](const ServiceLimits& one) { return one.service == name; });
  };
  const bool by_slurm = has("slurmd");
  const bool by_kubelet = has("kubelet");
  if (service == "slurmd" || service == "kubelet") return std::nullopt;
  if (service == "containerd" && by_kubelet) return std::nullopt;
  if (by_slurm || by_kubelet)
    return not_applicable(cat(by_slurm ? "slurmd" : "kubelet", " starts the jobs of this node"));
  if (service == "containerd" && has("docker"))
    return not_applicable("docker starts the containers");
  return std::nullopt;
}

void observe_memlock(const Machine& machine, const ServiceLimits& service, Sightings& out) {
  if (machine.facts.rdma.empty())
    out.gap(kLimitMemlock, service.service, gap_without_rdma(machine));
  else if (const auto gap = starts_no_job(machine, service.service))
    out.gap(kLimitMemlock, service.service, *gap);
  else if (!service.memlock)
    out.gap(kLimitMemlock, service.service, service.memlock.gap);
  else
    out.add(kLimitMemlock, service.service,
            !*service.memlock.value || **service.memlock.value >= kPlenty ? "unlimited"
            : service.service == "ssh"                                    ? "login"
            : service.service == "docker"                                 ? "docker"
                                                                          : "service",
            cat(jobs_of(service), " may lock ", in_words(*service.memlock)));
}

void observe_other(const Machine& machine, const ServiceLimits& service, Sightings& out) {
  if (const auto gap = starts_no_job(machine, service.service)) {
    out.gap(kLimitNofile, service.service, *gap);
    out.gap(kLimitStack, service.service, *gap);
    return;
  }
  if (!service.nofile)
    out.gap(kLimitNofile, service.service, service.nofile.gap);
  else
    out.add(kLimitNofile, service.service, std::to_string(service.nofile.value->value_or(1U << 30)),
            cat(jobs_of(service), " may open ",
                *service.nofile.value ? std::to_string(**service.nofile.value) : "any number of",
                " files"));
  if (!service.stack)
    out.gap(kLimitStack, service.service, service.stack.gap);
  else
    out.add(kLimitStack, service.service, *service.stack.value ? "limited" : "unlimited",
            cat(jobs_of(service), " has a stack of ", in_words(*service.stack)));
}

}  // namespace

void observe_limits(const Machine& machine, Sightings& out) {
  if (machine.services.empty())
    for (const Observable& what : {kLimitMemlock, kLimitNofile, kLimitStack})
      out.gap(what, "",
              machine.listed.all ? not_applicable("no service that starts jobs was found")
                                 : unknown("the recording shows no service that starts jobs"));
  for (const ServiceLimits& service : machine.services) {
    observe_memlock(machine, service, out);
    observe_other(machine, service, out);
  }
  if (machine.remove_ipc)
    out.add(kLogindRemoveIpc, "", *machine.remove_ipc,
            cat("RemoveIPC=", *machine.remove_ipc, " of systemd-logind"));
  else
    out.gap(kLogindRemoveIpc, "", machine.remove_ipc.gap);
}

}  // namespace nettune::tools::doctor
