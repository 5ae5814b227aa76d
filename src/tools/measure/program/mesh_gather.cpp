// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <poll.h>

#include "base/text.hpp"
#include "tools/measure/net/callers.hpp"
#include "tools/measure/net/thread.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/program/mesh_leader.hpp"
#include "tools/measure/program/mesh_lldp.hpp"

namespace nettune::tools::measure::program {
namespace {

/// Adds the rank to the name if several ranks run on one host. `hosts` are the launcher's, for
/// ranks that did not join.
void name_nodes(std::vector<MeshNode>& nodes, const std::vector<std::string>& hosts) {
  std::map<std::string, int> seen;
  for (const MeshNode& node : nodes) ++seen[node.view.host];
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    MeshNode& node = nodes[rank];
    if (node.view.host.empty())
      node.name = cat("rank ", rank, rank < hosts.size() ? cat(" (", hosts[rank], ")") : "");
    else
      node.name = seen[node.view.host] > 1 ? cat(node.view.host, ":", rank) : node.view.host;
  }
}

/// The addresses between which two nodes measure a rail: in one network if they have such.
Result<EndPair> ends_on(const std::string& rail, const MeshNode& ours, const MeshNode& theirs) {
  if (rail.empty()) return EndPair{ours.end, theirs.end};
  std::vector<End> ends[2];
  for (const bool other : {false, true}) {
    const MeshNode& node = other ? theirs : ours;
    for (const End& end : node.view.ends)
      if (end.interface == rail && !end.address.empty() && !end.address.starts_with("fe80:"))
        ends[other].push_back(end);
    if (ends[other].empty())
      return fail(Errc::not_found, cat("no interface ", printable(rail), " with an address on ",
                                       printable(node.name)));
  }
  const auto shared = shared_paths(ends[0], ends[1]);
  return shared.empty() ? EndPair{ends[0][0], ends[1][0]} : shared[0];
}

}  // namespace

Mesh::Mesh(const MeshRequest& request, const MeshSelf& self, std::uint16_t own_port,
           net::Cancelled cancelled)
    : request_(request),
      self_(self),
      cancelled_(std::move(cancelled)),
      nodes_(request.launch.size) {
  MeshNode& own = nodes_[0];
  own.view = self.view;
  own.end = self.end;
  own.port = own_port;
  own.alive = true;
}

/// Debian's installer maps a node's own name to 127.0.1.1. The address that the others reached is
/// the one that they know.
void Mesh::take_own_address(int socket) {
  if (!self_.address.host().starts_with("127.") && self_.address.host() != "::1") return;
  const std::string host = net::local_address(socket).host();
  const auto address = net::numeric_address(host, 0);  // IPv4, if the socket is for both
  if (!address) return;
  self_.address = *address;
  self_.end = End{};
  self_.end.host = self_.view.host;
  self_.end.address = host;
  for (const End& end : self_.view.ends)
    if (without_prefix(end.address) == host) self_.end = end;
  nodes_[0].end = self_.end;
}

void Mesh::take_in(UniqueFd socket, std::string_view said) {
  const auto hello = net::wire::parse(said);
  if (!hello || net::wire::known_int(*hello, "protocol") != net::wire::kProtocol) return;
  const std::uint64_t rank = net::wire::count(*hello, "rank");
  const std::uint64_t port = net::wire::count(*hello, "port");
  if (rank == 0 || rank >= nodes_.size() || nodes_[rank].alive || port == 0 || port > 65535) return;
  MeshNode& node = nodes_[rank];
  node.view = view_from(*hello);
  const std::string address = net::wire::text(*hello, "address");
  node.port = static_cast<std::uint16_t>(port);
  node.end.host = node.view.host;
  node.end.address = address;
  for (const End& end : node.view.ends)
    if (without_prefix(end.address) == address) node.end = end;
  take_own_address(socket.get());
  node.control = std::move(socket);
  node.alive = true;
}

Result<> Mesh::gather() {
  TRY_ASSIGN(const UniqueFd listener,
             net::listen_tcp({request_.launch.port, request_.launch.port}));
  net::Callers callers(request_.tokens);
  const auto deadline = net::in_seconds(request_.wait_s);
  const auto all_here = [&] { return std::ranges::all_of(nodes_, &MeshNode::alive); };
  while (!all_here() && net::Clock::now() < deadline && !cancelled_()) {
    std::vector<pollfd> fds{{listener.get(), POLLIN, 0}};
    callers.add_to(fds);
    if (::poll(fds.data(), fds.size(), 200) > 0) {
      for (net::Callers::Hello& hello : callers.read(std::span(fds).subspan(1)))
        take_in(std::move(hello.socket), hello.text);
      if (fds[0].revents != 0)
        callers.take(UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)));
    }
    callers.forget_strangers();
  }
  name_nodes(nodes_, request_.launch.hosts);
  return {};
}

