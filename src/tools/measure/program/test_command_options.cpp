// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/test_command_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/text.hpp"
#include "tools/measure/program/nccl_command.hpp"
#include "tools/measure/program/peer_side.hpp"
#include "tools/measure/program/test_command.hpp"

namespace nettune::tools::measure::program {
namespace {

/// Returns `fallback` if the option was not given.
Result<std::uint64_t> whole_number(const std::string& text, std::string_view option,
                                   std::uint64_t fallback, std::uint64_t most) {
  if (text.empty()) return fallback;
  const auto value = parse_int(text);
  if (value && *value >= 1 && static_cast<std::uint64_t>(*value) <= most)
    return static_cast<std::uint64_t>(*value);
  return cli::usage(
      cat(option, " takes a number from 1 to ", most, ", not '", printable(text), "'"), "test");
}

Result<node::Exit> run_mesh(node::Context& context, const TestOptions& options,
                            cli::Output& output) {
  TRY_ASSIGN(MeshRequest request, mesh_request_of(options));
  TRY_ASSIGN(request.launch, launch_from([](const std::string& name) -> std::optional<std::string> {
               const char* const value = std::getenv(name.c_str());
               return value == nullptr ? std::nullopt : std::optional<std::string>(value);
             }));
  TRY_ASSIGN(request.tokens, mesh_tokens(options.token_file));
  return request.launch.rank == 0 ? mesh_leader(context, request, output)
                                  : mesh_member(context, request);
}

/// An option that needs --mesh, but is given without it.
std::string_view lonely_mesh_option(const TestOptions& options) {
  if (!options.schedule.empty()) return "--schedule";
  if (options.alone) return "--alone";
  if (!options.topology.empty()) return "--topology";
  if (!options.write_topology.empty()) return "--write-topology";
  if (!options.interface.empty()) return "--interface";
  if (!options.expect_rate.empty()) return "--expect-rate";
  if (!options.token_file.empty()) return "--token-file";
  return options.wait.empty() ? "" : "--wait";
}

Result<node::Exit> run(node::Context& context, const TestOptions& options, cli::Output& output) {
  if (options.peer_stdio) return serve_on_stdio(context);
  if (options.mesh && !options.nccl) return run_mesh(context, options, output);
  if (const std::string_view option = lonely_mesh_option(options); !option.empty())
    return cli::usage(cat(option, " needs --mesh"), "test");
  if (!options.ports.empty()) TRY(net::parse_port_range(options.ports));
  if (options.nccl) {
    TRY_ASSIGN(const NcclRequest request, nccl_request_of(options));
    return test_nccl(context, options, request, output);
  }
  if (!options.collective.empty()) return cli::usage("--collective needs --nccl", "test");
  if (options.peer.empty()) return cli::usage("name the peer: nettune test HOST", "test");
  if (!options.others.empty())
    return cli::usage(cat("one peer is measured at a time; '", printable(options.others[0]),
                          "' is one more (with --nccl there may be several)"),
                      "test");
  TRY_ASSIGN(const MeasureRequest request, request_of(options));
  return test_peer(context, options, request, output);
}

}  // namespace

Result<MeasureRequest> request_of(const TestOptions& options) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  constexpr std::size_t kMostByDefault = 8;
  MeasureRequest request;
  TRY_ASSIGN(
      request.plan.streams,
      whole_number(options.streams, "--streams",
                   std::clamp<std::size_t>(cores / 2, 1, kMostByDefault), net::kMostStreams));
  TRY_ASSIGN(const std::uint64_t seconds, whole_number(options.seconds, "--seconds", 5, 600));
  request.plan.measure_s = static_cast<double>(seconds);
  TRY_ASSIGN(request.plan.bytes,
             whole_number(options.bytes, "--write-bytes", request.plan.bytes, net::kMostBytes));
  TRY_ASSIGN(request.round_trips,
             whole_number(options.count, "--count", request.round_trips, 1'000'000));
  const std::string& transport = options.transport;
  if (!transport.empty() && transport != "tcp" && transport != "rdma" && transport != "both")
    return cli::usage(cat("--transport takes tcp, rdma or both, not '", printable(transport), "'"),
                      "test");
  request.tcp = transport != "rdma";
  request.rdma = transport != "tcp";
  if (options.gpu && !request.rdma)
    return cli::usage("--gpu measures RDMA, so it cannot be combined with --transport tcp", "test");
  request.gpu = options.gpu;
  request.referee = options.referee;
  return request;
}

