// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kJobEnvironment = observable("job.environment");
const Observable kJobNccl = observable("job.nccl");
const Observable kJobVerbs = observable("job.verbs");

std::string file_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string described(const std::string& path, const std::string& version) {
  return version.empty() ? path : cat(path, " (", version, ")");
}

/// The paths of libraries whose names begin with `stem`.
std::vector<std::string> with_stem(const JobProcess& job, std::string_view stem) {
  std::vector<std::string> out;
  for (const auto& [path, version] : *job.libraries)
    if (file_of(path).starts_with(stem)) out.push_back(described(path, version));
  return out;
}

bool has_active_port(const Machine& machine) {
  return std::ranges::any_of(machine.facts.rdma, [](const facts::RdmaDevice& device) {
    return std::ranges::any_of(device.ports,
                               [](const facts::RdmaPort& port) { return port.state == "ACTIVE"; });
  });
}

void observe_libraries(const Machine& machine, const JobProcess& job, const std::string& name,
                       Sightings& out) {
  if (!job.libraries) {
    for (const Observable& what : {kJobNccl, kJobVerbs}) out.gap(what, name, job.libraries.gap);
    return;
  }
  const auto nccl = with_stem(job, "libnccl.so");
  const auto plugins = with_stem(job, "libnccl-net");
  if (nccl.empty())
    out.gap(kJobNccl, name,
            unknown("it maps no libnccl.so: NCCL has not started, or is linked in statically"));
  else
    out.add(kJobNccl, name, nccl.size() == 1 ? "one" : "several",
            cat("it maps ", join(nccl, " and "),
                plugins.empty() ? "" : cat("; the network plugin ", join(plugins, ", "))))
        .sureness = facts::Sureness::measured;
  if (!has_active_port(machine)) {
    out.gap(kJobVerbs, name, not_applicable("there is no active RDMA port here"));
    return;
  }
  const auto verbs = with_stem(job, "libibverbs.so");
  if (verbs.empty() && nccl.empty())
    out.gap(kJobVerbs, name, unknown("it maps no libnccl.so"));
  else
    out.add(kJobVerbs, name, verbs.empty() ? "absent" : "mapped",
            verbs.empty()
                ? std::string("it does not map libibverbs: NCCL uses sockets, or has not started")
                : cat("it maps ", join(verbs, " and ")))
        .sureness = facts::Sureness::measured;
}

/// A variable that is not set there comes from nccl.conf, which NCCL reads itself.
void observe_variables(const JobProcess& job, const std::string& name, Sightings& out) {
  if (!job.environment || !job.wanted) {
    out.gap(kJobEnvironment, name, !job.environment ? job.environment.gap : job.wanted.gap);
    return;
  }
  std::vector<std::string> other;
  for (const auto& [variable, value] : *job.wanted) {
    const auto set = job.environment->find(variable);
    if (set != job.environment->end() && set->second != value)
      other.push_back(cat(variable, "=", set->second, " in place of ", value));
  }
  out.add(kJobEnvironment, name, other.empty() ? "as-applied" : "differs",
          other.empty() ? std::string("no variable of the profile has a different value in it")
                        : join(other, ", "))
      .sureness = facts::Sureness::measured;
}

}  // namespace

void observe_job_process(const Machine& machine, Sightings& out) {
  if (!machine.job) return;
  const JobProcess& job = *machine.job;
  const std::string name = cat("process ", job.pid, job.name.empty() ? "" : cat(" ", job.name));
  observe_libraries(machine, job, name, out);
  observe_variables(job, name, out);
}

}  // namespace nettune::tools::doctor
