// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/ufw_provider.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fcntl.h>
#include <linux/netfilter.h>
#include <map>
#include <optional>
#include <thread>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "kernel/nf_tables.hpp"
#include "kernel/sysfs.hpp"
#include "kinds/firewall/ufw_rule.hpp"

namespace nettune::kinds::firewall {
namespace {

constexpr std::string_view kRulePresent = "present";
constexpr std::string_view kUfwAllow = "allow";
constexpr std::uint64_t kMaxRulesBytes = std::uint64_t{16} << 20U;
/// The timeout of a ufw run, which waits for iptables and for another ufw.
constexpr int kPatience_ms = 60'000;

/// Whether legacy iptables has a filter table here: nf_tables does not show its rules.
bool has_legacy_filter(bool ipv6) {
  constexpr std::size_t kMaxNames = 4096;
  const auto net = kernel::Directory::open("/proc/net");
  const auto names = net ? net->read(ipv6 ? "ip6_tables_names" : "ip_tables_names", kMaxNames)
                         : Result<std::string>(fail(net.error()));
  if (!names) return false;
  const auto all = words(*names);
  return std::ranges::find(all, "filter") != all.end();
}

/// Whether the kernel has ufw's chain, if its iptables is that of nf_tables. For legacy iptables
/// only the table is checked: its rules are known from the file only.
Result<bool> chain_in_kernel(bool ipv6) {
  const auto rules = kernel::read_nf_chain(ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4, "filter",
                                           ipv6 ? "ufw6-user-input" : "ufw-user-input");
  if (rules) return true;
  if (rules.error().code != Errc::not_found) return fail(rules.error());
  return has_legacy_filter(ipv6);
}

/// Waits until no other ufw runs. ufw reads its rules before it locks them (main() of ufw), so a
/// run beside another one writes the old rules, and the other's rule is lost.
Result<> wait_for_other_ufw() {
  constexpr std::chrono::milliseconds kBetweenLooks{50};
  const UniqueFd file(::open("/run/ufw.lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatience_ms);
  while (file.valid() && std::chrono::steady_clock::now() < deadline) {
    struct flock held {};
    held.l_type = F_WRLCK;
    held.l_whence = SEEK_SET;
    if (::fcntl(file.get(), F_OFD_GETLK, &held) < 0 || held.l_type == F_UNLCK) return {};
    std::this_thread::sleep_for(kBetweenLooks);
  }
  if (!file.valid()) return {};
  return fail(Errc::busy,
              cat("another ufw has been running for ", kPatience_ms / 1000, " s; try again later"));
}

Result<kernel::Finished> run_ufw(const kernel::CommandLine& command) {
  TRY(wait_for_other_ufw());
  return kernel::run_and_listen(command);
}

/// The rules of one family, or why they are unknown.
struct Rules {
  std::map<std::string, std::string, std::less<>> actions;  ///< by tuple
  std::optional<Reading> unread;
};

Rules read_rules(Disk& disk, const UfwCalls& calls, bool ipv6) {
  const std::string path = firewall::ufw_rules_file(ipv6);
  const auto unread = [](Presence presence, std::string why) {
    return Rules{{}, Reading{presence, "", std::move(why), {}}};
  };
  const auto file = disk.read(path, kMaxRulesBytes);
  if (!file) return unread(Presence::not_permitted, file.error().text);
  if (!*file) return unread(Presence::missing, cat(path, " does not exist: ufw is not installed"));
  const auto chain = calls.has_chain(ipv6);
  if (!chain) return unread(Presence::not_permitted, chain.error().text);
  if (!*chain)
    return unread(Presence::missing, cat("ufw is not active: the kernel has none of its IPv",
                                         ipv6 ? '6' : '4', " chains; run ufw reload"));
  return {firewall::ufw_actions(**file), std::nullopt};
}

/// For another action than nettune's, its name, which is the site's.
Reading reading_of(const UfwRule& rule, const Rules& rules) {
  const auto found = rules.actions.find(firewall::tuple_of(rule));
  if (found == rules.actions.end()) return {Presence::absent, "", "", {}};
  if (found->second == kUfwAllow) return {Presence::present, std::string(kRulePresent), "", {}};
  return {Presence::present, printable(found->second), "", {}};
}

Result<UfwRule> rule_of(const Address& address) {
  if (address.body() != "ufw")
    return fail(Errc::invalid, cat(printable(address.text.substr(0, 200)),
                                   " is not a ufw rule; write firewall:ufw#RULE"));
  return firewall::parse_ufw_rule(address.element());
}

/// "allow in on ..." after the command's verb.
kernel::CommandLine command_for(const Write& write) {
  kernel::CommandLine command;
  command.timeout_ms = kPatience_ms;
  // ufw is a Python script: it gets nothing of the caller's environment.
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
    command.words.emplace_back(kUfwComment);
  }
  return command;
}

}  // namespace

UfwCalls::UfwCalls() : run(run_ufw), has_chain(chain_in_kernel) {}

Result<Value> UfwFirewall::canonical(const Address& address, const Value& want) const {
  TRY(rule_of(address));
  if (want && trim(*want) != kRulePresent)
    return fail(Errc::invalid, cat(address.text, " must be \"present\" or absent, not \"",
                                   printable(want->substr(0, 80)), '"'));
  return want ? Value(std::string(kRulePresent)) : Value();
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
    readings.push_back(rules->unread ? *rules->unread : reading_of(*rule, *rules));
  }
  return readings;
}

Effects UfwFirewall::effects(const Address& address, const Value& before, const Value& after) {
  Effects effects;
  const auto rule = rule_of(address);
  if (!rule) return effects;
  if (::geteuid() != 0)
    effects.not_permitted = "changing ufw's rules needs root";
  else if (before && *before != kRulePresent && after)
    effects.not_permitted = cat("ufw has a rule of the site with the action \"", *before,
                                "\" for the same traffic and keeps only one; remove it with "
                                "ufw delete first");
  effects.undo = Undo::residue;
  effects.residue = cat("ufw rewrites ", firewall::ufw_rules_file(rule->ipv6),
                        "; comments in that file are lost");
  return effects;
}

Result<> UfwFirewall::write(std::span<const Write> unit, const Contents&, const std::string&) {
  for (const Write& write : unit) {
    TRY_ASSIGN(const UfwRule rule, rule_of(write.address));
    const std::string doing =
        cat(write.after ? "adding" : "deleting", " the ufw rule \"", write.address.element(), '"');
    auto ran = calls_.run(command_for(write));
    if (!ran) return fail_in(doing, std::move(ran).error());
    if (ran->status != 0)
      return fail(Errc::io, cat(doing, ": ufw exited with status ", ran->status, ": ",
                                printable(trim(ran->said).substr(0, 400))));
    // set_rule(), ufw/backend_iptables.py: it skips the rule with status 0.
    if (write.after && ran->said.find("Skipping") != std::string::npos)
      return fail(Errc::conflict,
                  cat(doing, ": ufw says \"", printable(trim(ran->said).substr(0, 400)),
                      "\": ", firewall::ufw_rules_file(rule.ipv6), " has another action for \"",
                      firewall::tuple_of(rule), "\""));
  }
  return {};
}

}  // namespace nettune::kinds::firewall
