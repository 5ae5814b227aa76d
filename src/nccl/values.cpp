// SPDX-License-Identifier: Apache-2.0
#include "nccl/values.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "base/text.hpp"
#include "nccl/word_values.hpp"

namespace nettune::nccl {
namespace {

Judgement good() { return {}; }

Judgement note(std::string why) { return {Verdict::advice, Level::note, std::move(why), {}, {}}; }

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
         text.back() == text.front();
}

/// The number that a person means by a word.
std::optional<std::int64_t> meant(std::string_view text) {
  text = trim(text);
  if (is_quoted(text)) text = text.substr(1, text.size() - 2);
  static constexpr std::array<std::string_view, 5> kOn = {"true", "yes", "on", "y", "enable"};
  static constexpr std::array<std::string_view, 5> kOff = {"false", "no", "off", "n", "disable"};
  const std::string low = lower(text);
  if (std::ranges::find(kOn, low) != kOn.end()) return 1;
  if (std::ranges::find(kOff, low) != kOff.end()) return 0;
  const Number number = read_number(low);
  std::string_view rest = std::string_view(low).substr(number.used);
  if (number.used == 0 || number.overflow) return {};
  if (rest.empty()) return number.value;
  int shift = rest[0] == 'k' ? 10 : rest[0] == 'm' ? 20 : rest[0] == 'g' ? 30 : 0;
  rest.remove_prefix(1);
  if (shift == 0 || (!rest.empty() && rest != "b" && rest != "ib")) return {};
  if (number.value < 0 || number.value > (INT64_MAX >> shift)) return {};
  return number.value << shift;
}

Judgement judge_range(const Variable& variable, std::int64_t value, const Version& version) {
  const auto beyond = [&](std::string why) {
    if (!variable.beyond.empty()) why += cat(": ", variable.beyond);
    return Judgement{Verdict::out_of_range, Level::warning, std::move(why), {}, {}};
  };
  if (std::ranges::find(variable.also, value) != variable.also.end()) return good();
  if (const auto standard = parse_int(variable.default_at(version)); standard == value)
    return good();
  if (variable.type == Type::boolean && value != 0 && value != 1)
    return beyond(cat(value, " is neither 0 nor 1"));
  const Range* range = nullptr;
  for (const Range& one : variable.ranges)
    if (one.since <= version || !range) range = &one;
  if (range && (value < range->least || value > range->most)) {
    const std::string most = range->most == INT64_MAX ? "" : cat(" to ", range->most);
    return beyond(cat(value, " is not in ", range->least, most.empty() ? " or more" : most));
  }
  if (variable.step > 1 && value % variable.step != 0)
    return beyond(cat(value, " is not a multiple of ", variable.step));
  if (variable.power_of_two && (value & (value - 1)) != 0)
    return beyond(cat(value, " is not a power of two"));
  return good();
}

/// Judges digits with text after them, or no digits.
Judgement judge_rest(const Variable& variable, std::string_view text, const Number& number,
                     const Version& version) {
  const auto typed = meant(text);
  const std::int64_t wanted = typed.value_or(0);
  // 8M of something with a maximum of 31 is a mistake.
  const bool is_clear = typed && judge_range(variable, wanted, version).level == Level::ok;
  const std::string_view rest = text.substr(number.used);
  const bool harmless =
      number.used > 0 && (trim(rest).empty() || (rest[0] == ' ' && trim(rest)[0] == '#'));
  if (harmless) return note(cat("what follows ", number.value, " is ignored"));
  const std::string reads = cat(variable.reader.empty() ? "NCCL" : variable.reader,
                                " reads a number with strtoll: this is ", number.value);
  if (is_clear && wanted == number.value)
    return note(cat(reads, ", which is what was meant; write the number"));
  if (is_clear) return misread(cat(reads, ", without a message"), cat(variable.name, "=", wanted));
  if (text.find(',') != text.npos)
    return misread(cat(reads, "; it accepts one number, not a list"), "one number");
  return misread(cat(reads, ", without a message"), "a plain number");
}

Judgement judge_strict(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kWords = {"1", "t", "true", "0", "f", "false"};
  const std::string low = lower(trim(text));
  if (std::ranges::find(kWords, low) != kWords.end()) return good();
  return misread("only 1, T, TRUE, 0, F and FALSE are known; the default is used", "1 or 0");
}

Judgement judge_number(const Variable& variable, std::string_view text, const Version& version) {
  if (variable.strict && *variable.strict <= version) return judge_strict(text);
  const Number number = read_number(text);
  if (number.overflow)
    return {Verdict::out_of_range,
            Level::error,
            "the number is too large for 64 bits: the default is used",
            {},
            {}};
  const std::string_view digits = trim(text.substr(0, number.used));
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
    return {Verdict::unsettled,
            Level::warning,
            "whether strtoll accepts binary depends on the C library that NCCL was built with",
            "a decimal number",
            {}};
  Judgement judgement;
  if (number.used < text.size()) judgement = judge_rest(variable, text, number, version);
  if (judgement.level >= Level::warning) return judgement;
  if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9')
    return misread(
        cat("a number with a leading 0 is octal: this is ", number.value),
        std::string(digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1))));
  Judgement range = judge_range(variable, number.value, version);
  return range.level > Level::ok ? range : judgement;
}

