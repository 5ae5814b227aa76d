// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kNcclVersion = observable("nccl.version");
const Observable kTorchCuda = observable("torch.cuda");
const Observable kTorchDriver = observable("torch.driver");

/// 21806 for "2.18.6", as in NCCL_VERSION_CODE.
std::optional<std::int64_t> nccl_code(std::string_view version) {
  const auto parts = split(version, '.');
  if (parts.size() < 2) return std::nullopt;
  const auto major = parse_int(parts[0]);
  const auto minor = parse_int(parts[1]);
  const auto patch = parts.size() > 2 ? parse_int(parts[2]) : std::optional<std::int64_t>(0);
  if (!major || !minor || !patch) return std::nullopt;
  return *major * 10000 + *minor * 100 + *patch;
}

void observe_nccl(const Machine& machine, Sightings& out) {
  if (machine.nccl.empty()) {
    out.gap(kNcclVersion, "",
            machine.no_versions.value_or(not_applicable("no libnccl.so.2 was found")));
    return;
  }
  for (const Installed& library : machine.nccl) {
    const auto code = nccl_code(library.version);
    if (code)
      out.add(kNcclVersion, library.path, std::to_string(*code),
              cat("it is NCCL ", library.version));
    else
      out.gap(kNcclVersion, library.path, unknown("it does not state its version"));
  }
}

void observe_torch(const Machine& machine, Sightings& out) {
  const bool has_gpu = !nvidia_gpus(machine).empty();
  if (machine.torch.empty() || !has_gpu) {
    const Gap gap = has_gpu ? machine.no_versions.value_or(not_applicable("no torch was found"))
                            : gap_without_gpu(machine);
    for (const Observable& what : {kTorchCuda, kTorchDriver}) out.gap(what, "", gap);
    return;
  }
  const auto with_cuda = std::ranges::find_if(
      machine.torch, [](const Installed& torch) { return !torch.cuda.empty(); });
  for (const Installed& torch : machine.torch) {
    if (!torch.cuda.empty())
      out.add(kTorchCuda, torch.path, "cuda",
              cat("torch ", torch.version, " is built for CUDA ", torch.cuda));
    else if (with_cuda != machine.torch.end())
      out.gap(kTorchCuda, torch.path,
              not_applicable(cat("torch ", torch.version, " is built only for CPUs, and ",
                                 with_cuda->path, " for CUDA ", with_cuda->cuda)));
    else
      out.add(kTorchCuda, torch.path, "cpu",
              cat("torch ", torch.version, " is built only for CPUs"));
    const auto major = parse_int(std::string_view(torch.cuda).substr(0, torch.cuda.find('.')));
    if (!major)
      out.gap(kTorchDriver, torch.path, not_applicable("it does not use CUDA"));
    else if (!machine.nvidia.cuda_major)
      out.gap(kTorchDriver, torch.path, unknown("it is not known which CUDA the driver supports"));
    else
      out.add(kTorchDriver, torch.path, *major > *machine.nvidia.cuda_major ? "too-old" : "runs",
              cat("torch ", torch.version, " needs CUDA ", torch.cuda, ", the driver ",
                  machine.nvidia.driver_version, " supports CUDA ", *machine.nvidia.cuda_major, ".",
                  machine.nvidia.cuda_minor.value_or(0)));
  }
}

}  // namespace

void observe_versions(const Machine& machine, Sightings& out) {
  observe_nccl(machine, out);
  observe_torch(machine, out);
}

}  // namespace nettune::tools::doctor
