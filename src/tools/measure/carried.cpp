// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/carried.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/text.hpp"
#include "tools/measure/paths.hpp"

namespace nettune::tools::measure {
namespace {

std::optional<std::int64_t> growth(const Side& side, const std::string& name) {
  const auto before = side.before.find(name);
  const auto after = side.after.find(name);
  if (before == side.before.end() || after == side.after.end() || after->second < before->second)
    return {};
  return after->second - before->second;
}

Carried by_port(const Side& side, bool sends, std::int64_t payload) {
  const RdmaEnd port = side.end.rdma.value_or(RdmaEnd{});
  const std::string name =
      cat(port.device, "/", port.port, sends ? ".port_xmit_data" : ".port_rcv_data");
  const auto words = growth(side, name);
  // In units of 4 bytes. An old port stops counting at 32 bits (IBTA 1.5, 16.1.3.5 PortCounters).
  if (!words || side.after.at(name) == 0xffffffff || *words >= payload / 4) return {};
  return {Carried::By::unknown,
          cat(printable(name), " of ", printable(side.end.host), " grew by ", *words * 4,
              " bytes, less than the payload of ", payload, ": it does not count this path")};
}

}  // namespace

Carried carried(const Side& side, bool sends, std::uint64_t payload_bytes, bool rdma) {
  constexpr std::uint64_t kMost =
      std::numeric_limits<std::int64_t>::max();  // a peer may claim more
  const auto payload = static_cast<std::int64_t>(std::min(payload_bytes, kMost));
  if (rdma) return by_port(side, sends, payload);
  const std::string& own = side.end.interface;
  if (own.empty()) return {};
  const std::string_view counter = sends ? ".tx_bytes" : ".rx_bytes";
  const auto bytes = growth(side, cat(own, counter));
  if (bytes && *bytes >= payload) return {};
  for (const auto& [name, value] : side.after) {
    if (!name.ends_with(counter) || name == cat(own, counter)) continue;
    const std::string other = name.substr(0, name.size() - counter.size());
    if (growth(side, name).value_or(0) >= payload)
      return {Carried::By::another,
              cat("measured on ", printable(other), " of ", printable(side.end.host), ", not on ",
                  printable(own), ": ", kOneRouteEach)};
  }
  return {Carried::By::unknown,
          bytes ? cat(printable(own), counter, " of ", printable(side.end.host), " grew by ",
                      *bytes, " bytes, less than the payload of ", payload,
                      ": these counters do not cover the path")
                : cat("no counter of ", printable(own), " of ", printable(side.end.host),
                      " shows that it carried the packets")};
}

bool counters_agree(const Measurement& one, std::uint64_t payload_bytes) {
  return one.error || (carried(one.from, true, payload_bytes, one.rdma).by == Carried::By::itself &&
                       carried(one.to, false, payload_bytes, one.rdma).by == Carried::By::itself);
}

void judge_way(Measurement& one, std::uint64_t payload_bytes) {
  if (one.error) return;
  for (const bool sends : {true, false}) {
    const Carried found = carried(sends ? one.from : one.to, sends, payload_bytes, one.rdma);
    if (found.by == Carried::By::another) {
      one.error = Error{Errc::conflict, found.text, 0, {}, 0};
      return;
    }
    if (found.by != Carried::By::unknown) continue;
    one.ceiling.reset();
    one.why_no_ceiling = found.text;
  }
}

}  // namespace nettune::tools::measure
