// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/pseudonyms.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <cstring>
#include <set>

#include "base/digest.hpp"
#include "base/text.hpp"

namespace nettune::tools::doctor {
namespace {

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// The characters of addresses and numbers.
bool is_of_token(char c) { return is_hex_digit(c) || c == ':' || c == '.' || c == '-'; }

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

/// Groups of hexadecimal digits of these sizes between separators.
bool has_groups(std::string_view token, char separator, std::initializer_list<std::size_t> sizes) {
  const auto groups = split(token, separator);
  if (groups.size() != sizes.size()) return false;
  return std::ranges::equal(groups, sizes, [](std::string_view group, std::size_t size) {
    return group.size() == size && std::ranges::all_of(group, is_hex_digit);
  });
}

bool is_mac(std::string_view token) {
  return has_groups(token, ':', {2, 2, 2, 2, 2, 2}) || has_groups(token, '-', {2, 2, 2, 2, 2, 2});
}
/// The 20 bytes of an IP over InfiniBand address.
bool is_long_hardware(std::string_view token) {
  return token.size() == 59 && std::ranges::count(token, ':') == 19;
}
bool is_guid(std::string_view token) { return has_groups(token, ':', {4, 4, 4, 4}); }
bool is_gid(std::string_view token) { return has_groups(token, ':', {4, 4, 4, 4, 4, 4, 4, 4}); }
bool is_uuid(std::string_view token) { return has_groups(token, '-', {8, 4, 4, 4, 12}); }
/// A machine-id, an address in /proc/net/tcp6, or a GUID without separators.
bool is_long_number(std::string_view token) {
  return (token.size() == 32 || token.size() == 16) && std::ranges::all_of(token, is_hex_digit);
}
bool says_nothing(std::string_view token) {
  return token.find_first_not_of("0:-") == std::string_view::npos ||
         token.find_first_not_of("fF:-") == std::string_view::npos;
}

/// Replaces the hexadecimal digits of `token` by those of `digits`.
std::string shaped(std::string_view token, std::string_view digits) {
  std::string out(token);
  std::size_t next = 0;
  for (char& c : out)
    if (is_hex_digit(c)) c = digits[next++ % digits.size()];
  return out;
}

}  // namespace

std::string Pseudonyms::digest(std::string_view kind, std::string_view text,
                               std::size_t size) const {
  return sha256_hex(cat(key_, "\n", kind, "\n", text)).substr(0, size);
}

void Pseudonyms::add_host(const std::string& name) {
  static const std::set<std::string, std::less<>> kEverybodys = {"",
                                                                 "localhost",
                                                                 "localdomain",
                                                                 "debian",
                                                                 "ubuntu",
                                                                 "local",
                                                                 "internal",
                                                                 "com",
                                                                 "org",
                                                                 "net",
                                                                 "ip6-localhost",
                                                                 "ip6-loopback",
                                                                 "ip6-allnodes",
                                                                 "ip6-allrouters",
                                                                 "broadcasthost",
                                                                 "(none)"};
  if (kEverybodys.contains(name)) return;
  const auto dot = name.find('.');
  const std::string first = name.substr(0, dot);
  // A single letter would match in every word.
  if (first.size() > 1 && !kEverybodys.contains(first))
    hosts_[first] = cat("host-", digest("host", first, 6));
  if (dot == std::string::npos) return;
  const std::string domain = name.substr(dot + 1);
  if (!kEverybodys.contains(domain))
    hosts_[domain] = cat("domain-", digest("domain", domain, 6), ".example");
}

void Pseudonyms::add_hosts_of(std::string_view etc_hosts) {
  for (const std::string_view line : split(etc_hosts, '\n')) {
    const auto parts = words(line.substr(0, line.find('#')));
    for (std::size_t i = 1; i < parts.size(); ++i) add_host(std::string(parts[i]));
  }
}

/// The bits before it decide whether a bit is flipped: addresses with a common prefix keep one.
void Pseudonyms::hide_bits(unsigned char* bytes, std::size_t first_bit, std::size_t bits) const {
  std::string before;
  for (std::size_t i = 0; i < first_bit; ++i)
    before += (bytes[i / 8] >> (7 - i % 8) & 1) != 0 ? '1' : '0';
  for (std::size_t i = first_bit; i < bits; ++i) {
    const int shift = static_cast<int>(7 - i % 8);
    const bool bit = (bytes[i / 8] >> shift & 1) != 0;
    const std::string turn = digest("bits", before, 1);
    if (turn[0] >= '8') bytes[i / 8] = static_cast<unsigned char>(bytes[i / 8] ^ (1U << shift));
    before += bit ? '1' : '0';
  }
}

std::string Pseudonyms::hide_address(const std::string& token) const {
  std::array<unsigned char, 16> bytes{};
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (::inet_pton(AF_INET, token.c_str(), bytes.data()) == 1) {
    const int first = bytes[0];
    if (first == 0 || first == 127 || first >= 224 || (first == 169 && bytes[1] == 254))
      return token;
    const bool two = (first == 192 && bytes[1] == 168) || first == 172;
    hide_bits(bytes.data(), two ? 16 : 8, 32);
    return ::inet_ntop(AF_INET, bytes.data(), out.data(), INET6_ADDRSTRLEN);
  }
  if (::inet_pton(AF_INET6, token.c_str(), bytes.data()) != 1) return token;
  const bool is_mapped = std::all_of(bytes.begin(), bytes.begin() + 10,
                                     [](unsigned char byte) { return byte == 0; }) &&
                         bytes[10] == 0xff && bytes[11] == 0xff;
  const bool is_short =
      std::all_of(bytes.begin(), bytes.begin() + 15, [](unsigned char byte) { return byte == 0; });
  const bool is_prefix =
      std::all_of(bytes.begin() + 8, bytes.end(), [](unsigned char byte) { return byte == 0; });
  if (is_short || bytes[0] == 0xff || (bytes[0] == 0xfe && is_prefix)) return token;
  if (is_mapped) {
    // The pseudonym is that of the IPv4 address alone.
    std::array<char, INET_ADDRSTRLEN> four{};
    ::inet_ntop(AF_INET, bytes.data() + 12, four.data(), INET_ADDRSTRLEN);
    const std::string hidden = hide_address(four.data());
    ::inet_pton(AF_INET, hidden.c_str(), bytes.data() + 12);
  } else {
    hide_bits(bytes.data(), bytes[0] == 0xfe ? 64 : 16, 128);
  }
  if (is_gid(token)) {
    std::string whole;
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i > 0 && i % 2 == 0) whole += ':';
      whole += kDigits[bytes[i] >> 4];
      whole += kDigits[bytes[i] & 0xfU];
    }
    return whole;
  }
  return ::inet_ntop(AF_INET6, bytes.data(), out.data(), INET6_ADDRSTRLEN);
}

