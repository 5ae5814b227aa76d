// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/compare/fleet.hpp"

namespace nettune::tools::compare {

/// A value that slow nodes have more often, or less often, than the others.
struct Correlation {
  /// "rdma[mlx5_0].firmware = 28.36.1010": all values of exactly the same nodes, which the facts
  /// cannot distinguish.
  std::vector<std::string> values;
  std::size_t slow_with = 0;
  std::size_t slow = 0;  ///< slow nodes for which it is known
  std::size_t others_with = 0;
  std::size_t others = 0;
  double p = 1;           ///< Fisher's exact test, two-sided
  double p_adjusted = 1;  ///< by Holm, over all tested values
};

struct Explained {
  std::size_t slow = 0;
  std::size_t nodes = 0;
  std::size_t tested = 0;            ///< tested values, counting those of the same nodes once
  std::vector<std::string> unknown;  ///< names of nodes without facts
  /// Those below 5 % after Holm's correction, the smallest p first.
  std::vector<Correlation> found;
};

/// `slow` has names of nodes. The result is correlation, not proof of a cause.
Explained explain(const Fleet& fleet, const std::vector<std::string>& slow);

/// Two-sided p of a 2 x 2 table: `a` of `a + b` slow nodes have it, `c` of `c + d` others.
double fisher_exact(std::size_t a, std::size_t b, std::size_t c, std::size_t d);
/// Holm's step-down correction. Input and output are ascending; the output is at most 1.
std::vector<double> holm(const std::vector<double>& sorted);

}  // namespace nettune::tools::compare
