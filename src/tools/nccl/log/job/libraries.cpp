// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/libraries.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/evidence.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

/// "2.20.5+cuda12.4", or without CUDA as PyTorch says it; "" where it is none.
std::string version_in(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  text = text.substr(0, std::min(text.find_first_of(" \t\"\\,;)]'"), kLongest));
  // Another process may go on behind it without a newline: "2.7.8+cuda10.2NCCL version ...".
  const auto digit = text.find("+cuda") == text.npos ? text.npos : text.find("+cuda") + 5;
  if (digit < text.size() && text[digit] >= '0' && text[digit] <= '9') {
    text = text.substr(0, text.find_first_not_of("0123456789.", digit));
    // Every CUDA has a minor number of one digit, and the name of a host may begin with others.
    const auto dot = text.find('.', digit);
    if (dot != text.npos) text = text.substr(0, dot + 2);
  }
  while (text.ends_with('.') || text.ends_with(':')) text.remove_suffix(1);
  Cursor at(text);
  const auto major = at.number();
  const auto minor = at.skip(".") ? at.number() : std::nullopt;
  // Up to 1.11 PyTorch says 21.0.3 of 2.10.3.
  if (!major || !minor || *major >= 10) return {};
  return std::string(text);
}

/// "NCCL version: (2, 26, 2)": torch.cuda.nccl.version() as Python prints it; "" for others.
std::string version_in_tuple(std::string_view line) {
  static constexpr std::string_view kWord = "NCCL version: (";
  const auto at = line.find(kWord);
  Cursor rest(at == line.npos ? std::string_view() : line.substr(at + kWord.size()));
  const auto major = rest.number();
  const auto minor = rest.skip(", ") ? rest.number() : std::nullopt;
  const auto patch = rest.skip(", ") ? rest.number() : std::nullopt;
  if (!major || !minor || !patch || !rest.skip(")")) return {};
  return cat(*major, ".", *minor, ".", *patch);
}

/// "# nccl-tests version 2.20.0 nccl-headers=23102 nccl-library=23102" is 2.31.2; "" for others.
/// Its end may be cut, but not its five digits.
std::string library_of_tests(std::string_view line) {
  static constexpr std::string_view kWord = " nccl-library=";
  const auto at = line.find(kWord);
  if (at == line.npos) return {};
  const auto number = Cursor(line.substr(at + kWord.size())).number();
  if (!number || *number < 20900 || *number > 99999) return {};
  return cat(*number / 10000, ".", *number % 10000 / 100, ".", *number % 100);
}

}  // namespace

void take_versions(Log& log, const Position& position, std::string_view line) {
  // The latter of vLLM and SGLang, pynccl.py.
  for (const std::string_view word : {"NCCL version ", "is using nccl=="}) {
    const auto at = line.find(word);
    if (at == line.npos) continue;
    const std::string_view text = line.substr(at + word.size());
    const bool goes_on = text.find_first_of(" \t\"\\,;)]'") != text.npos;
    if (position.is_last() && !goes_on && !is_whole_version(text, position.ends_with_newline()))
      continue;
    const std::string version = version_in(text);
    if (!version.empty()) add_once(log.versions, log.names.id(version));
  }
  // "RCCL version : 2.21.5-main:a29a210+", "RCCL version 2.18.3+hip6.0 HEAD:..." and "RCCL version:
  // 2.27.7".
  static constexpr std::string_view kRccl = "RCCL version";
  if (const auto at = line.find(kRccl); at != line.npos) {
    std::string_view text = line.substr(at + kRccl.size());
    text.remove_prefix(std::min(text.find_first_not_of(": "), text.size()));
    const auto end = text.find_first_of("-+ ");
    const std::string version = version_in(text.substr(0, end));
    const bool is_cut = position.is_last() && end == text.npos &&
                        !is_whole_version(text, position.ends_with_newline());
    if (!is_cut && !version.empty()) add_once(log.versions, log.names.id(cat(version, " (RCCL)")));
  }
  for (const std::string& version : {library_of_tests(line), version_in_tuple(line)})
    if (!version.empty()) add_once(log.versions, log.names.id(version));
}

void take_libfabric(Log& log, std::string_view line) {
  constexpr std::size_t kLongest = 200;
  static constexpr std::string_view kWarn = "<warn> ";
  const auto begin = line.find("libfabric:");
  const auto warn = begin == line.npos ? begin : line.find(kWarn, begin);
  if (warn == line.npos) return;
  std::string_view text = line.substr(warn + kWarn.size());
  text = text.substr(0, text.find(" | libfabric:"));  // CloudWatch may show a line twice
  add_once(log.libfabric, log.names.id(trim(text).substr(0, kLongest)));
}

}  // namespace nettune::tools::nccl::log::job