std::string Pseudonyms::hide_token(std::string_view token) const {
  if (says_nothing(token)) return std::string(token);
  if (is_mac(token) || is_guid(token) || is_uuid(token) || is_long_hardware(token) ||
      is_long_number(token))
    return shaped(token, digest("number", lower(token), 64));
  // A version of three numbers is not an address, nor is a PCI address.
  if (std::ranges::count(token, '.') == 3 || std::ranges::count(token, ':') >= 2)
    return hide_address(std::string(token));
  return std::string(token);
}

std::string Pseudonyms::hide_hosts(std::string text) const {
  for (const auto& [name, pseudonym] : hosts_)
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      const std::size_t end = at + name.size();
      const bool whole =
          (at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end]));
      if (!whole) {
        at = end;
        continue;
      }
      text.replace(at, name.size(), pseudonym);
      at += pseudonym.size();
    }
  return text;
}

std::string Pseudonyms::hide(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_of_token(text[at])) {
      // The word before a serial number.
      constexpr std::string_view kSerial = "SerialNumber: ";
      if (text.substr(at).starts_with(kSerial)) {
        at += kSerial.size();
        std::size_t end = at;
        while (end < text.size() && text[end] != ' ' && text[end] != '\n') ++end;
        out += cat(kSerial, digest("serial", text.substr(at, end - at), 12));
        at = end;
        continue;
      }
      out += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_of_token(text[end])) ++end;
    std::string_view token = text.substr(at, end - at);
    // A sentence or a list may continue after it.
    std::string_view behind;
    while (!token.empty() && (token.back() == '.' || token.back() == ':' || token.back() == '-')) {
      if (token.ends_with("::")) break;
      behind = text.substr(at + token.size() - 1, end - at - token.size() + 1);
      token.remove_suffix(1);
    }
    const bool in_word = at > 0 && is_of_name(text[at - 1]) && !is_hex_digit(text[at - 1]);
    // "enx0a1b2c3d4e5f": udev's name for a card by its MAC.
    const bool is_x = in_word && text[at - 1] == 'x' && token.size() >= 12;
    if (is_x && token.size() == 12 && std::ranges::all_of(token, is_hex_digit))
      out += shaped(token, digest("number", token, 64));
    else
      out += hide_token(token);
    out += behind;
    at = end;
  }
  return hide_hosts(std::move(out));
}

