// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/nccl/log/causes.hpp"
#include "tools/nccl/log/connection.hpp"
#include "tools/nccl/log/events.hpp"
#include "tools/nccl/log/failed_calls.hpp"
#include "tools/nccl/log/job/job_lines.hpp"
#include "tools/nccl/log/job/marks.hpp"
#include "tools/nccl/log/log.hpp"
#include "tools/nccl/log/position.hpp"
#include "tools/nccl/log/prefix.hpp"
#include "tools/nccl/log/processes.hpp"
#include "tools/nccl/log/reader/ring_list.hpp"
#include "tools/nccl/log/reader/wrapped.hpp"

namespace nettune::tools::nccl::log::reader {

/// Reads logs piece by piece, in one pass. Only lines with "NCCL" in them are looked at, and those
/// of others that marks.hpp finds.
class Reader {
 public:
  /// `causes` outlives the reader.
  explicit Reader(const std::vector<Cause>& causes)
      : events_(causes, log_, position_, processes_), marks_(causes) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// What follows is of this file. The one before it ends here.
  void begin_file(std::string name);
  void feed(std::string_view bytes);
  /// Everything was fed.
  Log finish();

 private:
  void end_file();
  /// What ends a file: its end may be missing, so that no number or name there is taken for whole.
  void take_last_line();
  /// Communicators with the id of one that was destroyed, as errors.
  void take_reuses();
  /// Of the file that ends, into Log::endings.
  void take_ending();
  /// `line` may be the file's. False: there is only blank in it.
  bool take_ending_in(std::string_view line, Position at);
  /// Whole lines, each with its newline.
  void take_lines(std::string_view lines);
  /// The plain case, which is nearly every line: one message of a process that is known, and no
  /// doubt about it. False: nothing was taken. `text` ends where the line ends.
  bool take_quickly(std::string_view text, std::size_t nccl);
  /// A line with "NCCL" at `nccl`. `whole`: its end was there.
  void take_line(std::string_view line, std::size_t nccl, bool whole);
  /// A line, or a part of one, of which it is not known whether it has "NCCL".
  void take_any(std::string_view text, bool whole);
  std::string_view without_colours(std::string_view text);
  /// One that is text, and no JSON around it.
  void take_text(std::string_view line, std::size_t nccl, bool whole);
  /// All messages of a line: interleaved writes and lost newlines put several on one.
  void take_segments(std::string_view line, std::size_t nccl, bool whole);
  /// `whole`: the end of the message was there. `rest`: what it may go on in.
  void take_message(const Prefix& prefix, std::uint32_t process, std::string_view message,
                    bool whole, std::string_view rest);
  void take_info(Speaker speaker, std::string_view message, bool whole);
  void take_connection(Speaker speaker, const Connection& connection);
  void settle_early(Speaker speaker, std::uint32_t communicator);
  /// The one that the line of the connection names; kNone for none.
  std::uint32_t communicator_named(Speaker speaker, const Connection& connection) const;
  std::uint32_t communicator_of(Speaker speaker, std::uint32_t rank) const;
  bool begins_communicators(std::uint32_t process) const;
  /// A line without a level of NCCL.
  void take_bare(std::string_view line);
  /// What a line began may go on in the next one, which then needs no mark.
  bool waits() const;
  /// `line`, or what a log collector or carriage returns made of several.
  template <typename Take>
  void take_each(std::string_view line, const Take& take);
  /// Whole lines without "NCCL", from `begin` to `end` of `all`. Where the next line begins.
  std::size_t take_others(std::string_view all, std::size_t begin, std::size_t end);
  /// The lines begin with one that may go on in what was not fed yet.
  bool may_go_on(std::string_view lines) const;

  Log log_;
  Position position_;
  Processes processes_{log_, position_};
  Events events_;
  FailedCalls calls_{log_, position_, events_};
  RingList rings_{log_, position_};
  Wrapped wrapped_{events_};
  job::JobLines job_{log_, position_, processes_, events_, calls_};
  job::Marks marks_;
  /// The communicator that a process is setting up, close together: one look-up a line.
  struct Setup {
    std::uint32_t thread = kNone;
    std::uint32_t communicator = kNone;
    bool several = false;  ///< look into Process::open
    bool begins = false;   ///< Process::begins
    /// The only communicator so far of a process whose begin was read, and the rank there.
    std::uint32_t only = kNone;
    std::uint32_t rank = kNone;
  };
  std::vector<Setup> setups_;
  /// Up to 2.18.1 a thread names its communicator behind the connections, with "Init COMPLETE":
  /// what it told before, by process and thread.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Edges> early_;
  /// The last name of a transport's kind, of each Transport: mostly it is the same again.
  std::array<std::pair<std::string, std::uint32_t>, 4> last_detail_;
  std::string tail_;        ///< an unfinished line, or a whole one that may be the last
  std::string scratch_;     ///< a line without its colours
  std::string unpacked_;    ///< a line out of the JSON of a log collector
  std::string_view rest_;   ///< what stands below the line that is read
  std::size_t joined_ = 0;  ///< how much of that was read with it
};

}  // namespace nettune::tools::nccl::log::reader