bool Mesh::order(std::size_t node, const nlohmann::ordered_json& order) {
  MeshNode& one = nodes_[node];
  one.alive =
      one.alive &&
      net::write_all(one.control.get(), net::wire::line(order), net::in_seconds(2)).has_value();
  return one.alive;
}

std::optional<std::string> Mesh::answer_of(std::size_t node, net::Clock::time_point deadline) {
  MeshNode& one = nodes_[node];
  auto line = net::read_line(one.control.get(), net::wire::kLongestLine, deadline);
  if (line) return std::move(*line);
  // It ended, or is so late that its answer would be mistaken for that of another order.
  one.alive = false;
  one.control = UniqueFd();
  return {};
}

std::vector<Result<std::string>> Mesh::hear_switches() {
  constexpr double kSlack_s = 10;
  std::vector<bool> ordered(nodes_.size(), false);
  for (std::size_t node = 1; node < nodes_.size(); ++node)
    ordered[node] = order(node, {{"do", "hear"}, {"interface", nodes_[node].end.interface}});
  std::vector<Result<std::string>> out{switch_at(self_.end.interface, cancelled_)};
  const auto deadline = net::in_seconds(kHearing_s + kSlack_s);
  for (std::size_t node = 1; node < nodes_.size(); ++node) {
    const auto text = ordered[node] ? answer_of(node, deadline) : std::nullopt;
    const auto answer = text ? net::wire::parse(*text) : std::nullopt;
    const std::string name = answer ? net::wire::text(*answer, "switch") : "";
    const std::string why = answer ? net::wire::text(*answer, "error") : "it is gone";
    if (name.empty())
      out.emplace_back(fail(Errc::not_found, why));
    else
      out.emplace_back(name);
  }
  return out;
}

std::vector<Mesh::Outcome> Mesh::measure(const Round& round, const std::string& rail,
                                         const std::function<void(const std::string&)>& line) {
  constexpr double kSlack_s = 40;  // more than the timeouts of a pair whose other node is silent
  const net::StreamPlan& plan = request_.measure.plan;
  std::vector<Outcome> out;
  std::vector<bool> ordered;
  std::thread own;
  std::string own_answer;
  for (Pair pair : round) {
    if (pair.b == 0) std::swap(pair.a, pair.b);
    const MeshNode& there = nodes_[pair.b];
    bool can = nodes_[pair.a].alive && there.alive;
    const auto ends = ends_on(rail, nodes_[pair.a], there);
    std::string why(can ? "" : kOneIsGone);
    if (can && !ends) why = ends.error().text;
    can = can && ends;
    if (can) {
      const auto what = pair_order(request_.measure, *ends, there.port, there.view);
      if (pair.a != 0) {
        can = order(pair.a, what);
      } else if (auto thread = net::start_thread([this, what, &own_answer] {
                   own_answer = measure_pair(self_, request_.tokens, what, cancelled_).dump();
                 })) {
        own = std::move(*thread);
      } else {
        own_answer = net::wire::line({{"error", thread.error().text}});
      }
    }
    ordered.push_back(can);
    if (!can && why.empty()) why = kOneIsGone;
    std::optional<double> expected;
    if (ends && request_.expect_rate_gbps)
      expected = expected_gbps(*request_.expect_rate_gbps, ends->ours, ends->theirs,
                               request_.measure.rdma);
    out.push_back({{pair, {}, expected}, why});
  }
  const auto deadline = net::in_seconds(2 * (plan.warm_s + plan.measure_s) + kSlack_s);
  if (own.joinable()) own.join();
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!ordered[i]) continue;
    const std::size_t node = out[i].value.pair.a;
    const auto text = node == 0 ? std::optional(own_answer) : answer_of(node, deadline);
    const auto answer = text ? net::wire::parse(*text) : std::nullopt;
    if (!answer) {
      out[i].error = cat(nodes_[node].name, " ended, or did not answer in time");
      continue;
    }
    out[i].error = net::wire::text(*answer, "error");
    if (answer->contains("gbps")) out[i].value.gbps = net::wire::number(*answer, "gbps");
    if (answer->contains("ceiling") && !request_.expect_rate_gbps)
      out[i].value.expected = net::wire::number(*answer, "ceiling");
  }
  for (std::size_t i = 0; i < out.size() && request_.json; ++i) {
    const std::size_t node = out[i].value.pair.a;
    if (!ordered[i] || (node != 0 && !order(node, {{"do", "lines"}}))) continue;
    const auto text =
        node == 0 ? std::optional(own_answer) : answer_of(node, net::in_seconds(kSlack_s));
    const auto answer = text ? net::wire::parse(*text) : std::nullopt;
    if (!answer || !answer->contains("lines") || !(*answer)["lines"].is_array()) continue;
    for (const auto& one : (*answer)["lines"])
      if (one.is_string()) line(one.get<std::string>());
  }
  return out;
}

void Mesh::end() {
  for (std::size_t node = 1; node < nodes_.size(); ++node)
    if (nodes_[node].alive) (void)order(node, {{"do", "end"}});
}

}  // namespace nettune::tools::measure::program
