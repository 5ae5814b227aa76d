// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/print_paths.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "tools/measure/program/print_measurement.hpp"

namespace nettune::tools::measure::program {
namespace {

using What = Measurement::What;

/// Of both ends, once where they are equal: "eth1", "eth1 <-> eth7".
std::string both(const std::string& ours, const std::string& theirs) {
  return ours == theirs ? ours : cat(ours, " <-> ", theirs);
}

std::string name_of_end(const End& end, bool rdma) {
  if (end.rdma && (rdma || end.address.empty()))
    return cat(printable(end.rdma->device), end.rdma->port > 1 ? cat("/", end.rdma->port) : "");
  return printable(end.interface.empty() ? std::string(without_prefix(end.address))
                                         : end.interface);
}

std::string on_host(const End& end) {
  return cat(printable(end.interface), " of ", printable(end.host));
}

/// What one transport of a path showed.
class Row {
 public:
  explicit Row(const EndPair& ends, const Measurement& first)
      : rdma_(first.rdma), on_gpus_(first.on_gpus) {
    path_ = both(name_of_end(ends.ours, rdma_), name_of_end(ends.theirs, rdma_));
  }

  bool is_of(const Measurement& one) const { return one.rdma == rdma_ && one.on_gpus == on_gpus_; }

  void take(const Measurement& one) {
    const std::string way = one.what == What::latency ? "" : one.to_peer ? "to peer" : "from peer";
    if (one.error)
      say(way, cat("no result: ", printable(one.error->text)));
    else if (one.what == What::latency)
      take_latency(one);
    else if (one.what == What::path_mtu)
      take_mtu(one);
    else
      take_rate(one, way);
    if (one.referee)
      say(way, cat(one.referee->tool, ": ",
                   !one.referee->error.empty()   ? printable(one.referee->error)
                   : one.what == What::bandwidth ? rate_text(one.referee->value)
                                                 : duration_text(one.referee->value)));
    for (const TcpFinding& found : one.findings)
      say(way, cat("why: ", printable(found.why)), cat("next: ", printable(found.next)));
    for (const Side* side : {&one.from, &one.to})
      if (const std::string lost = losses(*side); !lost.empty())
        say(way, cat("at the same time, at ", printable(side->end.host), ": ", printable(lost)));
  }

  void add_to(cli::Table& table) const {
    std::vector<std::string> details;
    for (const Said& said : said_) {
      details.push_back(said.way.empty() ? said.text : said.way + ": " + said.text);
      if (!said.next.empty()) details.push_back(said.next);
    }
    table.add({path_,
               on_gpus_ ? "gpu"
               : rdma_  ? "rdma"
                        : "tcp",
               latency_, mtu_text(), rate_[0], rate_[1]},
              std::move(details));
  }

 private:
  struct Said {
    std::string way;  ///< "to peer", "from peer"; "" for both
    std::string text;
    std::string next;
  };
  /// What is true of both directions is said once.
  void say(const std::string& way, const std::string& text, const std::string& next = "") {
    for (Said& said : said_)
      if (said.text == text && said.next == next) {
        if (said.way != way) said.way = "";
        return;
      }
    said_.push_back({way, text, next});
  }

  std::string mtu_text() const {
    if (mtu_[0] == mtu_[1]) return mtu_[0];
    const auto known = [](const std::string& mtu) { return mtu.empty() ? "?" : mtu; };
    return cat(known(mtu_[0]), " to, ", known(mtu_[1]), " from");
  }

  void take_packets(const Measurement& one) {
    const RdmaEnd rdma = one.from.end.rdma.value_or(RdmaEnd{});
    mtu_[0] = mtu_[1] = cat(one.mtu.value_or(0));
    say("", rdma.infiniband ? cat("service level ", rdma.service_level)
                            : cat("traffic class ", rdma.traffic_class));
  }

  void take_latency(const Measurement& one) {
    latency_ =
        cat(duration_text(one.round_trip_s.p50), ", p99 ", duration_text(one.round_trip_s.p99));
    if (rdma_) take_packets(one);
  }

  void take_mtu(const Measurement& one) {
    mtu_[one.to_peer ? 0 : 1] = cat(*one.mtu);
    const int own = std::min(one.from.end.mtu.value_or(0), 65535);  // the most that IP has
    if (own <= *one.mtu) return;
    // The way carries what the receiver takes; some take a little more than their MTU.
    if (one.to.end.mtu && *one.to.end.mtu <= *one.mtu)
      say("", cat("MTU: ", on_host(one.from.end), " has ", own, ", ", on_host(one.to.end), " has ",
                  *one.to.end.mtu, ": one network needs one MTU, and RoCE loses what is larger"));
    else
      say("", cat("MTU: ", *one.mtu, " bytes get through, ", on_host(one.from.end), " has ", own,
                  ", so larger packets are lost on the way"));
  }

  void take_rate(const Measurement& one, const std::string& way) {
    const Grade verdict = one.verdict();
    rate_[one.to_peer ? 0 : 1] =
        cat(rate_text(one.gbps), verdict == Grade::unknown ? "" : cat(" ", name_of(verdict)));
    if (one.on_gpus) {
      const auto gpu = [](const Side& side) {
        return printable(side.end.gpu.value_or(GpuEnd{}).pci_address);
      };
      say("", one.to_peer ? cat("GPUs ", gpu(one.from), " <-> ", gpu(one.to))
                          : cat("GPUs ", gpu(one.to), " <-> ", gpu(one.from)));
      take_packets(one);
    }
    say(way, one.ceiling ? cat("at most ", rate_text(one.ceiling->gbps), " (",
                               printable(one.ceiling->reason), ")")
                         : cat("no verdict: ", printable(one.why_no_ceiling)));
  }

  bool rdma_ = false;
  bool on_gpus_ = false;
  std::string path_;
  std::string latency_;
  std::string mtu_[2];   ///< to the peer, from it
  std::string rate_[2];  ///< likewise
  std::vector<Said> said_;
};

/// "8 streams", "8 streams, 4 queue pairs"
std::string connections(const std::vector<PathResults>& paths) {
  std::string out;
  for (const bool rdma : {false, true})
    for (const PathResults& path : paths) {
      const auto one = std::ranges::find_if(path.results, [rdma](const Measurement& each) {
        return each.what == What::bandwidth && each.rdma == rdma;
      });
      if (one == path.results.end()) continue;
      out +=
          cat(", ", one->streams, rdma ? " queue pair" : " stream", one->streams == 1 ? "" : "s");
      break;
    }
  return out;
}

}  // namespace

std::string text_of(const std::vector<PathResults>& paths, const cli::Style& style) {
  if (paths.empty()) return "";
  cli::Table table({{"PATH"}, {"BY"}, {"ROUND TRIP"}, {"MTU"}, {"TO PEER"}, {"FROM PEER"}});
  for (const PathResults& path : paths) {
    std::vector<Row> rows;
    for (const Measurement& one : path.results) {
      if (rows.empty() || !rows.back().is_of(one)) rows.emplace_back(path.ends, one);
      rows.back().take(one);
    }
    for (const Row& row : rows) row.add_to(table);
  }
  const EndPair& first = paths[0].ends;
  return cat(style.bold(cat(printable(first.ours.host), " <-> ", printable(first.theirs.host))),
             connections(paths), "\n", table.text(style));
}

}  // namespace nettune::tools::measure::program
