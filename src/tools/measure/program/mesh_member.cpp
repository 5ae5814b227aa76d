// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <sys/stat.h>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "tools/measure/program/mesh_lldp.hpp"
#include "tools/measure/program/mesh_pair.hpp"
#include "tools/measure/program/peer_side.hpp"
#include "tools/measure/net/data_client.hpp"
#include "tools/measure/net/wire.hpp"
#include "node/signals.hpp"

namespace nettune::measure {
namespace {

constexpr double kBetweenTries_s = 0.2;
constexpr double kLook_s = 1;  // how soon a signal is seen
constexpr std::size_t kShortestSecret = 16;

/// Sends the token at once: rank 0 disconnects strangers quickly.
Result<UniqueFd> greet_leader(const MeshRequest& request) {
  TRY_ASSIGN(const SocketAddress to, resolve_address(request.launch.master, request.launch.port));
  TRY_ASSIGN(UniqueFd socket, connect_tcp(to, {}, in_seconds(5)));
  TRY(write_all(socket.get(), request.tokens.caller + "\n", in_seconds(5)));
  TRY_ASSIGN(const std::string answer, read_line(socket.get(), kTokenSize, in_seconds(10)));
  if (!same_token(answer, request.tokens.listener))
    return fail(Errc::conflict, "it answered with a different token");
  return socket;
}

/// Rank 0 may start later than this one, and until then another program may listen there.
Result<UniqueFd> reach_leader(const MeshRequest& request) {
  const auto deadline = in_seconds(request.wait_s);
  while (true) {
    auto socket = greet_leader(request);
    if (socket) return socket;
    if (Clock::now() > deadline || cli::DeferredSignals::arrived())
      return fail_in(cat("rank 0 cannot be reached at ", printable(request.launch.master), " port ",
                         request.launch.port),
                     std::move(socket).error());
    std::this_thread::sleep_for(std::chrono::duration<double>(kBetweenTries_s));
  }
}

}  // namespace

Result<Tokens> mesh_tokens(const std::string& file) {
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
    TRY_ASSIGN(secret, cli::read_named_file(*disk, cli::absolute_path(file), 4096));
  }
  secret = trim(secret);
  if (secret.size() < kShortestSecret)
    return fail(Errc::invalid, cat("the ranks need a shared secret of at least ", kShortestSecret,
                                   " characters: export NETTUNE_TEST_TOKEN=$(openssl rand -hex 16) "
                                   "before the launcher, or give a file with --token-file"));
  return tokens_from(secret);
}

Result<cli::Exit> mesh_member(cli::Context& context, const MeshRequest& request) {
  const cli::DeferredSignals signals;
  const Cancelled cancelled = [] { return cli::DeferredSignals::arrived(); };
  TRY_ASSIGN(const UniqueFd control, reach_leader(request));
  TRY_ASSIGN(const MeshSelf self, mesh_self(context, local_address(control.get())));
  TRY_ASSIGN(const PortRange ports, mesh_ports(request, self.view));
  DataServer server(request.tokens, answers(self.view.ends), taken_orders());
  TRY(server.start(ports, in_one_network(self.view.ends)));
  wire::Json hello = wire::Json::parse(to_json(self.view));
  hello["protocol"] = wire::kProtocol;
  hello["rank"] = request.launch.rank;
  hello["address"] = self.address.host();
  hello["port"] = server.port();
  TRY(write_all(control.get(), wire::line(hello), in_seconds(10)));
  // Answers are short: they go through rank 0's interface while it still measures.
  wire::Json lines = wire::Json::array();
  while (!cancelled()) {
    TRY_ASSIGN(const bool ordered, wait_readable(control.get(), in_seconds(kLook_s)));
    if (!ordered) continue;
    const auto line = read_line(control.get(), wire::kLongestLine, in_seconds(10));
    if (!line) return fail(Errc::io, "rank 0 ended before the mesh did");
    const auto order = wire::parse(*line);
    if (!order) return fail(Errc::io, "rank 0 sent something that is not an order");
    const std::string what = wire::text(*order, "do");
    if (what == "end") return cli::Exit::done;
    wire::Json reply = {{"lines", lines}};
    if (what == "pair") {
      reply = measure_pair(self, request.tokens, *order, cancelled);
      lines = std::exchange(reply["lines"], nullptr);
    }
    if (what == "hear") {
      const auto name = switch_at(wire::text(*order, "interface"), cancelled);
      reply = name ? wire::Json{{"switch", *name}} : wire::Json{{"error", name.error().text}};
    }
    TRY(write_all(control.get(), wire::line(reply), in_seconds(30)));
  }
  return cli::Exit::failed;
}

}  // namespace nettune::measure