Result<MeshRequest> mesh_request_of(const TestOptions& options) {
  if (!options.peer.empty() || !options.command.empty() || !options.address.empty())
    return cli::usage("--mesh gets its peers from the launcher; do not name any", "test");
  MeshRequest request;
  const auto schedule = options.schedule.empty() ? std::optional(request.schedule)
                                                 : kSchedules.value(options.schedule);
  if (!schedule)
    return cli::usage(cat("--schedule takes quick, ring, cube, all, links or rails, not '",
                          printable(options.schedule), "'"),
                      "test");
  request.schedule = *schedule;
  request.topology_file = options.topology;
  request.slurm_file = options.write_topology;
  if (!request.slurm_file.empty() && request.topology_file.empty())
    return cli::usage("--write-topology needs --topology FILE or --topology lldp", "test");
  if (request.schedule == ScheduleKind::links &&
      (request.topology_file.empty() || request.topology_file == kByLldp))
    return cli::usage(
        "--schedule links needs --topology FILE; LLDP says nothing about the links "
        "between switches",
        "test");
  if (options.referee)
    return cli::usage("--referee needs a peer, so it cannot be combined with --mesh", "test");
  if (options.gpu)
    return cli::usage("--gpu needs a peer, so it cannot be combined with --mesh", "test");
  TestOptions shorter = options;
  if (shorter.seconds.empty()) shorter.seconds = "1";
  if (shorter.count.empty()) shorter.count = "200";
  if (shorter.transport.empty()) shorter.transport = "tcp";
  if (shorter.transport == "both")
    return cli::usage("--mesh measures tcp or rdma, not both", "test");
  TRY_ASSIGN(request.measure, request_of(shorter));
  TRY_ASSIGN(const std::uint64_t wait, whole_number(options.wait, "--wait", 60, 3600));
  request.wait_s = static_cast<double>(wait);
  for (const std::string_view name : split(options.interface, ',')) {
    if (options.interface.empty()) break;
    if (name.empty()) return cli::usage("--interface takes NAME or NAME,NAME,...", "test");
    request.interfaces.emplace_back(name);
  }
  const bool rails = request.schedule == ScheduleKind::rails || request.interfaces.size() > 1;
  if (rails && !request.topology_file.empty())
    return cli::usage(
        "--topology knows one leaf for each node, not one for each rail; name one "
        "--interface",
        "test");
  if (!options.expect_rate.empty()) {
    const auto rate = parse_rate(options.expect_rate);
    if (!rate) return cli::usage(cat("--expect-rate: ", rate.error().text), "test");
    request.expect_rate_gbps = *rate;
  }
  request.ports = options.ports;
  if (!options.ports.empty()) TRY(net::parse_port_range(options.ports));
  request.alone = options.alone;
  request.share = options.share;
  request.json = options.json;
  return request;
}

namespace {

/// "all_gather,reduce_scatter"; all_reduce for "".
Result<std::vector<CollectiveKind>> collectives_of(const std::string& text) {
  std::vector<CollectiveKind> out;
  for (const std::string_view word : split(text.empty() ? kCollectives[0].word : text, ',')) {
    const auto found = std::ranges::find(kCollectives, word, &CollectiveKind::word);
    if (found == kCollectives.end())
      return cli::usage(
          cat("--collective takes all_reduce, all_gather, reduce_scatter or alltoall, "
              "or several with commas, not '",
              printable(word), "'"),
          "test");
    if (std::ranges::find(out, word, &CollectiveKind::word) == out.end()) out.push_back(*found);
  }
  return out;
}

}  // namespace

