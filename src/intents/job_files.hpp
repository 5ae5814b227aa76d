// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/setting.hpp"

namespace nettune::intents {

/// The syntax in which variables are written.
enum class JobFormat { sh, docker, nccl_conf, systemd, slurm, k8s, json };

/// The names as people type them: "sh", "docker", "nccl.conf", ...
std::vector<std::string> job_formats();
std::optional<JobFormat> parse_job_format(std::string_view name);

/// The variables that may be written in this format. It is all of them, except for Kubernetes and
/// Slurm, which get only what is the same on every node: a ConfigMap serves the whole cluster, and
/// slurmstepd also runs the TaskProlog for the batch script (exec_task() in
/// src/slurmd/slurmstepd/task.c), whose environment srun then carries to the other nodes.
std::vector<JobVariable> variables_for(JobFormat format, std::span<const JobVariable> variables);

/// The text in the format's syntax, with `heading` as comments if it has any. A name or value that
/// the format's reader would not take literally is an error.
Result<std::string> job_text(JobFormat format, const std::string& profile,
                             std::span<const JobVariable> variables, std::string_view heading);

}  // namespace nettune::intents
