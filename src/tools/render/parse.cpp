// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "base/word_table.hpp"
#include "tools/render/names.hpp"
#include "tools/render/place.hpp"
#include "tools/render/template.hpp"

namespace nettune::tools::render {
namespace {

constexpr int kDeepest = 8;  ///< parts in parts

constexpr auto kContexts = word_table<Context>({
    {Context::shell, "shell"},
    {Context::sbatch, "sbatch"},
    {Context::yaml, "yaml"},
    {Context::plain, "plain"},
    {Context::text, "text"},
    {Context::pod, "pod"},
});

Failure fail_at_line(const Origin& origin, std::string text) {
  return fail(Error{Errc::invalid, std::move(text), 0, origin.file, origin.line});
}

/// A piece of the text: a tag, or the text between tags.
struct Token {
  bool is_tag = false;
  std::string_view text;  ///< of a tag: without its braces and the spaces inside them
  int line = 1;
  bool alone = false;            ///< a tag with only spaces around it on its line
  std::string_view margin = {};  ///< then the spaces before it
};

/// Whether a tag produces no text: if it is alone on a line, the line disappears.
bool takes_line(std::string_view tag) {
  return tag.starts_with('#') ||
         std::ranges::any_of(
             std::array{"template", "summary", "if", "unless", "else", "each", "end", "use"},
             [&](std::string_view word) { return words(tag).front() == word; });
}

Result<std::vector<Token>> tokens_of(const TemplateFile& file) {
  std::vector<Token> tokens;
  const std::string_view text = file.text;
  int line = 1;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t open = std::min(text.find("{{", at), text.size());
    while (text.substr(open).starts_with("{{{")) ++open;  // ${{{NAME}}+x}: the first is the shell's
    tokens.push_back({false, text.substr(at, open - at), line});
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                        text.begin() + static_cast<std::ptrdiff_t>(open), '\n'));
    if (open == text.size()) break;
    const std::size_t close = text.find("}}", open);
    if (close == std::string_view::npos ||
        text.substr(open, close - open).find('\n') != std::string_view::npos)
      return fail_at_line({file.path, line}, "{{ without }} on its line");
    const std::string_view tag = trim(text.substr(open + 2, close - open - 2));
    if (tag.empty()) return fail_at_line({file.path, line}, "an empty tag");
    at = close + 2;
    const std::size_t begin = open == 0 ? 0 : text.rfind('\n', open - 1) + 1;  // npos + 1 is 0
    const std::size_t end = std::min(text.find('\n', at), text.size());
    tokens.push_back({true, tag, line,
                      trim(text.substr(begin, open - begin)).empty() &&
                          trim(text.substr(at, end - at)).empty()});
  }
  return tokens;
}

/// Removes the spaces and the newline around tags that are alone on their line, and the newline
/// after {{quote}}. The line continues after the end of a quote. Each tag has a text before it,
/// which may be empty.
void trim_lines(std::vector<Token>& tokens) {
  std::vector<bool> quotes;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is_tag) continue;
    std::string_view nothing;
    std::string_view& before = tokens[i - 1].text;
    std::string_view& behind = i + 1 < tokens.size() ? tokens[i + 1].text : nothing;
    const auto take_newline = [&] {
      const std::size_t newline = behind.find('\n');
      if (newline == std::string_view::npos) return void(behind = {});
      behind.remove_prefix(newline + 1);
      ++tokens[i + 1].line;
    };
    const std::string_view word = words(tokens[i].text).front();
    bool ends_quote = false;
    if (word == "quote" || word == "if" || word == "unless" || word == "each") {
      quotes.push_back(word == "quote");
    } else if (word == "end" && !quotes.empty()) {
      ends_quote = quotes.back();
      quotes.pop_back();
    }
    if (word == "quote" && behind.starts_with('\n')) take_newline();
    if (!tokens[i].alone || !takes_line(tokens[i].text)) continue;
    const std::size_t line = before.rfind('\n') + 1;  // npos + 1 is 0
    tokens[i].margin = before.substr(line);
    before = before.substr(0, line);
    if (!ends_quote) take_newline();
  }
}

class Parser {
 public:
  Parser(const ReadPart& read_part, Template& out) : read_part_(read_part), out_(out) {}

  Result<std::vector<Part>> file(const TemplateFile& file, int depth) {
    if (depth > kDeepest) return fail_at_line({file.path, 1}, "parts include each other in a loop");
    TRY_ASSIGN(std::vector<Token> tokens, tokens_of(file));
    trim_lines(tokens);
    TRY(header(file, tokens, depth));
    const auto outer = std::exchange(file_, {file.path, std::move(tokens), 0, depth});
    std::vector<Part> parts;
    TRY_ASSIGN(const std::string ended_by, block(parts));
    if (!ended_by.empty()) return here(cat("{{", ended_by, "}} without a beginning"));
    file_ = outer;
    return parts;
  }