Result<NcclRequest> nccl_request_of(const TestOptions& options) {
  const auto beside = [](std::string_view option) {
    return cli::usage(cat(option, " cannot be combined with --nccl"), "test");
  };
  if (options.mesh) return beside("--mesh");
  if (options.referee) return beside("--referee");
  if (options.gpu) return beside("--gpu");
  if (!options.transport.empty()) return beside("--transport");
  if (!options.streams.empty()) return beside("--streams");
  if (!options.bytes.empty()) return beside("--write-bytes");
  if (!options.count.empty()) return beside("--count");
  if (options.peer.empty() && (!options.command.empty() || !options.address.empty()))
    return cli::usage("name the peer: nettune test --nccl HOST", "test");
  if (!options.others.empty() && (!options.command.empty() || !options.address.empty()))
    return cli::usage("a command after -- and --address are for one peer", "test");
  NcclRequest request;
  TRY_ASSIGN(request.collectives, collectives_of(options.collective));
  if (!options.peer.empty() && !request.is_all_reduce_alone())
    return cli::usage(
        "--collective measures the GPUs of this node; between nodes, nettune render nccl-tests "
        "writes the script",
        "test");
  TRY_ASSIGN(request.seconds, whole_number(options.seconds, "--seconds", 5, 600));
  return request;
}

cli::Command test_program(TestOptions& into) {
  return {
      "test",
      &into,
      {
          {"peer", "", "A host name, as for ssh", &into.peer},
          {"others", "", "nccl: more hosts", &into.others},
          {"--", "COMMAND ...", "Start the peer side with this command instead of ssh",
           &into.command},
          {"--address", "ADDRESS", "Measure only to this address of the peer", &into.address},
          {"--ports", "FIRST-LAST", "Port range to listen on at the peer (default: the profile's)",
           &into.ports},
          {"--streams", "N", "TCP connections (default: half the cores, at most 8)", &into.streams},
          {"--seconds", "N", "Duration of each bandwidth measurement (5)", &into.seconds},
          {"--write-bytes", "N", "Bytes per write and read (131072)", &into.bytes},
          {"--count", "N", "Round trips for latency (2000), for at most 3 s", &into.count},
          {"--transport", "NAME", "tcp, rdma or both (both; mesh: tcp)", &into.transport, false,
           [](node::Context&, auto) {
             return std::vector<std::string>{"tcp", "rdma", "both"};
           }},
          {"--gpu", "", "Also measure RDMA from and to GPU memory (DMA-BUF)", &into.gpu},
          {"--referee", "", "Also measure with iperf3 and perftest", &into.referee},
          {"--nccl", "", "Measure an all-reduce with nccl-tests or PyTorch", &into.nccl},
          {"--collective", "NAME,...", "nccl: all_reduce, all_gather, reduce_scatter, alltoall",
           &into.collective},
          {"--mesh", "", "Measure between all nodes of a job (srun, mpirun, torchrun)", &into.mesh},
          {"--schedule", "NAME", "mesh: quick (default), ring, cube, all, links or rails",
           &into.schedule, false,
           [](node::Context&, auto) {
             return std::vector<std::string>{"quick", "ring", "cube", "all", "links", "rails"};
           }},
          {"--topology", "FILE", "mesh: file of lines \"NODE SWITCH\", \"SWITCH SWITCH\"; or lldp",
           &into.topology},
          {"--write-topology", "FILE", "mesh: write Slurm's topology.conf, or .yaml",
           &into.write_topology},
          {"--interface", "NAME,...", "mesh: interfaces to measure (default: the one to rank 0)",
           &into.interface},
          {"--expect-rate", "RATE", "mesh: what every interface should reach (100G)",
           &into.expect_rate},
          {"--token-file", "FILE", "mesh: file with the shared secret (NETTUNE_TEST_TOKEN)",
           &into.token_file},
          {"--wait", "SECONDS", "mesh: how long rank 0 waits for the other ranks (60)", &into.wait},
          {"--alone", "", "mesh: also measure the last round's pairs one at a time", &into.alone},
          {"--share", "", "Measure even if a job is running on one of the nodes", &into.share},
          {"--peer-stdio", "", "Internal: the peer side, started by nettune", &into.peer_stdio},
      },
      [&into](node::Context& context, cli::Output& output) { return run(context, into, output); },
  };
}

}  // namespace nettune::tools::measure::program
