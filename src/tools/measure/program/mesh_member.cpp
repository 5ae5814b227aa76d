// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <sys/stat.h>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "node/signals.hpp"
#include "tools/measure/net/data_client.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/program/mesh_lldp.hpp"
#include "tools/measure/program/mesh_pair.hpp"
#include "tools/measure/program/peer_side.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr double kBetweenTries_s = 0.2;
constexpr double kLook_s = 1;  // how soon a signal is seen
constexpr std::size_t kShortestSecret = 16;

/// Sends the token at once: rank 0 disconnects strangers quickly.
Result<UniqueFd> greet_leader(const MeshRequest& request) {
  TRY_ASSIGN(const net::SocketAddress to,
             net::resolve_address(request.launch.master, request.launch.port));
  TRY_ASSIGN(UniqueFd socket, net::connect_tcp(to, {}, net::in_seconds(5)));
  TRY(net::write_all(socket.get(), request.tokens.caller + "\n", net::in_seconds(5)));
  TRY_ASSIGN(const std::string answer,
             net::read_line(socket.get(), net::kTokenSize, net::in_seconds(10)));
  if (!net::same_token(answer, request.tokens.listener))
    return fail(Errc::conflict, "it answered with a different token");
  return socket;
}

/// Rank 0 may start later than this one, and until then another program may listen there.
Result<UniqueFd> reach_leader(const MeshRequest& request) {
  const auto deadline = net::in_seconds(request.wait_s);
  while (true) {
    auto socket = greet_leader(request);
    if (socket) return socket;
    if (net::Clock::now() > deadline || node::DeferredSignals::arrived())
      return fail_in(cat("rank 0 cannot be reached at ", printable(request.launch.master), " port ",
                         request.launch.port),
                     std::move(socket).error());
    std::this_thread::sleep_for(std::chrono::duration<double>(kBetweenTries_s));
  }
}

}  // namespace

Result<net::Tokens> mesh_tokens(const std::string& file) {
  std::string secret;
  if (const char* const variable = std::getenv("NETTUNE_TEST_TOKEN");
      variable != nullptr && file.empty())
    secret = variable;
  if (!file.empty()) {
    struct stat info {};
    if (::stat(file.c_str(), &info) == 0 && (info.st_mode & 077U) != 0)
      return fail(Errc::denied,
                  cat("other users can read ", printable(file), "; chmod 600 ", shell_word(file)));
    const auto disk = posix_disk();
    TRY_ASSIGN(secret, node::read_named_file(*disk, node::absolute_path(file), 4096));
  }
  secret = trim(secret);
  if (secret.size() < kShortestSecret)
    return fail(Errc::invalid, cat("the ranks need a shared secret of at least ", kShortestSecret,
                                   " characters: export NETTUNE_TEST_TOKEN=$(openssl rand -hex 16) "
                                   "before the launcher, or give a file with --token-file"));
  return net::tokens_from(secret);
}

Result<node::Exit> mesh_member(node::Context& context, const MeshRequest& request) {
  const node::DeferredSignals signals;
  const net::Cancelled cancelled = [] { return node::DeferredSignals::arrived(); };
  TRY_ASSIGN(const UniqueFd control, reach_leader(request));
  TRY_ASSIGN(const MeshSelf self, mesh_self(context, net::local_address(control.get())));
  TRY_ASSIGN(const net::PortRange ports, mesh_ports(request, self.view));
  net::DataServer server(request.tokens, answers(self.view.ends), taken_orders());
  TRY(server.start(ports, in_one_network(self.view.ends)));
  net::wire::Json hello = net::wire::Json::parse(to_json(self.view));
  hello["protocol"] = net::wire::kProtocol;
  hello["rank"] = request.launch.rank;
  hello["address"] = self.address.host();
  hello["port"] = server.port();
  TRY(net::write_all(control.get(), net::wire::line(hello), net::in_seconds(10)));
  // Answers are short: they go through rank 0's interface while it still measures.
  net::wire::Json lines = net::wire::Json::array();
  while (!cancelled()) {
    TRY_ASSIGN(const bool ordered, net::wait_readable(control.get(), net::in_seconds(kLook_s)));
    if (!ordered) continue;
    const auto line = net::read_line(control.get(), net::wire::kLongestLine, net::in_seconds(10));
    if (!line) return fail(Errc::io, "rank 0 ended before the mesh did");
    const auto order = net::wire::parse(*line);
    if (!order) return fail(Errc::io, "rank 0 sent something that is not an order");
    const std::string what = net::wire::text(*order, "do");
    if (what == "end") return node::Exit::done;
    net::wire::Json reply = {{"lines", lines}};
    if (what == "pair") {
      reply = measure_pair(self, request.tokens, *order, cancelled);
      lines = std::exchange(reply["lines"], nullptr);
    }
    if (what == "hear") {
      const auto name = switch_at(net::wire::text(*order, "interface"), cancelled);
      reply =
          name ? net::wire::Json{{"switch", *name}} : net::wire::Json{{"error", name.error().text}};
    }
    TRY(net::write_all(control.get(), net::wire::line(reply), net::in_seconds(30)));
  }
  return node::Exit::failed;
}

}  // namespace nettune::tools::measure::program
