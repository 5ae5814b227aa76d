// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "tools/measure/net/socket.hpp"
#include "tools/measure/net/streams.hpp"
#include "tools/measure/net/token.hpp"

namespace nettune::tools::measure::net {

/// The measured side: one port of TCP and of UDP for anybody with the token. A stranger does not
/// get a byte, and is disconnected after two seconds. data_client.hpp is the other side.
class DataServer {
 public:
  /// Answers the queries that are not measurements ("counters"), as one line of JSON.
  using Answer = std::function<std::string(const std::string& query)>;

  /// Takes a connection over whose order is "rdma", "referee" or "nccl", until it ends.
  using TakeOver =
      std::function<void(const std::string& order, int socket, const Cancelled& cancelled)>;

  DataServer(Tokens tokens, Answer answer, TakeOver take_over = {})
      : tokens_(std::move(tokens)), answer_(std::move(answer)), take_over_(std::move(take_over)) {}
  ~DataServer() { stop(); }
  DataServer(const DataServer&) = delete;
  DataServer& operator=(const DataServer&) = delete;

  /// What arrives at one of the devices is answered by the same device: where several are in one
  /// network, the routes would choose one for all.
  Result<> start(const PortRange& ports, const std::vector<std::string>& devices = {});
  std::uint16_t port() const { return port_; }
  void stop();

 private:
  struct Run {
    StreamPlan plan;
    bool sends = false;
    std::vector<UniqueFd> sockets;
    Clock::time_point since;
    bool begun = false;
    std::string result;  ///< a line of JSON; "" while it runs
  };

  void accept_all();
  void take(UniqueFd socket);
  void serve(UniqueFd socket);
  void join_run(UniqueFd socket, std::uint64_t id, const StreamPlan& plan, bool sends);
  void carry_out(std::uint64_t id, StreamPlan plan, bool sends, std::vector<UniqueFd> sockets);
  std::string result_of(std::uint64_t id);
  void answer_datagrams();

  Tokens tokens_;
  Answer answer_;
  TakeOver take_over_;
  std::vector<UniqueFd> listeners_;  ///< the first one on all devices
  UniqueFd datagrams_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> strangers_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Run> runs_;
  int busy_ = 0;  ///< threads of connections and runs
  std::thread acceptor_;
  std::thread responder_;
};

}  // namespace nettune::tools::measure::net
