// SPDX-License-Identifier: Apache-2.0
#include "tools/render/taken.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "tools/render/render.hpp"

namespace nettune::tools::render {
namespace {

/// An option, and the names by which a template makes use of it.
struct Option {
  std::string_view option;
  std::vector<std::string> names;
  bool (*is_given)(const Request& request);
  std::string_view why_not;
};

const std::vector<Option>& cluster_options() {
  static const std::vector<Option> options = {
      {"--time",
       {"time", "time_s"},
       [](const Request& request) { return request.time_s.has_value(); },
       "no scheduler ends it; start it by timeout(1)"},
      {"--partition",
       {"partition"},
       [](const Request& request) { return !request.partition.empty(); },
       "only Slurm has partitions (sbatch-*); a queue of Kueue or Volcano is --queue"},
      {"--account",
       {"account"},
       [](const Request& request) { return !request.account.empty(); },
       "only Slurm has accounts (sbatch-*)"},
      {"--queue",
       {"queue"},
       [](const Request& request) { return !request.queue.empty(); },
       "only Kubernetes has queues, by Kueue or Volcano (k8s-*, volcano); Slurm's are --partition"},
      {"--mem",
       {"mem_mib"},
       [](const Request& request) { return request.mem_mib.has_value(); },
       "it runs with all memory of the node, and nothing there sets a limit"},
      {"--mount",
       {"mounts"},
       [](const Request& request) { return !request.mounts.empty(); },
       "it starts no container, and sees the files of the node"},
      {"--env",
       {"env"},
       [](const Request& request) { return !request.env.empty(); },
       "it starts no program that could have variables"},
      {"--option",
       {"options"},
       [](const Request& request) { return !request.options.empty(); },
       "no scheduler or container program starts it; edit the file"},
  };
  return options;
}

}  // namespace

std::vector<std::string> taken_options(const Template& form) {
  std::vector<std::string> out;
  for (const Option& one : cluster_options())
    if (uses_any(form, one.names)) out.emplace_back(one.option);
  return out;
}

Result<> check_taken(const Template& form, const Request& request) {
  for (const Option& one : cluster_options())
    if (one.is_given(request) && !uses_any(form, one.names))
      return fail(Errc::invalid, cat(one.option, " is not for ", request.kind, ": ", one.why_not));
  // Old pyxis hands mounts to enroot as they are.
  const bool by_enroot = request.kind == "sbatch-enroot" || request.kind == "sbatch-pyxis";
  for (const Mount& mount : request.mounts) {
    if (by_enroot && cat(mount.source, mount.target).find(' ') != std::string::npos)
      return fail(Errc::invalid,
                  cat("--mount: \"", printable(cat(mount.source, ":", mount.target)),
                      "\" has a blank, and enroot, which mounts it for ", request.kind,
                      ", refuses blanks; give a path without, such as a symbolic link"));
    if (mount.is_volume() && !uses_any(form, {"mounts.volume"}))
      return fail(Errc::invalid,
                  cat("--mount: \"", printable(mount.source), "\" is not an absolute path, and ",
                      request.kind, " knows no volumes"));
  }
  return {};
}

}  // namespace nettune::tools::render
