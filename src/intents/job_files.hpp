// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/setting.hpp"

namespace nettune::profile {

/// In whose syntax variables are written.
enum class JobFormat { sh, docker, nccl_conf, systemd, slurm, k8s, json };

/// As people type them: "sh", "docker", "nccl.conf", ...
std::vector<std::string> job_formats();
std::optional<JobFormat> parse_job_format(std::string_view name);

/// Those that may be written in this format: all, but only what is the same on every node for
/// Kubernetes, whose ConfigMap is one for the whole cluster, and for Slurm: slurmstepd runs the
/// TaskProlog for the batch script, too (exec_task() in src/slurmd/slurmstepd/task.c), whose
/// environment srun then carries to the other nodes.
std::vector<JobVariable> variables_for(JobFormat format, std::span<const JobVariable> variables);

/// The text that the format's reader takes, with `heading` as comments where it knows any. Errors:
/// a name or value that the reader would not take as it is.
Result<std::string> job_text(JobFormat format, const std::string& profile,
                             std::span<const JobVariable> variables, std::string_view heading);

}  // namespace nettune::profile
