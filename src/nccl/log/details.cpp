// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/details.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "nccl/log/cursor.hpp"

namespace nettune::nccl_log {

namespace {

constexpr std::size_t kLongestDetail = 100;
constexpr std::string_view kDigits = "0123456789";

/// `whole`: something must follow them, so that none is missing.
std::string_view digits_behind(std::string_view line, std::string_view word, bool whole) {
  const auto at = line.find(word);
  if (at == line.npos) return {};
  const std::string_view text = line.substr(at + word.size());
  const auto end = text.find_first_not_of(kDigits);
  if (end == text.npos && whole) return {};
  return text.substr(0, end);
}

/// An address behind `word`, also where a document made a link of it ("[10.0.0.5](http://...)").
std::string_view address_behind_word(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  if (at == line.npos) return {};
  std::string_view text = line.substr(at + word.size());
  if (text.starts_with('[')) text.remove_prefix(1);
  text = text.substr(0, text.find_first_not_of("0123456789abcdef.:"));
  return text.size() > 64 || text.size() < 2 ? std::string_view() : text;
}

/// A line of the block, of which the word is the first one: launchers put something in front.
bool is_field(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  return at != line.npos && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t');
}

std::string name_worker(std::string_view pid, std::string_view address) {
  return address.empty() ? cat("worker pid ", pid) : cat("worker pid ", pid, " on ", address);
}

}  // namespace

std::string detail_of(std::string_view line) {
  constexpr std::string_view kFailed = " failed on node ";
  const auto srun = line.find("srun: error: ");
  if (srun == line.npos) return {};
  const std::string_view text = line.substr(srun + 13);
  if (const auto node = text.find(kFailed); node != text.npos) {
    const std::string_view rest = text.substr(node + kFailed.size());
    const auto end = rest.find(':');
    return end > kLongestDetail ? std::string()
                                : cat("node ", rest.substr(0, end));  // npos is, too
  }
  const auto task = text.find(": task");
  if (task == text.npos || task == 0 || text.find(' ') < task) return {};
  Cursor behind(text.substr(task + 6));
  behind.skip("s");
  if (!behind.skip(" ") || !behind.number()) return {};
  const auto end = text.find(':', task + 1);
  return end > kLongestDetail ? std::string() : std::string(text.substr(0, end));
}

std::optional<std::string> DeadWorker::begin(std::string_view line) {
  constexpr unsigned kMostFields = 10;
  left_ = 0;
  pid_.clear();
  const std::string_view pid = digits_behind(line, "Worker PID: ", true);
  if (!pid.empty()) return name_worker(pid, address_behind_word(line, "Worker IP address: "));
  if (line.find("actor died unexpectedly") != line.npos) left_ = kMostFields;
  return {};
}

std::optional<std::string> DeadWorker::take(std::string_view line) {
  if (left_ == 0) return {};
  --left_;
  if (line.find("actor is dead because") != line.npos) left_ = 0;
  if (is_field(line, "pid: ")) pid_ = digits_behind(line, "pid: ", false);
  const bool is_end = left_ == 0 && !pid_.empty();
  if (is_end) return name_worker(std::exchange(pid_, {}), {});
  if (pid_.empty() || !is_field(line, "ip: ")) return {};
  left_ = 0;
  return name_worker(std::exchange(pid_, {}), address_behind_word(line, "ip: "));
}

}  // namespace nettune::nccl_log
