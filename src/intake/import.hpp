// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/word_table.hpp"
#include "intake/profile_text.hpp"
#include "node/context.hpp"

namespace nettune::intake {

enum class Format { tuned, sysctl, saptune };
inline constexpr auto kFormats = word_table<Format>(
    {{Format::tuned, "tuned"}, {Format::sysctl, "sysctl"}, {Format::saptune, "saptune"}});

struct ImportRequest {
  Format format = Format::sysctl;
  std::vector<std::string> files;
  std::string name;     ///< of the profile; "": that of the first file
  std::string extends;  ///< "" for no parent
  std::string root;     ///< in front of /etc/tuned and /usr/lib/tuned
};

/// What became of a line.
enum class Fate {
  translated,
  in_part,  ///< some of it; the note says what is missing
  already,  ///< the parent sets the same
  untranslated
};
/// In JSON.
inline constexpr auto kFates = word_table<Fate>({{Fate::translated, "translated"},
                                                 {Fate::in_part, "in_part"},
                                                 {Fate::already, "already"},
                                                 {Fate::untranslated, "untranslated"}});

/// A line with content: no comment, no heading.
struct ImportedLine {
  std::string file;
  int line = 0;
  std::string text;
  Fate fate = Fate::untranslated;
  std::string note = {};  ///< the key of the profile, or the reason

  std::string where() const;
};

struct Import {
  ProfileText profile;
  std::vector<ImportedLine> lines;  ///< every one, in the order in which they take effect
  std::vector<std::string> notes;
  bool complete = true;  ///< false if a file that belongs to it could not be read

  std::size_t count(Fate fate) const;
};

/// Files of others as a profile, with an account of every line (docs/capture-import.md). Only
/// reads. Errc::not_found for a file that does not exist.
Result<Import> import(node::Context& context, const ImportRequest& request);

/// "38 lines: 21 translated, 4 already in base, 13 not translated".
std::string summary_of(const Import& import, std::string_view parent);

}  // namespace nettune::intake