 private:
  struct Position {
    std::string path;
    std::vector<Token> tokens;
    std::size_t at = 0;
    int depth = 0;
  };

  Failure here(std::string text) const {
    const std::size_t last = file_.tokens.empty() ? 0 : file_.tokens.size() - 1;
    const int line = file_.tokens.empty() ? 1 : file_.tokens[std::min(file_.at, last)].line;
    return fail_at_line({file_.path, line}, std::move(text));
  }

  /// {{template CONTEXT}} and {{summary TEXT}}.
  Result<> header(const TemplateFile& file, std::vector<Token>& tokens, int depth) {
    std::erase_if(tokens, [](const Token& token) { return !token.is_tag && token.text.empty(); });
    const Origin origin{file.path, 1};
    std::optional<Context> context;
    if (!tokens.empty() && tokens[0].is_tag && tokens[0].text.starts_with("template ")) {
      context = kContexts.value(trim(tokens[0].text.substr(9)));
      tokens.erase(tokens.begin());
    }
    if (!context || *context == Context::text || *context == Context::pod)
      return fail_at_line(origin,
                          "begins without {{template CONTEXT}}, CONTEXT being shell, "
                          "sbatch, yaml or plain");
    if (depth == 0) contexts_ = {out_.context = *context};
    // A script for sbatch is a shell script.
    const Context around = contexts_.back();
    const bool same =
        *context == around || (*context == Context::shell && around == Context::sbatch);
    if (!same)
      return fail_at_line(origin, cat("is for the context ", kContexts.word(*context),
                                      ", but is used in ", kContexts.word(around)));
    if (!tokens.empty() && tokens[0].is_tag && tokens[0].text.starts_with("summary ")) {
      if (depth == 0) out_.summary = trim(tokens[0].text.substr(8));
      tokens.erase(tokens.begin());
    }
    out_.files.push_back(file);
    return {};
  }

  /// Parses up to the closing {{end}} or {{else}}, or the end of the text, and returns that.
  Result<std::string> block(std::vector<Part>& parts) {
    for (; file_.at < file_.tokens.size(); ++file_.at) {
      const Token token = file_.tokens[file_.at];
      Part part;
      part.origin = {file_.path, token.line};
      if (!token.is_tag) {
        part.text = token.text;
        parts.push_back(std::move(part));
        continue;
      }
      const auto tag = words(token.text);
      if (token.text.starts_with('#')) continue;
      if (tag.size() == 1 && (tag[0] == "end" || tag[0] == "else")) return std::string(tag[0]);
      if (tag[0] == "use") {
        TRY(use(tag, token.margin, parts));
        continue;
      }
      TRY(one(tag, part));
      parts.push_back(std::move(part));
    }
    return std::string();
  }

  /// Indents the lines of a part like its tag, if that is alone on its line.
  static std::string set_in(std::string_view text, std::string_view margin) {
    std::string out;
    for (const std::string_view line : split(text, '\n'))
      out += cat(line.empty() ? "" : margin, line, '\n');
    return out.substr(0, text.empty() ? 0 : out.size() - 1);
  }

  Result<> use(const std::vector<std::string_view>& tag, std::string_view margin,
               std::vector<Part>& parts) {
    if (tag.size() != 2) return here("{{use NAME}} takes one name");
    auto found = read_part_(std::string(tag[1]));
    if (!found) return here(found.error().text);
    // The text of a part must live as long as the tokens that point into it.
    files_.push_back({found->path, set_in(found->text, margin)});
    TRY_ASSIGN(std::vector<Part> used, file(files_.back(), file_.depth + 1));
    std::ranges::move(used, std::back_inserter(parts));
    return {};
  }

  Result<> one(const std::vector<std::string_view>& tag, Part& part) {
    if (tag.size() == 1) {
      part.kind = Part::Kind::value;
      return name(tag[0], part, false);
    }
    if (tag.size() != 2)
      return here(cat("there is no tag ", printable(tag[0]), " with ", tag.size() - 1, " words"));
    if (tag[0] == "quote") {
      const auto context = kContexts.value(tag[1]);
      if (!context) return here(cat("there is no context ", printable(tag[1])));
      part.kind = Part::Kind::quote;
      part.context = *context;
    } else if (tag[0] == "if" || tag[0] == "unless") {
      part.kind = Part::Kind::condition;
      part.negated = tag[0] == "unless";
      TRY(name(tag[1], part, true));
    } else if (tag[0] == "each") {
      part.kind = Part::Kind::each;
      TRY(name(tag[1], part, true));
      if (find_name(tag[1])->kind != Name::Kind::list) return here(cat(tag[1], " is not a list"));
      if (std::ranges::find(open_lists_, tag[1]) != open_lists_.end())
        return here(cat("{{each ", tag[1], "}} is inside itself"));
      open_lists_.emplace_back(tag[1]);
    } else {
      return here(cat("there is no tag ", printable(tag[0])));
    }
    return inside(part);
  }