namespace {

std::string lines_that_begin(std::string_view text, std::initializer_list<std::string_view> with) {
  std::string out;
  for (const std::string_view line : split(text, '\n'))
    if (std::ranges::any_of(with,
                            [&](std::string_view word) { return trim(line).starts_with(word); }))
      out += cat(line, "\n");
  return out;
}

/// Cuts "{"default-ulimits": {...}}" out of daemon.json, by its braces.
std::string only_ulimits(std::string_view text) {
  const auto at = text.find("\"default-ulimits\"");
  const auto open = at == std::string_view::npos ? at : text.find('{', at);
  if (open == std::string_view::npos) return "{}\n";
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return cat("{", text.substr(at, i + 1 - at), "}\n");
  }
  return "{}\n";
}

}  // namespace

std::string Pseudonyms::leave_out(std::string_view path, std::string_view text) const {
  if (path.ends_with("slurm.conf")) return lines_that_begin(text, {"PropagateResourceLimits"});
  if (path == "etc/environment") return lines_that_begin(text, {"NCCL_", "GLOO_"});
  if (path == "etc/docker/daemon.json") return only_ulimits(text);
  const bool is_route = path == "proc/net/route";
  if (!is_route && !path.starts_with("proc/net/tcp")) return std::string(text);
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 4) continue;
    const bool is_head = fields[0] == "sl" || fields[0] == "Iface";
    const std::string_view own = is_route ? fields[2] : fields[1].substr(0, fields[1].find(':'));
    // Listeners, and the default route: 0A is TCP_LISTEN.
    if (!is_head && (is_route ? fields[1] != "00000000" : fields[3] != "0A")) continue;
    const bool is_plain = is_head || says_nothing(own) || own == "0100007F" ||
                          own == "00000000000000000000000001000000";
    std::string shown(line);
    if (!is_plain)
      shown.replace(line.find(own), own.size(), shaped(own, digest("socket", own, 64)));
    out += shown + "\n";
  }
  return out;
}

std::string Pseudonyms::hide_config(std::string bytes) {
  const auto word = [&](std::size_t at) -> std::uint32_t {
    std::uint32_t value = 0;
    for (int i = 3; i >= 0; --i)
      value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
    return value;
  };
  constexpr std::uint32_t kSerialNumber = 3;  // PCI_EXT_CAP_ID_DSN
  std::size_t at = 256;
  for (int left = 480; left > 0 && at >= 256 && at + 12 <= bytes.size(); --left) {
    const std::uint32_t head = word(at);
    if ((head & 0xffffU) == kSerialNumber) std::memset(bytes.data() + at + 4, 0, 8);
    at = head >> 20;
  }
  return bytes;
}

}  // namespace nettune::tools::doctor
