// SPDX-License-Identifier: Apache-2.0
#include "providers/firewall_ufw.hpp"

#include <algorithm>
#include <array>
#include <linux/netfilter.h>
#include <optional>
#include <set>
#include <unistd.h>

#include "base/text.hpp"
#include "formats/ufw_rule.hpp"
#include "kernel/nf_tables.hpp"
#include "kernel/sysfs.hpp"
#include "providers/firewall_paths.hpp"

namespace nettune::providers {
namespace {

constexpr std::string_view kPresent = "present";
constexpr std::string_view kComment = "nettune";
constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 20U;
/// It waits for iptables, and for another ufw.
constexpr int kPatience_ms = 60'000;

/// Whether legacy iptables has a filter table here: then what it holds does not show in nf_tables.
bool has_legacy_filter(bool ipv6) {
  constexpr std::size_t kMaxNames = 4096;
  const auto net = kernel::Directory::open("/proc/net");
  const auto names = net ? net->read(ipv6 ? "ip6_tables_names" : "ip_tables_names", kMaxNames)
                         : Result<std::string>(fail(net.error()));
  if (!names) return false;
  const auto all = words(*names);
  return std::ranges::find(all, "filter") != all.end();
}

/// What the kernel has of ufw, where its iptables is that of nf_tables. Of legacy iptables only the
/// table is looked for: what is in it, the file alone says.
Result<bool> chain_in_kernel(bool ipv6) {
  const auto rules = kernel::read_nf_chain(ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4, "filter",
                                           ipv6 ? "ufw6-user-input" : "ufw-user-input");
  if (rules) return true;
  if (rules.error().code != Errc::not_found) return fail(rules.error());
  return has_legacy_filter(ipv6);
}

/// The rules of one family, or why they cannot be told.
struct Rules {
  std::set<std::string, std::less<>> tuples;
  std::optional<Reading> unread;
};

Rules read_rules(Disk& disk, const UfwCalls& calls, bool ipv6) {
  const std::string path = ufw_file(ipv6);
  const auto unread = [](Presence presence, std::string why) {
    return Rules{{}, Reading{presence, "", std::move(why), {}}};
  };
  const auto file = disk.read(path, kMaxBytes);
  if (!file) return unread(Presence::not_permitted, file.error().text);
  if (!*file) return unread(Presence::missing, cat(path, " is not there: there is no ufw"));
  const auto chain = calls.has_chain(ipv6);
  if (!chain) return unread(Presence::not_permitted, chain.error().text);
  if (!*chain)
    return unread(Presence::missing,
                  cat("ufw is not at work: the kernel has none of its chains for IPv",
                      ipv6 ? '6' : '4', "; ufw reload brings them back"));
  return {formats::ufw_tuples(**file), std::nullopt};
}

Result<formats::UfwRule> rule_of(const Address& address) {
  if (address.body() != "ufw")
    return fail(Errc::invalid, cat(printable(address.text.substr(0, 200)),
                                   " is no rule of ufw; they are firewall:ufw#RULE"));
  return formats::parse_ufw_rule(address.element());
}

/// "allow in on ..." behind what is to be done with it.
kernel::CommandLine command_for(const Write& write) {
  kernel::CommandLine command;
  command.timeout_ms = kPatience_ms;
  // ufw is a script of Python: nothing of the caller's environment is for it.
  command.words = {"/usr/bin/env",
                   "-i",
                   "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                   "LC_ALL=C.UTF-8",
                   "/usr/sbin/ufw",
                   write.after ? "prepend" : "delete"};
  for (const std::string_view word : split(write.address.element(), ' '))
    command.words.emplace_back(word);
  if (write.after) {
    command.words.emplace_back("comment");
    command.words.emplace_back(kComment);
  }
  return command;
}

}  // namespace

UfwCalls::UfwCalls() : has_chain(chain_in_kernel) {}

Result<Value> UfwFirewall::canonical(const Address& address, const Value& want) const {
  TRY(rule_of(address));
  if (want && trim(*want) != kPresent)
    return fail(Errc::invalid, cat(address.text, " is \"present\" or absent, not \"",
                                   printable(want->substr(0, 80)), '"'));
  return want ? Value(std::string(kPresent)) : Value();
}

std::vector<Reading> UfwFirewall::read(std::span<const Address> addresses) {
  std::array<std::optional<Rules>, 2> of_family;
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  for (const Address& address : addresses) {
    const auto rule = rule_of(address);
    if (!rule) {
      readings.push_back({Presence::not_applicable, "", rule.error().text, {}});
      continue;
    }
    auto& rules = of_family[rule->ipv6 ? 1 : 0];
    if (!rules) rules = read_rules(disk_, calls_, rule->ipv6);
    if (rules->unread)
      readings.push_back(*rules->unread);
    else if (rules->tuples.contains(formats::tuple_of(*rule)))
      readings.push_back({Presence::present, std::string(kPresent), "", {}});
    else
      readings.push_back({Presence::absent, "", "", {}});
  }
  return readings;
}

Effects UfwFirewall::effects(const Address& address, const Value&, const Value&) {
  Effects effects;
  const auto rule = rule_of(address);
  if (!rule) return effects;
  if (::geteuid() != 0) effects.not_permitted = "ufw takes rules from root only";
  effects.touches.push_back({file_of_ufw(rule->ipv6), "", std::nullopt,
                             "ufw writes its rules anew, ufw/backend_iptables.py"});
  return effects;
}

Result<> UfwFirewall::write(std::span<const Write> unit, const Contents&, const std::string&) {
  for (const Write& write : unit) {
    TRY(rule_of(write.address));
    const std::string doing = cat(write.after ? "giving ufw" : "taking from ufw", " the rule \"",
                                  write.address.element(), '"');
    auto ran = calls_.run(command_for(write));
    if (!ran) return fail_in(doing, std::move(ran).error());
    if (ran->status != 0)
      return fail(Errc::io, cat(doing, ": ufw ended with ", ran->status, ": ",
                                printable(trim(ran->said).substr(0, 400))));
  }
  return {};
}

}  // namespace nettune::providers
