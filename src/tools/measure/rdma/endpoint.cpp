// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/rdma/endpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.hpp"

namespace nettune::tools::measure::rdma {
namespace {

constexpr std::size_t kMostQueuePairs = 64;
constexpr std::size_t kLargestMessage = 1 << 20;
constexpr std::size_t kLongestPciAddress = 16;  // "10000:e1:00.0": some domains have five digits
constexpr std::uint32_t kInline = 64;
// A missing acknowledgement times out after 4.096 us x 2^18, about a second; the message is sent 7
// more times.
constexpr std::uint8_t kTimeout = 18;
constexpr std::uint8_t kRetries = 7;

int bytes_of(ibv_mtu mtu) { return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128 << mtu : 0; }

ibv_mtu mtu_of(int bytes) {
  int mtu = IBV_MTU_256;
  while (mtu < IBV_MTU_4096 && (128 << (mtu + 1)) <= bytes) ++mtu;
  return static_cast<ibv_mtu>(mtu);
}

std::string hex_of(const ibv_gid& gid) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : gid.raw) {
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 15U]);
  }
  return out;
}

/// All zero for an invalid text: no endpoint has that GID.
ibv_gid gid_from(const std::string& hex) {
  ibv_gid gid{};
  if (hex.size() != 2 * sizeof gid.raw) return gid;
  const auto digit = [&](std::size_t at) {
    const char c = hex[at];
    return static_cast<unsigned>(c >= '0' && c <= '9'   ? c - '0'
                                 : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                        : 0);
  };
  for (std::size_t i = 0; i < sizeof gid.raw; ++i)
    gid.raw[i] = static_cast<std::uint8_t>(digit(2 * i) * 16 + digit(2 * i + 1));
  return gid;
}

}  // namespace

Result<> check(const RdmaPlan& plan) {
  if (plan.device.empty() || plan.port < 1 || plan.port > 255 || plan.gid_index < 0 ||
      plan.gid_index > 255 || plan.traffic_class < 0 || plan.traffic_class > 255 ||
      plan.service_level < 0 || plan.service_level > 15 || plan.queue_pairs < 1 ||
      plan.queue_pairs > kMostQueuePairs || plan.bytes < 1 || plan.bytes > kLargestMessage ||
      plan.gpu.size() > kLongestPciAddress ||
      plan.gpu.find_first_not_of("0123456789abcdef:.") != plan.gpu.npos)
    return fail(Errc::invalid, "the order names no RDMA port, or more than it has");
  return {};
}

std::string Endpoint::name() const { return cat(printable(plan_.device), " port ", plan_.port); }

Failure Endpoint::cannot(const std::string& what, int error) const {
  std::string text = cat(name(), ": cannot ", what, ": ", std::strerror(error));
  if (error == ENOMEM || error == EAGAIN) text += "; see ulimit -l";
  if (error == EACCES || error == EPERM) text += "; see who may use /dev/infiniband";
  return fail(Errc::io, std::move(text), error);
}

Result<std::unique_ptr<Endpoint>> Endpoint::open(const RdmaPlan& plan,
                                                 const net::Cancelled& cancelled) {
  TRY(check(plan));
  TRY_ASSIGN(const Verbs* const verbs, load_verbs());
  std::unique_ptr<Endpoint> out(new Endpoint(*verbs, plan));
  TRY(out->open_device());
  TRY(out->read_port());
  TRY(out->make_memory(cancelled));
  TRY(out->make_queue_pairs());
  return out;
}

Result<> Endpoint::open_device() {
  int count = 0;
  ibv_device** const devices = verbs_.get_device_list(&count);
  if (devices == nullptr)
    return fail(Errc::unsupported, cat("libibverbs finds no RDMA device: ", std::strerror(errno)),
                errno);
  bool listed = false;
  int error = 0;
  for (int i = 0; i < count && context_ == nullptr; ++i) {
    if (verbs_.get_device_name(devices[i]) != plan_.device) continue;
    listed = true;
    errno = 0;
    context_ = verbs_.open_device(devices[i]);
    error = errno;
  }
  verbs_.free_device_list(devices);
  if (!listed)
    return fail(Errc::not_found, cat("libibverbs does not list ", printable(plan_.device),
                                     ": its provider is missing; apt install ibverbs-providers"));
  if (context_ == nullptr) return cannot("open it", error);
  return {};
}

