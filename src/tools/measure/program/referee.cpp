// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/referee.hpp"

#include <cmath>
#include <thread>

#include "base/text.hpp"
#include "tools/measure/metric.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/program/child.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr double kStart_s = 10;
constexpr double kRetry_s = 0.3;
constexpr int kRetries = 10;      // the server may not listen yet
constexpr double kBeyond_s = 30;  // what a tool needs besides the time it measures

/// The arguments that both sides pass to a tool.
std::vector<std::string> perftest_words(const std::string& tool, const RdmaEnd& port,
                                        std::uint64_t pairs, std::uint64_t bytes, int seconds,
                                        std::uint64_t data_port) {
  std::vector<std::string> words = {tool,
                                    "-d",
                                    port.device,
                                    "-i",
                                    std::to_string(port.port),
                                    "-x",
                                    std::to_string(port.gid_index),
                                    "-p",
                                    std::to_string(data_port),
                                    "-s",
                                    std::to_string(bytes),
                                    "-F"};
  if (!port.infiniband)
    words.insert(words.end(), {"--tclass", std::to_string(port.traffic_class)});
  else
    words.insert(words.end(), {"-S", std::to_string(port.service_level)});
  if (tool == "ib_write_bw")
    words.insert(words.end(),
                 {"-q", std::to_string(pairs), "-D", std::to_string(seconds), "--report_gbits"});
  else
    words.insert(words.end(), {"-n", "1000"});
  return words;
}

struct Tool {
  std::string name;
  const char* metric;
  double scale;  ///< to Gb/s, or to seconds of a round trip
};

std::optional<Tool> tool_for(const Measurement& one) {
  const bool rate = one.what == Measurement::What::bandwidth;
  if (one.what == Measurement::What::path_mtu || one.error) return {};
  if (!one.rdma)
    return rate ? std::optional(Tool{"iperf3", "$.end.sum_received.bits_per_second", 1e-9})
                : std::nullopt;
  if (!one.to_peer) return {};  // perftest's client is the one that sends
  // Size, iterations, then peak and average, or minimum, maximum and the typical half of a trip.
  if (rate) return Tool{"ib_write_bw", "^ *[0-9]+[ \t]+[0-9]+[ \t]+[0-9.]+[ \t]+([0-9.]+)", 1};
  return Tool{"ib_send_lat", "^ *[0-9]+[ \t]+[0-9]+[ \t]+[0-9.]+[ \t]+[0-9.]+[ \t]+([0-9.]+)",
              2e-6};
}

std::vector<std::string> client_words(const Tool& tool, const Measurement& one,
                                      const net::Target& target, std::uint64_t port, int seconds) {
  const std::string host = target.address.host();
  if (one.rdma) {
    const std::uint64_t bytes = tool.name == "ib_send_lat" ? 64 : one.write_bytes;
    auto words = perftest_words(tool.name, one.from.end.rdma.value_or(RdmaEnd{}), one.streams,
                                bytes, seconds, port);
    words.push_back(host);
    return words;
  }
  std::vector<std::string> words = {"iperf3", "-J",
                                    "-c",     host,
                                    "-p",     std::to_string(port),
                                    "-t",     std::to_string(seconds),
                                    "-P",     std::to_string(one.streams)};
  if (target.from) words.insert(words.end(), {"-B", target.from->host()});
  if (!target.device.empty()) words.insert(words.end(), {"--bind-dev", target.device});
  if (!one.to_peer) words.emplace_back("-R");
  return words;
}

