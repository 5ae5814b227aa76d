// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "tools/doctor/probe/gather.hpp"
#include "tools/nccl/scripts/assignments.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// What is set under a condition, for one command, or to a value that only a shell knows, is no
/// variable of every job.
bool is_for_every_job(const nettune::nccl::Assignment& set) {
  return set.exported && !set.computed && !set.conditional && !set.for_one_command &&
         !set.unset_later;
}

void read_file(const Place& place, const std::string& path, nettune::nccl::Kind kind,
               Machine& machine) {
  const auto text = place.root.read(path, nccl::scripts::kMaxInputBytes);
  if (!text) return;
  const auto found = nccl::scripts::read_assignments(kind, *text, cat("/", path));
  if (!found) return;
  for (nettune::nccl::Assignment set : *found) {
    if (!is_for_every_job(set)) continue;
    // It is for this node, in whatever file it is.
    if (set.kind != nettune::nccl::Kind::conf) set.kind = nettune::nccl::Kind::environment;
    if (set.name.starts_with("NCCL_") || set.name.starts_with("GLOO_"))
      machine.environment.emplace(set.name, set.value);
    machine.assignments.push_back(std::move(set));
  }
}

}  // namespace

/// The variables of every job on this node. NCCL prefers the environment to nccl.conf. A shell's
/// variables belong only to that shell.
void read_environment(const Place& place, Machine& machine) {
  read_file(place, "etc/environment", nettune::nccl::Kind::env_file, machine);
  for (const std::string& name : place.root.list("etc/environment.d"))
    if (name.ends_with(".conf"))
      read_file(place, cat("etc/environment.d/", name), nettune::nccl::Kind::env_file, machine);
  for (const std::string& name : place.root.list("etc/profile.d"))
    if (name.ends_with(".sh"))
      read_file(place, cat("etc/profile.d/", name), nettune::nccl::Kind::shell, machine);
  read_file(place, "etc/nettune/nccl.env", nettune::nccl::Kind::env_file, machine);
  read_file(place, "etc/nccl.conf", nettune::nccl::Kind::conf, machine);
}

}  // namespace nettune::tools::doctor::probe
