// SPDX-License-Identifier: Apache-2.0
#include "cli/programs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include "base/text.hpp"
#include "node/signals.hpp"

namespace nettune::cli {

namespace {

// docs/man/command-pages.awk reads these lines.
constexpr std::array kPrograms = {
    ProgramSpec{"doctor", "nettune-doctor", "find what slows training down, root cause first",
                kNode, "nettune doctor --for roce"},
    ProgramSpec{"support", "nettune-doctor", "pack one archive for a report of a fault", kNode,
                "sudo nettune support -o node.tar.gz"},
    ProgramSpec{"slurm-health", "nettune-slurm-health",
                "check a node of Slurm, and drain it if the site says so", kNode,
                "sudo nettune slurm-health --dry-run"},
    ProgramSpec{"nccl", "nettune-nccl", "lint NCCL variables; explain NCCL logs", kJobs,
                "nettune nccl explain job.log --expect ib,gdr"},
    ProgramSpec{"render", "nettune-render", "generate a job script, or the switch configuration",
                kJobs, "nettune render torchrun --nodes 'gpu[01-08]' --gpus 8 -- train.py"},
    ProgramSpec{"advise", "nettune-advise", "predict what would make a DDP job faster, in ms",
                kJobs, "nettune advise --from ddp.log --ranks 16"},
    ProgramSpec{"compare", "nettune-compare", "find nodes that differ from the rest", kManyNodes,
                "nettune compare facts/"},
    ProgramSpec{"report", "nettune-report", "write one HTML page about many nodes", kManyNodes,
                "nettune report fleet/ -o fleet.html"},
    ProgramSpec{"test", "nettune-measure", "measure latency and bandwidth to a peer", kManyNodes,
                "nettune test gpu02"},
    ProgramSpec{"ab", "nettune-measure", "prove whether B is faster than A", kManyNodes,
                "sudo nettune ab current rocev2-400g --with test -- gpu02"},
    ProgramSpec{"tune", "nettune-measure", "search for faster settings, and prove them", kManyNodes,
                "sudo nettune tune tcp-100g --vary mtu=4200,9000 --with test -- gpu02"},
};

}  // namespace

std::span<const ProgramSpec> programs() { return kPrograms; }

const ProgramSpec* find_program(std::string_view name) {
  const auto* const found = std::ranges::find(kPrograms, name, &ProgramSpec::name);
  return found == kPrograms.end() ? nullptr : found;
}

Result<std::string> program_path(const ProgramSpec& program) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return fail(Errc::io,
                cat("nettune ", program.name, " is the program ", program.file,
                    ", which nettune looks for beside itself, but /proc/self/exe cannot be read: ",
                    error.message(), "; is /proc mounted?"),
                error.value());
  const std::filesystem::path directory = self.parent_path();
  const std::filesystem::path libexec = directory.parent_path() / "libexec/nettune";
  // Where sbin is a link to bin, the kernel says bin.
  const bool is_installed =
      directory.filename() == "sbin" ||
      (directory.filename() == "bin" && std::filesystem::is_directory(libexec, error));
  return ((is_installed ? libexec : directory) / program.file).string();
}

Result<std::string> nettune_path() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return fail(Errc::io,
                cat("nettune should be beside this program, but /proc/self/exe cannot be read: ",
                    error.message(), "; is /proc mounted?"),
                error.value());
  const std::filesystem::path directory = self.parent_path();
  if (!directory.string().ends_with("/libexec/nettune")) return (directory / "nettune").string();
  return (directory.parent_path().parent_path() / "sbin/nettune").string();
}

Failure become_program(const ProgramSpec& program, std::span<const std::string> words) {
  const Result<std::string> path = program_path(program);
  if (!path) return fail(path.error());
  const std::string name = cat("nettune-", program.name);
  std::vector<char*> line = {const_cast<char*>(name.c_str())};  // execv(3) does not modify it
  for (const std::string& word : words) line.push_back(const_cast<char*>(word.c_str()));
  line.push_back(nullptr);
  node::restore_signals();
  ::execv(path->c_str(), line.data());
  const int error = errno;
  if (error == ENOENT)
    return fail(Errc::io,
                cat("nettune ", program.name, " is the program ", printable(*path),
                    ", which is missing; reinstall the package nettune"),
                error);
  return fail(Errc::io,
              cat("cannot start ", printable(*path), ", which is nettune ", program.name, ": ",
                  std::strerror(error)),
              error);
}

}  // namespace nettune::cli
