// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/text_above.hpp"

#include "tools/nccl/log/causes.hpp"
#include "tools/nccl/log/lines.hpp"

namespace nettune::tools::nccl::log::job {

std::string text_above(std::string_view lines) {
  constexpr std::size_t kLongest = 160;
  constexpr unsigned kMost = 64;
  for (unsigned back = 0; back < kMost && !lines.empty(); ++back) {
    if (lines.ends_with('\n')) lines.remove_suffix(1);
    const auto newline = lines.rfind('\n');
    const std::size_t begin = newline == lines.npos ? 0 : newline + 1;
    const std::string text = shown_text(lines.substr(begin)).text;
    lines = lines.substr(0, begin);
    const bool is_of_slurm =
        text.find("srun: ") != text.npos || text.find("slurmstepd: ") != text.npos;
    if (!text.empty() && !is_of_slurm) return begin_of(text, kLongest);
  }
  return {};
}

}  // namespace nettune::tools::nccl::log::job
