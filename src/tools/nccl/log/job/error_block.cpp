// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/error_block.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/nccl/log/voice.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

constexpr std::string_view kLast = "Last error:";
constexpr std::size_t kMostOpenBlocks = 64;
constexpr unsigned kMostLines = 2;  ///< of the same voice between a kind and its "Last error:"
constexpr std::size_t kLongestBlockText = 1000;  ///< a quote of it is cut later, with a mark

/// Where "ncclSystemError: " and its like stand (torch/csrc/distributed/c10d/NCCLUtils.cpp,
/// getNcclErrorDetailStr); npos for nowhere.
std::size_t find_kind(std::string_view line) {
  static constexpr std::string_view kKinds[] = {
      "UnhandledCudaError: ", "SystemError: ",  "InternalError: ",
      "InvalidArgument: ",    "InvalidUsage: ", "RemoteError: "};
  for (auto at = line.find("nccl"); at != line.npos; at = line.find("nccl", at + 4))
    for (const std::string_view kind : kKinds)
      if (line.substr(at + 4).starts_with(kind)) return at;
  return line.npos;
}

/// The text of a last error; "" where the line is of something else: nothing, or C++'s trace.
std::string_view text_of(std::string_view line) {
  const std::string_view text = trim(line);
  for (const std::string_view other : {"Exception raised from", "Traceback ", "frame #", "File \""})
    if (text.starts_with(other)) return {};
  if (text.find("NCCL error in: ") != text.npos) return {};  // the next block begins
  return text.substr(0, kLongestBlockText);
}

/// A line of code in a traceback: NCCL's last errors are not indented.
bool is_indented(std::string_view text) { return text.starts_with("  ") || text.starts_with('\t'); }

/// All of it on one line, where somebody made blanks of the newlines (tatsu-lab/stanford_alpaca
/// issue 207).
std::optional<ErrorBlocks::Found> found_between_blanks(std::string_view line, std::size_t kind) {
  const auto last = line.find(kLast, kind);
  if (last == line.npos) return {};
  std::string_view text = line.substr(last + kLast.size());
  text = trim(text.substr(0, std::min(text.find("Exception raised from"), text.find(" frame #"))));
  if (text.empty()) return {};  // it is on the next line
  return ErrorBlocks::Found{
      std::string(trim(line.substr(kind, last - kind)).substr(0, kLongestBlockText)),
      std::string(text_of(text))};
}

/// All of it on one line, as repr() of Python writes it: "\\n" for each newline.
std::optional<ErrorBlocks::Found> found_in_one_line(std::string_view line, std::size_t kind) {
  static constexpr std::string_view kNewline = "\\n";
  const auto last = line.find(cat(kNewline, kLast), kind);
  if (last == line.npos) return found_between_blanks(line, kind);
  const std::string_view what = line.substr(kind, line.find(kNewline, kind) - kind);
  std::string_view text = line.substr(last + kNewline.size() + kLast.size());
  if (text.starts_with(kNewline)) text.remove_prefix(kNewline.size());
  text = text.substr(0, std::min(text.find(kNewline), text.find_first_of("\"'")));
  return ErrorBlocks::Found{std::string(what.substr(0, kLongestBlockText)),
                            std::string(text_of(text))};
}

}  // namespace

bool ErrorBlocks::begins(std::string_view line) { return find_kind(line) != line.npos; }

bool ErrorBlocks::concerns(std::string_view line) const { return waits() || begins(line); }

std::vector<ErrorBlocks::Found> ErrorBlocks::take(std::string_view line) {
  std::vector<Found> found;
  const std::uint64_t voice = voice_of(line);
  const auto open = std::find_if(open_.rbegin(), open_.rend(),
                                 [&](const Block& block) { return block.voice == voice; });
  if (const auto kind = find_kind(line); kind != line.npos) {
    if (open != open_.rend()) {
      found.push_back({std::move(open->kind), {}});
      open_.erase(std::next(open).base());
    }
    if (auto whole = found_in_one_line(line, kind)) {
      found.push_back(std::move(*whole));
    } else if (open_.size() < kMostOpenBlocks) {
      Block& block = open_.emplace_back();
      block.voice = voice;
      block.kind = trim(line.substr(kind)).substr(0, kLongestBlockText);
      block.said = line.find(kLast, kind) != line.npos;
    }
    return found;
  }
  if (open == open_.rend()) return found;
  const auto last = line.find(kLast);
  if (!open->said && last == line.npos) {
    if (++open->waited < kMostLines) return found;
    found.push_back({std::move(open->kind), {}});
  } else if (!open->said) {
    open->said = true;
    open->front = line.substr(0, last);
    const std::string_view text = text_of(line.substr(last + kLast.size()));
    if (text.empty()) return found;
    found.push_back({std::move(open->kind), std::string(text)});
  } else {
    const std::string_view text = without_front(line, open->front);
    found.push_back(
        {std::move(open->kind), std::string(is_indented(text) ? "" : text_of(text)), open->blank});
  }
  open_.erase(std::next(open).base());
  return found;
}

void ErrorBlocks::blank() {
  for (Block& block : open_) block.blank = block.blank || (block.said && block.voice == 0);
}

std::vector<ErrorBlocks::Found> ErrorBlocks::end() {
  std::vector<Found> found;
  for (Block& block : open_) found.push_back({std::move(block.kind), {}});
  open_.clear();
  return found;
}

}  // namespace nettune::tools::nccl::log::job
