// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log::job {

/// Reads what NCCL's RAS reports of a running job (ncclras; NVIDIA/nccl src/ras/client_support.cc,
/// issue 1911), into Log::ras and Log::sizes:
///
///     Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
///         #  in group  per comm  per node  per comm  in group
///         0         1         4         8        32        32   RUNNING  MISMATCH
///     ...
///       Communicator ranks have different AllGather operation counts
///       30 ranks have launched up to operation 640
///       2 ranks have launched up to operation 641
///       Rank 12 -- GPU 4 managed by process 323032 on node 10.137.190.124
///
///     INCOMPLETE
///       Missing communicator data from 1 job process
///       Process 60004 on node 10.4.109.13 managing GPU 0
class RasReport {
 public:
  void take(std::string_view line, Log& log);
  /// A report may go on in lines without a word of its own.
  bool waits() const { return left_ != 0; }
  void clear() { left_ = 0; }

 private:
  unsigned left_ = 0;   ///< lines that may be of it
  bool finds_ = false;  ///< of a finding, not of the table
  unsigned named_ = 0;  ///< lines of it that name ranks or processes
};

}  // namespace nettune::tools::nccl::log::job
