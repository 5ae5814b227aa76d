// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/peer_session.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "tools/measure/net/wire.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr double kHello_s = 60;  // ssh may ask for a password
constexpr int kMostGreetings = 200;

/// Checks the host for ssh: it must not be an option, or several words.
Result<> check_host(const std::string& host) {
  if (!host.empty() && !host.starts_with('-') && !has_control_characters(host) &&
      host.find_first_of(" \t'\"\\;&|<>$`") == host.npos)
    return {};
  return fail(Errc::invalid, cat("'", printable(host), "' is not a valid host name"));
}

std::string_view host_of(std::string_view destination) {
  const auto at = destination.rfind('@');
  return at == destination.npos ? destination : destination.substr(at + 1);
}

/// `address` may have the interface of this node behind it: "fe80::1%eth1".
End end_with(const std::vector<End>& ends, std::string_view address, const std::string& host) {
  const std::string_view bare = address.substr(0, address.find('%'));
  for (const End& end : ends)
    if (without_prefix(end.address) == bare) return end;
  End unknown;
  unknown.host = host;
  unknown.address = address;
  return unknown;
}

/// The path that the routes choose.
Result<Path> path_by_route(const PeerSession& session, const net::SocketAddress& to) {
  Path path{{}, {to, {}, session.tokens}};
  TRY_ASSIGN(const UniqueFd socket, net::call(path.target, net::wire::line({{"do", "counters"}})));
  path.ends.ours =
      end_with(session.ours.ends, net::local_address(socket.get()).host(), session.ours.host);
  path.ends.theirs = end_with(session.theirs.ends, to.host(), session.theirs.host);
  // Within one network the interface that the route chose stays the one that is measured.
  if (!session.is_this_node() && share_a_network(path.ends.ours.address, path.ends.theirs.address))
    path.target.device = path.ends.ours.interface;
  return path;
}

/// The greeting, which text without a newline, or the label of a launcher ("0: "), may precede.
std::optional<net::wire::Json> greeting_in(std::string_view line) {
  constexpr int kMostTries = 8;
  auto at = line.find('{');
  for (int i = 0; i < kMostTries && at != line.npos; ++i, at = line.find('{', at + 1))
    if (auto json = net::wire::parse(line.substr(at)); json && json->contains("protocol"))
      return json;
  return {};
}

}  // namespace

Result<node::PeerProcess> start_by_ssh(const std::string& host, const std::string& command) {
  TRY(check_host(host));
  return node::PeerProcess::start(
      {"ssh", "-T", "-o", "ConnectTimeout=15", "--", host, "nettune", command, "--peer-stdio"});
}

Result<nlohmann::ordered_json> read_hello(node::PeerProcess& process, const std::string& name) {
  const auto deadline = net::in_seconds(kHello_s);
  for (int i = 0; i < kMostGreetings; ++i) {
    const auto line = net::read_line(process.output(), net::wire::kLongestLine, deadline);
    if (!line && line.error().sys == ETIMEDOUT)
      return fail(Errc::io, cat("the peer side on ", name, " did not answer within 60 s"));
    if (!line)
      return fail(Errc::io, cat("the peer side on ", name, " ended before it answered (",
                                process.ended().value_or("it still runs"), "); try by hand: ssh ",
                                name, " nettune test --help"));
    auto json = greeting_in(*line);
    if (!json) continue;
    const int protocol = net::wire::known_int(*json, "protocol").value_or(0);
    if (protocol != net::wire::kProtocol)
      return fail(Errc::conflict,
                  cat("nettune ", printable(net::wire::text(*json, "nettune")), " on ", name,
                      " uses measurement protocol ", protocol, ", and nettune ", NETTUNE_VERSION,
                      " on this node uses ", net::wire::kProtocol,
                      "; install the same version on both nodes"));
    return *std::move(json);
  }
  return fail(Errc::io, cat("the peer side on ", name, " sends output, but not nettune's"));
}

Result<PeerSession> open_peer_session(node::Context& context, const std::string& host,
                                      const std::vector<std::string>& command,
                                      const std::string& ports) {
  TRY_ASSIGN(const net::Tokens tokens, net::new_tokens());
  TRY_ASSIGN(node::PeerProcess process,
             command.empty() ? start_by_ssh(host, "test") : node::PeerProcess::start(command));
  const std::string name = host.empty() ? command[0] : printable(host);
  // Both sides read their nodes at the same time. A lost peer shows when its answer is read.
  (void)net::write_all(process.input(),
                       net::wire::line({{"protocol", net::wire::kProtocol},
                                        {"caller", tokens.caller},
                                        {"listener", tokens.listener},
                                        {"ports", ports}}),
                       net::in_seconds(5));
  TRY_ASSIGN(NodeView ours, view_of_this_node(context, in_slurm_job()));
  TRY_ASSIGN(const net::wire::Json hello, read_hello(process, name));
  if (const std::string error = net::wire::text(hello, "error"); !error.empty())
    return fail(Errc::io, cat(name, " says: ", printable(error)));
  const double port = net::wire::number(hello, "port");
  if (port < 1 || port > 65535)
    return fail(Errc::io, cat(name, " did not name a port to connect to"));
  PeerSession session{std::move(process),
                      tokens,
                      std::move(ours),
                      view_from(hello),
                      static_cast<std::uint16_t>(port),
                      {}};
  if (session.is_this_node()) session.notes.push_back("the peer is this node itself");
  const std::string_view typed = host_of(host);
  const std::string_view said = session.theirs.host;
  if (command.empty() && said.substr(0, said.find('.')) != typed.substr(0, typed.find('.')) &&
      !net::numeric_address(std::string(typed), 0))
    session.notes.push_back(cat(name, " calls itself ", printable(said)));
  return session;
}

Result<std::vector<Path>> paths_to(const PeerSession& session, const std::string& host,
                                   const std::string& address) {
  std::vector<Path> out;
  if (!address.empty()) {
    TRY_ASSIGN(const net::SocketAddress to, net::numeric_address(address, session.port));
    TRY_ASSIGN(Path path, path_by_route(session, to));
    out.push_back(std::move(path));
    return out;
  }
  if (!session.is_this_node())
    for (const EndPair& pair : shared_paths(session.ours.ends, session.theirs.ends)) {
      const auto to =
          net::numeric_address(std::string(without_prefix(pair.theirs.address)), session.port);
      const auto from = net::numeric_address(std::string(without_prefix(pair.ours.address)), 0);
      if (to && from) out.push_back({pair, {*to, *from, session.tokens, pair.ours.interface}});
    }
  const std::vector<EndPair> subnets = session.is_this_node()
                                           ? std::vector<EndPair>()
                                           : shared_subnets(session.ours.ends, session.theirs.ends);
  const auto add_subnets = [&](const net::Target& target) {
    for (const EndPair& pair : subnets) out.push_back({pair, target});
  };
  if (!out.empty()) {
    add_subnets(net::Target(out[0].target));
    return out;
  }
  auto resolved = net::resolve_address(std::string(host_of(host)), session.port);
  if (!resolved)
    return fail(Errc::not_found, cat(resolved.error().text,
                                     ", and this node and the peer share no network; give the "
                                     "peer's address with --address"));
  const net::SocketAddress to = *resolved;
  TRY_ASSIGN(Path path, path_by_route(session, to));
  const net::Target target = path.target;
  out.push_back(std::move(path));
  add_subnets(target);
  return out;
}

}  // namespace nettune::tools::measure::program
