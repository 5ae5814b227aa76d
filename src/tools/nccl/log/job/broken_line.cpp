// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/broken_line.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

/// Of Slurm: "*** JOB 1 ON n CANCELLED AT time DUE TO reason ***".
bool lacks_end_of_slurm(std::string_view line) {
  static constexpr std::string_view kBegin = "slurmstepd: error: ***";
  const auto begin = line.find(kBegin);
  return begin != line.npos && line.find("***", begin + kBegin.size()) == line.npos;
}

bool is_broken_off(std::string_view line) {
  if (lacks_end_of_slurm(line)) return true;
  line = trim(line);
  // "[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:534]"
  const auto gloo = line.rfind("gloo/transport/tcp/");
  if (gloo != line.npos && line.ends_with(']') && line.find(' ', gloo) == line.npos) return true;
  const auto client = line.find("client socket has timed out after ");
  return client != line.npos && line.find(" while", client) == line.npos;
}

/// How the rest of such a line begins.
bool goes_on(std::string_view line) {
  static constexpr std::string_view kRests[] = {"CANCELLED AT",
                                                "DUE TO ",
                                                "SEE SLURMCTLD",
                                                "***",
                                                "Connection ",
                                                "Read ",
                                                "Write ",
                                                "Timed out ",
                                                "Socket ",
                                                "writev ",
                                                "Application timeout",
                                                "while trying",
                                                "trying to connect"};
  line = trim(line);
  // "2020-07-29T18:45:16 DUE TO NODE FAILURE,"
  if (line.starts_with("20") && line.find('T') == 10) return true;
  return std::any_of(std::begin(kRests), std::end(kRests),
                     [&](std::string_view rest) { return line.starts_with(rest); });
}

}  // namespace

bool BrokenLine::begin(std::string_view line, std::uint64_t at) {
  if (!is_broken_off(line)) return false;
  text_ = line;
  line_ = at;
  return true;
}

bool BrokenLine::join(std::string_view line) {
  constexpr std::size_t kLongest = 600;
  if (!goes_on(line) || text_.size() > kLongest) return false;
  text_ = cat(trim(text_), " ", trim(line));
  return true;
}

bool BrokenLine::is_whole() const { return !is_broken_off(text_); }

bool BrokenLine::is_unfinished_end() const { return lacks_end_of_slurm(text_); }

}  // namespace nettune::tools::nccl::log::job
