// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/reader/wrapped.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "tools/nccl/log/voice.hpp"

namespace nettune::tools::nccl::log::reader {

namespace {

constexpr std::size_t kLongest = 600;

/// A text behind which another one must follow on the line.
struct Unfinished {
  std::string_view begin;
  std::string_view end;
  bool of_group = false;  ///< PyTorch's process groups write it, whose other lines are like it
};

/// "slurmstepd: error: *** JOB 1 ON n CANCELLED AT" (a user guide of an HPC centre), "RuntimeError:
/// [.../gloo/transport/tcp/pair.cc:538]" (documents of torchft and SGLang), and the watchdog's line
/// that a launcher broke before the call (mila-iqia/milabench pull request 269), or a terminal
/// anywhere (HKUDS/GraphGPT issue 44).
constexpr Unfinished kUnfinished[] = {
    {"slurmstepd: error: ***", "***"},
    {"gloo/transport/tcp/", "] "},
    {"client socket has timed out after ", " while"},
    {"Watchdog caught collective operation timeout:", " ran for", true}};

bool is_finished(std::string_view line, const Unfinished& one) {
  const auto begin = line.find(one.begin);
  return begin == line.npos || line.find(one.end, begin + one.begin.size()) != line.npos;
}

const Unfinished* unfinished_in(std::string_view line) {
  const auto* const one = std::ranges::find_if(
      kUnfinished, [&](const Unfinished& other) { return !is_finished(line, other); });
  return one == std::end(kUnfinished) ? nullptr : one;
}

/// "[rank6]:[E429 13:55:49 ProcessGroupNCCL.cpp:1743] ..." (om-ai-lab/VLM-R1 issue 257).
bool is_group_error(std::string_view line) {
  const auto file = line.find("ProcessGroupNCCL.cpp:");
  const auto level = file == line.npos ? file : line.substr(0, file).rfind('[');
  return level != line.npos && (line[level + 1] == 'E' || line[level + 1] == 'F');
}

std::string_view connection_in(std::string_view line) {
  constexpr std::string_view kInfo = "NCCL INFO ";
  const auto info = line.rfind(kInfo);
  return info == line.npos ? std::string_view() : line.substr(info + kInfo.size());
}

bool is_damaged(std::string_view message) {
  Connection connection;
  return parse_connection(message, connection) == Parsed::damaged;
}

std::string_view first_line(std::string_view lines) { return lines.substr(0, lines.find('\n')); }

std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

bool has_level(std::string_view line) {
  return line.find("NCCL INFO ") != line.npos || line.find("NCCL WARN ") != line.npos;
}

}  // namespace

/// The line does not speak for itself.
bool Wrapped::is_of_nobody(std::string_view next, bool of_group) const {
  if (trim(next).empty() || has_level(next) || unfinished_in(next) != nullptr) return false;
  if (!of_group) return events_.cause_of(Cause::By::job, next) == kNone;
  if (rank_in_front(next) || is_group_error(next) || next.find("[PG ") != next.npos ||
      next.find("[Rank ") != next.npos)
    return false;
  return next.find("ProcessGroupNCCL") != next.npos || next.find("WorkNCCL(") != next.npos ||
         rank_in_group(next) || events_.cause_of(Cause::By::job, next) == kNone;
}

bool Wrapped::is_unfinished(std::string_view line) const {
  line = without_return(line);
  if (const std::string_view message = connection_in(line); !message.empty())
    return is_damaged(message);
  return line.size() <= kLongest &&
         (unfinished_in(trim(line)) != nullptr ||
          (is_group_error(line) && events_.cause_of(Cause::By::job, line) == kNone));
}

std::size_t Wrapped::join(std::string_view line, std::string_view rest, std::string& into) const {
  line = without_return(line);
  if (rest.empty() || !is_unfinished(line)) return 0;
  if (const std::string_view message = connection_in(line); !message.empty()) {
    Connection connection;
    const std::size_t more = join_connection(message, rest, into, connection);
    if (more != 0) into.insert(0, line.substr(0, line.size() - message.size()));
    return more;
  }
  const Unfinished* const unfinished = unfinished_in(trim(line));
  const bool of_group = unfinished == nullptr || unfinished->of_group;
  const std::uint32_t alone = events_.cause_of(Cause::By::job, line);
  std::size_t best = 0;
  std::string joined(unfinished == nullptr ? line : trim(line));
  std::size_t taken = 0;
  for (unsigned more = 0; more < (unfinished == nullptr ? 1 : kMostLines); ++more) {
    const std::string_view next = without_return(first_line(rest.substr(taken)));
    if (joined.size() > kLongest || !is_of_nobody(next, of_group)) break;
    taken = std::min(rest.find('\n', taken), rest.size() - 1) + 1;
    if (unfinished == nullptr) {
      for (const std::string_view between : {"", " "}) {
        into = cat(joined, between, next);
        if (events_.cause_of(Cause::By::job, into) != kNone) return taken;
      }
      return 0;
    }
    const bool is_word = !of_group || joined.ends_with(':');
    joined += cat(is_word ? " " : "", trim(next));
    const std::uint32_t cause = events_.cause_of(Cause::By::job, joined);
    if (cause == kNone) continue;
    if (!is_finished(joined, *unfinished) && (of_group || cause == alone || best != 0)) continue;
    into = joined;
    best = taken;
    if (is_finished(joined, *unfinished)) break;
  }
  return best;
}

std::size_t Wrapped::join_connection(std::string_view message, std::string_view rest,
                                     std::string& into, Connection& connection) {
  const std::string_view next = without_return(first_line(rest));
  if (next.empty() || has_level(next)) return 0;
  for (const std::string_view between : {"", " "}) {
    into = cat(message, between, next);
    if (parse_connection(into, connection) == Parsed::found)
      return std::min(rest.find('\n'), rest.size() - 1) + 1;
  }
  return 0;
}

}  // namespace nettune::tools::nccl::log::reader
