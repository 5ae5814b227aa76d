// SPDX-License-Identifier: Apache-2.0
#include "measure/cli/print_test.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"

namespace nettune::measure {
namespace {

constexpr std::size_t kLabel = 14;

std::string label(std::string_view text) {
  std::string out = cat("  ", text);
  out.resize(std::max(out.size() + 1, kLabel + 2), ' ');
  return out;
}

std::string name_of_end(const End& end) {
  if (end.address.empty() && end.rdma)
    return cat(printable(end.host), " ", printable(end.rdma->device), " port ", end.rdma->port);
  return cat(printable(end.host), end.interface.empty() ? "" : cat(" ", printable(end.interface)),
             " ", printable(without_prefix(end.address)));
}

std::string verdict_text(const Measurement& one, const cli::Style& style) {
  std::string name(name_of(one.verdict()));
  switch (one.verdict()) {
    case Grade::ok:
      return style.green(name);
    case Grade::low:
      return style.yellow(name);
    case Grade::bad:
      return style.red(name);
    case Grade::unknown:
      return style.dim("no verdict");
  }
  return name;
}

/// The marks and size of the packets: "traffic class 106, MTU 4096".
std::string rdma_text(const Measurement& one) {
  const RdmaEnd rdma = one.from.end.rdma.value_or(RdmaEnd{});
  return cat(rdma.infiniband ? cat("service level ", rdma.service_level)
                             : cat("traffic class ", rdma.traffic_class),
             ", MTU ", one.mtu.value_or(0));
}

std::string_view transport_name(const Measurement& one) {
  return one.on_gpus ? "GPU " : one.rdma ? "RDMA " : "";
}

/// The PCI address of the end's GPU.
std::string gpu_of(const Side& side) {
  return printable(side.end.gpu.value_or(GpuEnd{}).pci_address);
}

std::string rate_line(const Measurement& one, const cli::Style& style) {
  std::string out = cat(label(cat(transport_name(one), one.to_peer ? "to peer" : "from peer")),
                        rate_text(one.gbps), ", ", one.streams,
                        one.rdma ? " queue pair" : " stream", one.streams == 1 ? "" : "s");
  if (one.on_gpus) out += cat(", ", gpu_of(one.from), " to ", gpu_of(one.to));
  if (one.rdma) out += cat(", ", rdma_text(one));
  if (const auto again = one.sender.retransmits; again > 0)
    out += cat(", ", again, again == 1 ? " retransmit" : " retransmits");
  if (one.ceiling)
    out += cat(", at most ", rate_text(one.ceiling->gbps), " (", printable(one.ceiling->reason),
               "): ", verdict_text(one, style));
  else
    out += cat(": ", verdict_text(one, style), ", ", printable(one.why_no_ceiling));
  return out;
}

std::string latency_line(const Measurement& one) {
  return cat(label(one.rdma ? "RDMA latency" : "latency"), "round trip min ",
             duration_text(one.round_trip_s.min), ", p50 ", duration_text(one.round_trip_s.p50),
             ", p99 ", duration_text(one.round_trip_s.p99), " (", one.round_trip_s.count,
             " of 64 bytes", one.rdma ? cat(", ", rdma_text(one)) : "", ")");
}

std::string mtu_line(const Measurement& one) {
  const int own = std::min(one.from.end.mtu.value_or(0), 65535);  // the most that IP has
  std::string out =
      cat(label("path MTU"), *one.mtu, " bytes ", one.to_peer ? "to the peer" : "from the peer");
  if (own <= *one.mtu) return out;
  const auto name = [](const End& end) {
    return cat(printable(end.interface), " of ", printable(end.host));
  };
  // The way carries what the receiver takes; some take a little more than their MTU.
  if (one.to.end.mtu && *one.to.end.mtu <= *one.mtu)
    return cat(out, "; ", name(one.from.end), " has ", own, ", ", name(one.to.end), " has ",
               *one.to.end.mtu, ": one network needs one MTU, and RoCE loses what is larger");
  return cat(out, "; ", name(one.from.end), " has ", own,
             ", so larger packets are lost on the way");
}

std::string all_reduce_line(const AllReduce& one, const cli::Style& style) {
  std::string out = cat(label(size_text(one.bytes)), duration_text(one.time_us * 1e-6), ", bus ",
                        short_number(one.busbw), " GB/s");
  const double wrong = one.wrong.value_or(0);
  if (wrong > 0) out += cat(": ", style.red("bad"), ", ", short_number(wrong), " values are wrong");
  return out;
}

}  // namespace

std::string size_text(double bytes) {
  constexpr std::array kUnits = {" bytes", " KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return short_number(bytes) + kUnits[unit];
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return cat(short_number(seconds * 1e6), " us");
  if (seconds < 1) return cat(short_number(seconds * 1e3), " ms");
  return cat(short_number(seconds), " s");
}

std::string heading(const EndPair& ends, const cli::Style& style) {
  return cat(style.bold(cat(name_of_end(ends.ours), " <-> ", name_of_end(ends.theirs))), "\n");
}

std::string line_of(const Measurement& one, const cli::Style& style) {
  std::string out;
  if (one.error)
    out = cat(label(cat(transport_name(one), name_of(one.what))), style.red("no result"), ": ",
              printable(one.error->text));
  else if (one.what == Measurement::What::latency)
    out = latency_line(one);
  else if (one.what == Measurement::What::path_mtu)
    out = mtu_line(one);
  else if (one.what == Measurement::What::all_reduce)
    out = all_reduce_line(one.all_reduce, style);
  else
    out = rate_line(one, style);
  if (one.referee && one.referee->error.empty())
    out += cat("; ", one.referee->tool, ": ",
               one.what == Measurement::What::bandwidth ? rate_text(one.referee->value)
                                                        : duration_text(one.referee->value));
  else if (one.referee)
    out += cat("; ", one.referee->tool, ": ", printable(one.referee->error));
  out += "\n";
  for (const TcpFinding& found : one.findings)
    out += cat(label(""), "why:  ", printable(found.why), "\n", label(""),
               "next: ", printable(found.next), "\n");
  for (const Side* side : {&one.from, &one.to})
    if (const std::string lost = losses(*side); !lost.empty())
      out += cat(label(""), "at the same time, at ", printable(side->end.host), ": ",
                 printable(lost), "\n");
  return out;
}

std::optional<cli::Exit> refuse_busy(const std::vector<const NodeView*>& nodes, bool share,
                                     bool json, cli::Output& output) {
  std::string busy;
  for (const NodeView* const view : nodes)
    for (const std::string& one : view->busy)
      busy += cat("\n  ", printable(view->host), ": ", printable(one));
  if (busy.empty() || share) return {};
  const Error error{Errc::denied,
                    cat("a measurement would disturb running jobs:", busy,
                        "\nwait until it has finished, or measure anyway with --share"),
                    0,
                    {},
                    0};
  if (json) output.print(cli::json::error(error, cli::Exit::refused));
  output.complain(cli::text::error(error, cli::Style{}));
  return cli::Exit::refused;
}

void Progress::show(const std::string& what) {
  if (!wanted_) return;
  const std::string text = cat("\r\033[K  ", what, " ...");
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  shown_ = true;
}

void Progress::clear() {
  constexpr std::string_view kWipe = "\r\033[K";
  if (shown_) (void)!::write(STDERR_FILENO, kWipe.data(), kWipe.size());
  shown_ = false;
}

}  // namespace nettune::measure
