// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <arpa/inet.h>
#include <climits>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/probe/child.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

constexpr std::size_t kLargestHosts = std::size_t{1} << 20;

std::string address_text(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET)
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text,
                sizeof text);
  else if (address->sa_family == AF_INET6)
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text,
                sizeof text);
  return text;
}

/// What Python's socket.getfqdn() returns: it calls gethostbyaddr() for the first address of the
/// name, and takes the first result with a dot, otherwise the first one, otherwise the name itself.
std::string fqdn_of(const std::string& name, const sockaddr* address) {
  if (!address) return name;
  const void* bytes = nullptr;
  socklen_t size = 0;
  if (address->sa_family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    size = sizeof(in_addr);
  } else {
    bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    size = sizeof(in6_addr);
  }
  const hostent* const host = ::gethostbyaddr(bytes, size, address->sa_family);
  if (!host || !host->h_name) return name;
  std::vector<std::string> names = {host->h_name};
  for (char** alias = host->h_aliases; alias && *alias; ++alias) names.emplace_back(*alias);
  for (const std::string& one : names)
    if (one.find('.') != std::string::npos) return one;
  return names.front();
}

/// The words of a line of hosts(5): the address, then the names.
std::vector<std::string_view> hosts_words(std::string_view line) {
  return words(line.substr(0, line.find('#')));
}

}  // namespace

std::string look_up_own_name() {
  char name[HOST_NAME_MAX + 1] = "";
  if (::gethostname(name, sizeof name - 1) != 0) return {};
  std::string text = cat("name ", name, "\n");
  const std::int64_t start = monotonic_ms();
  addrinfo hints{};
  hints.ai_protocol = IPPROTO_TCP;
  hints.ai_flags = AI_CANONNAME;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(name, nullptr, &hints, &found);
  if (error == 0) {
    if (found->ai_canonname) text += cat("canonical ", found->ai_canonname, "\n");
    for (const addrinfo* one = found; one; one = one->ai_next)
      text += cat("address ", address_text(one->ai_addr), "\n");
  }
  const std::int64_t took = monotonic_ms() - start;
  text += cat("fqdn ", fqdn_of(name, error == 0 ? found->ai_addr : nullptr), "\n");
  text += cat("ms ", took, "\n");
  if (error == 0) ::freeaddrinfo(found);
  return text;
}

std::optional<Lookup> parse_own_name(std::string_view text) {
  Lookup own;
  own.took_ms = -1;
  bool named = false;
  for (const std::string_view line : split(text, '\n')) {
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, blank);
    const std::string value(trim(line.substr(blank + 1)));
    if (key == "name") {
      own.name = value;
      named = true;
    }
    if (key == "canonical") own.canonical = value;
    if (key == "fqdn") own.fqdn = value;
    if (key == "address") own.addresses.push_back(value);
    if (key == "ms") own.took_ms = parse_int(value).value_or(-1);
  }
  return named ? std::optional(own) : std::nullopt;
}

std::string hosts_line(const Directory& root, const Lookup& own) {
  const auto text = root.read("etc/hosts", kLargestHosts);
  if (!text || own.addresses.empty()) return {};
  int number = 0;
  for (const std::string_view line : split(*text, '\n')) {
    ++number;
    const auto parts = hosts_words(line);
    if (parts.size() < 2 || parts[0] != own.addresses.front()) continue;
    if (std::ranges::find(parts.begin() + 1, parts.end(), own.name) == parts.end()) continue;
    return cat("/etc/hosts line ", number, ": ",
               join(std::vector<std::string>(parts.begin(), parts.end()), " "));
  }
  return {};
}

Known<Lookup> own_name_of_files(const Directory& root) {
  Lookup own;
  own.took_ms = -1;
  own.name = root.line("proc/sys/kernel/hostname").value_or("");
  if (own.name.empty()) own.name = root.line("etc/hostname").value_or("");
  if (own.name.empty()) return unknown("the recording has no host name");
  const auto text = root.read("etc/hosts", kLargestHosts);
  if (!text) return unknown("the recording has no /etc/hosts");
  for (const std::string_view line : split(*text, '\n')) {
    const auto parts = hosts_words(line);
    if (parts.size() < 2) continue;
    if (std::ranges::find(parts.begin() + 1, parts.end(), own.name) == parts.end()) continue;
    if (own.addresses.empty()) {
      own.canonical = std::string(parts[1]);
      own.fqdn = own.canonical;
      for (std::size_t i = 1; i < parts.size(); ++i)
        if (parts[i].find('.') != std::string_view::npos) {
          own.fqdn = std::string(parts[i]);
          break;
        }
    }
    own.addresses.emplace_back(parts[0]);
  }
  if (own.addresses.empty())
    return unknown(cat(
        own.name, " is not in /etc/hosts, and what name servers answer for it was not recorded"));
  return own;
}

}  // namespace nettune::tools::doctor::probe
