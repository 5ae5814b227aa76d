// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace nettune::tools::measure {

/// A collective that `nettune test --nccl` measures. Its program of nccl-tests is `word` + "_perf".
struct CollectiveKind {
  std::string_view word;  ///< as nccl-tests names it, and --collective
  std::string_view name;  ///< in results
};

inline constexpr std::array<CollectiveKind, 4> kCollectives = {{
    {"all_reduce", "all-reduce"},  // the one of PyTorch, too
    {"all_gather", "all-gather"},
    {"reduce_scatter", "reduce-scatter"},
    {"alltoall", "all-to-all"},
}};

}  // namespace nettune::tools::measure
