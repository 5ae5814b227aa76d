// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

/// The command line of one command: a table of its options, how words are read by it, and its help.
/// nettune's own commands and every program of libexec use it.
namespace nettune::cli {

/// Where the words go. Its type says what the option takes: nothing, nothing but to be counted, one
/// value, or a value each time it is given.
using Target = std::variant<bool*, int*, std::string*, std::vector<std::string>*>;

/// One option, one positional word, or the words behind "--".
struct Option {
  std::string_view name;  ///< "--json", "-v,--verbose"; "profile": a positional; "--": what follows
  std::string_view
      meta;  ///< what help calls the value: "DIR"; "": a flag, or as a positional's name
  std::string_view help;  ///< "": it is not shown
  Target target;
  bool required = false;
};
using Options = std::vector<Option>;

/// A command as its help shows it.
struct CommandLine {
  std::string_view name;     ///< "plan"
  std::string_view summary;  ///< at most 60 characters
  Options options;
};

/// What --help and --version asked for: text for standard output.
struct Information {
  std::string text;
};

/// A mistake on the command line, with where help is.
Failure usage(std::string text, std::string_view command = {});

/// Reads `words`, which do not begin with the command's, into the targets. A text when --help or
/// --version asks for it. Every mistake is Errc::invalid and names the word: an unknown option
/// (with the nearest that is known), a word too many, a value that is missing or empty, what is
/// required.
Result<std::optional<Information>> read_words(const CommandLine& line,
                                              std::span<const char* const> words);

/// At most 80 columns wide.
std::string help_text(const CommandLine& line);
std::string version_text();

/// "--json", "--verbose", ...
std::vector<std::string> option_names(const Options& options);
/// Whether the next word is the value of `word`, as of "--site".
bool takes_value(const Options& options, std::string_view word);

}  // namespace nettune::cli
