// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::nccl {

/// What becomes of a variable that somebody set.
enum class Verdict {
  ok,
  advice,            ///< it is taken as meant, and there is something to know about it
  unknown_name,      ///< nobody reads it
  not_in_version,    ///< not read by this release
  misread,           ///< read as something else than is written
  out_of_range,      ///< read, and no value that NCCL can use as it is
  not_on_this_link,  ///< has no effect on the link layer of this node
  defeated,          ///< another place that sets it wins
  conflict,          ///< another variable makes it pointless
  not_on_this_node,  ///< names something that this node has not
  unsettled,         ///< the source does not tell
};

/// How bad it is. From warning on, something is not as whoever wrote it may think.
enum class Level { ok, note, warning, error };

struct Judgement {
  Verdict verdict = Verdict::ok;
  Level level = Level::ok;
  std::string why;
  std::string instead;  ///< what to write; "" where nothing else is meant
  std::string source;   ///< where that is from, for what is not in the catalogue's entry
};

/// The word in JSON and on the terminal: "not_in_version".
std::string_view verdict_word(Verdict verdict);
std::string_view level_word(Level level);

}  // namespace nettune::nccl
