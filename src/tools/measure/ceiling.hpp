// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::tools::measure {

/// The RDMA port of an end, and the marks that the node's profile gives its packets.
struct RdmaEnd {
  std::string device;  ///< "mlx5_0"
  int port = 1;
  bool infiniband = false;  ///< else RoCE
  std::string state;        ///< "ACTIVE"
  std::string rate;         ///< in the kernel's words: "200 Gb/sec (4X HDR)"; "" for emulated ones
  std::string gid;          ///< "0000:0000:0000:0000:0000:ffff:0a00:0001"; "" for none that matches
  int gid_index = 0;
  int traffic_class = 0;
  int service_level = 0;
};

/// The GPU next to an RDMA port.
struct GpuEnd {
  std::string pci_address;
  std::optional<double> pci_gtps;  ///< per lane, of the slowest link up to the root
  std::optional<int> pci_lanes;
};

/// One end of a path, as far as it is known. Unknown values are empty, never 0.
struct End {
  std::string host;
  std::string interface;
  std::string address;
  std::string kind;  ///< of a device without its own rate: "veth", "bridge"; "" for hardware
  std::optional<int> speed_mbps;
  std::optional<int> mtu;
  std::string pci_address;
  std::optional<double> pci_gtps;  ///< per lane, of the slowest link up to the root
  std::optional<int> pci_lanes;
  std::optional<int> numa_node;
  std::optional<bool> carrier;
  std::int64_t receive_bytes = 0;  ///< the third of net.ipv4.tcp_rmem; 0: not known
  std::int64_t send_bytes = 0;     ///< the third of net.ipv4.tcp_wmem
  std::optional<RdmaEnd> rdma;
  std::optional<GpuEnd> gpu;
};

/// The share of a link's bits that is TCP payload, after the headers with time stamps and the
/// Ethernet frame with preamble and gap.
double tcp_share(int mtu, bool ipv6);
/// The same for RC writes over RoCE v2 (with IPv6: a larger header) or InfiniBand. `mtu` is the
/// payload of a packet in bytes.
double rdma_share(int mtu, bool infiniband, bool ipv6);
/// The data rate of a port in Gb/s, from "40 Gb/sec (4X QDR)": up to FDR, InfiniBand's nominal rate
/// includes the coding. Nothing for a text without a number.
std::optional<double> rdma_rate_gbps(const std::string& rate, bool infiniband);
/// The data rate of a PCIe link in Gb/s, with TLPs of 256 bytes; nothing for a speed that no
/// generation has.
std::optional<double> pcie_gbps(double gtps, int lanes);

/// The rate that cannot be exceeded, and why.
struct Ceiling {
  double gbps = 0;
  std::string reason;  ///< "eth1 of n2: 10 Gb/s, of which an MTU of 1500 leaves 94 %"
};
/// The smallest ceiling of both ends. `round_trip_s` is 0 if it is not known. Nothing if neither
/// end has one: `why_unknown` then has the reason.
std::optional<Ceiling> tcp_ceiling(const End& sender, const End& receiver, int streams,
                                   double round_trip_s, bool ipv6, std::string& why_unknown);

/// `mtu` is the payload of a packet that both ports agreed on; with `on_gpus`, the data is in the
/// memory of the ends' GPUs.
std::optional<Ceiling> rdma_ceiling(const End& sender, const End& receiver, int mtu, bool on_gpus,
                                    std::string& why_unknown);

/// The rate in Gb/s of "100G", "2.5G" or "10Mbit": bits per second. Errc::invalid for a number
/// without a unit, for bytes, and for less than 1 Mb/s or more than 10 Tb/s.
Result<double> parse_rate(std::string_view text);
/// Of an interface whose MTU is not known.
constexpr int kUsualMtu = 1500;
/// What a path between interfaces of this rate should carry, after the headers. An MTU that is not
/// known is taken as the smallest usual one: 1500, and for RDMA packets of 1024 bytes.
double expected_gbps(double rate_gbps, const End& ours, const End& theirs, bool rdma);
/// Whether the rate of an end's interface, or for RDMA of its port, was read. Without one, PCIe
/// says what is impossible and not what should be reached.
bool has_rate(const End& end, bool rdma);

/// The share of the ceiling that is ok: for TCP with several streams, and for RDMA writes.
constexpr double kTcpOk = 0.85;
constexpr double kRdmaOk = 0.95;
/// Below 0.8 of the ceiling is bad; `ok` and more is ok.
enum class Grade { ok, low, bad, unknown };
Grade grade(double gbps, const std::optional<Ceiling>& ceiling, double ok = kTcpOk);
std::string_view name_of(Grade grade);

/// "9.41", "0.00951": three digits, never with an exponent.
std::string short_number(double value);
/// "9.41 Gb/s", "95.7 Mb/s"
std::string rate_text(double gbps);

}  // namespace nettune::tools::measure
