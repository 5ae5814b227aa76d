// SPDX-License-Identifier: Apache-2.0
#include "firewall/firewall_address.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"

namespace nettune::firewall {
namespace {

/// NFT_NAME_MAXLEN, linux/netfilter/nf_tables.h, with its NUL.
constexpr std::size_t kMaxNftNameBytes = 255;
constexpr std::string_view kPlain = "-_.";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPlain.find(c) != kPlain.npos;
}

std::string escaped(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain(c))
      out += c;
    else
      out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return out;
}

/// The value of a hexadecimal digit, -1 for none.
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Nothing for text that escaped() never writes: each name has exactly one text.
std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (out.empty() || out.size() > kMaxNftNameBytes || escaped(out) != text) return std::nullopt;
  return out;
}

}  // namespace

std::string text_of(const ChainName& chain) {
  return cat("nft/", chain.family, '/', escaped(chain.table), '/', escaped(chain.chain));
}

Result<ChainName> parse_chain_name(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kFamilies = {"ip", "ip6", "inet"};
  const auto parts = split(text, '/');
  const bool known = parts.size() == 4 && parts[0] == "nft" &&
                     std::ranges::find(kFamilies, parts[1]) != kFamilies.end();
  const auto table = known ? unescaped(parts[2]) : std::nullopt;
  const auto chain = known ? unescaped(parts[3]) : std::nullopt;
  if (table && chain) return ChainName{std::string(parts[1]), *table, *chain};
  return fail(
      Errc::invalid,
      cat("'", printable(text.substr(0, 120)),
          "' is not a valid chain; write nft/FAMILY/TABLE/CHAIN with family ip, ip6 or inet"));
}

bool is_rule_name(std::string_view text) {
  return !text.empty() && text.size() <= 100 && std::ranges::all_of(text, is_plain);
}

bool is_firewall(const Address& address) { return address.kind() == "firewall"; }

std::string_view firewall_backend(std::string_view rest) {
  return rest.substr(0, rest.find_first_of("/#"));
}

bool is_of_daemon(const Address& address) {
  const std::string_view backend = firewall_backend(address.rest());
  return is_firewall(address) && (backend == "ufw" || backend == "firewalld");
}

}  // namespace nettune::firewall