Result<> Endpoint::read_port() {
  ibv_port_attr port{};
  // The library fills in the fields that every version has; we read nothing else.
  const int error = verbs_.query_port(context_, static_cast<std::uint8_t>(plan_.port),
                                      reinterpret_cast<_compat_ibv_port_attr*>(&port));
  if (error != 0) return cannot("read the port", error);
  if (port.state != IBV_PORT_ACTIVE)
    return fail(Errc::io,
                cat(name(), " is not active: check its cable",
                    port.link_layer == IBV_LINK_LAYER_ETHERNET ? ", and the interface"
                                                               : ", and the subnet manager"));
  ethernet_ = port.link_layer == IBV_LINK_LAYER_ETHERNET;
  address_.lid = port.lid;
  address_.mtu = bytes_of(port.active_mtu);
  ibv_gid gid{};
  if (verbs_.query_gid(context_, static_cast<std::uint8_t>(plan_.port), plan_.gid_index, &gid) != 0)
    return cannot(cat("read GID ", plan_.gid_index), errno);
  address_.gid = hex_of(gid);
  return {};
}

Result<> Endpoint::make_memory(const net::Cancelled& cancelled) {
  domain_ = verbs_.alloc_pd(context_);
  if (domain_ == nullptr) return cannot("make a protection domain", errno);
  const std::size_t bytes = plan_.bytes * plan_.queue_pairs;
  const unsigned access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
  if (plan_.gpu.empty()) {
    host_memory_.assign(bytes, 'n');
    address_.memory = reinterpret_cast<std::uintptr_t>(host_memory_.data());
    region_ = verbs_.reg_mr(domain_, host_memory_.data(), bytes, static_cast<int>(access));
    if (region_ == nullptr) return cannot(cat("register ", bytes, " bytes of memory"), errno);
  } else {
    if (verbs_.reg_dmabuf_mr == nullptr)
      return fail(Errc::unsupported,
                  "libibverbs has no ibv_reg_dmabuf_mr: GPU memory needs rdma-core 34 or newer");
    TRY_ASSIGN(gpu_memory_, GpuMemory::allocate(plan_.gpu, bytes, cancelled));
    address_.memory = gpu_memory_->address();
    // As NCCL registers it (src/transport/net_ib): without relaxed ordering, some bridges are slow.
    region_ = verbs_.reg_dmabuf_mr(domain_, 0, gpu_memory_->bytes(), address_.memory,
                                   gpu_memory_->dmabuf(),
                                   static_cast<int>(access | IBV_ACCESS_RELAXED_ORDERING));
    if (region_ == nullptr && errno == EOPNOTSUPP)
      return fail(Errc::unsupported,
                  cat(name(),
                      ": its driver does not support DMA-BUF; nettune doctor --explain gpudirect "
                      "names those that do"));
    if (region_ == nullptr) return cannot("register the GPU's memory as a DMA-BUF", errno);
  }
  address_.rkey = region_->rkey;
  return {};
}

