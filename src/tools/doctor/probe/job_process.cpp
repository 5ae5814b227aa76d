// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "nccl/library.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

constexpr std::size_t kLargestOfProc = std::size_t{32} << 20;

/// The libraries that decide how NCCL communicates.
bool is_wanted(std::string_view file) {
  for (const std::string_view stem : {"libnccl", "libibverbs.so", "libmlx5", "libcudart.so",
                                      "libcuda.so", "libsharp", "librdmacm.so"})
    if (file.starts_with(stem)) return true;
  return false;
}

Gap gap_of(const Error& error, int pid) {
  if (error.code == Errc::denied)
    return not_permitted(cat("process ", pid, " belongs to another user"));
  return unknown(cat("process ", pid, " could not be read"));
}

/// A path in maps(5) is relative to the root of the process, which is another one in a container.
std::map<std::string, std::string> libraries_of(std::string_view maps, int pid) {
  std::map<std::string, std::string> out;
  for (const std::string_view line : split(maps, '\n')) {
    const auto slash = line.find('/');
    if (slash == std::string_view::npos) continue;
    const std::string path(line.substr(slash));
    const std::string file = path.substr(path.rfind('/') + 1);
    if (!is_wanted(file) || out.contains(path)) continue;
    std::string version;
    if (file.starts_with("libnccl.so"))
      if (const auto found = nettune::nccl::library_version(cat("/proc/", pid, "/root", path)))
        version = found->text();
    out[path] = version;
  }
  return out;
}

}  // namespace

JobProcess read_job_process(const Directory& root, int pid) {
  JobProcess job;
  job.pid = pid;
  job.name = root.line(cat("proc/", pid, "/comm")).value_or("");
  const auto maps = root.read(cat("proc/", pid, "/maps"), kLargestOfProc);
  if (maps)
    job.libraries = libraries_of(*maps, pid);
  else
    job.libraries = gap_of(maps.error(), pid);
  const auto environment = root.read(cat("proc/", pid, "/environ"), kLargestOfProc);
  if (!environment) {
    job.environment = gap_of(environment.error(), pid);
    return job;
  }
  std::map<std::string, std::string> variables;
  for (const std::string_view entry : split(*environment, '\0'))
    if (const auto equals = entry.find('='); equals != std::string_view::npos)
      variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  job.environment = std::move(variables);
  return job;
}

}  // namespace nettune::tools::doctor::probe
