// SPDX-License-Identifier: Apache-2.0
#include "nccl/lint/words.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>

#include "base/text.hpp"
#include "nccl/lint/values.hpp"

namespace nettune::nccl {
namespace {

/// parseList() knows functions and refuses what it does not know (src/graph/tuning.cc).
constexpr Version kFunctions{2, 24, 3};
/// ncclGetLevel() reads text (src/graph/paths.cc).
constexpr Version kLevelWords{2, 6, 4};
constexpr Version kMoreHcas{2, 18, 5};
constexpr Version kExactNames{2, 5, 6};
/// NCCL_CTA_POLICY has names (src/init.cc).
constexpr Version kPolicyNames{2, 29, 2};
/// The last release that compares NCCL_NET with strcmp() (src/net.cc).
constexpr Version kExactNetwork{2, 12, 12};

constexpr std::array<std::string_view, 5> kFunctionNames = {"broadcast", "reduce", "allgather",
                                                            "reducescatter", "allreduce"};

Judgement wrong(Verdict verdict, std::string why, std::string instead = {}) {
  return {verdict, Level::error, std::move(why), std::move(instead), {}};
}

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

bool known_at(const Word& word, const Version& version) {
  return word.since <= version && (!word.until || version <= *word.until);
}

std::string known_words(const Variable& variable, const Version& version) {
  std::string text;
  for (const Word& word : variable.values)
    if (known_at(word, version)) text += cat(text.empty() ? "" : ", ", word.text);
  return text;
}

/// Judges one word for `values`; ok if it is known.
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
  return wrong(Verdict::misread, std::move(why),
               cat(near != variable.values.end() ? cat(near->text, "; ") : "", "one of ",
                   known_words(variable, version)));
}

Judgement judge_choice(const Variable& variable, std::string_view text, const Version& version) {
  return judge_word(variable, text, version, variable.wrong);
}

/// Judges a text that is not a decimal number.
Judgement judge_decimal(const Variable& variable, std::string_view text, const Version& version) {
  if (find_word(variable, text, version)) return {};
  const std::string known = known_words(variable, version);
  return wrong(Verdict::misread,
               cat("\"", printable(text), "\" is not a decimal number: ", variable.wrong),
               cat("a decimal number", known.empty() ? "" : cat(", or one of ", known)));
}

/// Judges the words of a list; NCCL skips empty ones (strtok).
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

/// The number of a policy that is written as a name or a number; nothing for other texts.
std::optional<std::int64_t> policy_of(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kNames = {"default", "efficiency", "zero"};
  const auto named = std::ranges::find(kNames, lower(text));
  if (named != kNames.end()) return named - kNames.begin();
  const Number number = read_number(text);
  if (number.used == 0 || number.used < text.size() || number.overflow) return {};
  return number.value;
}

/// NCCL_CTA_POLICY: a number before names, and since then names or one digit (src/init.cc
/// envConfigOverride() and getEnvCtaPolicyOnce()).
Judgement judge_policy(const Variable& variable, std::string_view text, const Version& version) {
  const bool digit = text[0] >= '0' && text[0] <= '9';
  const bool knows_names = version >= kPolicyNames;
  const auto is_known = [&](std::int64_t value) {
    return judge_word(variable, cat(value), version, "").level == Level::ok;
  };
  const auto policy = policy_of(text);
  std::string instead = policy && is_known(*policy)
                            ? cat(variable.name, "=", *policy)
                            : cat("one of ", known_words(variable, version));
  if (knows_names && digit) {
    const std::int64_t value = text[0] - '0';
    if (!is_known(value) || text.size() == 1)
      return judge_word(variable, text.substr(0, 1), version, variable.wrong);
    return wrong(Verdict::misread, cat("only the first digit is read: this is ", value),
                 std::move(instead));
  }
  if (knows_names) {
    for (const std::string_view word : split(text, variable.separator))
      if (!word.empty() && word[0] >= '0' && word[0] <= '9')
        return wrong(Verdict::misread,
                     cat("\"", printable(word), "\" is not known in a list: ", variable.wrong),
                     "names with '|' between them");
    return judge_list(variable, text, version, variable.wrong);
  }
  const Number number = read_number(text);
  if (number.overflow)
    return wrong(Verdict::misread, "the number is too large for 64 bits: it is not used",
                 std::move(instead));
  const bool as_meant = policy == number.value;
  if (as_meant && number.used > 0 && is_known(number.value)) return {};
  const std::string reads = "this release reads a number with strtoll: this is ";
  constexpr std::string_view kOverrides = "0 (DEFAULT), which overrides the program's own policy";
  if (as_meant && number.used == 0)
    return {Verdict::advice, Level::note, cat(reads, kOverrides), "", ""};
  if (!is_known(number.value))
    return wrong(Verdict::misread,
                 cat(number.value, " is not known in ", version.text(), ": NCCL uses ", kOverrides),
                 std::move(instead));
  return wrong(Verdict::misread,
               number.value == 0 ? cat(reads, kOverrides) : cat(reads, number.value),
               std::move(instead));
}

/// Whether a function has the algorithm (ncclTopoTuneModel in src/graph/tuning.cc).
bool can_use(std::string_view function, std::string_view algorithm) {
  if (algorithm == "ring") return true;
  if (function == "broadcast" || function == "reduce") return false;
  if (function == "allreduce") return algorithm != "pat";
  return algorithm == "pat" || algorithm == "nvls" || algorithm == "collnetdirect";
}

/// Whether an entry allows the algorithm: "tree,ring" allows these, "^ring" all others.
bool leaves(std::string_view list, std::string_view algorithm) {
  const bool exclude = list.starts_with('^');
  if (exclude) list.remove_prefix(1);
  const std::vector<std::string_view> listed = split(list, ',');
  const bool named =
      std::ranges::any_of(listed, [&](std::string_view one) { return lower(one) == algorithm; });
  return named != exclude;
}

/// The functions without an algorithm under NCCL_ALGO. An entry without a function applies to all,
/// and a later one for a function overrides it.
std::string stranded(const Variable& variable, std::string_view text, const Version& version) {
  std::string names;
  for (const std::string_view function : kFunctionNames) {
    bool left = true;
    for (const std::string_view part : split(text, ';')) {
      const std::size_t colon = part.find(':');
      if (part.empty() || (colon != part.npos && lower(part.substr(0, colon)) != function))
        continue;
      const std::string_view list = colon == part.npos ? part : part.substr(colon + 1);
      left = std::ranges::any_of(variable.values, [&](const Word& word) {
        const std::string algorithm = lower(word.text);
        return known_at(word, version) && can_use(function, algorithm) && leaves(list, algorithm);
      });
    }
    if (!left) names += cat(names.empty() ? "" : ", ", function);
  }
  return names;
}

/// "allreduce:tree,ring;broadcast:ring".
Judgement judge_functions(const Variable& variable, std::string_view text, const Version& version) {
  constexpr std::string_view kFails = "init fails with ncclInvalidUsage";
  bool first = true;
  for (const std::string_view part : split(text, ';')) {
    if (part.empty()) continue;
    const std::size_t colon = part.find(':');
    if (colon == part.npos && !first)
      return wrong(Verdict::misread, cat("all entries but the first need a function: ", kFails));
    if (colon != part.npos &&
        std::ranges::find(kFunctionNames, lower(part.substr(0, colon))) == kFunctionNames.end())
      return wrong(Verdict::misread,
                   cat("\"", printable(part.substr(0, colon)), "\" is not a function: ", kFails),
                   "one of allreduce, allgather, reducescatter, broadcast, reduce");
    Judgement judgement =
        judge_list(variable, colon == part.npos ? part : part.substr(colon + 1), version, kFails);
    if (judgement.level != Level::ok) return judgement;
    first = false;
  }
  if (variable.name != "NCCL_ALGO") return {};
  const std::string names = stranded(variable, text, version);
  if (names.empty()) return {};
  return {Verdict::advice, Level::warning,
          cat("it leaves ", names,
              " without an algorithm: they fail with \"no algorithm/protocol available\" "
              "(ncclInvalidUsage)"),
          "a function in front, such as NCCL_ALGO=allreduce:tree, or nothing",
          "src/graph/tuning.cc parseList, src/enqueue.cc"};
}

Judgement judge_level(const Variable& variable, std::string_view text, const Version& version) {
  const bool digit = text[0] >= '0' && text[0] <= '9';
  if (version < kLevelWords) {
    const Number number = read_number(text);
    if (number.used == text.size()) return {};
    return wrong(Verdict::misread, cat("this release reads a number: this is ", number.value),
                 "a number from 0 (never) to 5 (always)");
  }
  if (digit) {
    const Number number = read_number(text);
    if (number.used == text.size()) return {};
    return wrong(Verdict::misread, cat("the old number for a distance: this is ", number.value));
  }
  return judge_word(variable, text, version, variable.wrong);
}

/// 10.0.0.1, fe80::1, 10.0.0.0/24.
bool is_address(std::string_view text) {
  const std::string address(text.substr(0, text.find('/')));
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return inet_pton(AF_INET, address.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1;
}

/// matchIfList() compares letter by letter (src/misc/utils.cc).
Judgement judge_wildcard(const NameList& list, std::string_view name) {
  const std::string_view begin = name.substr(0, name.find_first_of("*?"));
  const bool prefix = name.substr(begin.size()) == "*";
  std::string instead = "names, or the letters that they begin with";
  if (prefix)
    instead = begin.empty() ? "nothing, for all of them"
                            : cat(printable(begin), list.exact ? " without '='" : "",
                                  ": a name without '=' is a prefix");
  return wrong(
      Verdict::misread,
      cat("NCCL knows no wildcards: \"", printable(name), "\" is a name, and matches nothing"),
      std::move(instead));
}

/// NCCL takes the name before ':', and ignores what follows up to the next comma (parseStringList()
/// in src/misc/utils.cc). A number is a port or the label of an alias; a name gets lost.
Judgement judge_behind_colon(std::string_view text) {
  Judgement numbered;
  for (const std::string_view part : split(text.substr(text.find_first_not_of("^=")), ',')) {
    const std::size_t colon = part.find(':');
    if (colon == part.npos || colon == 0) continue;
    const std::string why = cat("what follows ':' is ignored up to the next comma: the name is ",
                                printable(part.substr(0, colon)));
    if (part.find_first_not_of("0123456789", colon + 1) != part.npos)
      return wrong(Verdict::misread, why, "a comma between names");
    if (numbered.level != Level::ok) continue;
    numbered = wrong(Verdict::misread, why, "the name without ':' and what follows");
    numbered.level = Level::warning;
  }
  return numbered;
}

Judgement judge_names(const Variable& variable, std::string_view text, const Version& version) {
  const bool hcas = variable.type == Type::hcas;
  if (variable.type == Type::interfaces && text.size() == 1)
    return wrong(Verdict::misread, "a value of one character counts as unset");
  for (const std::string_view name :
       split(text.substr(std::min(text.find_first_not_of("^="), text.size())), ','))
    if (!hcas && is_address(name))
      return wrong(Verdict::misread,
                   cat("names of interfaces are compared: ", printable(name),
                       " is an address, and matches none"),
                   "the name of the interface that has that address");
  const NameList list = read_names(text);
  if (list.exact && version < kExactNames)
    return wrong(Verdict::misread, cat("this release does not know '=' (since ", kExactNames.text(),
                                       ") and takes it as part of the name"));
  if (list.entries.empty())
    return wrong(Verdict::misread, "it contains no name, so nothing matches");
  const std::size_t most = hcas && version >= kMoreHcas ? 32 : 16;
  if (list.entries.size() > most)
    return {Verdict::out_of_range,
            Level::warning,
            cat("only the first ", most, " names are read"),
            {},
            {}};
  for (const NameList::Entry& entry : list.entries) {
    if (entry.name.starts_with('^') || entry.name.starts_with('='))
      return wrong(Verdict::misread,
                   cat("'", entry.name.substr(0, 1),
                       "' applies to the whole list and is written once, at its start; \"",
                       printable(entry.name), "\" matches nothing"),
                   "one '^' or '=' in front of all names");
    const bool comment = entry.name.find('#') != std::string::npos;
    if (comment || entry.name.find_first_of(" \t\r\n") != std::string::npos)
      return wrong(
          Verdict::misread,
          cat(comment ? "the '#'" : "the blank", " in \"", printable(entry.name),
              "\" is part of the name: it matches nothing"),
          comment ? "only names, with the comment on its own line" : "names without blanks");
    if (variable.reader.empty() && entry.name.find_first_of("*?") != std::string::npos)
      return judge_wildcard(list, entry.name);
  }
  if (variable.reader.empty() && variable.type == Type::interfaces) {
    Judgement judgement = judge_behind_colon(text);
    if (judgement.level != Level::ok) return judgement;
  }
  if (hcas && !list.exact)
    return {Verdict::advice, Level::note,
            cat("names are prefixes: mlx5_1 also matches mlx5_10; if none matches, NCCL continues "
                "over sockets"),
            "", "src/misc/utils.cc matchIf"};
  return {};
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
      return wrong(Verdict::misread,
                   cat("this release compares case-sensitively, and the network is ", name,
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
    return wrong(
        Verdict::misread,
        cat("the host is what is before the first ':', so an IPv6 address needs brackets: ",
            variable.wrong),
        form);
  if (end == 0 || end == text.npos || port.empty() || (brackets && rest[1] != ':'))
    return wrong(Verdict::misread,
                 cat("it is a host and a port, and one of them is missing: ", variable.wrong),
                 form);
  const auto number = parse_int(port);
  if (!number || *number < 1 || *number > 65535)
    return wrong(Verdict::misread,
                 cat("\"", printable(port), "\" is not a port (1 to 65535): ", variable.wrong),
                 form);
  return {};
}

/// Whether an unquoted text has a comment after it.
bool has_comment(std::string_view text) {
  return text.find(" #") != text.npos || text.find("\t#") != text.npos;
}

Judgement judge_path(std::string_view text) {
  if (!text.starts_with('~')) return {};
  return wrong(Verdict::misread, "~ is not expanded", "an absolute path");
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
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

NameList read_names(std::string_view text) {
  NameList list;
  list.exclude = text.starts_with('^');
  if (list.exclude) text.remove_prefix(1);
  list.exact = text.starts_with('=');
  if (list.exact) text.remove_prefix(1);
  for (const std::string_view part : split(text, ',')) {
    const std::size_t colon = std::min(part.find(':'), part.size());
    if (colon == 0) continue;
    NameList::Entry entry{std::string(part.substr(0, colon)), {}};
    if (colon < part.size()) {
      const std::string_view port = part.substr(colon + 1);
      entry.port = static_cast<int>(
          parse_int(port.substr(0, std::min(port.find(':'), port.size()))).value_or(0));
    }
    list.entries.push_back(std::move(entry));
  }
  return list;
}

const NameList::Entry* NameList::match(std::string_view name, std::optional<int> port) const {
  const auto fits = [&](const Entry& entry) {
    const bool named = exact ? name == entry.name : name.starts_with(entry.name);
    return named && (!port || !entry.port || *port == *entry.port);
  };
  const auto found = std::ranges::find_if(entries, fits);
  return found == entries.end() ? nullptr : &*found;
}

bool NameList::takes(std::string_view name, std::optional<int> port) const {
  if (entries.empty()) return !exclude;
  return (match(name, port) != nullptr) != exclude;
}

Judgement judge_words(const Variable& variable, std::string_view text, const Version& version) {
  const bool any_text = variable.type == Type::path || variable.type == Type::text ||
                        variable.type == Type::cidr || variable.type == Type::address;
  if (any_text && has_comment(text))
    return wrong(Verdict::misread, "what follows '#' is part of the value",
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
      return wrong(Verdict::misread, "without a '/' it is ignored silently", "ADDRESS/PREFIX");
    case Type::path:
      return judge_path(text);
    case Type::text:
      return judge_network(variable, text, version);
    default:
      return {};
  }
}

}  // namespace nettune::nccl
