// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "compare/fleet.hpp"

namespace nettune::compare {

/// A value that slow nodes have more, or less, often than the others do.
struct Correlation {
  /// "rdma[mlx5_0].firmware = 28.36.1010": all that exactly the same nodes have; nothing in the
  /// facts tells them apart.
  std::vector<std::string> values;
  std::size_t slow_with = 0;
  std::size_t slow = 0;  ///< slow nodes for which it is known
  std::size_t others_with = 0;
  std::size_t others = 0;
  double p = 1;           ///< Fisher's exact test, two-sided
  double p_adjusted = 1;  ///< by Holm, over all that were tested
};

struct Explained {
  std::size_t slow = 0;
  std::size_t nodes = 0;
  std::size_t tested = 0;            ///< values that were tested, those of the same nodes once
  std::vector<std::string> unknown;  ///< names of which there are no facts
  /// The smallest p first; only those below 5 % after Holm's correction.
  std::vector<Correlation> found;
};

/// `slow`: names of nodes. Correlation, and no proof of a cause.
Explained explain(const Fleet& fleet, const std::vector<std::string>& slow);

/// Two-sided p of a 2 x 2 table: `a` of `a + b` slow nodes have it, `c` of `c + d` others.
double fisher_exact(std::size_t a, std::size_t b, std::size_t c, std::size_t d);
/// Holm's step-down correction; ascending in, ascending out, at most 1.
std::vector<double> holm(const std::vector<double>& sorted);

}  // namespace nettune::compare
