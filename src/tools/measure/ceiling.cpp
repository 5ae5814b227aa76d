// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/ceiling.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/number_text.hpp"
#include "base/text.hpp"

namespace nettune::tools::measure {
namespace {

constexpr int kFrame = 38;        // preamble 8, header 14, FCS 4, gap 12
constexpr int kHeaders4 = 52;     // IPv4 20, TCP 20, time stamps 12
constexpr int kHeaders6 = 72;     // IPv6 40
constexpr int kRoceHeaders = 44;  // IPv4 20, UDP 8, BTH 12, ICRC 4
constexpr int kIbHeaders = 26;    // LRH 8, BTH 12, ICRC 4, VCRC 2
constexpr int kFewestRdmaBytes = 1024;
constexpr double kTlp = 256.0 / (256.0 + 26.0);

class Lowest {
 public:
  void take(double gbps, const std::string& reason) {
    if (!found_ || gbps < found_->gbps) found_ = Ceiling{gbps, reason};
  }
  const std::optional<Ceiling>& found() const { return found_; }

 private:
  std::optional<Ceiling> found_;
};

/// `card` is an End or its GpuEnd.
template <typename Card>
void take_pcie(const Card& card, const std::string& name, Lowest& lowest) {
  if (!card.pci_gtps || !card.pci_lanes) return;
  if (const auto gbps = pcie_gbps(*card.pci_gtps, *card.pci_lanes))
    lowest.take(*gbps, cat("PCIe of ", name, ": ", short_number(*card.pci_gtps), " GT/s x",
                           *card.pci_lanes, " carries ", rate_text(*gbps)));
}

void take_end(const End& end, bool ipv6, Lowest& lowest) {
  const std::string name = cat(end.interface, " of ", end.host);
  if (end.kind.empty() && end.speed_mbps && *end.speed_mbps > 0 && end.mtu) {
    const double share = tcp_share(*end.mtu, ipv6);
    const double rate = *end.speed_mbps / 1000.0;
    lowest.take(rate * share, cat(name, ": ", rate_text(rate), ", of which an MTU of ", *end.mtu,
                                  " leaves ", std::lround(share * 100), " %"));
  }
  take_pcie(end, name, lowest);
}

void take_port(const End& end, int mtu, bool on_gpus, Lowest& lowest) {
  const RdmaEnd& port = *end.rdma;
  const std::string name = cat(port.device, " of ", end.host);
  // An IPv4 address is a GID that begins with ten zeros.
  const bool ipv6 = !port.gid.starts_with("0000:0000:0000:0000:0000:ffff:");
  const double share = rdma_share(mtu, port.infiniband, ipv6);
  const auto rate = rdma_rate_gbps(port.rate, port.infiniband);
  if (!rate) return;  // an emulated card is not limited by the devices below it
  lowest.take(*rate * share, cat(name, ": ", rate_text(*rate), ", of which packets of ", mtu,
                                 " bytes leave ", std::lround(share * 100), " %"));
  take_pcie(end, name, lowest);
  if (on_gpus && end.gpu)
    take_pcie(*end.gpu, cat("GPU ", end.gpu->pci_address, " of ", end.host), lowest);
}

}  // namespace

std::string short_number(double value) {
  const double size = std::abs(value);
  int digits = 2;
  if (size >= 100)
    digits = 0;
  else if (size >= 10)
    digits = 1;
  else if (size > 0 && size < 1)
    digits = std::min(9, 2 - static_cast<int>(std::floor(std::log10(size))));
  std::string out = decimals(value, digits);
  if (out.find('.') != out.npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  return out;
}

std::string rate_text(double gbps) {
  return gbps >= 1 || gbps == 0 ? cat(short_number(gbps), " Gb/s")
                                : cat(short_number(gbps * 1000), " Mb/s");
}

double tcp_share(int mtu, bool ipv6) {
  const int payload = mtu - (ipv6 ? kHeaders6 : kHeaders4);
  return payload <= 0 ? 0 : static_cast<double>(payload) / (mtu + kFrame);
}

Result<double> parse_rate(std::string_view text) {
  constexpr double kLeast_gbps = 1e-3;
  constexpr double kMost_gbps = 1e4;
  const auto wrong = [&](std::string_view why) {
    return fail(Errc::invalid, cat("'", printable(text), "' is not a rate", why,
                                   "; write bits per second, for example 100G or 2.5G"));
  };
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string number(text.substr(0, digits));
  const std::string_view unit = text.substr(digits);
  const auto value = read_number(number);
  if (!value) return wrong("");
  if (unit.empty()) return wrong(cat(" without a unit: ", number, "G, or ", number, "M?"));
  constexpr std::string_view kPrefixes = "MGT";
  const std::size_t prefix = kPrefixes.find(upper(unit.substr(0, 1)));
  if (prefix == kPrefixes.npos) return wrong("");
  const std::string_view rest = unit.substr(1);
  if (rest.starts_with('B')) return wrong(": B means bytes");
  if (!rest.empty() && rest != "bit" && rest != "b/s" && rest != "bit/s" && rest != "bps")
    return wrong("");
  const double gbps = *value * (prefix == 0 ? 1e-3 : prefix == 1 ? 1.0 : 1e3);
  if (!(gbps >= kLeast_gbps && gbps <= kMost_gbps)) return wrong(" from 1M to 10T");
  return gbps;
}

double expected_gbps(double rate_gbps, const End& ours, const End& theirs, bool rdma) {
  const bool ipv6 = ours.address.find(':') != ours.address.npos;
  if (rdma) {
    const bool infiniband = ours.rdma && ours.rdma->infiniband;
    return rate_gbps * rdma_share(kFewestRdmaBytes, infiniband, ipv6);
  }
  int mtu = 0;
  for (const End* end : {&ours, &theirs})
    if (end->mtu) mtu = mtu == 0 ? *end->mtu : std::min(mtu, *end->mtu);
  return rate_gbps * tcp_share(mtu == 0 ? kUsualMtu : mtu, ipv6);
}

bool has_rate(const End& end, bool rdma) {
  if (rdma) return end.rdma && rdma_rate_gbps(end.rdma->rate, end.rdma->infiniband).has_value();
  return end.kind.empty() && end.speed_mbps && *end.speed_mbps > 0;
}

std::optional<double> pcie_gbps(double gtps, int lanes) {
  double coding = 0;
  if (gtps == 2.5 || gtps == 5)
    coding = 8.0 / 10;
  else if (gtps == 8 || gtps == 16 || gtps == 32)
    coding = 128.0 / 130;
  else if (gtps == 64)
    coding = 242.0 / 256;  // flits carry 242 bytes of TLPs and DLLPs
  else
    return {};
  return lanes > 0 ? std::optional(gtps * coding * lanes * kTlp) : std::nullopt;
}

std::optional<Ceiling> tcp_ceiling(const End& sender, const End& receiver, int streams,
                                   double round_trip_s, bool ipv6, std::string& why_unknown) {
  Lowest lowest;
  take_end(sender, ipv6, lowest);
  take_end(receiver, ipv6, lowest);
  // A window is at most the buffer, which also holds the kernel's overhead. Without any rate, this
  // only shows how far TCP is from its limit.
  if (lowest.found() && round_trip_s > 0) {
    const auto window = [&](std::int64_t bytes, int parts, std::string_view name, const End& end) {
      if (bytes <= 0) return;
      lowest.take(static_cast<double>(bytes) / parts * 8 * streams / round_trip_s / 1e9,
                  cat(name, " of ", end.host, ": ", parts == 2 ? "half of " : "", bytes, " bytes, ",
                      streams, streams == 1 ? " stream" : " streams", ", in a round trip of ",
                      short_number(round_trip_s * 1000), " ms"));
    };
    // Half of a receive buffer is advertised (tcp(7), tcp_adv_win_scale; since Linux 6.6 about
    // that, net/ipv4/tcp_input.c, scaling_ratio).
    window(receiver.receive_bytes, 2, "net.ipv4.tcp_rmem", receiver);
    window(sender.send_bytes, 1, "net.ipv4.tcp_wmem", sender);
  }
  if (!lowest.found()) {
    const End& end = sender.kind.empty() ? receiver : sender;
    why_unknown =
        end.kind.empty()
            ? cat("the speed of ", sender.interface, " and ", receiver.interface, " is not known")
            : cat(end.interface, " of ", end.host, " (", end.kind, ") has no rate");
  }
  return lowest.found();
}

double rdma_share(int mtu, bool infiniband, bool ipv6) {
  if (mtu <= 0) return 0;
  const int headers = infiniband ? kIbHeaders : kRoceHeaders + kFrame + (ipv6 ? 20 : 0);
  return static_cast<double>(mtu) / (mtu + headers);
}

std::optional<double> rdma_rate_gbps(const std::string& rate, bool infiniband) {
  const double number = read_number(rate.substr(0, rate.find(' '))).value_or(0);
  if (!(number > 0) || number > 1e5) return {};
  // 8b/10b up to QDR, 64b/66b for FDR. Later ones, and Ethernet, are named by their data rate.
  if (!infiniband) return number;
  for (const std::string_view coded : {" SDR)", " DDR)", " QDR)"})
    if (rate.ends_with(coded)) return number * 0.8;
  return rate.ends_with(" FDR)") ? number * 64 / 66 : number;
}

std::optional<Ceiling> rdma_ceiling(const End& sender, const End& receiver, int mtu, bool on_gpus,
                                    std::string& why_unknown) {
  Lowest lowest;
  for (const End* end : {&sender, &receiver})
    if (end->rdma) take_port(*end, mtu, on_gpus, lowest);
  if (!lowest.found()) why_unknown = "an emulated RDMA port has no rate";
  return lowest.found();
}

Grade grade(double gbps, const std::optional<Ceiling>& ceiling, double ok) {
  if (!ceiling || ceiling->gbps <= 0) return Grade::unknown;
  const double share = gbps / ceiling->gbps;
  if (share >= ok) return Grade::ok;
  return share >= 0.8 ? Grade::low : Grade::bad;
}

std::string_view name_of(Grade grade) {
  switch (grade) {
    case Grade::ok:
      return "ok";
    case Grade::low:
      return "low";
    case Grade::bad:
      return "bad";
    case Grade::unknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace nettune::tools::measure
