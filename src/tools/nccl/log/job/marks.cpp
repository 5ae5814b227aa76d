// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/marks.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "tools/nccl/log/recognisers.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

/// What is read of lines that the catalogue has no cause for.
constexpr std::string_view kOfReaders[] = {
    // libraries.cpp, world_size.cpp
    "RCCL version",
    " nccl-library=",
    "is using nccl==",
    "libfabric:",
    "world_size",
    "world size",
    "WORLD_SIZE",
    // traceback.cpp, torchrun_report.cpp, wrapped.cpp, and the ends that launchers report
    "Traceback (most recent call last)",
    "Failures:",
    "time      : ",
    "host      : ",
    "rank      : ",
    "exitcode  : ",
    "gloo/transport/tcp/",
    "client socket has",
    "srun: error: ",
    "exited on signal ",
    // ras.cpp
    "Group     Comms     Nodes",
    "Communicator ranks have different ",
    "Missing communicator data from ",
    "(unreachable via the RAS network)",
    // nccl-tests: tests_table.cpp, with the headings of its releases, and tests_listing.cpp
    "Out of bounds values",
    "Avg bus bandwidth",
    "busbw #wrong",
    "busbw  #wrong",
    "busbw error",
    "busbw  error",
    "   float   ",
    "    half   ",
    "bfloat16     sum",
    "Collective test starting",
    "reduce_perf",
    "gather_perf",
    "scatter_perf",
    "alltoall_perf",
    "alltoallv_perf",
    "broadcast_perf",
    "sendrecv_perf",
    "hypercube_perf",
    " Group  0 Pid ",
    "#   Rank ",
    "# Rank 0 on ",
    // bare.cpp: NCCL without its prefix
    "Got completion from peer ",
    "Got completion with ",
    "Got async event",
    "Call to ibv_",
    "ncclSocketInit: ",
    "socketProgress: ",
    "socketProgressOpt: ",
    "include/socket.h:",
    "misc/socket.cc:",
    "misc/ibvwrap.c",
    "misc/shmutils.cc:",
    "transport/net_",
};

constexpr std::size_t kGram = 5;
/// Of the grams of kShortestMark letters, one stands where the text is looked at. No look waits for
/// the one before it: that is what makes this fast.
constexpr std::size_t kStride = kShortestMark - kGram + 1;

std::uint64_t gram_at(const char* letters) {
  const auto letter = [&](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(letters[i])} << (8 * i);
  };
  return letter(0) | letter(1) | letter(2) | letter(3) | letter(4);
}

std::uint64_t hash_of_gram(std::uint64_t gram) { return (gram * 0x9E3779B97F4A7C15ULL) >> 48U; }

/// How often each letter is in texts, roughly.
constexpr auto kCommonness = [] {
  constexpr std::string_view kCommon = " etaoinsrhldcum";
  std::array<std::uint64_t, 256> all{};
  all.fill(1);
  for (std::size_t i = 0; i < kCommon.size(); ++i)
    all[static_cast<unsigned char>(kCommon[i])] = kCommon.size() + 2 - i;
  return all;
}();

/// A part of a mark that has kShortestMark letters: where it begins, and how common its grams are.
struct Part {
  std::size_t begin = 0;
  std::uint64_t common = UINT64_MAX;
};

/// How common the gram at `letters` is.
std::uint64_t commonness(const char* letters) {
  const auto of = [&](std::size_t i) {
    return kCommonness[static_cast<unsigned char>(letters[i])];
  };
  return of(0) * of(1) * of(2) * of(3) * of(4);
}

Part rarest_part(std::string_view mark) {
  Part best;
  std::uint64_t sum = 0;
  for (std::size_t end = 0; end + kGram <= mark.size(); ++end) {
    sum += commonness(mark.data() + end);
    if (end + 1 < kStride) continue;
    const std::size_t begin = end + 1 - kStride;
    if (sum < best.common) best = {begin, sum};
    sum -= commonness(mark.data() + begin);
  }
  return best;
}

/// Of texts that are all in a message, the one that others have the least. Another cause's mark
/// in them is as good.
std::string_view rarest_of(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return texts.front();
  return *std::ranges::min_element(
      texts, {}, [](const std::string& text) { return rarest_part(text).common; });
}