Judgement judge_whole(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  std::strtoull(copy.c_str(), &end, 0);
  if (!copy.empty() && end != copy.c_str() && *end == '\0' && errno == 0) return good();
  return misread("the whole text must be one number; the built-in value is used", "a number");
}

Judgement judge_torch_boolean(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kWords = {"y", "yes", "1", "t", "true",
                                                              "n", "no",  "0", "f", "false"};
  if (std::ranges::find(kWords, lower(text)) != kWords.end()) return good();
  return misread("PyTorch ends the job with \"Invalid value for environment variable\"", "1 or 0");
}

Judgement judge_torch_integer(const Variable& variable, std::string_view text,
                              const Version& version) {
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(copy.c_str(), &end, 10);
  if (end == copy.c_str() || errno != 0 || value < INT32_MIN || value > INT32_MAX)
    return misread("PyTorch ends the job with \"Invalid value for environment variable\"",
                   "a number");
  if (*end != '\0')
    return misread(cat("PyTorch reads it with std::stoi: this is ", value), "a plain number");
  return judge_range(variable, value, version);
}

}  // namespace

Number read_number(std::string_view text) {
  const std::string copy(text.substr(0, text.find('\0')));
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(copy.c_str(), &end, 0);
  return {value, static_cast<std::size_t>(end - copy.c_str()), errno == ERANGE};
}

namespace {

Judgement judge_as_read(const Variable& variable, std::string_view text, const Version& version) {
  const bool refuses_empty = variable.type == Type::torch_boolean ||
                             variable.type == Type::torch_integer || variable.type == Type::decimal;
  if (text.empty() && !refuses_empty)
    return note(
        "an empty value: NCCL's numbers take their default, and a conf file can no longer set it");
  switch (variable.type) {
    case Type::integer:
    case Type::boolean:
    case Type::size:
      return judge_number(variable, text, version);
    case Type::whole:
      return judge_whole(text);
    case Type::torch_boolean:
      return judge_torch_boolean(text);
    case Type::torch_integer:
      return judge_torch_integer(variable, text, version);
    case Type::decimal:
      if (const auto number = parse_int(text)) return judge_range(variable, *number, version);
      return judge_words(variable, text, version);
    default:
      break;
  }
  if (is_quoted(text))
    return misread("the quotes are part of the value",
                   std::string(text.substr(1, text.size() - 2)));
  // Its parser trims since then (src/include/param/parser_enum.h).
  const bool trims = variable.name == "NCCL_DEBUG" && version >= kTypedParameters;
  if (!trims && trim(text).size() != text.size())
    return misread("the trailing blank or carriage return is part of the value",
                   cat(variable.name, "=", printable(trim(text))));
  return judge_words(variable, trims ? trim(text) : text, version);
}

}  // namespace

Judgement judge_value(const Variable& variable, std::string_view text, const Version& version) {
  Judgement judgement = judge_as_read(variable, text, version);
  if (judgement.verdict == Verdict::misread && variable.misread == "warning")
    judgement.level = Level::warning;
  return judgement;
}

}  // namespace nettune::nccl
