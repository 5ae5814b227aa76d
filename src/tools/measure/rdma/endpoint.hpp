// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/measure/rdma/gpu_memory.hpp"
#include "tools/measure/rdma/library.hpp"

namespace nettune::tools::measure::rdma {

/// The measured port, and the marks of its packets.
struct RdmaPlan {
  std::string device;
  int port = 1;
  int gid_index = 0;
  int traffic_class = 0;
  int service_level = 0;
  std::size_t queue_pairs = 1;
  std::size_t bytes = std::size_t{64} * 1024;  ///< of one message
  std::string gpu =
      {};  ///< PCI address of the GPU whose memory has the messages; "" for the host's
};
/// Errc::invalid for values that nettune never sends.
Result<> check(const RdmaPlan& plan);

/// The other side needs this to connect to an endpoint.
struct RdmaAddress {
  std::string gid;  ///< 32 hex digits
  int lid = 0;      ///< InfiniBand
  int mtu = 0;      ///< the port's, in bytes
  std::uint32_t rkey = 0;
  std::uint64_t memory = 0;
  std::vector<std::uint32_t> queue_pairs;  ///< their numbers
};

/// Reliable connections of one port, with one completion queue, and a message buffer for each. This
/// object owns them all.
class Endpoint {
 public:
  /// How many messages of a queue pair are in flight at the same time.
  static constexpr std::size_t kDepth = 16;

  /// `cancelled` ends the wait for a GPU; nothing else here takes long.
  static Result<std::unique_ptr<Endpoint>> open(const RdmaPlan& plan,
                                                const net::Cancelled& cancelled);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  const RdmaAddress& address() const { return address_; }
  /// Connects every queue pair with its counterpart. After that, `mtu` is what both ports carry.
  Result<> connect(const RdmaAddress& other);
  int mtu() const { return mtu_; }

  Result<> post_write(std::size_t queue_pair);
  Result<> post_send(std::size_t bytes);
  Result<> post_receive();

  struct Done {
    std::size_t queue_pair = 0;
    bool is_receive = false;
  };
  /// The completions since the last call. The span is valid until the next call.
  Result<std::span<const Done>> poll();

 private:
  explicit Endpoint(const Verbs& verbs, RdmaPlan plan) : verbs_(verbs), plan_(std::move(plan)) {}
  Result<> open_device();
  Result<> read_port();
  Result<> make_memory(const net::Cancelled& cancelled);
  Result<> make_queue_pairs();
  Failure cannot(const std::string& what, int error) const;
  std::string name() const;

  const Verbs& verbs_;
  RdmaPlan plan_;
  RdmaAddress address_;
  RdmaAddress other_;
  int mtu_ = 0;
  bool ethernet_ = false;
  bool inline_ = false;  ///< small messages go with the work request
  std::vector<char> host_memory_;
  std::unique_ptr<GpuMemory> gpu_memory_;
  ibv_context* context_ = nullptr;
  ibv_pd* domain_ = nullptr;
  ibv_mr* region_ = nullptr;
  ibv_cq* completions_ = nullptr;
  std::vector<ibv_qp*> queue_pairs_;
  std::array<ibv_wc, 32> ended_{};
  std::array<Done, 32> done_{};
};

}  // namespace nettune::tools::measure::rdma
