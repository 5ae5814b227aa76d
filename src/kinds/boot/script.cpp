// SPDX-License-Identifier: Apache-2.0
#include "kinds/boot/script.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "kinds/boot/argument.hpp"

namespace nettune::kinds::boot {

namespace {

constexpr std::string_view kHead =
    "#!/bin/sh\n"
    "# Written by nettune, and only by it: arguments of the kernel for GRUB's menu "
    "(docs/boot.md).\n"
    "# To undo it by hand: remove this file and /etc/default/grub.d/zz-nettune.cfg, run "
    "update-grub.\n";
constexpr std::string_view kWanted = "# wanted ";
constexpr std::string_view kTrial = "# trial";
constexpr std::string_view kKept = "# kept ";
constexpr std::string_view kBegin = "cat << 'NETTUNE'\n";
constexpr std::string_view kEnd = "NETTUNE\n";
constexpr std::string_view kDefaultsHead =
    "# Written by nettune, and only by it: the arguments are in /etc/grub.d/42_nettune.\n";

std::size_t slots(const Script& script) {
  return std::max(words_of(script.wanted).size(), script.trial ? script.kept.size() : 0);
}

std::string slot(std::size_t index) { return cat("nettune_", index + 1); }
std::string used_slot(std::size_t index) { return cat("\"$", slot(index), "\""); }

/// In single quotes GRUB changes nothing; a word has none (argument.cpp takes none). A word with
/// blanks reaches the kernel in quotes.
std::string assignments(const std::vector<std::string>& words, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += cat("  set ", slot(i), "=", i < words.size() ? cat('\'', words[i], '\'') : "", "\n");
  return text;
}

bool is_plain(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return c >= ' ' && c <= '~' && c != '\'' && c != '"' && c != '\\';
  });
}

}  // namespace

std::vector<std::string> words_of(const Values& wanted) {
  std::vector<std::string> words;
  for (const auto& [name, value] : wanted)
    std::ranges::copy(words_of(std::string_view(name), std::string_view(value)),
                      std::back_inserter(words));
  return words;
}

std::vector<std::string> usual_words(const Script& script) {
  return script.trial ? script.kept : words_of(script.wanted);
}

std::string menu_text(const Script& script) {
  const std::size_t count = slots(script);
  std::string text = cat("if [ \"${nettune_off}\" = 1 ]; then\n", assignments({}, count));
  // The variable is gone before the kernel runs: a boot that hangs is not tried again.
  if (script.trial)
    text += cat(
        "elif [ \"${nettune_trial}\" = 1 ]; then\n  set nettune_trial=\n  save_env nettune_trial\n",
        assignments(words_of(script.wanted), count));
  text += cat("else\n", assignments(usual_words(script), count), "fi\n");
  for (std::size_t i = 0; i < count; ++i) text += cat("export ", slot(i), "\n");
  return cat(text,
             "menuentry 'Debian, without the kernel arguments of nettune' --id nettune-without {\n"
             "  set nettune_off=1\n"
             "  export nettune_off\n"
             "  configfile \"${prefix}/grub.cfg\"\n"
             "}\n");
}

std::string script_text(const Script& script) {
  std::string text(kHead);
  for (const auto& [name, value] : script.wanted) text += cat(kWanted, name, " ", value, "\n");
  if (script.trial) {
    text += cat(kTrial, "\n");
    for (const std::string& word : script.kept) text += cat(kKept, word, "\n");
  }
  return cat(text, kBegin, menu_text(script), kEnd);
}

std::optional<Script> parse_script(std::string_view text) {
  if (!text.starts_with(kHead)) return std::nullopt;
  Script script;
  for (const std::string_view line : split(text.substr(kHead.size()), '\n')) {
    if (line.starts_with(kWanted)) {
      const std::string_view rest = line.substr(kWanted.size());
      const std::string_view name = rest.substr(0, rest.find(' '));
      const std::string_view value = rest.substr(std::min(rest.size(), name.size() + 1));
      if (canonical_value(name, value).value_or("") != value) return std::nullopt;
      script.wanted.emplace(name, value);
    } else if (line == kTrial) {
      script.trial = true;
    } else if (line.starts_with(kKept)) {
      if (!is_plain(line.substr(kKept.size()))) return std::nullopt;
      script.kept.emplace_back(line.substr(kKept.size()));
    } else {
      break;
    }
  }
  return script_text(script) == text ? std::optional(std::move(script)) : std::nullopt;
}

std::string defaults_text(const Script& script) {
  std::string text = cat(kDefaultsHead, "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT");
  for (std::size_t i = 0; i < slots(script); ++i) text += cat(" \\\"\\$", slot(i), "\\\"");
  return cat(text, "\"\n");
}

std::size_t longest_line(const Script& script, std::string_view grub_cfg) {
  std::size_t ours = 0;
  for (const auto& words : {words_of(script.wanted), script.kept}) {
    std::size_t bytes = 0;
    for (const std::string& word : words) bytes += word.size() + 1;
    ours = std::max(ours, bytes);
  }
  std::size_t longest = 0;
  for (const std::string_view line : split(grub_cfg, '\n'))
    if (const std::size_t at = line.find(used_slot(0)); at != line.npos)
      longest = std::max(longest, trim(line.substr(0, at)).size() + 1 + ours);
  return longest;
}

bool is_in_menu(const Script& script, std::string_view grub_cfg) {
  if (grub_cfg.find(menu_text(script)) == grub_cfg.npos) return false;
  const std::size_t count = slots(script);
  bool used = count == 0;
  for (const std::string_view line : split(grub_cfg, '\n')) {
    if (!trim(line).starts_with("linux") || line.find(used_slot(0)) == line.npos) continue;
    for (std::size_t i = 0; i < count; ++i)
      if (line.find(used_slot(i)) == line.npos) return false;
    if (line.find(used_slot(count)) != line.npos) return false;
    used = true;
  }
  return used;
}

std::vector<std::string> words_in_menu(std::string_view grub_cfg) {
  std::vector<std::string> words;
  for (const std::string_view line : split(grub_cfg, '\n')) {
    const std::size_t quote = line.find("='");
    if (line.starts_with("  set nettune_") && quote != line.npos && line.ends_with('\''))
      words.emplace_back(line.substr(quote + 2, line.size() - quote - 3));
  }
  return words;
}

std::string without_ours(std::string_view grub_cfg) {
  constexpr std::string_view kBlock = "### BEGIN /etc/grub.d/42_nettune ###\n";
  constexpr std::string_view kBlockEnd = "### END /etc/grub.d/42_nettune ###\n";
  std::string text(grub_cfg);
  // grub-mkconfig puts an empty line before each part.
  if (const std::size_t begin = text.find(kBlock); begin != text.npos) {
    const std::size_t end = text.find(kBlockEnd, begin);
    const std::size_t first = begin > 0 && text[begin - 1] == '\n' ? begin - 1 : begin;
    if (end != text.npos) text.erase(first, end + kBlockEnd.size() - first);
  }
  for (std::size_t at = text.find(" \"$nettune_"); at != text.npos;
       at = text.find(" \"$nettune_", at)) {
    const std::size_t quote = text.find('"', at + 2);
    if (quote == text.npos) break;
    text.erase(at, quote + 1 - at);
  }
  return text;
}

}  // namespace nettune::kinds::boot
