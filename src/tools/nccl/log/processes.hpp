// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/nccl/log/log.hpp"
#include "tools/nccl/log/position.hpp"
#include "tools/nccl/log/prefix.hpp"
#include "tools/nccl/log/process_table.hpp"

namespace nettune::tools::nccl::log {

/// A process and one of its threads.
struct Speaker {
  std::uint32_t process = kNone;
  std::uint32_t thread = 0;
};

/// Finds who says a line, also where it hangs on what another process wrote.
class Processes {
 public:
  /// What is given outlives this.
  Processes(Log& log, Position& position) : log_(log), position_(position) {}

  /// Who says what follows the "NCCL INFO " at `nccl`; a process of kNone where that is not
  /// plain. What is in front of "NCCL" is parsed once for each thread.
  Speaker speaker_of(std::string_view line, std::size_t nccl);
  /// The process that `prefix` names. `before`: the message before it on this line, or, where it is
  /// the `first` of the line, what is in front of it.
  std::uint32_t process_of(const Prefix& prefix, std::string_view before, bool first);
  void take_device(std::uint32_t process, const Prefix& prefix);
  /// The one of all lines without a readable prefix.
  std::uint32_t unnamed();
  void end_file();
  /// After the last file.
  void finish();

 private:
  /// A process whose name ends what stands before "[dev]", where something else hangs on it, of at
  /// `most` as many characters; kNone for none.
  std::uint32_t glued(std::string_view name, std::size_t most = SIZE_MAX) const;
  bool is_listed(const Communicator& one) const;
  /// How much is left of another message in front of a host that is known; 0 for nothing.
  std::size_t rest_before_host(std::string_view host) const;
  /// The process of the line that begins a file may have lost the begin of its name: it is the one
  /// that `prefix` names where that ends the same way. kNone: it is not.
  std::uint32_t take_begun(const Prefix& prefix);
  std::uint32_t add(std::string_view key, std::string_view host, std::uint32_t pid);

  Log& log_;
  Position& position_;
  ProcessTable table_;
  ProcessTable speaker_names_;  ///< "host:pid:tid [dev] "
  std::vector<Speaker> speakers_;
  std::set<std::string, std::less<>> hosts_;  ///< of all processes
  std::uint32_t unnamed_ = kNone;
  std::uint32_t begun_ = kNone;  ///< process that the first line of the file alone names
};

}  // namespace nettune::tools::nccl::log
