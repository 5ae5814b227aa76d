// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace nettune::measure {

/// The RDMA port of an end, and how the node's profile marks its packets.
struct RdmaEnd {
  std::string device;  ///< "mlx5_0"
  int port = 1;
  bool infiniband = false;  ///< else RoCE
  std::string state;        ///< "ACTIVE"
  std::string rate;         ///< in the kernel's words: "200 Gb/sec (4X HDR)"; "" for emulated ones
  std::string gid;          ///< "0000:0000:0000:0000:0000:ffff:0a00:0001"; "" for none that fits
  int gid_index = 0;
  int traffic_class = 0;
  int service_level = 0;
};

/// One end of a path, as far as it is known. Unknown is nothing, never 0.
struct End {
  std::string host;
  std::string interface;
  std::string address;
  std::string kind;  ///< of what has no rate of its own: "veth", "bridge"; "" for hardware
  std::optional<int> speed_mbps;
  std::optional<int> mtu;
  std::string pci_address;
  std::optional<double> pci_gtps;  ///< the slowest link up to the root, a lane
  std::optional<int> pci_lanes;
  std::optional<int> numa_node;
  std::optional<bool> carrier;
  std::int64_t receive_bytes = 0;  ///< the third of net.ipv4.tcp_rmem; 0: not known
  std::int64_t send_bytes = 0;     ///< the third of net.ipv4.tcp_wmem
  std::optional<RdmaEnd> rdma;
};

/// The share of a link's bits that TCP carries for the program: headers with time stamps, and
/// Ethernet's frame with preamble and gap.
double tcp_share(int mtu, bool ipv6);
/// The same of RC writes over RoCE v2 (with IPv6: a larger header) or InfiniBand, by the bytes of a
/// packet's payload.
double rdma_share(int mtu, bool infiniband, bool ipv6);
/// Gb/s of the data that a port carries, of "40 Gb/sec (4X QDR)": up to FDR a part of what
/// InfiniBand is named by is coding. Nothing for what has no number.
std::optional<double> rdma_rate_gbps(const std::string& rate, bool infiniband);
/// Gb/s of a PCIe link in TLPs of 256 bytes; nothing for a speed that no generation has.
std::optional<double> pcie_gbps(double gtps, int lanes);

/// What cannot be exceeded, and why.
struct Ceiling {
  double gbps = 0;
  std::string reason;  ///< "eth1 of n2: 10 Gb/s, of which an MTU of 1500 leaves 94 %"
};
/// The smallest of what both ends say. `round_trip_s` is 0 where it is not known. Nothing where
/// neither end says anything: `why_unknown` then has the reason.
std::optional<Ceiling> tcp_ceiling(const End& sender, const End& receiver, int streams,
                                   double round_trip_s, bool ipv6, std::string& why_unknown);

/// `mtu` is the payload of a packet that both ports agreed on.
std::optional<Ceiling> rdma_ceiling(const End& sender, const End& receiver, int mtu,
                                    std::string& why_unknown);

/// The share of its ceiling that is ok: TCP over several streams, and RDMA writes.
constexpr double kTcpOk = 0.85;
constexpr double kRdmaOk = 0.95;
/// Below 0.8 of the ceiling is bad, from `ok` on is ok.
enum class Grade { ok, low, bad, unknown };
Grade grade(double gbps, const std::optional<Ceiling>& ceiling, double ok = kTcpOk);
std::string_view name_of(Grade grade);

/// "9.41", "0.00951": three digits, never in powers of ten.
std::string short_number(double value);
/// "9.41 Gb/s", "95.7 Mb/s"
std::string rate_text(double gbps);

}  // namespace nettune::measure
