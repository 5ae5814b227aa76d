// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include "base/text.hpp"
#include "node/job_environment.hpp"
#include "node/signals.hpp"
#include "tools/measure/net/data_client.hpp"
#include "tools/measure/net/data_server.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/render/program/verify_nodes.hpp"

namespace nettune::tools::render::program {
namespace {

namespace wire = measure::net::wire;
using measure::net::in_seconds;

constexpr std::size_t kLongestOrder = 65536;
constexpr double kSession_s = 600;

/// Waits until the other side closes the pipe.
void wait_for_end() {
  const auto deadline = in_seconds(kSession_s);
  while (measure::net::Clock::now() < deadline && !node::DeferredSignals::arrived()) {
    pollfd one{STDIN_FILENO, POLLIN, 0};
    if (::poll(&one, 1, 200) <= 0) continue;
    char byte = 0;
    if (::read(STDIN_FILENO, &byte, 1) <= 0) return;
  }
}

/// Runs what `nettune env PROFILE` in the script does here.
void look_at_profile(node::Context& context, const wire::Json& order, wire::Json& answer) {
  const std::string profile = wire::text(order, "profile");
  if (profile.empty()) return;
  std::map<std::string, std::string> set;
  if (const auto found = order.find("set"); found != order.end() && found->is_object())
    for (const auto& [name, value] : found->items())
      if (value.is_string()) set[name] = value.get<std::string>();
  context.use_set(std::move(set));
  if (const auto environment = node::job_environment(context, profile); !environment)
    answer["profile_error"] = environment.error().text;
}

void connect(const measure::net::SocketAddress& to, const measure::net::Tokens& tokens,
             wire::Json& answer) {
  const auto begin = measure::net::Clock::now();
  answer["connected"] = true;
  if (const auto socket = measure::net::call({to, {}, tokens}, wire::line({{"do", "verify"}}));
      !socket)
    answer["connect_error"] = socket.error().text;
  answer["connect_ms"] = measure::net::seconds_since(begin) * 1e3;
}

}  // namespace

Result<node::Exit> answer_on_stdio(node::Context& context) {
  const node::DeferredSignals signals;
  const auto line = measure::net::read_line(STDIN_FILENO, kLongestOrder, in_seconds(60));
  const auto order = line ? wire::parse(*line) : std::nullopt;
  const measure::net::Tokens tokens =
      order ? measure::net::Tokens{wire::text(*order, "caller"), wire::text(*order, "listener")}
            : measure::net::Tokens();
  const std::int64_t port = order ? parse_int(wire::text(*order, "port")).value_or(0) : 0;
  if (tokens.caller.size() != measure::net::kTokenSize ||
      tokens.listener.size() != measure::net::kTokenSize || port < 1 || port > 65535)
    return fail(Errc::invalid,
                "standard input did not begin with an order; --verify-stdio is internal: nettune "
                "starts it over ssh");
  const auto number = static_cast<std::uint16_t>(port);
  wire::Json answer = {{"verify", 1}, {"nettune", NETTUNE_VERSION}};
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) answer["hostname"] = name.data();
  look_at_profile(context, *order, answer);
  const auto address = measure::net::resolve_address(wire::text(*order, "master"), number);
  if (address)
    answer["address"] = address->host();
  else
    answer["address_error"] = address.error().text;
  measure::net::DataServer server(tokens, [](const std::string&) { return std::string("{}\n"); });
  const bool listens = wire::flag(*order, "listens");
  if (listens) {
    if (const auto started = server.start({number, number}); !started)
      answer["listen_error"] = started.error().code == Errc::busy
                                   ? cat("port ", number, " is in use")
                                   : started.error().text;
  } else if (address && wire::flag(*order, "connects")) {
    connect(*address, tokens, answer);
  }
  TRY(measure::net::write_all(STDOUT_FILENO, wire::line(answer), in_seconds(10)));
  if (listens && !answer.contains("listen_error")) wait_for_end();
  return node::Exit::done;
}

}  // namespace nettune::tools::render::program