  Result<> inside(Part& part) {
    const Origin origin = part.origin;
    ++file_.at;
    if (part.kind == Part::Kind::quote) contexts_.push_back(part.context);
    TRY_ASSIGN(std::string ended_by, block(part.parts));
    if (ended_by == "else" && part.kind == Part::Kind::condition) {
      ++file_.at;
      TRY_ASSIGN(ended_by, block(part.otherwise));
    }
    if (part.kind == Part::Kind::each) open_lists_.pop_back();
    if (part.kind == Part::Kind::quote) contexts_.pop_back();
    if (ended_by == "end") return {};
    if (ended_by == "else") return here("{{else}} without {{if}}");
    return fail_at_line(origin, "has no {{end}}");
  }

  Result<> name(std::string_view word, Part& part, bool list_too) {
    part.text = word;
    const Name* const known = find_name(word);
    if (known == nullptr) {
      std::vector<std::string> candidates;
      for (const Name& each : names()) candidates.emplace_back(each.name);
      const auto near = nearest(word, candidates);
      return here(cat("there is no value ", printable(word),
                      near ? cat("; did you mean ", *near, "?")
                           : std::string("; nettune render --names lists them")));
    }
    if (known->kind == Name::Kind::list && !list_too)
      return here(cat(word, " is a list; use {{each ", word, "}}"));
    const std::string_view list = list_of(word);
    if (!list.empty() && std::ranges::find(open_lists_, list) == open_lists_.end())
      return here(cat(word, " is available only inside {{each ", list, "}}"));
    return {};
  }

  const ReadPart& read_part_;
  Template& out_;
  std::deque<TemplateFile> files_;
  Position file_;
  std::vector<std::string> open_lists_;
  std::vector<Context> contexts_;  ///< of the template, and of the open quotes
};

/// Checks all parts, and marks values in directives.
Result<> check_places(std::vector<Part>& parts, Place& place);

Result<> check_condition(Part& part, Place& place) {
  Place otherwise = place;
  TRY(check_places(part.parts, place));
  TRY(check_places(part.otherwise, otherwise));
  if (place.is_like(otherwise)) return {};
  return fail_at_line(part.origin,
                      "its two branches end at different places: inside quotes, or "
                      "elsewhere in a line");
}

Result<> check_inside(Part& part, Place& place) {
  if (part.kind == Part::Kind::quote) {
    Place inner(part.context);
    TRY(check_places(part.parts, inner));
    if (inner.is_closed()) return place.pass_value(), Result<>();
    return fail_at_line(part.origin, "{{quote}} ends while a quote inside is open");
  }
  const Place before = place;
  TRY(check_places(part.parts, place));
  if (place.is_like(before)) return {};
  return fail_at_line(part.origin, "{{each}} ends inside quotes, or elsewhere in a line");
}

Result<> check_places(std::vector<Part>& parts, Place& place) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    if (part.kind == Part::Kind::literal) {
      if (auto passed = place.pass(part.text); !passed)
        return fail_at_line({part.origin.file, part.origin.line + passed.error().line},
                            passed.error().text);
      continue;
    }
    if (part.kind == Part::Kind::value || part.kind == Part::Kind::quote) {
      const bool literal_next = i + 1 < parts.size() && parts[i + 1].kind == Part::Kind::literal;
      const std::string why = place.obstacle(literal_next ? parts[i + 1].text : "");
      if (!why.empty())
        return fail_at_line(part.origin,
                            cat("{{", part.text.empty() ? "quote" : part.text, "}} ", why));
      part.where = place.where();
    }
    if (part.kind == Part::Kind::value)
      place.pass_value();
    else if (part.kind == Part::Kind::condition)
      TRY(check_condition(part, place));
    else
      TRY(check_inside(part, place));
  }
  return {};
}

}  // namespace

Result<Template> parse_template(const TemplateFile& file, const ReadPart& read_part) {
  Template out;
  Parser parser(read_part, out);
  TRY_ASSIGN(out.parts, parser.file(file, 0));
  Place place(out.context);
  TRY(check_places(out.parts, place));
  if (!place.is_closed()) return fail_at_line({file.path, 1}, "ends with an open quote");
  return out;
}

}  // namespace nettune::tools::render
