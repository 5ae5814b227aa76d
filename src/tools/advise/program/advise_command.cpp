// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/program/advise_command.hpp"

#include "cli/candidates.hpp"
#include "tools/advise/parallelism.hpp"

namespace nettune::tools::advise::program {

namespace {

Result<node::Exit> run_advise(const AdviseOptions& options, cli::Output& output) {
  if (options.snippet) {
    output.print(advise_snippet());
    return node::Exit::done;
  }
  TRY_ASSIGN(const advise::Job job, read_job(options));
  if (const std::string why = advise::not_only_ddp(job); !why.empty()) {
    output.print(options.json ? json::advice(job, nullptr, nullptr, why)
                              : text::not_ddp(job, why, output.style()));
    return node::Exit::unknown;
  }
  if (const auto missing = advise::what_is_missing(job)) {
    output.print(options.json ? json::advice(job, nullptr, &*missing)
                              : text::missing(job, *missing, output.style()));
    return node::Exit::unknown;
  }
  const advise::Advice advice = advise::advise(job, options.profile);
  output.print(options.json ? json::advice(job, &advice, nullptr)
                            : text::advice(job, advice, options.command, output.style()));
  return advice.held_back.empty() ? node::Exit::done : node::Exit::unknown;
}

std::vector<std::string> candidates(node::Context& context, std::span<const std::string> words) {
  if (words.size() >= 2 && words[words.size() - 2] == "--profile")
    return cli::profile_names(context);
  return {};
}

}  // namespace

cli::Command advise_program(AdviseOptions& into) {
  return {
      "advise",
      &into,
      {
          {"--", "COMMAND...", "The command that starts the job, for the nettune ab line",
           &into.command},
          {"--from", "FILE", "Measured: nettune test --nccl --json, DDP's log, a trace",
           &into.from},
          {"--params", "FILE", "Size in bytes of each parameter (--snippet writes it)",
           &into.parameters_file},
          {"--model-bytes", "SIZE", "Size of all gradients, if --params is not available: 102M",
           &into.model_bytes},
          {"--forward-ms", "MS", "Forward time on one GPU, without DDP", &into.forward_ms},
          {"--backward-ms", "MS", "Backward time on one GPU, without DDP", &into.backward_ms},
          {"--step-ms", "MS", "Time of a whole step as it runs now", &into.step_ms},
          {"--ranks", "N", "Number of GPUs in the job, if no file says it", &into.ranks},
          {"--bucket-mb", "MIB", "bucket_cap_mb of the job (25)", &into.bucket_mb},
          {"--accumulate", "N", "Micro-batches per step under no_sync() (1)", &into.accumulate},
          {"--profile", "NAME", "Profile for nettune ab to try for a faster network",
           &into.profile},
          {"--snippet", "", "Print PyTorch code that writes these files", &into.snippet},
      },
      [&into](node::Context&, cli::Output& output) { return run_advise(into, output); },
      candidates,
  };
}

std::string_view advise_snippet() {
  // For `model`, a DistributedDataParallel. The times are averages of sampled iterations.
  return R"(# After the training loop, on rank 0 (model is the DistributedDataParallel):
import json
if torch.distributed.get_rank() == 0:
    with open("params.json", "w") as f:
        json.dump([p.numel() * p.element_size() for p in model.parameters() if p.requires_grad], f)
    with open("ddp.json", "w") as f:
        json.dump(model._get_ddp_logging_data(), f)

# DDP times the first 10 steps, then samples one in 100; every step, before the loop:
#   model._set_ddp_runtime_logging_sample_rate(1)

# Instead, a trace of three steps on every rank:
#   with torch.profiler.profile(schedule=torch.profiler.schedule(wait=5, warmup=2, active=3)) as p:
#       for batch in loader:
#           train(batch)
#           p.step()
#   p.export_chrome_trace(f"trace_rank{torch.distributed.get_rank()}.json")

# The time of an all-reduce by size, on one of the job's nodes, PEER being the others:
#   nettune test --nccl --json PEER... > nccl.json
# Instead, with the job's backend from within the job (or all_reduce_perf of nccl-tests):
#   import time
#   table = []
#   for size in [1 << k for k in range(16, 29)]:
#       x = torch.ones(size // 4, device="cuda")
#       for _ in range(5):
#           torch.distributed.barrier(); torch.cuda.synchronize(); begin = time.perf_counter()
#           torch.distributed.all_reduce(x); torch.cuda.synchronize()
#           took = time.perf_counter() - begin  # the last of five
#       table.append([size, took])
#   if torch.distributed.get_rank() == 0:
#       with open("all_reduce.json", "w") as f:
#           json.dump({"ranks": torch.distributed.get_world_size(), "backend": torch.distributed.get_backend(),
#                      "all_reduce": table}, f)

# Then:
#   nettune advise --params params.json --from ddp.json --from nccl.json
)";
}

}  // namespace nettune::tools::advise::program
