// SPDX-License-Identifier: Apache-2.0
#include "kinds/dcb/grammar.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/text.hpp"

namespace nettune::kinds::dcb {
namespace {

constexpr std::size_t kMembers =
    8;  // IEEE_8021QAZ_MAX_TCS, IEEE_8021Q_MAX_PRIORITIES, DCBX_MAX_BUFFERS

using Word = std::pair<std::string_view, std::uint64_t>;

/// DCB_CAP_DCBX_* of linux/dcbnl.h.
constexpr std::array<Word, 5> kModes = {
    {{"host", 1}, {"lld-managed", 2}, {"cee", 4}, {"ieee", 8}, {"static", 16}}};
/// IEEE_8021QAZ_TSA_*.
constexpr std::array<Word, 4> kAlgorithms = {
    {{"strict", 0}, {"cbs", 1}, {"ets", 2}, {"vendor", 255}}};
/// IEEE_8021QAZ_APP_SEL_*.
constexpr std::array<Word, 5> kSelectors = {
    {{"ethertype", 1}, {"stream", 2}, {"dgram", 3}, {"port", 4}, {"dscp", 5}}};
constexpr std::uint64_t kEthertype = 1;
constexpr std::uint64_t kDscp = 5;

enum class Form { number, list, bits };

struct Shape {
  Form form;
  std::uint64_t most;           ///< the largest allowed member
  std::span<const Word> words;  ///< the members, if they are words
};

constexpr std::array<std::string_view, 10> kNames = {
    "dcbx",   "pfc",     "pfc-delay",   "ets-prio-tc", "ets-tsa",
    "ets-bw", "maxrate", "buffer-prio", "buffer-size", "app"};

Shape shape_of(DcbKey key) {
  switch (key) {
    case DcbKey::dcbx:
      return {Form::bits, 0, kModes};
    case DcbKey::pfc:
    case DcbKey::app:
      return {Form::bits, kMembers - 1, {}};
    case DcbKey::pfc_delay:
      return {Form::number, std::numeric_limits<std::uint16_t>::max(), {}};
    case DcbKey::ets_prio_tc:
    case DcbKey::buffer_prio:
      return {Form::list, kMembers - 1, {}};
    case DcbKey::ets_tsa:
      return {Form::list, 0, kAlgorithms};
    case DcbKey::ets_bw:
      return {Form::list, 100, {}};
    case DcbKey::maxrate:
      return {Form::list, std::numeric_limits<std::int64_t>::max(), {}};
    case DcbKey::buffer_size:
      return {Form::list, std::numeric_limits<std::uint32_t>::max(), {}};
  }
  return {Form::number, 0, {}};
}

std::string known(std::span<const Word> words) {
  std::vector<std::string> names;
  for (const auto& [name, number] : words) names.emplace_back(name);
  return join(names, ", ");
}

Failure wrong(std::string_view text, std::string_view why) {
  return fail(Errc::invalid, cat("\"", printable(text.substr(0, 80)), "\" ", why));
}

Result<std::uint64_t> member(const Shape& shape, std::string_view text) {
  if (!shape.words.empty()) {
    const auto found = std::ranges::find(shape.words, text, &Word::first);
    if (found != shape.words.end()) return found->second;
    return wrong(text, cat("is not one of: ", known(shape.words)));
  }
  const auto number = parse_int(text);
  if (number && *number >= 0 && static_cast<std::uint64_t>(*number) <= shape.most)
    return static_cast<std::uint64_t>(*number);
  return wrong(text, cat("is not a number from 0 to ", shape.most));
}

std::optional<std::string> member_text(const Shape& shape, std::uint64_t number) {
  if (shape.words.empty())
    return number <= shape.most ? std::optional(std::to_string(number)) : std::nullopt;
  const auto found = std::ranges::find(shape.words, number, &Word::second);
  return found == shape.words.end() ? std::nullopt : std::optional(std::string(found->first));
}

/// The bit of a member in a set: a word's number, a priority's position.
std::uint64_t bit_of(const Shape& shape, std::uint64_t number) {
  return shape.words.empty() ? std::uint64_t{1} << number : number;
}

Result<DcbNumbers> parse_bits(DcbKey key, const Shape& shape, std::string_view text) {
  if (text == "none" && key != DcbKey::app) return DcbNumbers{0};
  std::uint64_t bits = 0;
  for (const std::string_view part : split(text, ',')) {
    TRY_ASSIGN(const std::uint64_t number, member(shape, trim(part)));
    const std::uint64_t bit = bit_of(shape, number);
    if ((bits & bit) != 0) return wrong(text, cat("has ", trim(part), " twice"));
    bits |= bit;
  }
  if (bits == 0)
    return wrong(text, key == DcbKey::app ? "has no priority" : "is empty; write 'none'");
  return DcbNumbers{bits};
}

std::optional<std::string> bits_text(DcbKey key, const Shape& shape, std::uint64_t bits) {
  if (bits == 0) return key == DcbKey::app ? std::nullopt : std::optional<std::string>("none");
  std::vector<std::string> members;
  const auto take = [&](std::uint64_t number) {
    const std::uint64_t bit = bit_of(shape, number);
    if ((bits & bit) == 0) return;
    bits &= ~bit;
    members.push_back(*member_text(shape, number));
  };
  for (const auto& [name, number] : shape.words) take(number);
  for (std::uint64_t number = 0; shape.words.empty() && number <= shape.most; ++number)
    take(number);
  // A bit without a name.
  if (bits != 0) return std::nullopt;
  return join(members, ",");
}

}  // namespace

std::span<const std::string_view> dcb_key_names() { return kNames; }

std::optional<DcbKey> dcb_key(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<DcbKey>(found - kNames.begin());
}

std::string_view dcb_key_name(DcbKey key) { return kNames[static_cast<std::size_t>(key)]; }

Result<DcbNumbers> parse_dcb_value(DcbKey key, std::string_view text) {
  const Shape shape = shape_of(key);
  text = trim(text);
  if (shape.form == Form::bits) return parse_bits(key, shape, text);
  DcbNumbers numbers;
  for (const std::string_view part : split(text, ',')) {
    TRY_ASSIGN(const std::uint64_t number, member(shape, trim(part)));
    numbers.push_back(number);
  }
  const std::size_t size = shape.form == Form::list ? kMembers : 1;
  if (numbers.size() != size)
    return wrong(text, cat("has ", numbers.size(), " members; it must have ", size));
  return numbers;
}

std::optional<std::string> dcb_value_text(DcbKey key, std::span<const std::uint64_t> numbers) {
  const Shape shape = shape_of(key);
  if (numbers.size() != (shape.form == Form::list ? kMembers : 1)) return std::nullopt;
  if (shape.form == Form::bits) return bits_text(key, shape, numbers[0]);
  std::vector<std::string> members;
  for (const std::uint64_t number : numbers) {
    auto text = member_text(shape, number);
    if (!text) return std::nullopt;
    members.push_back(std::move(*text));
  }
  return join(members, ",");
}

std::optional<DcbProtocol> parse_dcb_protocol(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == text.npos) return std::nullopt;
  const std::string_view word = text.substr(0, dash);
  const std::string_view name = text.substr(dash + 1);
  const auto* const selector = std::ranges::find(kSelectors, word, &Word::first);
  if (selector == kSelectors.end()) return std::nullopt;
  std::uint32_t number = 0;
  if (selector->second == kEthertype) {
    if (name.size() != 6) return std::nullopt;
    for (const char digit : name.substr(2)) {
      const auto value = std::string_view("0123456789abcdef").find(digit);
      if (value == std::string_view::npos) return std::nullopt;
      number = number * 16 + static_cast<std::uint32_t>(value);
    }
  } else {
    const auto decimal = parse_int(name);
    if (!decimal || *decimal < 0 || *decimal > std::numeric_limits<std::uint16_t>::max())
      return std::nullopt;
    number = static_cast<std::uint32_t>(*decimal);
  }
  const DcbProtocol found{static_cast<std::uint8_t>(selector->second),
                          static_cast<std::uint16_t>(number)};
  // Another spelling of the same ("dscp-026", "ethertype-xx8915") is not a valid name.
  if (dcb_protocol_text(found) != text) return std::nullopt;
  return found;
}

std::optional<std::string> dcb_protocol_text(const DcbProtocol& protocol) {
  const auto* const selector =
      std::ranges::find(kSelectors, std::uint64_t{protocol.selector}, &Word::second);
  if (selector == kSelectors.end()) return std::nullopt;
  if (protocol.selector == kDscp && protocol.protocol > 63) return std::nullopt;
  if (protocol.selector != kEthertype) return cat(selector->first, '-', protocol.protocol);
  std::string hex = "0x0000";
  for (std::size_t i = 0; i < 4; ++i)
    hex[5 - i] = "0123456789abcdef"[(protocol.protocol >> (4 * i)) & 15U];
  return cat(selector->first, '-', hex);
}

}  // namespace nettune::kinds::dcb
