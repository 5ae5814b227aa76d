// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tools/measure/measurement.hpp"

namespace nettune::tools::measure {

/// Which interface of one end carried the payload of a measurement, by the counters of before and
/// after.
struct Carried {
  enum class By { itself, another, unknown };
  By by = By::itself;
  std::string text;  ///< of the others: what the counters show
};

/// `sends`: the payload left this end. With RDMA the port's counters decide; without them nothing
/// is said against it, since a queue pair belongs to its device.
Carried carried(const Side& side, bool sends, std::uint64_t payload_bytes, bool rdma);

/// Whether both ends carried it, as far as their counters say.
bool counters_agree(const Measurement& measurement, std::uint64_t payload_bytes);

/// Applies it to both ends: no figure where another interface carried it, no verdict where the
/// counters do not cover the path.
void judge_way(Measurement& measurement, std::uint64_t payload_bytes);

}  // namespace nettune::tools::measure
