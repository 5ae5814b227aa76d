// SPDX-License-Identifier: Apache-2.0
#include "nccl/word_values.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "nccl/functions.hpp"
#include "nccl/name_list.hpp"
#include "nccl/policy.hpp"
#include "nccl/values.hpp"

namespace nettune::nccl {
namespace {

/// ncclGetLevel() reads text (src/graph/paths.cc).
constexpr Version kLevelWords{2, 6, 4};
/// The last release that compares NCCL_NET with strcmp() (src/net.cc).
constexpr Version kExactNetwork{2, 12, 12};

const Word* find_word(const Variable& variable, std::string_view text, const Version& version) {
  const bool exact = variable.exact_case || variable.type == Type::level ||
                     (variable.exact_until && version <= *variable.exact_until);
  const auto fits = [&](const Word& word) {
    if (exact) return word.text == text;
    return glob_match(lower(word.text), lower(text));
  };
  const auto found = std::ranges::find_if(variable.values, fits);
  return found == variable.values.end() ? nullptr : &*found;
}

Judgement judge_choice(const Variable& variable, std::string_view text, const Version& version) {
  Judgement judgement = judge_word(variable, text, version, variable.wrong);
  const auto& as_meant = variable.as_meant;
  if (judgement.level != Level::ok &&
      std::find(as_meant.begin(), as_meant.end(), lower(text)) != as_meant.end())
    judgement.level = Level::note;
  return judgement;
}

/// Judges a text that is not a decimal number.
Judgement judge_decimal(const Variable& variable, std::string_view text, const Version& version) {
  if (find_word(variable, text, version)) return {};
  const std::string known = known_words(variable, version);
  return misread(cat("\"", printable(text), "\" is not a decimal number: ", variable.wrong),
                 cat("a decimal number", known.empty() ? "" : cat(", or one of ", known)));
}

Judgement judge_level(const Variable& variable, std::string_view text, const Version& version) {
  const bool digit = text[0] >= '0' && text[0] <= '9';
  if (version < kLevelWords) {
    const Number number = read_number(text);
    if (number.used == text.size()) return {};
    return misread(cat("this release reads a number: this is ", number.value),
                   "a number from 0 (never) to 5 (always)");
  }
  if (digit) {
    const Number number = read_number(text);
    if (number.used == text.size()) return {};
    return misread(cat("the old number for a distance: this is ", number.value));
  }
  return judge_word(variable, text, version, variable.wrong);
}

/// A network that is not NCCL's own may be that of a plugin; what is nearly one of `values` is a
/// slip.
Judgement judge_slip_of_network(const Variable& variable, std::string_view text,
                                const Version& version) {
  if (find_word(variable, text, version)) return {};
  const auto is_near = [&](const Word& one) { return is_one_edit(lower(text), lower(one.text)); };
  const auto near = std::ranges::find_if(variable.values, is_near);
  if (near == variable.values.end()) return {};
  return {Verdict::misread,
          Level::warning,
          cat("NCCL's own networks are IB and Socket: unless a plugin brings one of the name ",
              printable(text), ", init fails"),
          cat(variable.name, "=", near->text),
          {}};
}

Judgement judge_network(const Variable& variable, std::string_view text, const Version& version) {
  if (variable.name != "NCCL_NET") return {};
  if (kExactNetwork < version) return judge_slip_of_network(variable, text, version);
  for (const std::string_view name : {"IB", "Socket"})
    if (lower(text) == lower(name) && text != name)
      return misread(cat("this release compares case-sensitively, and the network is ", name,
                         ": init fails with \"network ", printable(text), " not found\""),
                     cat("NCCL_NET=", name));
  return judge_slip_of_network(variable, text, version);
}

/// ncclSocketGetAddrFromString() (src/misc/socket.cc).
Judgement judge_address(const Variable& variable, std::string_view text) {
  const bool brackets = text.starts_with('[');
  const std::size_t end = brackets ? text.find(']') : text.find(':');
  const std::string_view rest = text.substr(std::min(end, text.size()));
  const std::string_view port = rest.substr(std::min<std::size_t>(brackets ? 2 : 1, rest.size()));
  const std::string form = "HOST:PORT, or [IPV6]:PORT";
  if (!brackets && port.find(':') != port.npos)
    return misread(
        cat("the host is what is before the first ':', so an IPv6 address needs brackets: ",
            variable.wrong),
        form);
  if (end == 0 || end == text.npos || port.empty() || (brackets && rest[1] != ':'))
    return misread(cat("it is a host and a port, and one of them is missing: ", variable.wrong),
                   form);
  const auto number = parse_int(port);
  if (!number || *number < 1 || *number > 65535)
    return misread(cat("\"", printable(port), "\" is not a port (1 to 65535): ", variable.wrong),
                   form);
  return {};
}

/// Whether an unquoted text has a comment after it.
bool has_comment(std::string_view text) {
  return text.find(" #") != text.npos || text.find("\t#") != text.npos;
}

Judgement judge_path(std::string_view text) {
  if (!text.starts_with('~')) return {};
  return misread("~ is not expanded", "an absolute path");
}

}  // namespace

bool known_at(const Word& word, const Version& version) {
  return word.since <= version && (!word.until || version <= *word.until);
}

std::string known_words(const Variable& variable, const Version& version) {
  std::string text;
  for (const Word& word : variable.values)
    if (known_at(word, version)) text += cat(text.empty() ? "" : ", ", word.text);
  return text;
}

Judgement judge_word(const Variable& variable, std::string_view text, const Version& version,
                     std::string_view consequence) {
  const Word* const word = find_word(variable, text, version);
  if (word && known_at(*word, version)) return {};
  const auto is_same = [&](const Word& one) {
    return known_at(one, version) && lower(text) == lower(one.text);
  };
  const auto is_near = [&](const Word& one) {
    return known_at(one, version) && text.size() > 2 && is_one_edit(lower(text), lower(one.text));
  };
  auto near = std::ranges::find_if(variable.values, is_same);
  if (near == variable.values.end()) near = std::ranges::find_if(variable.values, is_near);
  std::string why = cat("\"", printable(text), "\" is not known");
  if (word) why += cat(" in ", version.text());
  if (!consequence.empty()) why += cat(": ", consequence);
  return misread(std::move(why), cat(near != variable.values.end() ? cat(near->text, "; ") : "",
                                     "one of ", known_words(variable, version)));
}

Judgement judge_list(const Variable& variable, std::string_view text, const Version& version,
                     std::string_view consequence) {
  if (text.starts_with('^')) text.remove_prefix(1);
  for (const std::string_view word : split(text, variable.separator)) {
    if (word.empty()) continue;
    Judgement judgement = judge_word(variable, word, version, consequence);
    if (judgement.level != Level::ok) return judgement;
  }
  return {};
}

bool is_one_edit(std::string_view left, std::string_view right) {
  if (left.size() > right.size()) std::swap(left, right);
  if (right.size() - left.size() > 1) return false;
  while (!left.empty() && left.front() == right.front()) {
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
  while (!left.empty() && left.back() == right.back()) {
    left.remove_suffix(1);
    right.remove_suffix(1);
  }
  if (right.size() <= 1) return true;
  return left.size() == 2 && right.size() == 2 && left[0] == right[1] && left[1] == right[0];
}

Judgement judge_words(const Variable& variable, std::string_view text, const Version& version) {
  const bool any_text = variable.type == Type::path || variable.type == Type::text ||
                        variable.type == Type::cidr || variable.type == Type::address;
  if (any_text && has_comment(text))
    return misread("what follows '#' is part of the value",
                   cat(variable.name, "=", printable(trim(text.substr(0, text.find('#'))))));
  switch (variable.type) {
    case Type::choice:
      return judge_choice(variable, text, version);
    case Type::decimal:
      return judge_decimal(variable, text, version);
    case Type::list:
      if (variable.name == "NCCL_CTA_POLICY") return judge_policy(variable, text, version);
      if (variable.functions && version >= kFunctions)
        return judge_functions(variable, text, version);
      if (variable.name == "NCCL_DEBUG_SUBSYS" && version >= kTypedParameters)
        return judge_list(variable, text, version,
                          "the whole list is dropped and the default applies");
      if (!variable.wrong.empty()) return judge_list(variable, text, version, variable.wrong);
      return judge_list(
          variable, text, version,
          variable.functions ? "it is skipped, and the others are turned off" : "it is skipped");
    case Type::level:
      return judge_level(variable, text, version);
    case Type::interfaces:
    case Type::hcas:
    case Type::devices:
      return judge_names(variable, text, version);
    case Type::address:
      return judge_address(variable, text);
    case Type::cidr:
      if (text.find('/') != text.npos) return {};
      return misread("without a '/' it is ignored silently", "ADDRESS/PREFIX");
    case Type::path:
      return judge_path(text);
    case Type::text:
      return judge_network(variable, text, version);
    default:
      return {};
  }
}

}  // namespace nettune::nccl
