// SPDX-License-Identifier: Apache-2.0
#include "tools/render/program/verify_nodes.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/programs.hpp"
#include "node/peer_process.hpp"
#include "tools/measure/net/socket.hpp"
#include "tools/measure/net/token.hpp"
#include "tools/measure/net/wire.hpp"

namespace nettune::tools::render::program {
namespace {

namespace wire = measure::net::wire;
using measure::net::in_seconds;
using render::NodeAnswer;

constexpr double kAnswer_s = 60;  // ssh may ask for a password
constexpr int kMostGreetings = 200;
constexpr std::ptrdiff_t kAtOnce = 32;

std::string own_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Whether ssh can take it as a host: it is not an option, or several words.
bool is_host(const std::string& name) {
  return !name.empty() && !name.starts_with('-') && !has_control_characters(name) &&
         name.find_first_of(" \t'\"\\;&|<>$`") == std::string::npos;
}

class Nodes {
 public:
  explicit Nodes(const VerifyRequest& request, measure::net::Tokens tokens)
      : request_(request), tokens_(std::move(tokens)), answers_(request.meeting.nodes.size()) {}

  Result<std::vector<NodeAnswer>> ask() {
    // The first node listens as long as its process lives.
    auto first = start(0, false);
    if (first) read(*first, 0);
    const bool listens = first && answers_[0].no_answer.empty() && answers_[0].listen_error.empty();
    const std::ptrdiff_t count = std::ssize(answers_);
    for (std::ptrdiff_t begin = 1; begin < count; begin += kAtOnce) {
      std::vector<std::pair<std::size_t, node::PeerProcess>> running;
      for (std::ptrdiff_t rank = begin; rank < std::min(count, begin + kAtOnce); ++rank)
        if (auto process = start(static_cast<std::size_t>(rank), listens))
          running.emplace_back(static_cast<std::size_t>(rank), std::move(*process));
      for (auto& [rank, process] : running) read(process, rank);
    }
    return std::move(answers_);
  }

 private:
  Result<std::vector<std::string>> words_for(const std::string& node) const {
    if (node == own_name()) {
      TRY_ASSIGN(std::string self, cli::nettune_path());
      return std::vector<std::string>{std::move(self), "render", "--verify-stdio"};
    }
    if (!is_host(node))
      return fail(Errc::invalid, cat("'", printable(node), "' is not a valid host name"));
    if (request_.ssh.empty())
      return std::vector<std::string>{"ssh", "-T",      "-o",     "ConnectTimeout=15", "--",
                                      node,  "nettune", "render", "--verify-stdio"};
    return std::vector<std::string>{request_.ssh, node, "nettune", "render", "--verify-stdio"};
  }

  /// Nothing if it cannot be started; then its answer says why.
  Result<node::PeerProcess> start(std::size_t rank, bool connects) {
    auto process = started(rank, connects);
    if (!process) answers_[rank].no_answer = process.error().text;
    return process;
  }

  Result<node::PeerProcess> started(std::size_t rank, bool connects) {
    TRY_ASSIGN(const auto words, words_for(request_.meeting.nodes[rank].name));
    TRY_ASSIGN(node::PeerProcess process, node::PeerProcess::start(words));
    // A lost peer shows when its answer is read.
    (void)measure::net::write_all(process.input(),
                                  wire::line({{"verify", 1},
                                              {"listens", rank == 0},
                                              {"connects", connects},
                                              {"master", request_.meeting.master},
                                              {"port", request_.meeting.port},
                                              {"profile", request_.profile},
                                              {"set", request_.set},
                                              {"caller", tokens_.caller},
                                              {"listener", tokens_.listener}}),
                                  in_seconds(5));
    return process;
  }

  /// Reads the first line of JSON. A login may print text before.
  void read(node::PeerProcess& process, std::size_t rank) {
    NodeAnswer& answer = answers_[rank];
    const auto deadline = in_seconds(kAnswer_s);
    for (int i = 0; i < kMostGreetings; ++i) {
      const auto line = measure::net::read_line(process.output(), wire::kLongestLine, deadline);
      if (!line && line.error().sys == ETIMEDOUT) {
        answer.no_answer = "it did not answer within 60 s";
        return;
      }
      if (!line) {
        answer.no_answer =
            cat("it ended before it answered (", process.ended().value_or("it still runs"), ")");
        return;
      }
      const auto json = wire::parse(*line);
      if (!json || !json->contains("verify")) continue;
      answer.hostname = wire::text(*json, "hostname");
      answer.profile_error = wire::text(*json, "profile_error");
      answer.address = wire::text(*json, "address");
      answer.address_error = wire::text(*json, "address_error");
      answer.listen_error = wire::text(*json, "listen_error");
      answer.connect_error = wire::text(*json, "connect_error");
      answer.was_asked_to_connect = wire::flag(*json, "connected");
      answer.connect_ms = wire::number(*json, "connect_ms");
      return;
    }
    answer.no_answer = "it sends output, but not nettune's";
  }

  const VerifyRequest& request_;
  measure::net::Tokens tokens_;
  std::vector<NodeAnswer> answers_;
};

}  // namespace

Result<std::vector<NodeAnswer>> ask_nodes(const VerifyRequest& request) {
  TRY_ASSIGN(measure::net::Tokens tokens, measure::net::new_tokens());
  return Nodes(request, std::move(tokens)).ask();
}

}  // namespace nettune::tools::render::program
