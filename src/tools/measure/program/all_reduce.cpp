// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/all_reduce.hpp"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

#include "base/text.hpp"
#include "tools/measure/net/wire.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr const char* kScript = NETTUNE_DATADIR "/all_reduce.py";
constexpr double kProbe_s = 60;  // PyTorch of a network file system is slow to load
constexpr double kPlan_s = 2 * kProbe_s;
constexpr std::size_t kMostRanks = 4096;
constexpr std::uint64_t kMostSeconds = 600;

/// What a job has here besides the environment of this process, which comes first.
Environment unset_of(const Environment& jobs) {
  Environment out;
  for (const auto& [name, value] : jobs)
    if (std::getenv(name.c_str()) == nullptr) out[name] = value;
  return out;
}

bool holds_on_all_nodes(std::string_view name) {
  return name.starts_with("NCCL_") && !name.starts_with("NCCL_DEBUG") &&
         name != "NCCL_SOCKET_IFNAME" && name != "NCCL_IB_HCA" && name != "NCCL_IB_GID_INDEX" &&
         name != "NCCL_TOPO_FILE";
}

/// Gloo takes the address of the host name, 127.0.1.1 on Debian, unless it is told an interface.
std::string gloo_interface(const Environment& jobs, const std::string& fallback) {
  const char* const set = std::getenv("NCCL_SOCKET_IFNAME");
  const auto found = jobs.find("NCCL_SOCKET_IFNAME");
  const std::string text = set != nullptr ? set : found != jobs.end() ? found->second : "";
  return text.starts_with('=') ? text.substr(1, text.find(',') - 1) : fallback;
}

Torch torch_from(const net::wire::Json& json) {
  Torch out{net::wire::text(json, "torch"), net::wire::flag(json, "gloo"), 0};
  if (net::wire::flag(json, "nccl"))
    out.gpus = std::min(net::wire::count(json, "gpus"), kMostRanks);
  return out;
}

Result<RankPlan> plan_from(const net::wire::Json& json) {
  RankPlan out;
  out.backend = net::wire::text(json, "backend");
  out.local = net::wire::count(json, "local");
  out.first = net::wire::count(json, "first");
  out.world = net::wire::count(json, "world");
  out.master = net::wire::text(json, "master");
  out.port = static_cast<std::uint16_t>(net::wire::count(json, "port"));
  out.interface = net::wire::text(json, "interface");
  out.seconds = net::wire::count(json, "seconds");
  if (const auto common = json.find("common"); common != json.end() && common->is_object())
    for (const auto& [name, value] : common->items())
      if (holds_on_all_nodes(name) && value.is_string()) out.common[name] = value;
  const bool good = (out.backend == "gloo" || out.backend == "nccl") && out.local > 0 &&
                    out.local <= kMostRanks && out.world <= kMostRanks &&
                    out.first + out.local <= out.world && out.seconds > 0 &&
                    out.seconds <= kMostSeconds && net::numeric_address(out.master, 1);
  if (!good) return fail(Errc::invalid, "this peer does not know that order");
  return out;
}

}  // namespace