Result<double> figure_of(const Tool& tool, const Measurement& one, const net::Target& target,
                         const net::Cancelled& cancelled) {
  const int seconds = std::max(1, static_cast<int>(std::lround(one.seconds)));
  const RdmaEnd there = one.to.end.rdma.value_or(RdmaEnd{});
  const std::string order =
      net::wire::line({{"do", "referee"},
                  {"tool", tool.name},
                  {"interface", target.device.empty() ? "" : one.to_peer ? one.to.end.interface
                                                                         : one.from.end.interface},
                  {"device", there.device},
                  {"port", there.port},
                  {"gid_index", there.gid_index},
                  {"infiniband", there.infiniband},
                  {"traffic_class", there.traffic_class},
                  {"service_level", there.service_level},
                  {"pairs", one.streams},
                  {"bytes", tool.name == "ib_send_lat" ? 64 : one.write_bytes},
                  {"seconds", seconds}});
  TRY_ASSIGN(const UniqueFd socket, net::call(target, order));
  TRY_ASSIGN(const std::string line,
             net::read_line(socket.get(), net::wire::kLongestLine, net::in_seconds(kStart_s)));
  const net::wire::Json answer = net::wire::parse(line).value_or(net::wire::Json::object());
  if (const std::string error = net::wire::text(answer, "error"); !error.empty())
    return fail(Errc::not_found, cat("the peer says: ", printable(error)));
  const auto words = client_words(tool, one, target, net::wire::count(answer, "port"), seconds);
  TRY_ASSIGN(const Metric metric, Metric::parse(tool.metric));
  for (int i = 0;; ++i) {
    TRY_ASSIGN(const ChildEnd end,
               run_child({tool.name, words, {}, seconds + kBeyond_s}, cancelled));
    if (end.status == 127) return fail(Errc::not_found, cat(tool.name, " is not installed here"));
    if (end.succeeded()) {
      TRY_ASSIGN(const Reading reading, metric.read(end.output));
      return reading.value * tool.scale;
    }
    if (cancelled() || i == kRetries || end.seconds > 3)
      return fail(Errc::io, cat(tool.name, " failed (", end.text(), "): ", last_line(end.output)));
    std::this_thread::sleep_for(std::chrono::duration<double>(kRetry_s));
  }
}

}  // namespace

std::optional<Referee> ask_referee(const Measurement& one, const net::Target& target,
                                   const net::Cancelled& cancelled) {
  const auto tool = tool_for(one);
  if (!tool) return {};
  const auto figure = figure_of(*tool, one, target, cancelled);
  return Referee{tool->name, figure ? *figure : 0, figure ? "" : figure.error().text};
}

void serve_referee(const std::string& text, const net::PortRange& ports, int socket,
                   const net::Cancelled& cancelled) {
  const net::wire::Json order = net::wire::parse(text).value_or(net::wire::Json::object());
  const auto say = [&](const net::wire::Json& json) {
    (void)net::write_all(socket, net::wire::line(json), net::in_seconds(kStart_s));
  };
  const std::string tool = net::wire::text(order, "tool");
  const int seconds = net::wire::known_int(order, "seconds").value_or(0);
  if ((tool != "iperf3" && tool != "ib_write_bw" && tool != "ib_send_lat") || seconds < 1 ||
      seconds > 600)
    return say({{"error", "this peer does not know that referee"}});
  std::uint16_t port = 0;
  {
    const auto free = net::listen_tcp(ports);
    if (!free) return say({{"error", free.error().text}});
    port = net::local_address(free->get()).port();
  }
  std::vector<std::string> words = {"iperf3", "-s", "-1", "-p", std::to_string(port)};
  if (const std::string interface = net::wire::text(order, "interface"); !interface.empty())
    words.insert(words.end(), {"--bind-dev", interface});
  if (tool != "iperf3") {
    RdmaEnd end;
    end.device = net::wire::text(order, "device");
    end.port = net::wire::known_int(order, "port").value_or(1);
    end.gid_index = net::wire::known_int(order, "gid_index").value_or(0);
    end.infiniband = net::wire::flag(order, "infiniband");
    end.traffic_class = net::wire::known_int(order, "traffic_class").value_or(0);
    end.service_level = net::wire::known_int(order, "service_level").value_or(0);
    words = perftest_words(tool, end, net::wire::count(order, "pairs"),
                           net::wire::count(order, "bytes"), seconds, port);
  }
  bool said = false;
  const auto begin = net::Clock::now();
  const auto end = run_child({tool, words, {}, seconds + kBeyond_s + kStart_s}, [&] {
    // A tool that is not installed has ended by then.
    if (!said && net::seconds_since(begin) > 0.2) {
      said = true;
      say({{"port", port}});
    }
    const auto ended = said ? net::wait_readable(socket, net::Clock::now()) : Result<bool>(false);
    return cancelled() || !ended || *ended;
  });
  if (said) return;
  if (!end) return say({{"error", end.error().text}});
  say({{"error", end->status == 127
                     ? cat(tool, " is not installed there")
                     : cat(tool, " ended (", end->text(), "): ", last_line(end->output))}});
}

}  // namespace nettune::tools::measure::program
