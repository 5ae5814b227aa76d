// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/voice.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log {

namespace {

constexpr std::size_t kLongestFront = 160;

/// The number behind `word`, where `end` follows.
std::optional<std::uint32_t> number_between(std::string_view text, std::string_view word,
                                            std::string_view end) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    Cursor behind(text.substr(at + word.size()));
    const auto number = behind.number();
    if (number && behind.skip(end)) return number;
  }
  return {};
}

/// Of "(EngineCore pid=7) (Worker_TP1 pid=9) " the part from the last label on: vLLM puts that of
/// the parent in front.
std::string_view from_last_label(std::string_view front) {
  constexpr std::string_view kPid = " pid=";
  for (auto end = front.find(") ("); end != front.npos; end = front.find(") (")) {
    const std::string_view next = front.substr(end + 2);
    const auto close = next.find(')');
    if (front.find(kPid) > end || close == next.npos || next.find(kPid) > close) break;
    front = next;
  }
  return front;
}

/// "VllmWorkerProcess pid=204" of "(VllmWorkerProcess pid=204) ", which Ray and vLLM put in front.
std::string_view in_parentheses(std::string_view front) {
  const auto pid = front.find(" pid=");
  const auto begin = pid == front.npos ? pid : front.rfind('(', pid);
  const auto end = begin == front.npos ? begin : front.find(')', pid);
  if (end == front.npos || !Cursor(front.substr(pid + 5)).number()) return {};
  const std::string_view name = front.substr(begin + 1, end - begin - 1);
  return name.find_first_of("([<>]") == name.npos ? name : std::string_view();
}

/// "node1:77" of "[node1:77] " and "[node1:77 :0:78] ", of Open MPI and UCX: a host has a letter.
std::string_view host_and_pid(std::string_view front) {
  for (auto begin = front.find('['); begin != front.npos; begin = front.find('[', begin + 1)) {
    const std::string_view text = front.substr(begin + 1);
    const auto colon =
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    if (colon == 0 || colon == text.npos || text[colon] != ':') continue;
    const auto end = text.find_first_not_of("0123456789", colon + 1);
    const bool has_letter = text.find_first_not_of("0123456789-_") < colon;
    // "[socket.cpp:793]" has a dot.
    if (!has_letter || end == text.npos || end == colon + 1) continue;
    if (text[end] == ']' || text[end] == ' ' || text.substr(end).starts_with(":0]"))
      return text.substr(0, end);
  }
  return {};
}

/// The number behind `word`; one that ends the line may be a part of it.
std::optional<std::uint32_t> number_after(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  if (at == line.npos) return {};
  Cursor behind(line.substr(at + word.size()));
  return behind.number();
}

/// "[1] is setting up NCCL communicator and retrieving ncclUniqueId from [0]"
std::optional<std::uint32_t> rank_of_setup(std::string_view line) {
  const auto end = line.find("] is setting up NCCL communicator");
  const auto begin = end == line.npos ? end : line.rfind('[', end);
  if (begin == line.npos) return {};
  Cursor at(line.substr(begin + 1));
  const auto rank = at.number();
  return rank && at.skip("]") ? rank : std::nullopt;
}

/// Without "[rank7]: "
std::string_view without_rank(std::string_view line) {
  const auto end = line.find("]: ");
  return line.starts_with("[rank") && end != line.npos ? line.substr(end + 3) : line;
}

}  // namespace

std::string speaker_in(std::string_view line) {
  const std::string_view front = line.substr(0, kLongestFront);
  if (const auto name = in_parentheses(from_last_label(front)); !name.empty())
    return std::string(name);
  const bool is_of_signal = line.find("ignal") != line.npos || line.find("UCX") != line.npos ||
                            line.find(" *** ") != line.npos;
  if (const auto name = is_of_signal ? host_and_pid(front) : std::string_view(); !name.empty())
    return std::string(name);
  const auto local = number_after(line, "local_rank: ");
  const auto pid = number_after(line, "(pid: ");
  if (local && pid) return cat("local_rank ", *local, ", pid ", *pid);
  // "Signal 6 (SIGABRT) received by PID 30", "process rank 7 with PID 0 on node n1 exited": 0 is
  // none.
  const auto signalled = number_after(line, "received by PID ");
  if (signalled && *signalled != 0) return cat("PID ", *signalled);
  return {};
}

std::optional<std::uint32_t> rank_in_front(std::string_view line) {
  const std::string_view front = line.substr(0, kLongestFront);
  if (const auto rank = number_between(front, "[rank", "]")) return rank;
  if (const auto rank = number_between(front, "[1,", "]<std")) return rank;
  Cursor at(front.substr(
      front.find_first_not_of(' ') == front.npos ? front.size() : front.find_first_not_of(' ')));
  const auto rank = at.number();
  if (!rank || !at.skip(": ")) return {};
  // srun's label is that of a launcher, or of slurmstepd.
  if (line.find(" local_rank: ") != line.npos || line.find("error: *** ") != line.npos) return {};
  // "0: " can be the number of a node as well.
  const auto own = rank_of_setup(line);
  return own && *own != *rank ? std::nullopt : rank;
}

std::optional<std::uint32_t> rank_in_group(std::string_view line) {
  if (const auto rank = rank_of_setup(line)) return rank;
  if (line.find("ProcessGroupNCCL") == line.npos && line.find("atchdog") == line.npos) return {};
  constexpr std::string_view kWord = "Rank ";
  for (auto at = line.find(kWord); at != line.npos; at = line.find(kWord, at + 1)) {
    if (at != 0 && line[at - 1] != '[' && line[at - 1] != ' ') continue;
    Cursor behind(line.substr(at + kWord.size()));
    const auto rank = behind.number();
    if (rank && behind.skip("]")) return rank;
  }
  return {};
}

std::string_view without_plain_label(std::string_view line) {
  const auto begin = line.find_first_not_of(' ');
  Cursor at(line.substr(std::min(begin, line.size())));
  return at.number() && at.skip(": ") ? at.rest() : line;
}

std::string_view without_label(std::string_view line) {
  line = without_rank(without_plain_label(line));
  // "(EngineCore pid=7) (Worker_TP1 pid=9) " of Ray and vLLM
  const std::string_view last = from_last_label(line.substr(0, kLongestFront));
  const std::string_view name = last.starts_with('(') ? in_parentheses(last) : std::string_view();
  if (name.empty() || name.data() != last.data() + 1) return line;
  line.remove_prefix(static_cast<std::size_t>(name.data() + name.size() + 1 - line.data()));
  return without_rank(line.starts_with(' ') ? line.substr(1) : line);
}

std::uint64_t voice_of(std::string_view line) {
  constexpr std::uint64_t kOfRank = std::uint64_t{1} << 32U;
  constexpr std::uint64_t kOfPid = std::uint64_t{2} << 32U;
  if (const auto rank = rank_in_front(line)) return kOfRank | *rank;
  const std::string_view front = from_last_label(line.substr(0, kLongestFront));
  const auto pid = front.find(" pid=");
  if (pid == front.npos) return 0;
  const auto number = Cursor(front.substr(pid + 5)).number();
  return number ? kOfPid | *number : 0;
}

std::string_view without_front(std::string_view line, std::string_view front) {
  if (line.size() < front.size()) return line;
  for (std::size_t i = 0; i < front.size(); ++i)
    if (line[i] != front[i] && !(is_digit(line[i]) && is_digit(front[i]))) return line;
  return line.substr(front.size());
}

}  // namespace nettune::tools::nccl::log
