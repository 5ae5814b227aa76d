// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// Something that went wrong, in the words of the report.
struct Told {
  std::uint32_t event = kNone;       ///< of Log::events
  std::string cause;                 ///< its id; "" where nobody catalogued it
  std::string who;                   ///< "rank 3 (n17:1234)"; "" where its line names nobody
  std::string quote;                 ///< the message, behind the place in NCCL's code
  std::vector<std::string> details;  ///< what else the log has of it
  std::vector<std::string> remarks;  ///< how certain it is, and what it may follow from
  std::string why;
  std::vector<std::string> checks;
  std::string peer;  ///< where its peer is; "" where the log does not show it
};

/// What the report says first, for people and in JSON alike.
struct Report {
  std::string verdict;  ///< one sentence: what the job used, or what failed first, and of whom
  std::string network;  ///< one sentence: which network was used, over what, with GPUDirect or not
  std::vector<std::string> checks;  ///< what to look at where no error says it
  std::optional<Told> first;
  std::vector<Told> rivals;  ///< as likely as the first
};

Report report(const Log& log, const std::vector<Cause>& causes, const Verdict& verdict);

/// The rank or the process that printed the message; "" if its line names neither.
std::string speaker_of(const Log& log, const Verdict& verdict, const Event& event);

/// "set aside by went-on (job.log:92): its process continued ..."; "chosen".
std::string fate_text(const Log& log, const std::vector<Cause>& causes, const Fate& fate);

/// The id of its cause; "not in the catalogue" for none.
std::string_view name_of(const std::vector<Cause>& causes, const Event& event);

}  // namespace nettune::tools::nccl::log::judge