std::optional<std::string> find_nccl_tests(std::string_view program) {
  const char* const path = std::getenv("PATH");
  std::string places = path == nullptr ? "" : path;
  // Of NVIDIA's containers of PyTorch; of the images of AWS and Azure.
  places += ":/usr/local/bin:/opt/nccl-tests/build";
  for (const std::string_view place : split(places, ':')) {
    const std::string file = cat(place, "/", program);
    std::error_code error;
    if (!place.empty() && std::filesystem::is_regular_file(file, error) &&
        ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

Result<Torch> torch_here(const net::Cancelled& cancelled) {
  if (::access(kScript, R_OK) != 0)
    return fail(Errc::io, cat(kScript, " is missing; reinstall the package nettune"));
  TRY_ASSIGN(const ChildEnd end,
             run_child({"python3", {"python3", kScript, "--probe"}, {}, kProbe_s}, cancelled));
  if (end.how == ChildEnd::How::exited && end.status == 127)
    return fail(Errc::not_found, "python3 is not installed");
  // PyTorch may warn before.
  const std::string_view text = trim(end.output);
  const auto line = text.rfind('\n');
  const auto json = net::wire::parse(line == text.npos ? text : text.substr(line + 1));
  if (!end.succeeded() || !json)
    return fail(Errc::io, cat("python3 ", kScript, " --probe does not report what PyTorch has (",
                              end.text(), "): ", last_line(end.output)));
  if (const std::string error = net::wire::text(*json, "error"); !error.empty())
    return fail(Errc::not_found, printable(error));
  return torch_from(*json);
}

Environment variables_of_all_nodes() {
  Environment out;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view entry(*one);
    const auto equals = entry.find('=');
    if (equals != entry.npos && holds_on_all_nodes(entry.substr(0, equals)))
      out[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
  }
  return out;
}

double longest_s(std::uint64_t seconds) { return 120 + 4 * static_cast<double>(seconds); }

ChildSpec torch_ranks(const RankPlan& plan, const Environment& jobs) {
  ChildSpec spec{"python3",
                 {"python3", kScript, std::to_string(plan.local), std::to_string(plan.first),
                  std::to_string(plan.world), plan.backend, std::to_string(plan.seconds)},
                 unset_of(jobs),
                 longest_s(plan.seconds)};
  for (const auto& [name, value] : plan.common) spec.env[name] = value;
  spec.env["MASTER_ADDR"] = plan.master;
  spec.env["MASTER_PORT"] = std::to_string(plan.port);
  const std::string interface = gloo_interface(jobs, plan.interface);
  if (!interface.empty() && std::getenv("GLOO_SOCKET_IFNAME") == nullptr)
    spec.env["GLOO_SOCKET_IFNAME"] = interface;
  return spec;
}

ChildSpec nccl_tests(const std::string& file, std::size_t gpus, const Environment& jobs) {
  return {file,
          {file.substr(file.rfind('/') + 1), "-b", "1K", "-e", "1G", "-f", "4", "-g",
           std::to_string(gpus)},
          unset_of(jobs),
          longest_s(0)};
}

Result<Torch> PeerRanks::torch(const net::Cancelled& cancelled) {
  const auto deadline = net::in_seconds(kPlan_s);
  while (!cancelled() && net::Clock::now() < deadline) {
    const auto ready = net::wait_readable(socket_.get(), net::in_seconds(0.2));
    if (!ready || *ready) break;
  }
  if (cancelled()) return fail(Errc::io, "it was stopped");
  const auto line = net::read_line(socket_.get(), net::wire::kLongestLine, net::in_seconds(1));
  const auto json = line ? net::wire::parse(*line) : std::nullopt;
  if (!json)
    return fail(Errc::io, cat(host_, " does not report its PyTorch; is its nettune ",
                              NETTUNE_VERSION, ", as here?"));
  if (const std::string error = net::wire::text(*json, "error"); !error.empty())
    return fail(Errc::io, cat(host_, " says: ", printable(error)));
  return torch_from(*json);
}

Result<> PeerRanks::start(const RankPlan& plan) {
  return net::write_all(socket_.get(),
                        net::wire::line({{"backend", plan.backend},
                                         {"local", plan.local},
                                         {"first", plan.first},
                                         {"world", plan.world},
                                         {"master", plan.master},
                                         {"port", plan.port},
                                         {"interface", plan.interface},
                                         {"seconds", plan.seconds},
                                         {"common", plan.common}}),
                        net::in_seconds(5));
}

bool PeerRanks::ended(net::Clock::time_point deadline, std::string& error) {
  if (is_over_) return true;
  const auto ready = net::wait_readable(socket_.get(), deadline);
  if (ready && !*ready) return false;
  is_over_ = true;
  const auto line = net::read_line(socket_.get(), net::wire::kLongestLine, net::in_seconds(1));
  const auto json = line ? net::wire::parse(*line) : std::nullopt;
  error = json ? printable(net::wire::text(*json, "error")) : "its peer side ended";
  if (!error.empty()) error = cat(host_, ": ", error);
  return true;
}

void serve_all_reduce(const Environment& jobs, int socket, const net::Cancelled& cancelled) {
  const auto say = [&](const net::wire::Json& json) {
    (void)net::write_all(socket, net::wire::line(json), net::in_seconds(5));
  };
  // The caller says nothing before the plan: what is there to read is then its end.
  const net::Cancelled gone = [&] {
    const auto ended = net::wait_readable(socket, net::Clock::now());
    return cancelled() || !ended || *ended;
  };
  const auto torch = torch_here(gone);
  if (!torch) return say({{"error", torch.error().text}});
  say({{"torch", torch->version},
       {"gloo", torch->gloo},
       {"nccl", torch->gpus > 0},
       {"gpus", torch->gpus}});
  const auto line = net::read_line(socket, net::wire::kLongestLine, net::in_seconds(kPlan_s));
  if (!line) return;
  const auto plan = plan_from(net::wire::parse(*line).value_or(net::wire::Json::object()));
  if (!plan) return say({{"error", plan.error().text}});
  const auto end = run_child(torch_ranks(*plan, jobs), gone);
  if (!end) return say({{"error", end.error().text}});
  say({{"error", end->succeeded() ? "" : cat(end->text(), ": ", last_line(end->output))}});
}

}  // namespace nettune::tools::measure::program
