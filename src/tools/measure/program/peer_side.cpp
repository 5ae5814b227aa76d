// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/peer_side.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include "base/text.hpp"
#include "node/signals.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/paths.hpp"
#include "tools/measure/program/peer_orders.hpp"
#include "tools/measure/program/referee.hpp"
#include "tools/measure/program/this_node.hpp"
#include "tools/measure/rdma/peers.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr double kTokens_s = 60;     // a person may have to type a password
constexpr double kSession_s = 3600;  // longer than any session

Result<net::Tokens> tokens_of(const net::wire::Json& hello) {
  const net::Tokens tokens{net::wire::text(hello, "caller"), net::wire::text(hello, "listener")};
  if (tokens.caller.size() != net::kTokenSize || tokens.listener.size() != net::kTokenSize)
    return fail(Errc::invalid,
                "standard input did not begin with a session; --peer-stdio is internal: nettune "
                "starts it over ssh");
  return tokens;
}

/// Waits until the other side closes the pipe, at most for the longest session.
void wait_for_end(double longest_s) {
  const auto deadline = net::in_seconds(longest_s);
  while (net::Clock::now() < deadline && !node::DeferredSignals::arrived()) {
    pollfd one{STDIN_FILENO, POLLIN, 0};
    if (::poll(&one, 1, 200) <= 0) continue;
    char byte = 0;
    if (::read(STDIN_FILENO, &byte, 1) <= 0) return;
  }
}

}  // namespace

net::DataServer::Answer answers(std::vector<End> ends) {
  return [ends = std::move(ends)](const std::string& query) {
    const auto order = net::wire::parse(query);
    if (!order || net::wire::text(*order, "do") != "counters")
      return net::wire::line({{"error", "this peer does not know that order"}});
    net::wire::Json counters = net::wire::Json::object();
    End end;
    end.interface = net::wire::text(*order, "interface");
    RdmaEnd& port = end.rdma.emplace();
    port.device = net::wire::text(*order, "device");
    port.port = net::wire::known_int(*order, "port").value_or(1);
    for (const auto& [name, value] : read_counters(end, beside(end.interface, ends)))
      counters[name] = value;
    return net::wire::line({{"counters", counters}});
  };
}

net::DataServer::TakeOver taken_orders(net::PortRange ports, Environment jobs) {
  return [ports, jobs = std::move(jobs)](const std::string& order, int socket,
                                         const net::Cancelled& cancelled) {
    const auto json = net::wire::parse(order);
    if (!json) return;
    if (net::wire::text(*json, "do") == "referee")
      return serve_referee(order, ports, socket, cancelled);
    if (net::wire::text(*json, "do") == "nccl") return serve_all_reduce(jobs, socket, cancelled);
    run_near(numa_node_of_rdma(net::wire::text(*json, "device")));
    rdma::serve_rdma(order, socket, cancelled);
  };
}

Result<node::Exit> serve_on_stdio(node::Context& context) {
  const node::DeferredSignals signals;
  const auto line =
      net::read_line(STDIN_FILENO, net::wire::kLongestOrder, net::in_seconds(kTokens_s));
  const auto hello = line ? net::wire::parse(*line) : std::nullopt;
  TRY_ASSIGN(const net::Tokens tokens, tokens_of(hello.value_or(net::wire::Json::object())));
  if (net::wire::known_int(*hello, "protocol") != net::wire::kProtocol) {
    const std::string refusal =
        net::wire::line({{"protocol", net::wire::kProtocol}, {"nettune", NETTUNE_VERSION}});
    (void)net::write_all(STDOUT_FILENO, refusal, net::in_seconds(5));
    return node::Exit::refused;
  }
  TRY_ASSIGN(const NodeView view, view_of_this_node(context, false));
  net::PortRange ports = view.ports;
  if (const std::string asked = net::wire::text(*hello, "ports"); !asked.empty()) {
    TRY_ASSIGN(ports, net::parse_port_range(asked));
  }
  net::DataServer server(tokens, answers_of_peer(view.ends), taken_orders(ports, view.jobs));
  const auto started = server.start(ports, in_one_network(view.ends));
  net::wire::Json answer = net::wire::Json::parse(to_json(view));
  answer["protocol"] = net::wire::kProtocol;
  answer["nettune"] = NETTUNE_VERSION;
  answer["port"] = started ? server.port() : 0;
  if (!started) answer["error"] = started.error().text;
  TRY(net::write_all(STDOUT_FILENO, net::wire::line(answer), net::in_seconds(5)));
  if (started) wait_for_end(kSession_s);
  return started ? node::Exit::done : node::Exit::failed;
}

}  // namespace nettune::tools::measure::program