/// The first line of "^C" alone, which is too short for a mark.
std::size_t first_interrupt(std::string_view lines, std::size_t from) {
  for (auto at = lines.find('^', from); at != lines.npos; at = lines.find('^', at + 1)) {
    if (at != from && lines[at - 1] != '\n') continue;
    if (is_interrupt(lines.substr(at, lines.find('\n', at) - at))) return at;
  }
  return lines.npos;
}

}  // namespace

Marks::Marks(const std::vector<Cause>& causes)
    : marks_(std::begin(kOfReaders), std::end(kOfReaders)) {
  for (const Recogniser& one : kRecognisers)
    if (!one.mark.empty()) marks_.push_back(one.mark);
  for (const Cause& cause : causes) {
    // Of a traceback the begin is a mark.
    if (cause.by == Cause::By::nccl || !cause.at.empty()) continue;
    for (const std::vector<std::string>& texts : cause.any) marks_.push_back(rarest_of(texts));
  }
  std::ranges::sort(marks_);
  marks_.erase(std::unique(marks_.begin(), marks_.end()), marks_.end());
  for (std::uint32_t mark = 0; mark < marks_.size(); ++mark) {
    const std::size_t part = rarest_part(marks_[mark]).begin;
    for (std::size_t at = part; at < part + kStride; ++at)
      places_.push_back({gram_at(marks_[mark].data() + at), mark, static_cast<std::uint32_t>(at)});
  }
  std::ranges::sort(places_, {}, &Place::gram);
  for (const Place& place : places_) {
    const std::uint64_t hash = hash_of_gram(place.gram);
    sieve_[hash / 64] |= std::uint64_t{1} << (hash % 64);
  }
}

/// The begin, `from` or later, of a mark of which the gram at `at` is a part; npos for none.
std::size_t Marks::mark_around(std::string_view text, std::size_t from, std::size_t at,
                               std::uint64_t gram) const {
  for (auto place = std::ranges::lower_bound(places_, gram, {}, &Place::gram);
       place != places_.end() && place->gram == gram; ++place)
    if (at - from >= place->offset &&
        text.substr(at - place->offset).starts_with(marks_[place->mark]))
      return at - place->offset;
  return text.npos;
}

/// Where the first mark is from `from` on; npos for none.
std::size_t Marks::first_mark(std::string_view text, std::size_t from) const {
  for (std::size_t at = from; at + kGram <= text.size(); at += kStride) {
    const std::uint64_t gram = gram_at(text.data() + at);
    const std::uint64_t hash = hash_of_gram(gram);
    if ((sieve_[hash / 64] >> (hash % 64) & 1U) == 0) continue;
    if (const std::size_t mark = mark_around(text, from, at, gram); mark != text.npos) return mark;
  }
  return text.npos;
}

bool is_interrupt(std::string_view line) {
  line = trim(line);
  return line == "^C" || line == "^C^C" || line == "KeyboardInterrupt" ||
         line.ends_with("]: KeyboardInterrupt");
}

bool is_terminated(std::string_view line) {
  static constexpr std::string_view kJobs[] = {"python", "torchrun",   "mpirun",
                                               "srun ",  "accelerate", "deepspeed"};
  constexpr std::string_view kBefore = "Terminated  ";  // a command
  line = trim(line);
  if (line == trim(kBefore)) return true;
  // "[1]+  Terminated              python train.py", "./run.sh: line 7: 4242 Terminated  ..."
  const auto at = line.find(kBefore);
  if (at == line.npos) return false;
  const std::string_view before = line.substr(0, at);
  if (!before.empty() && before.front() != '[' && before.find(": line ") == before.npos)
    return false;
  const std::string_view command = line.substr(at + kBefore.size());
  return std::any_of(std::begin(kJobs), std::end(kJobs),
                     [&](std::string_view job) { return command.find(job) != command.npos; });
}

std::size_t Marks::find_line(std::string_view lines, std::size_t from) const {
  const std::size_t mark = first_mark(lines, from);
  const std::size_t interrupt = first_interrupt(lines.substr(0, mark), from);
  if (interrupt != lines.npos) return interrupt;
  if (mark == lines.npos) return lines.npos;
  const auto newline = mark == 0 ? lines.npos : lines.rfind('\n', mark - 1);
  return newline == lines.npos || newline < from ? from : newline + 1;
}

}  // namespace nettune::tools::nccl::log::job
