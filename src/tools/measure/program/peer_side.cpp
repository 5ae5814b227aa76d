// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/peer_side.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include "base/text.hpp"
#include "tools/measure/program/peer_orders.hpp"
#include "tools/measure/program/referee.hpp"
#include "tools/measure/program/this_node.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/paths.hpp"
#include "tools/measure/rdma/peers.hpp"
#include "node/signals.hpp"

namespace nettune::measure {
namespace {

constexpr double kTokens_s = 60;     // a person may have to type a password
constexpr double kSession_s = 3600;  // longer than any session

Result<Tokens> tokens_of(const wire::Json& hello) {
  const Tokens tokens{wire::text(hello, "caller"), wire::text(hello, "listener")};
  if (tokens.caller.size() != kTokenSize || tokens.listener.size() != kTokenSize)
    return fail(Errc::invalid,
                "standard input did not begin with a session; --peer-stdio is internal: nettune "
                "starts it over ssh");
  return tokens;
}

/// Waits until the other side closes the pipe, at most for the longest session.
void wait_for_end(double longest_s) {
  const auto deadline = in_seconds(longest_s);
  while (Clock::now() < deadline && !cli::DeferredSignals::arrived()) {
    pollfd one{STDIN_FILENO, POLLIN, 0};
    if (::poll(&one, 1, 200) <= 0) continue;
    char byte = 0;
    if (::read(STDIN_FILENO, &byte, 1) <= 0) return;
  }
}

}  // namespace

DataServer::Answer answers(std::vector<End> ends) {
  return [ends = std::move(ends)](const std::string& query) {
    const auto order = wire::parse(query);
    if (!order || wire::text(*order, "do") != "counters")
      return wire::line({{"error", "this peer does not know that order"}});
    wire::Json counters = wire::Json::object();
    End end;
    end.interface = wire::text(*order, "interface");
    RdmaEnd& port = end.rdma.emplace();
    port.device = wire::text(*order, "device");
    port.port = wire::known_int(*order, "port").value_or(1);
    for (const auto& [name, value] : read_counters(end, beside(end.interface, ends)))
      counters[name] = value;
    return wire::line({{"counters", counters}});
  };
}

DataServer::TakeOver taken_orders(PortRange ports, Environment jobs) {
  return [ports, jobs = std::move(jobs)](const std::string& order, int socket,
                                         const Cancelled& cancelled) {
    const auto json = wire::parse(order);
    if (!json) return;
    if (wire::text(*json, "do") == "referee") return serve_referee(order, ports, socket, cancelled);
    if (wire::text(*json, "do") == "nccl") return serve_all_reduce(jobs, socket, cancelled);
    run_near(numa_node_of_rdma(wire::text(*json, "device")));
    serve_rdma(order, socket, cancelled);
  };
}

Result<cli::Exit> serve_on_stdio(cli::Context& context) {
  const cli::DeferredSignals signals;
  const auto line = read_line(STDIN_FILENO, wire::kLongestOrder, in_seconds(kTokens_s));
  const auto hello = line ? wire::parse(*line) : std::nullopt;
  TRY_ASSIGN(const Tokens tokens, tokens_of(hello.value_or(wire::Json::object())));
  if (wire::known_int(*hello, "protocol") != wire::kProtocol) {
    const std::string refusal =
        wire::line({{"protocol", wire::kProtocol}, {"nettune", NETTUNE_VERSION}});
    (void)write_all(STDOUT_FILENO, refusal, in_seconds(5));
    return cli::Exit::refused;
  }
  TRY_ASSIGN(const NodeView view, view_of_this_node(context, false));
  PortRange ports = view.ports;
  if (const std::string asked = wire::text(*hello, "ports"); !asked.empty()) {
    TRY_ASSIGN(ports, parse_port_range(asked));
  }
  DataServer server(tokens, answers_of_peer(view.ends), taken_orders(ports, view.jobs));
  const auto started = server.start(ports, in_one_network(view.ends));
  wire::Json answer = wire::Json::parse(to_json(view));
  answer["protocol"] = wire::kProtocol;
  answer["nettune"] = NETTUNE_VERSION;
  answer["port"] = started ? server.port() : 0;
  if (!started) answer["error"] = started.error().text;
  TRY(write_all(STDOUT_FILENO, wire::line(answer), in_seconds(5)));
  if (started) wait_for_end(kSession_s);
  return started ? cli::Exit::done : cli::Exit::failed;
}

}  // namespace nettune::measure
