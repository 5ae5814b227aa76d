// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/marks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "base/text.hpp"
#include "tools/nccl/log/job/mark_texts.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

constexpr std::size_t kShortest = std::ranges::min(kMarks, {}, &std::string_view::size).size();
constexpr std::size_t kGram = 5;
/// Of the grams of kShortest letters, one stands where the text is looked at. No look waits for the
/// one before it: that is what makes this fast.
constexpr std::size_t kStride = kShortest - kGram + 1;

constexpr std::uint64_t gram_at(const char* letters) {
  const auto letter = [&](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(letters[i])} << (8 * i);
  };
  return letter(0) | letter(1) | letter(2) | letter(3) | letter(4);
}

constexpr std::uint64_t hash_of_gram(std::uint64_t gram) {
  return (gram * 0x9E3779B97F4A7C15ULL) >> 48U;
}

/// How often a letter is in texts, roughly.
constexpr std::uint64_t commonness(char letter) {
  constexpr std::string_view kCommon = " etaoinsrhldcum";
  const auto at = kCommon.find(letter);
  return at == kCommon.npos ? 1 : kCommon.size() + 2 - at;
}

/// Where in a mark the kShortest letters begin of which the grams are the rarest in texts.
constexpr std::size_t rarest_part(std::string_view mark) {
  std::size_t best = 0;
  std::uint64_t least = UINT64_MAX;
  for (std::size_t begin = 0; begin + kShortest <= mark.size(); ++begin) {
    std::uint64_t sum = 0;
    for (std::size_t at = begin; at < begin + kStride; ++at) {
      std::uint64_t product = 1;
      for (std::size_t i = 0; i < kGram; ++i) product *= commonness(mark[at + i]);
      sum += product;
    }
    if (sum < least) {
      least = sum;
      best = begin;
    }
  }
  return best;
}

/// Where in which mark a gram stands.
struct Place {
  std::uint64_t gram = 0;
  std::uint16_t mark = 0;
  std::uint16_t offset = 0;
};

// Made when the program starts: it is more than clang lets a compiler do.
const auto kPlaces = [] {
  std::array<Place, kMarks.size() * kStride> places{};
  std::size_t i = 0;
  for (std::size_t mark = 0; mark < kMarks.size(); ++mark) {
    const std::size_t part = rarest_part(kMarks[mark]);
    for (std::size_t at = part; at < part + kStride; ++at)
      places[i++] = {gram_at(kMarks[mark].data() + at), static_cast<std::uint16_t>(mark),
                     static_cast<std::uint16_t>(at)};
  }
  std::ranges::sort(places, {}, &Place::gram);
  return places;
}();

/// A bit for the hash of each of these grams.
const auto kSieve = [] {
  std::array<std::uint64_t, 1024> sieve{};
  for (const Place& place : kPlaces) {
    const std::uint64_t hash = hash_of_gram(place.gram);
    sieve[hash / 64] |= std::uint64_t{1} << (hash % 64);
  }
  return sieve;
}();

/// The begin, `from` or later, of a mark of which the gram at `at` is a part; npos for none.
std::size_t mark_around(std::string_view text, std::size_t from, std::size_t at,
                        std::uint64_t gram) {
  for (const auto* place = std::ranges::lower_bound(kPlaces, gram, {}, &Place::gram);
       place != kPlaces.end() && place->gram == gram; ++place)
    if (at - from >= place->offset &&
        text.substr(at - place->offset).starts_with(kMarks[place->mark]))
      return at - place->offset;
  return text.npos;
}

/// Where the first mark is from `from` on; npos for none.
std::size_t first_mark(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at + kGram <= text.size(); at += kStride) {
    const std::uint64_t gram = gram_at(text.data() + at);
    const std::uint64_t hash = hash_of_gram(gram);
    if ((kSieve[hash / 64] >> (hash % 64) & 1U) == 0) continue;
    if (const std::size_t mark = mark_around(text, from, at, gram); mark != text.npos) return mark;
  }
  return text.npos;
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

std::size_t find_marked_line(std::string_view lines, std::size_t from) {
  const std::size_t mark = first_mark(lines, from);
  const std::size_t interrupt = first_interrupt(lines.substr(0, mark), from);
  if (interrupt != lines.npos) return interrupt;
  if (mark == lines.npos) return lines.npos;
  const auto newline = mark == 0 ? lines.npos : lines.rfind('\n', mark - 1);
  return newline == lines.npos || newline < from ? from : newline + 1;
}

}  // namespace nettune::tools::nccl::log::job
