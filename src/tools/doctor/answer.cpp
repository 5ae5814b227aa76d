// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/answer.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "base/word_table.hpp"

namespace nettune::tools::doctor {
namespace {

struct Row {
  int code;  ///< of nvmlReturn_t; -1 for words that only nvidia-smi has
  std::string_view word;
  Answer answer;
};

/// NVML's return codes with the texts of nvmlErrorString(), which nvidia-smi prints in the place of
/// values, and nvidia-smi's own words.
constexpr auto kRows = std::to_array<Row>({
    {0, "Success", Answer::value},
    {1, "Uninitialized", Answer::error},
    {2, "Invalid Argument", Answer::not_supported},
    {3, "Not Supported", Answer::not_supported},
    {4, "Insufficient Permissions", Answer::no_permission},
    {6, "Not Found", Answer::not_supported},
    {8, "Insufficient External Power", Answer::error},
    {9, "Driver Not Loaded", Answer::error},
    {10, "Timeout", Answer::error},
    {11, "Interrupt Request Issue", Answer::error},
    {13, "Function Not Found", Answer::not_supported},
    {14, "Corrupted infoROM", Answer::error},
    {15, "GPU is lost", Answer::lost},
    {16, "GPU requires reset", Answer::reset_required},
    {17, "GPU access blocked by the operating system", Answer::no_permission},
    {18, "Driver/library version mismatch", Answer::error},
    {19, "In use by another client", Answer::not_supported},
    {21, "No data", Answer::not_supported},
    {22, "ECC not supported on vGPU", Answer::not_supported},
    {25, "Argument version mismatch", Answer::not_supported},
    {26, "Requested functionality has been deprecated", Answer::not_supported},
    {27, "Not Ready", Answer::not_supported},
    {999, "Unknown Error", Answer::error},
    {-1, "ERR!", Answer::error},
    {-1, "Error", Answer::error},
    {-1, "N/A", Answer::not_supported},
    {-1, "Unknown", Answer::not_supported},
});

constexpr auto kWords = word_table<Answer>({
    {Answer::value, "value"},
    {Answer::not_supported, "not supported"},
    {Answer::no_permission, "not permitted"},
    {Answer::error, "error"},
    {Answer::reset_required, "reset required"},
    {Answer::lost, "lost"},
});

}  // namespace

Answer answer_of_code(int code) {
  const auto* const row = std::ranges::find(kRows, code, &Row::code);
  return row == kRows.end() ? Answer::error : row->answer;
}

Answer answer_of_word(std::string_view text) {
  text = trim(text);
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  if (text.empty()) return Answer::not_supported;
  const std::string small = lower(text);
  // nvidia-smi adds advice: "GPU is lost.  Reboot the system to recover this GPU".
  for (const Row& row : kRows) {
    const std::string word = lower(row.word);
    if (row.answer == Answer::value || !small.starts_with(word)) continue;
    if (small.size() == word.size() || small.compare(word.size(), 1, ".") == 0) return row.answer;
  }
  return kWords.value(text).value_or(Answer::value);
}

std::string_view answer_word(Answer answer) { return kWords.word(answer); }

}  // namespace nettune::tools::doctor
