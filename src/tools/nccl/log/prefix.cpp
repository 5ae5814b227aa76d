// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/prefix.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/tests_table.hpp"

namespace nettune::tools::nccl::log {

namespace {

/// One look-up a character: this is asked for every line.
constexpr std::array<bool, 256> kOfHost = [] {
  std::array<bool, 256> all{};
  for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789-._"))
    all[static_cast<unsigned char>(c)] = true;
  return all;
}();

bool is_of_host(char c) { return kOfHost[static_cast<unsigned char>(c)]; }

/// Reads a line from right to left.
class Backward {
 public:
  Backward(std::string_view line, std::size_t at) : line_(line), at_(at) {}

  std::size_t at() const { return at_; }
  bool skip(char c) {
    if (at_ == 0 || line_[at_ - 1] != c) return false;
    --at_;
    return true;
  }
  std::optional<std::uint32_t> number() {
    std::uint64_t value = 0;
    std::uint64_t scale = 1;
    std::size_t digits = 0;
    while (at_ > 0 && is_digit(line_[at_ - 1]) && digits < 10) {
      value += scale * static_cast<std::uint64_t>(line_[--at_] - '0');
      scale *= 10;
      ++digits;
    }
    if (digits == 0 || value > UINT32_MAX) return {};
    return static_cast<std::uint32_t>(value);
  }
  /// Steps back to behind the last blank.
  void word() {
    while (at_ > 0 && line_[at_ - 1] != ' ' && line_[at_ - 1] != '\n') --at_;
  }
  void host() {
    const std::size_t end = at_;
    while (at_ > 0 && is_of_host(line_[at_ - 1])) --at_;
    if (at_ == end) word();  // "<cluster>" and "[pod]": names that somebody took out
  }

 private:
  std::string_view line_;
  std::size_t at_;
};

std::optional<Level> parse_level(std::string_view behind) {
  if (behind.size() < 6 || behind[0] != ' ') return {};
  switch (behind[1]) {
    case 'I':
      return behind.starts_with(" INFO ") ? std::optional(Level::info) : std::nullopt;
    case 'W':
      return behind.starts_with(" WARN ") ? std::optional(Level::warn) : std::nullopt;
    case 'C':
      return behind.starts_with(" CALL ") ? std::optional(Level::call) : std::nullopt;
    case 'T':
      return behind.starts_with(" TRACE ") ? std::optional(Level::trace) : std::nullopt;
    default:
      return {};
  }
}

/// "NCCL version 2.7.8+cuda10.2node7:1:2 [0] ...": the line with the version may lack its newline.
/// CUDA counts what is behind the dot with one digit.
std::size_t behind_version(std::string_view line, std::size_t begin) {
  constexpr std::string_view kCuda = "cuda";
  if (begin == 0 || line[begin - 1] != '+' || !line.substr(begin).starts_with(kCuda)) return begin;
  Cursor at(line.substr(begin + kCuda.size()));
  if (!at.number() || !at.skip(".") || at.at_end() || !is_digit(at.rest().front())) return begin;
  return line.size() - at.rest().size() + 1;
}

/// "  64  16  float  sumnode7:1:2 [0] ...": nccl-tests writes the begin of a row, up to the
/// operation, before it runs (NVIDIA/nccl-tests src/common.cu); here the name hangs on that.
std::size_t behind_row(std::string_view line, std::size_t begin) {
  static constexpr std::string_view kOperations[] = {"sum", "prod", "max",   "min",
                                                     "avg", "none", "mulsum"};
  if (begin == 0 || line[begin - 1] != ' ') return begin;
  for (const std::string_view operation : kOperations) {
    if (!line.substr(begin).starts_with(operation)) continue;
    constexpr std::size_t kLongest = 96;  // of what stands before it in a row
    const auto cells =
        words(line.substr(begin - std::min(begin, kLongest), std::min(begin, kLongest)));
    const bool is_row = cells.size() > 2 && is_tests_type(cells.back()) &&
                        parse_int(*(cells.end() - 2)).has_value();
    return is_row ? begin + operation.size() : begin;
  }
  return begin;
}

/// "[dev] " with the process before it; of a CALL there is no device.
bool parse_process(std::string_view line, Backward back, Prefix& into) {
  std::optional<std::uint32_t> device;
  if (into.level != Level::call) {
    if (!back.skip(']')) return false;
    device = back.number();
    if (!device || !back.skip('[') || !back.skip(' ')) return false;
  }
  const auto tid = back.number();
  if (!tid || !back.skip(':')) return false;
  const std::size_t pid_end = back.at();
  const auto pid = back.number();
  if (!pid || !back.skip(':')) return false;
  const std::size_t host_end = back.at();
  back.host();
  if (back.at() == host_end) return false;
  into.tid = *tid;
  into.device = device.value_or(UINT32_MAX);
  into.pid = *pid;
  into.begin = behind_row(line, behind_version(line, back.at()));
  if (into.begin >= host_end) return false;
  into.host = line.substr(into.begin, host_end - into.begin);
  into.process = line.substr(into.begin, pid_end - into.begin);
  return true;
}

/// "[2026-01-31 08:15:00] " directly before the process.
void parse_time(std::string_view line, Prefix& into) {
  constexpr std::size_t kLength = 22;
  if (into.begin < kLength) return;
  const std::string_view text = line.substr(into.begin - kLength, kLength);
  if (text[0] != '[' || text[5] != '-' || text[8] != '-' || text[11] != ' ' || text[14] != ':' ||
      text[17] != ':' || text[20] != ']')
    return;
  into.time = text.substr(1, 19);
  into.begin -= kLength;
}

}  // namespace

bool parse_prefix(std::string_view line, std::size_t at, Prefix& into) {
  const auto level = parse_level(line.substr(at + 4));
  if (!level) return false;
  into = {};
  into.level = *level;
  into.begin = at;
  into.end = at + 4 + (*level == Level::trace ? 7 : 6);
  Backward back(line, at);
  // "**NCCL WARN text**": somebody made it bold.
  while (back.skip('*')) {
  }
  if (!back.skip(' ')) return true;
  // "file.cc:12 ", "file.cc:12 (function) " or "123.4 function:12 " may stand between.
  const std::size_t end = back.at();
  bool found = parse_process(line, back, into);
  for (int words = 0; words < 3 && !found && into.level != Level::info; ++words) {
    back.word();
    if (!back.skip(' ')) break;
    found = parse_process(line, back, into);
  }
  // "int f(context_t*, uint16_t):46", which aws-ofi-nccl puts there.
  const auto bracket = found || into.level != Level::warn ? line.npos : line.rfind("] ", end);
  if (bracket != line.npos && line.substr(bracket, end - bracket).find("):") != line.npos &&
      line.substr(bracket, end - bracket).find("NCCL ") == line.npos) {
    back = Backward(line, bracket + 1);
    found = parse_process(line, back, into);
  }
  if (into.level == Level::warn) into.place = line.substr(back.at(), end - back.at());
  if (found && into.level != Level::info) parse_time(line, into);
  return true;
}

}  // namespace nettune::tools::nccl::log
