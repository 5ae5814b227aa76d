// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/table.hpp"

namespace nettune::cli {

namespace {

constexpr std::string_view kBehind = "--";

bool is_positional(const Option& option) { return !option.name.starts_with('-'); }
bool is_named(const Option& option) { return !is_positional(option) && option.name != kBehind; }
bool is_list(const Option& option) {
  return std::holds_alternative<std::vector<std::string>*>(option.target);
}
bool has_value(const Option& option) {
  return is_list(option) || std::holds_alternative<std::string*>(option.target);
}

/// "--verbose" of "-v,--verbose".
std::string_view long_name(const Option& option) {
  const auto comma = option.name.find(',');
  return comma == std::string_view::npos ? option.name : option.name.substr(comma + 1);
}

/// CLI11 passes the raw words to a callback, without its own conversion. So --set a=b tcp does not
/// swallow tcp, and 0x10 is not a number.
CLI::Option* add(CLI::App& app, const Option& option) {
  const std::string name(option.name);
  if (bool* const* const flag = std::get_if<bool*>(&option.target))
    return app.add_flag(name, **flag);
  if (int* const* const count = std::get_if<int*>(&option.target))
    return app.add_flag(name, **count);
  const auto store = [&option](const CLI::results_t& words_seen) {
    if (is_list(option))
      *std::get<std::vector<std::string>*>(option.target) = words_seen;
    else
      *std::get<std::string*>(option.target) = words_seen.at(0);
    return true;
  };
  CLI::Option* const added = app.add_option(name, CLI::callback_t(store));
  added->type_size(1)->expected(1)->allow_extra_args(false);
  if (!is_list(option)) return added;
  added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  // A positional takes all remaining words, also between options.
  if (is_positional(option))
    added->expected(0, CLI::detail::expected_max_vector_size)->allow_extra_args(true);
  return added;
}

std::string unexpected(const Options& options, const std::string& word) {
  if (!word.starts_with('-') || word == kBehind)
    return cat("unexpected word '", printable(word), "'");
  std::string text = cat("unknown option '", printable(word), "'");
  std::vector<std::string> known = option_names(options);
  known.emplace_back("--help");
  if (const auto near = nearest(word.substr(0, word.find('=')), known))
    return cat(text, "; did you mean ", *near, "?");
  return text;
}

/// An empty value is never intended: it comes from an unset variable of a script. Whoever reads a
/// positional checks it.
bool is_empty(const Option& option, const CLI::Option& seen) {
  return is_named(option) && has_value(option) &&
         std::ranges::any_of(seen.results(), [](const std::string& word) { return word.empty(); });
}

/// CLI11 parses "--site=" as "--site" and takes the next word as its value.
const Option* find_cut_off(const Options& options, std::span<const char* const> words) {
  for (const std::string_view word : words) {
    if (word == kBehind) break;
    for (const Option& option : options)
      if (is_named(option) && has_value(option) && word == cat(option.name, "=")) return &option;
  }
  return nullptr;
}

Failure empty_value(const Option& option, const CommandLine& line) {
  return usage(cat(long_name(option), ": needs a value, but this one is empty"), line.name);
}

/// What CLI11 found wrong with an option, by the name that its text has in front: a value that is
/// missing, or one that a flag does not take.
Failure mistaken_value(std::string_view told, const CommandLine& line) {
  for (const Option& option : line.options) {
    const std::string name(long_name(option));
    const auto at = told.find(name);
    const bool is_it =
        is_named(option) && at != told.npos &&
        (at + name.size() == told.size() ||
         std::string_view(": ,=").find(told[at + name.size()]) != std::string_view::npos);
    if (!is_it) continue;
    if (told.find("ost 1 required but received") != told.npos)
      return usage(cat(name, " is given twice"), line.name);
    if (!has_value(option)) return usage(cat(name, " takes no value"), line.name);
    return usage(cat(name, " needs ", option.meta,
                     option.help.empty() ? std::string() : cat(" (", option.help, ")")),
                 line.name);
  }
  return usage("the options cannot be understood", line.name);
}

/// The left column of an option's help.
std::string shown(const Option& option) {
  std::string text(option.name);
  if (option.name == kBehind) return cat("-- ", option.meta);
  if (const auto comma = text.find(','); comma != std::string::npos) text.insert(comma + 1, " ");
  if (is_positional(option) && !option.meta.empty()) text = option.meta;
  if (is_positional(option)) return is_list(option) ? text + " ..." : text;
  return option.meta.empty() ? text : cat(text, " ", option.meta);
}

std::string row(const std::string& left, std::string_view help) {
  constexpr std::size_t kLeft = 24;
  constexpr std::size_t kWidth = 80;
  const std::string indent(kLeft, ' ');
  const std::string text = wrap(help, indent, kWidth);
  const std::string first = cat("  ", left);
  if (first.size() + 2 > kLeft) return cat(first, "\n", text);
  return cat(first, text.substr(first.size()));
}

}  // namespace

Failure usage(std::string text, std::string_view command) {
  text += command.empty() ? "; see nettune --help" : cat("; see nettune ", command, " --help");
  return fail(Errc::invalid, std::move(text));
}

Result<std::optional<Information>> read_words(const CommandLine& line,
                                              std::span<const char* const> words) {
  if (const Option* const cut_off = find_cut_off(line.options, words))
    return empty_value(*cut_off, line);
  std::vector<std::string> before(words.begin(), words.end());
  const auto behind = std::ranges::find(line.options, kBehind, &Option::name);
  if (behind != line.options.end()) {
    // CLI11 would look for our options among those of another command.
    const auto end = std::ranges::find(before, kBehind);
    if (end != before.end())
      std::get<std::vector<std::string>*>(behind->target)->assign(end + 1, before.end());
    before.erase(end, before.end());
  }
  std::vector<std::string> left;
  std::vector<std::pair<const Option*, const CLI::Option*>> added;
  try {
    CLI::App app;
    bool help = false;
    bool version = false;
    app.allow_extras();
    app.set_help_flag();
    app.add_flag("-h,--help", help);
    app.add_flag("--version", version);
    for (const Option& option : line.options)
      if (option.name != kBehind) added.emplace_back(&option, add(app, option));
    std::ranges::reverse(before);  // the order that CLI11 expects
    app.parse(before);
    if (help) return Information{help_text(line)};
    // CLI11 counts the "--" that ends the options among what it did not expect.
    std::vector<std::string> unknown = app.remaining();
    if (const auto end = std::ranges::find(unknown, kBehind); end != unknown.end())
      unknown.erase(end);
    if (!unknown.empty()) return usage(unexpected(line.options, unknown.front()), line.name);
    for (const auto& [option, seen] : added)
      if (is_empty(*option, *seen)) return empty_value(*option, line);
    if (version) return Information{version_text()};
    for (const auto& [option, seen] : added)
      if (option->required && seen->count() == 0)
        return usage(cat(shown(*option), " is required"), line.name);
  } catch (const CLI::Error& error) {
    return mistaken_value(error.what(), line);
  }
  return std::nullopt;
}

std::string help_text(const CommandLine& line) {
  std::string forms;
  std::string positionals;
  std::string options;
  for (const Option& option : line.options) {
    if (option.help.empty()) continue;
    const std::string text = shown(option);
    if (!is_named(option)) {
      forms += option.required ? cat(" ", text) : cat(" [", text, "]");
      positionals += row(text, option.help);
    } else {
      options += row(text, option.help);
    }
  }
  return cat("nettune ", line.name, ": ", line.summary, "\nUsage: nettune ", line.name,
             " [OPTION...]", forms, "\n", positionals.empty() ? "" : "\n", positionals,
             "\nOptions:\n", options, row("-h, --help", "Print this help"),
             row("--version", "Print the version"),
             line.example.empty() ? std::string() : cat("\nExample: ", line.example, "\n"));
}

std::string version_text() {
  const auto& built = build_info();
  return cat("nettune " NETTUNE_VERSION " (commit ", built.at("commit"), ", catalog ",
             built.at("catalog"), ", rules ", built.at("rules"), ")\n");
}

std::vector<std::string> option_names(const Options& options) {
  std::vector<std::string> names = {"--version"};
  for (const Option& option : options)
    if (is_named(option) && !option.help.empty()) names.emplace_back(long_name(option));
  return names;
}

bool takes_value(const Options& options, std::string_view word) {
  return std::ranges::any_of(options, [&](const Option& option) {
    return is_named(option) && has_value(option) && option.name == word;
  });
}

}  // namespace nettune::cli
