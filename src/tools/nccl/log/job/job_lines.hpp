// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/nccl/log/events.hpp"
#include "tools/nccl/log/failed_calls.hpp"
#include "tools/nccl/log/job/crashes.hpp"
#include "tools/nccl/log/job/error_block.hpp"
#include "tools/nccl/log/job/fields_below.hpp"
#include "tools/nccl/log/job/group_line.hpp"
#include "tools/nccl/log/job/ras.hpp"
#include "tools/nccl/log/job/torchrun.hpp"
#include "tools/nccl/log/job/traceback.hpp"
#include "tools/nccl/log/job/watchdog.hpp"
#include "tools/nccl/log/log.hpp"
#include "tools/nccl/log/position.hpp"
#include "tools/nccl/log/processes.hpp"
#include "tools/nccl/log/tests_table.hpp"

namespace nettune::tools::nccl::log::job {

/// Reads the lines without a level of NCCL: of PyTorch, of a launcher, of the scheduler, of the
/// kernel, and what people copied of NCCL's without its prefix.
class JobLines {
 public:
  /// What is given outlives this.
  JobLines(Log& log, Position& position, Processes& processes, Events& events, FailedCalls& calls);

  void begin_file();
  void take(std::string_view line);
  /// What a line began may go on in the next one, which then needs no mark.
  bool waits() const;
  /// These may wait for lines that nothing else does.
  Tracebacks& tracebacks() { return tracebacks_; }
  /// An empty line.
  void blank() { blocks_.blank(); }
  void end_file();

 private:
  /// In the timeline of the file, at the line that is read.
  void add_mark(Timeline::Kind kind);
  /// What a line says that is in the catalogue.
  void take_of_catalogue(std::string_view line);
  /// A warning of NCCL without its prefix. False: it is none that is known.
  bool take_bare_warning(std::string_view line);
  /// NCCL's last warning, or the kind of the error, of what PyTorch says of it.
  void take_blocks(const std::vector<ErrorBlocks::Found>& found, std::string_view line,
                   std::uint64_t at = 0);
  /// What the job printed before somebody ended it, of the line that is read.
  void take_above(std::uint32_t event);
  /// SIGTERM that a shell reports directly above a line of PyTorch's watchdog. Anywhere else it may
  /// have ended a helper of a script.
  void take_terminated();

  /// A line of a shell.
  struct Terminated {
    std::string text;
    std::uint64_t line = 0;  ///< 0 for none
    std::string above;       ///< what the job printed before it
  };

  Log& log_;
  Position& position_;
  Processes& processes_;
  Events& events_;
  FailedCalls& calls_;
  FieldsBelow fields_;
  RasReport ras_;
  Crashes crashes_;
  Tracebacks tracebacks_;
  ErrorBlocks blocks_;
  std::uint64_t block_line_ = 0;  ///< the last line that a block of PyTorch went on in
  TestsOutput tests_;
  Torchrun torchrun_;
  Terminated terminated_;
};

}  // namespace nettune::tools::nccl::log::job