Result<> Endpoint::make_queue_pairs() {
  const int entries = static_cast<int>(2 * kDepth * plan_.queue_pairs);
  completions_ = verbs_.create_cq(context_, entries, nullptr, nullptr, 0);
  if (completions_ == nullptr) return cannot("make a completion queue", errno);
  for (std::size_t i = 0; i < plan_.queue_pairs; ++i) {
    ibv_qp_init_attr wanted{};
    wanted.send_cq = wanted.recv_cq = completions_;
    wanted.cap = {kDepth, kDepth, 1, 1, kInline};
    wanted.qp_type = IBV_QPT_RC;
    ibv_qp_init_attr got = wanted;
    ibv_qp* pair = verbs_.create_qp(domain_, &got);
    inline_ = pair != nullptr && !gpu_memory_;  // the CPU copies inline data
    if (pair == nullptr) {                      // not every card supports inline data
      got = wanted;
      got.cap.max_inline_data = 0;
      pair = verbs_.create_qp(domain_, &got);
    }
    if (pair == nullptr) return cannot("make a queue pair", errno);
    queue_pairs_.push_back(pair);
    address_.queue_pairs.push_back(pair->qp_num);
    ibv_qp_attr init{};
    init.qp_state = IBV_QPS_INIT;
    init.port_num = static_cast<std::uint8_t>(plan_.port);
    init.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    const int error = verbs_.modify_qp(
        pair, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    if (error != 0) return cannot("begin with a queue pair", error);
  }
  return {};
}

Result<> Endpoint::connect(const RdmaAddress& other) {
  if (other.queue_pairs.size() != queue_pairs_.size() || other.mtu < 256)
    return fail(Errc::io, "the peer sent no address of its RDMA port");
  other_ = other;
  const ibv_mtu mtu = mtu_of(std::min(address_.mtu, other.mtu));
  mtu_ = bytes_of(mtu);
  for (std::size_t i = 0; i < queue_pairs_.size(); ++i) {
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_RTR;
    to.path_mtu = mtu;
    to.dest_qp_num = other.queue_pairs[i];
    to.max_dest_rd_atomic = 1;
    to.min_rnr_timer = 12;
    to.ah_attr.dlid = static_cast<std::uint16_t>(other.lid);
    to.ah_attr.sl = static_cast<std::uint8_t>(plan_.service_level);
    to.ah_attr.port_num = static_cast<std::uint8_t>(plan_.port);
    to.ah_attr.is_global = ethernet_ ? 1 : 0;
    to.ah_attr.grh.dgid = gid_from(other.gid);
    to.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(plan_.gid_index);
    to.ah_attr.grh.hop_limit = 64;
    to.ah_attr.grh.traffic_class = static_cast<std::uint8_t>(plan_.traffic_class);
    if (const int error =
            verbs_.modify_qp(queue_pairs_[i], &to,
                             IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
        error != 0)
      return cannot("connect to the peer's port (no route or no neighbour there?)", error);
    ibv_qp_attr send{};
    send.qp_state = IBV_QPS_RTS;
    send.timeout = kTimeout;
    send.retry_cnt = kRetries;
    send.rnr_retry = kRetries;
    send.max_rd_atomic = 1;
    if (const int error =
            verbs_.modify_qp(queue_pairs_[i], &send,
                             IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                 IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
        error != 0)
      return cannot("let a queue pair send", error);
  }
  return {};
}

Result<> Endpoint::post_write(std::size_t queue_pair) {
  ibv_sge part{address_.memory + queue_pair * plan_.bytes, static_cast<std::uint32_t>(plan_.bytes),
               region_->lkey};
  ibv_send_wr work{};
  work.wr_id = queue_pair;
  work.sg_list = &part;
  work.num_sge = 1;
  work.opcode = IBV_WR_RDMA_WRITE;
  work.send_flags = IBV_SEND_SIGNALED;
  work.wr.rdma.remote_addr = other_.memory + queue_pair * plan_.bytes;
  work.wr.rdma.rkey = other_.rkey;
  ibv_send_wr* bad = nullptr;
  if (const int error = ::ibv_post_send(queue_pairs_[queue_pair], &work, &bad); error != 0)
    return cannot("post a write", error);
  return {};
}

Result<> Endpoint::post_send(std::size_t bytes) {
  ibv_sge part{address_.memory, static_cast<std::uint32_t>(bytes), region_->lkey};
  ibv_send_wr work{};
  work.sg_list = &part;
  work.num_sge = 1;
  work.opcode = IBV_WR_SEND;
  work.send_flags = IBV_SEND_SIGNALED;
  if (inline_ && bytes <= kInline) work.send_flags |= IBV_SEND_INLINE;
  ibv_send_wr* bad = nullptr;
  if (const int error = ::ibv_post_send(queue_pairs_[0], &work, &bad); error != 0)
    return cannot("post a send", error);
  return {};
}

Result<> Endpoint::post_receive() {
  ibv_sge part{address_.memory, static_cast<std::uint32_t>(plan_.bytes), region_->lkey};
  ibv_recv_wr work{};
  work.sg_list = &part;
  work.num_sge = 1;
  ibv_recv_wr* bad = nullptr;
  if (const int error = ::ibv_post_recv(queue_pairs_[0], &work, &bad); error != 0)
    return cannot("post a receive", error);
  return {};
}

Result<std::span<const Endpoint::Done>> Endpoint::poll() {
  const int count = ::ibv_poll_cq(completions_, static_cast<int>(ended_.size()), ended_.data());
  if (count < 0) return cannot("read the completion queue", EIO);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if (ended_[i].status != IBV_WC_SUCCESS)
      return fail(Errc::io,
                  cat(name(), ": ", verbs_.status_text(ended_[i].status),
                      ended_[i].status == IBV_WC_RETRY_EXC_ERR
                          ? ": nothing comes back from the peer's port; compare GID, VLAN, MTU "
                            "and firewall (UDP port 4791 of RoCE)"
                          : ""));
    done_[i] = {ended_[i].wr_id, (ended_[i].opcode & IBV_WC_RECV) != 0};
  }
  return std::span<const Done>(done_.data(), static_cast<std::size_t>(count));
}

Endpoint::~Endpoint() {
  for (ibv_qp* const pair : queue_pairs_) (void)verbs_.destroy_qp(pair);
  if (completions_ != nullptr) (void)verbs_.destroy_cq(completions_);
  if (region_ != nullptr) (void)verbs_.dereg_mr(region_);
  if (domain_ != nullptr) (void)verbs_.dealloc_pd(domain_);
  if (context_ != nullptr) (void)verbs_.close_device(context_);
}

}  // namespace nettune::tools::measure::rdma
