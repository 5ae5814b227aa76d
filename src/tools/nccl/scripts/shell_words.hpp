// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nettune::tools::nccl::scripts {

/// A word of a shell, without its quotes.
struct ShellWord {
  std::string text;
  int line = 0;
  bool computed = false;  ///< has a $ or ` that the shell expands
  bool quoted = false;    ///< at least a part of it
  bool open = false;      ///< a quote in it has no end
  bool goes_on = false;   ///< ends with a comma, and a space cuts off the rest
};

/// The text of << END.
struct HereDocument {
  std::string text;
  int line = 0;          ///< of its first line
  bool expands = false;  ///< the shell expands $ and ` in it
};

/// The content of $(...) or `...`, which is a script itself.
struct Substitution {
  std::string_view text;
  int line = 0;
};

/// A simple command, up to ; & | ( ) or the end of its line.
struct ShellCommand {
  std::vector<ShellWord> words;
  std::string target;  ///< the file that > or >> names
  std::vector<HereDocument> documents;
  std::vector<Substitution> substitutions;
  std::string_view line;  ///< its unchanged line, up to 4096 bytes
  bool piped = false;     ///< into the next one
  char behind = '\0';     ///< '&' or '|' if && or || is before it
  char before = '\0';     ///< what ends it: one of ; & | ( ), or nothing at the end of its line
  int parentheses = 0;    ///< that are open around it
};

/// Splits a script into commands, as far as that is possible without a shell. It ends for any
/// bytes. The result points into the text.
std::vector<ShellCommand> split_shell(std::string_view text);

}  // namespace nettune::tools::nccl::scripts
