// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "node/context.hpp"

/// The command line of one command: its table of options, the parser, and the help. nettune's own
/// commands and every program of libexec use it.
namespace nettune::cli {

/// The target of an option. Its type says what the option takes: a flag, a counted flag, one value,
/// or repeated values.
using Target = std::variant<bool*, int*, std::string*, std::vector<std::string>*>;

/// One option, one positional, or the words after "--".
struct Option {
  std::string_view name;  ///< "--json", "-v,--verbose"; "profile": a positional; "--": the rest
  std::string_view
      meta;  ///< the value's name in help: "DIR"; "": a flag, or a positional's own name
  std::string_view help;  ///< "": not shown
  Target target;
  bool required = false;
  /// Candidates of completion for the value, after the words `before` it; nullptr for a positional,
  /// and if the shell knows better (files).
  std::vector<std::string> (*values)(node::Context&, std::span<const std::string> before) = nullptr;
};
using Options = std::vector<Option>;

/// A command as shown in its help.
struct CommandLine {
  std::string_view name;     ///< "plan"
  std::string_view summary;  ///< at most 60 characters
  Options options;
  std::string_view example = {};  ///< a whole line that works; "" for none
};

/// The text for --help or --version, for standard output.
struct Information {
  std::string text;
};

/// A mistake on the command line, with a hint to the help.
Failure usage(std::string text, std::string_view command = {});

/// Parses `words`, without the command itself, into the targets. Returns a text for --help or
/// --version. Every mistake is Errc::invalid and names the word: an unknown option (with the
/// nearest known one), an extra word, a missing or empty value, a missing required word.
Result<std::optional<Information>> read_words(const CommandLine& line,
                                              std::span<const char* const> words);

/// The help, at most 80 columns wide.
std::string help_text(const CommandLine& line);
std::string version_text();

/// "--json", "--verbose", ...
std::vector<std::string> option_names(const Options& options);
/// Whether the next word is the value of `word`, as after "--site".
bool takes_value(const Options& options, std::string_view word);

}  // namespace nettune::cli
