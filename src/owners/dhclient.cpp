// SPDX-License-Identifier: Apache-2.0
#include "owners/dhclient.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace nettune::owners {
namespace {

constexpr std::string_view kConf = "/etc/dhcp/dhclient.conf";
constexpr std::string_view kOption = "interface-mtu";

struct Token {
  std::string text;
  int line = 0;
};

/// The tokens of dhclient.conf(5): words, and the signs ; , { } one by one; '#' begins a comment.
std::vector<Token> tokens(std::string_view text) {
  std::vector<Token> found;
  int number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    std::string spaced;
    for (const char c : raw.substr(0, raw.find('#'))) {
      const bool sign = c == ';' || c == ',' || c == '{' || c == '}';
      spaced += sign ? cat(' ', c, ' ') : std::string(1, c);
    }
    for (const std::string_view word : words(spaced)) found.push_back({std::string(word), number});
  }
  return found;
}

/// The MTU statements for one interface: outside of all blocks, or in the interface's own block.
struct Conf {
  std::optional<Token> request;    ///< the entry of the request list
  std::optional<Token> supersede;  ///< "supersede interface-mtu N": N, whatever the server says
};

class ConfReader {
 public:
  ConfReader(const std::vector<Token>& all, const std::string& interface)
      : all_(all), interface_(interface) {}

  Conf read() {
    while (at_ < all_.size()) statement();
    return std::move(conf_);
  }

 private:
  /// Reads up to ';', or into and out of a block.
  void statement() {
    if (all_[at_].text == "}") {
      if (depth_ > 0 && --depth_ < foreign_) foreign_ = kNone;
      ++at_;
      return;
    }
    std::vector<Token> words;
    while (at_ < all_.size() && all_[at_].text != ";" && all_[at_].text != "{" &&
           all_[at_].text != "}") {
      words.push_back(all_[at_++]);
    }
    if (at_ < all_.size() && all_[at_].text == "{") {
      ++depth_;
      const bool mine = words.size() == 2 && words[0].text == "interface" &&
                        words[1].text == cat('"', interface_, '"');
      if (!mine && foreign_ == kNone) foreign_ = depth_;
      ++at_;
      return;
    }
    if (at_ < all_.size() && all_[at_].text == ";") ++at_;
    if (foreign_ == kNone) take(words);
  }

  void take(const std::vector<Token>& words) {
    if (words.empty()) return;
    const bool also = words[0].text == "also" && words.size() > 1 && words[1].text == "request";
    if (words[0].text == "request") conf_.request.reset();
    if (also || words[0].text == "request") {
      const auto option = std::ranges::find(words, kOption, &Token::text);
      if (option != words.end()) conf_.request = *option;
    }
    if (words[0].text == "supersede" && words.size() == 3 && words[1].text == kOption &&
        is_integer(words[2].text)) {
      conf_.supersede = words[2];
    }
  }

  static constexpr int kNone = 1 << 30;
  const std::vector<Token>& all_;
  const std::string& interface_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int foreign_ = kNone;  ///< the depth of a block for something else
  Conf conf_;
};

bool uses_dhclient(const conf::Files& files, const Interfaces& interfaces, const Link& link) {
  const auto stanzas = automatic_stanzas(files, interfaces, link);
  return std::ranges::any_of(stanzas, [](const Stanza* stanza) {
    return stanza->family == "inet" && stanza->method == "dhcp";
  });
}

void say(const Link& link, const Conf& conf, Rivals& rivals) {
  const Address address{cat("link:", link.facts.name, ":mtu")};
  const std::string when = "dhclient sets it with every lease";
  if (conf.supersede) {
    rivals.say({address, "dhclient", std::string(kConf), conf.supersede->line,
                sets("supersede interface-mtu", conf.supersede->text), conf.supersede->text, true,
                when});
  } else if (conf.request) {
    rivals.say({address, "dhclient", std::string(kConf), conf.request->line,
                "asks the DHCP server for an MTU", "", false,
                "dhclient sets the offered MTU, if any, with every lease",
                cat("add \"supersede interface-mtu ", rivals.want(address),
                    ";\", or remove interface-mtu from the list")});
  }
}

}  // namespace

/// ifupdown prefers dhclient to all other clients (inet.defn). Debian's dhclient-script sets an MTU
/// above 576 only.
void find_dhclient(const conf::Files& files, const Interfaces& interfaces,
                   std::span<const Link> links, Rivals& rivals) {
  if (!files.exists("/sbin/dhclient") && !files.exists("/usr/sbin/dhclient")) return;
  const auto file = files.read(std::string(kConf));
  if (!file) return;
  const std::vector<Token> all = tokens(file->text);
  for (const Link& link : links) {
    if (!uses_dhclient(files, interfaces, link)) continue;
    say(link, ConfReader(all, link.facts.name).read(), rivals);
  }
}

}  // namespace nettune::owners
