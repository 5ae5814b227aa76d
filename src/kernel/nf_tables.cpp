// SPDX-License-Identifier: Apache-2.0
#include "kernel/nf_tables.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <endian.h>
#include <fstream>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.hpp"
#include "kernel/nf_message.hpp"
#include "kernel/nf_parse.hpp"

namespace nettune::kernel {
namespace {

constexpr int kMaxDumps = 5;

bool present_here() {
  utsname system{};
  if (uname(&system) != 0) return true;
  return nf_tables_present("/sys", "/lib/modules", system.release);
}

/// 0 if the kernel has no nf_tables: then nfnetlink.c knows no such subsystem and returns EINVAL,
/// or there is no socket of that protocol.
Result<std::uint32_t> ask_generation(NetlinkSession& session) {
  std::optional<std::uint32_t> generation;
  const auto asked = session.request(nf_request(NFT_MSG_GETGEN, NLM_F_ACK, NFPROTO_UNSPEC),
                                     [&](const Message& message) {
                                       if (message.type == nf_message_type(NFT_MSG_NEWGEN)) {
                                         generation = parse_nf_generation(message.payload);
                                       }
                                     });
  if (!asked) {
    if (asked.error().sys == EINVAL) return 0;
    return fail_in("reading the generation of the nf_tables rule set", asked.error());
  }
  if (!generation) return fail(Errc::io, "nf_tables: the kernel did not report the generation");
  return *generation;
}

/// Nothing if nf_tables does not exist or is not loaded.
Result<std::optional<NetlinkSession>> open_session() {
  if (!present_here()) return std::nullopt;
  auto session = NetlinkSession::open(NETLINK_NETFILTER);
  if (!session) {
    if (session.error().code == Errc::unsupported) return std::nullopt;
    return fail(session.error());
  }
  return std::move(*session);
}

/// Passes every message of that type in the answer to `take`; `restart` drops earlier results.
template <class Take>
Result<> dump(NetlinkSession& session, Request request, int message_type,
              const std::function<void()>& restart, const Take& take) {
  return session.dump(std::move(request), restart, [&](const Message& message) {
    if (message.type == nf_message_type(message_type)) take(message.payload);
  });
}

template <class T>
Result<> dump_all(NetlinkSession& session, int get, int answer, std::optional<T> (*parse)(Bytes),
                  std::vector<T>& into) {
  return dump(
      session, nf_request(get, NLM_F_DUMP, NFPROTO_UNSPEC), answer, [&] { into.clear(); },
      [&](Bytes payload) {
        if (auto one = parse(payload)) into.push_back(std::move(*one));
      });
}

Result<> dump_elements(NetlinkSession& session, NfSet& set) {
  Request request = nf_request(NFT_MSG_GETSETELEM, NLM_F_DUMP, set.family);
  request.put_text(NFTA_SET_ELEM_LIST_TABLE, set.table).put_text(NFTA_SET_ELEM_LIST_SET, set.name);
  return dump(
      session, std::move(request), NFT_MSG_NEWSETELEM, [&] { set.elements.clear(); },
      [&](Bytes payload) { parse_nf_elements(payload, set.elements); });
}

/// Counts objects with a table name in an attribute: named objects, or flowtables.
Result<> count_others(NetlinkSession& session, int get, int answer, int table_attribute,
                      std::vector<NfTable>& tables) {
  const std::vector<NfTable> before = tables;
  return dump(
      session, nf_request(get, NLM_F_DUMP, NFPROTO_UNSPEC), answer, [&] { tables = before; },
      [&](Bytes payload) {
        const auto header = value_of<nfgenmsg>(payload);
        if (!header) return;
        each_attribute(behind<nfgenmsg>(payload), [&](const Attribute& attribute) {
          if (attribute.type != table_attribute) return;
          for (NfTable& table : tables)
            if (table.family == header->nfgen_family && table.name == text_of(attribute.payload))
              ++table.others;
        });
      });
}

/// One reading, which may mix generations.
Result<> read_once(NetlinkSession& session, NfElements elements, NfRuleset& ruleset) {
  TRY(dump_all(session, NFT_MSG_GETTABLE, NFT_MSG_NEWTABLE, parse_nf_table, ruleset.tables));
  if (ruleset.tables.empty()) return {};
  TRY(count_others(session, NFT_MSG_GETOBJ, NFT_MSG_NEWOBJ, NFTA_OBJ_TABLE, ruleset.tables));
  TRY(count_others(session, NFT_MSG_GETFLOWTABLE, NFT_MSG_NEWFLOWTABLE, NFTA_FLOWTABLE_TABLE,
                   ruleset.tables));
  TRY(dump_all(session, NFT_MSG_GETCHAIN, NFT_MSG_NEWCHAIN, parse_nf_chain, ruleset.chains));
  TRY(dump_all(session, NFT_MSG_GETRULE, NFT_MSG_NEWRULE, parse_nf_rule, ruleset.rules));
  TRY(dump_all(session, NFT_MSG_GETSET, NFT_MSG_NEWSET, parse_nf_set, ruleset.sets));
  for (NfSet& set : ruleset.sets) {
    set.is_unread = elements == NfElements::later;
    if (!set.is_unread) TRY(dump_elements(session, set));
  }
  return {};
}

}  // namespace

bool nf_tables_present(const std::string& sys, const std::string& modules,
                       const std::string& release) {
  if (access((sys + "/module/nf_tables").c_str(), F_OK) == 0) return true;
  std::ifstream built_in(cat(modules, "/", release, "/modules.builtin"));
  if (!built_in) return true;
  for (std::string line; std::getline(built_in, line);) {
    if (line.ends_with("/nf_tables.ko")) return true;
  }
  return false;
}

std::string nf_family_name(std::uint8_t family) {
  switch (family) {
    case NFPROTO_INET:
      return "inet";
    case NFPROTO_IPV4:
      return "ip";
    case NFPROTO_IPV6:
      return "ip6";
    case NFPROTO_ARP:
      return "arp";
    case NFPROTO_BRIDGE:
      return "bridge";
    case NFPROTO_NETDEV:
      return "netdev";
    default:
      return cat("family ", family);
  }
}

Result<std::uint32_t> nf_generation() {
  TRY_ASSIGN(auto session, open_session());
  if (!session) return 0;
  return ask_generation(*session);
}

Result<NfRuleset> read_nf_ruleset(NfElements elements) {
  TRY_ASSIGN(auto session, open_session());
  if (!session) return NfRuleset{};
  TRY_ASSIGN(std::uint32_t before, ask_generation(*session));
  if (before == 0) return NfRuleset{};
  for (int attempt = 0; attempt < kMaxDumps; ++attempt) {
    NfRuleset ruleset;
    ruleset.generation = before;
    const auto read = read_once(*session, elements, ruleset);
    TRY_ASSIGN(const std::uint32_t after, ask_generation(*session));
    if (before == after) {
      if (!read) return fail_in("reading the nf_tables rule set", read.error());
      return ruleset;
    }
    before = after;
  }
  return fail(Errc::busy, cat("the nf_tables rule set changed during each of ", kMaxDumps,
                              " readings; try again when the firewall is no longer changing"));
}

Result<> read_nf_elements(std::uint32_t generation, NfSet& set) {
  const std::string what =
      cat("reading nf_tables set ", nf_family_name(set.family), " ", set.table, " ", set.name);
  TRY_ASSIGN(auto session, open_session());
  if (!session) return fail(Errc::conflict, what + ": nf_tables no longer exists");
  auto dumped = dump_elements(*session, set);
  TRY_ASSIGN(const std::uint32_t now, ask_generation(*session));
  if (now != generation) {
    return fail(Errc::conflict, what + ": the rule set changed since it was read");
  }
  if (!dumped) return fail_in(what, std::move(dumped).error());
  set.is_unread = false;
  return {};
}

Result<std::vector<NfRule>> read_nf_chain(std::uint8_t family, const std::string& table,
                                          const std::string& chain) {
  const std::string what =
      cat("reading nf_tables chain ", nf_family_name(family), " ", table, " ", chain);
  TRY_ASSIGN(auto session, open_session());
  if (!session) return fail(Errc::not_found, what + ": nf_tables is not loaded", ENOENT);
  // A dump filtered by a missing chain is empty, and so is that of an empty chain.
  Request there = nf_request(NFT_MSG_GETCHAIN, NLM_F_ACK, family);
  there.put_text(NFTA_CHAIN_TABLE, table).put_text(NFTA_CHAIN_NAME, chain);
  if (auto asked = session->request(std::move(there)); !asked) {
    return fail_in(what, std::move(asked).error());
  }
  Request request = nf_request(NFT_MSG_GETRULE, NLM_F_DUMP, family);
  request.put_text(NFTA_RULE_TABLE, table).put_text(NFTA_RULE_CHAIN, chain);
  std::vector<NfRule> rules;
  auto dumped = dump(
      *session, std::move(request), NFT_MSG_NEWRULE, [&] { rules.clear(); },
      [&](Bytes payload) {
        auto rule = parse_nf_rule(payload);
        // A kernel without the filter sends everything.
        if (rule && rule->family == family && rule->table == table && rule->chain == chain) {
          rules.push_back(std::move(*rule));
        }
      });
  if (!dumped) return fail_in(what, std::move(dumped).error());
  return rules;
}

Result<NfSet> read_nf_set(std::uint8_t family, const std::string& table, const std::string& name) {
  const std::string what =
      cat("reading nf_tables set ", nf_family_name(family), " ", table, " ", name);
  TRY_ASSIGN(auto session, open_session());
  if (!session) return fail(Errc::not_found, what + ": nf_tables is not loaded", ENOENT);
  Request request = nf_request(NFT_MSG_GETSET, NLM_F_ACK, family);
  request.put_text(NFTA_SET_TABLE, table).put_text(NFTA_SET_NAME, name);
  std::optional<NfSet> found;
  auto asked = session->request(std::move(request), [&](const Message& message) {
    if (message.type == nf_message_type(NFT_MSG_NEWSET)) found = parse_nf_set(message.payload);
  });
  if (!asked) return fail_in(what, std::move(asked).error());
  if (!found) return fail(Errc::io, what + ": it is not in the kernel's answer");
  if (auto dumped = dump_elements(*session, *found); !dumped)
    return fail_in(what, std::move(dumped).error());
  return std::move(*found);
}

}  // namespace nettune::kernel
