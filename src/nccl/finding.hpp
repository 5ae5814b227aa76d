// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/word_table.hpp"

namespace nettune::nccl {

/// The effect of a variable that is set.
enum class Verdict {
  ok,
  advice,            ///< it works as meant, with something to know about it
  unknown_name,      ///< nobody reads it
  not_in_version,    ///< not read by this release
  misread,           ///< read as something else than written
  out_of_range,      ///< read, but NCCL cannot use the value unchanged
  not_on_this_link,  ///< has no effect on the link layer of this node
  defeated,          ///< another place overrides it
  conflict,          ///< another variable disables it
  not_on_this_node,  ///< names something that this node does not have
  unsettled,         ///< the source does not show it
};

/// Its severity. From warning on, something differs from what the author may expect.
enum class Level { ok, note, warning, error };
inline constexpr auto kLevels = word_table<Level>({
    {Level::ok, "ok"},
    {Level::note, "note"},
    {Level::warning, "warning"},
    {Level::error, "error"},
});

struct Judgement {
  Verdict verdict = Verdict::ok;
  Level level = Level::ok;
  std::string why;
  std::string instead;  ///< what to write instead; "" for nothing
  std::string source;   ///< its source, if that is not the catalogue's entry
};

/// An error: NCCL reads something else than what is written.
Judgement misread(std::string why, std::string instead = {});

/// The word in JSON and on the terminal: "not_in_version".
std::string_view verdict_word(Verdict verdict);
std::string_view level_word(Level level);

}  // namespace nettune::nccl
