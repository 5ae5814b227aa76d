// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/measure/ceiling.hpp"
#include "tools/measure/evidence.hpp"
#include "tools/measure/fault_location.hpp"
#include "tools/measure/reference.hpp"

namespace nettune::tools::measure {

inline Evidence evidence(double ratio, std::size_t blocks) {
  Evidence out;
  out.seed = 9;
  out.planned = 8;
  out.command = {"./bench"};
  out.a.profile = "tcp-fallback";
  out.b.profile = "tcp-fallback";
  out.b.env["NCCL_ALGO"] = "Ring";
  for (std::size_t i = 0; i < blocks; ++i) {
    const double wobble = 1 + 0.001 * static_cast<double>(i % 5);
    EvidenceBlock block;
    block.block = {b_comes_first(out.seed, i), {100, 101, 99}, {100 * ratio * wobble, 1, 1000}};
    block.strata["eth1"] = block.block;
    block.strata["eth2"] = block.block;
    out.blocks.push_back(block);
  }
  return out;
}

inline constexpr const char* kGpu = "0000:1b:00.0";

inline End nic(const std::string& host, int speed_mbps, int mtu) {
  End end;
  end.host = host;
  end.interface = "eth1";
  end.address = "10.0.0.1/24";
  end.speed_mbps = speed_mbps;
  end.mtu = mtu;
  return end;
}

/// All pairs of `nodes`: those with a bad node at 4, others at 9.5 Gb/s.
inline std::vector<PairValue> reference_pairs(std::size_t nodes, const std::set<std::size_t>& bad,
                                              std::optional<double> expected) {
  std::vector<PairValue> out;
  for (const Round& round : all_pairs(nodes))
    for (const Pair& pair : round)
      out.push_back({pair, bad.contains(pair.a) || bad.contains(pair.b) ? 4 : 9.5, expected});
  return out;
}

/// Both passes over values that do not change.
inline MeshVerdict reference_verdict(const std::vector<PairValue>& values, std::size_t nodes) {
  return judge_mesh(nodes, 8, values, nullptr, [&](const Round& round, std::size_t rail) {
    std::vector<PairValue> again;
    for (const Pair& pair : round)
      for (const PairValue& value : values)
        if (value.rail == rail &&
            std::minmax(value.pair.a, value.pair.b) == std::minmax(pair.a, pair.b))
          again.push_back(value);
    return again;
  });
}

}  // namespace nettune::tools::measure
