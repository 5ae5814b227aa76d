// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nettune::nccl {

/// A word of a shell with its quotes taken off.
struct ShellWord {
  std::string text;
  int line = 0;
  bool computed = false;  ///< has a $ or ` that the shell replaces
  bool quoted = false;    ///< a part of it, at least
  bool open = false;      ///< a quote in it has no end
  bool goes_on = false;   ///< ends with a comma, and a blank cuts off what follows
};

/// A text that a command gets by << END.
struct HereDocument {
  std::string text;
  int line = 0;          ///< of its first line
  bool expands = false;  ///< the shell replaces what has a $ or ` in it
};

/// What stands in $(...) or `...`: a script of its own.
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
  std::string_view line;  ///< its line, as it stands there, up to 4096 bytes
  bool piped = false;     ///< into the next one
  char behind = '\0';     ///< '&' or '|' where && or || stands in front of it
  char before = '\0';     ///< what ends it: one of ; & | ( ), or nothing at the end of its line
  int parentheses = 0;    ///< that are open around it
};

/// Cuts a script into commands, as far as that needs no shell. Whatever the bytes, it ends. What it
/// gives points into the text.
std::vector<ShellCommand> split_shell(std::string_view text);

}  // namespace nettune::nccl
