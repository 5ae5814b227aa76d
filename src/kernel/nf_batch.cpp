// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <endian.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

#include "base/text.hpp"
#include "kernel/nf_message.hpp"
#include "kernel/nf_parse.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::kernel {
namespace {

// Headers, names and everything besides a rule's expressions: names have at most 256 bytes.
constexpr std::size_t kBesideExpressions = 2048;
// An attribute is shorter than 64 KiB: this many elements, with at most 64 bytes for each of three
// values, always fit.
constexpr std::size_t kElementsPerMessage = 128;
constexpr std::size_t kElementRoom = 256;
// The kernel's answers must fit into the socket, with the acknowledgement: a rule of 128
// expressions takes some KiB, and net.core.rmem_default is 208 KiB.
constexpr std::size_t kMostEchoes = 32;

/// The two messages around a batch; res_id is its subsystem.
Request bracket(std::uint16_t type, std::uint16_t flags) {
  Request request(type, flags);
  request.header(nfgenmsg{AF_UNSPEC, NFNETLINK_V0, htons(NFNL_SUBSYS_NFTABLES)});
  return request;
}

void put_data(Request& request, int type, const ByteString& value) {
  request.nest(type, [&](Request& data) { data.put_bytes(NFTA_DATA_VALUE, value); });
}

void put_element(Request& request, const NfElement& element) {
  request.nest(NFTA_LIST_ELEM, [&](Request& nested) {
    put_data(nested, NFTA_SET_ELEM_KEY, element.key);
    if (!element.key_end.empty()) put_data(nested, NFTA_SET_ELEM_KEY_END, element.key_end);
    if (element.flags != 0) nested.put(NFTA_SET_ELEM_FLAGS, htonl(element.flags));
  });
}

// libnftnl's udata.h: (type, length, bytes), type 0 is a rule's comment with its NUL.
ByteString userdata_of(const std::string& comment) {
  ByteString data{std::byte{0}, static_cast<std::byte>(comment.size() + 1)};
  const auto bytes = std::as_bytes(std::span(comment.c_str(), comment.size() + 1));
  data.insert(data.end(), bytes.begin(), bytes.end());
  return data;
}

// libnftnl's udata.h: type 0 of a set is the byte order of its keys, that of the machine (1) or of
// the network (2), as a number in host order.
ByteString key_order_of(const NfSet& set) {
  const std::uint32_t order = set.host_order ? 1 : 2;
  ByteString data{std::byte{0}, std::byte{sizeof(order)}};
  const auto bytes = std::as_bytes(std::span(&order, 1));
  data.insert(data.end(), bytes.begin(), bytes.end());
  return data;
}

std::string table_text(std::uint8_t family, const std::string& table) {
  return cat("table ", nf_family_name(family), " ", table);
}

std::string rule_text(const NfRule& rule) {
  return cat("rule in chain ", nf_family_name(rule.family), " ", rule.table, " ", rule.chain);
}

}  // namespace

NfBatch& NfBatch::add_table(const NfTable& table) {
  Request request = nf_request(NFT_MSG_NEWTABLE, NLM_F_CREATE, table.family);
  request.put_text(NFTA_TABLE_NAME, table.name);
  request.put(NFTA_TABLE_FLAGS, htonl(table.flags));
  steps_.push_back({std::move(request), "adding " + table_text(table.family, table.name)});
  return *this;
}

NfBatch& NfBatch::delete_table(const NfTable& table) {
  Request request = nf_request(NFT_MSG_DELTABLE, 0, table.family);
  request.put_text(NFTA_TABLE_NAME, table.name);
  steps_.push_back({std::move(request), "deleting " + table_text(table.family, table.name)});
  return *this;
}

NfBatch& NfBatch::add_chain(const NfChain& chain) {
  Request request = nf_request(NFT_MSG_NEWCHAIN, NLM_F_CREATE, chain.family);
  request.put_text(NFTA_CHAIN_TABLE, chain.table).put_text(NFTA_CHAIN_NAME, chain.name);
  if (chain.hook) {
    request.nest(NFTA_CHAIN_HOOK, [&](Request& hook) {
      hook.put(NFTA_HOOK_HOOKNUM, htonl(chain.hook->number));
      hook.put(NFTA_HOOK_PRIORITY, htonl(static_cast<std::uint32_t>(chain.hook->priority)));
      if (chain.hook->devices.empty()) return;
      hook.nest(NFTA_HOOK_DEVS, [&](Request& devices) {
        for (const auto& device : chain.hook->devices) devices.put_text(NFTA_DEVICE_NAME, device);
      });
    });
    request.put(NFTA_CHAIN_POLICY, htonl(chain.policy)).put_text(NFTA_CHAIN_TYPE, chain.type);
  }
  steps_.push_back({std::move(request), cat("adding chain ", nf_family_name(chain.family), " ",
                                            chain.table, " ", chain.name)});
  return *this;
}

NfBatch& NfBatch::delete_chain(const NfChain& chain) {
  Request request = nf_request(NFT_MSG_DELCHAIN, NLM_F_NONREC, chain.family);
  request.put_text(NFTA_CHAIN_TABLE, chain.table).put_text(NFTA_CHAIN_NAME, chain.name);
  steps_.push_back({std::move(request), cat("deleting chain ", nf_family_name(chain.family), " ",
                                            chain.table, " ", chain.name)});
  return *this;
}

NfBatch& NfBatch::add_set(const NfSet& set) {
  const std::string what = "adding a set to " + table_text(set.family, set.table);
  Request request = nf_request(NFT_MSG_NEWSET, NLM_F_CREATE, set.family);
  request.put_text(NFTA_SET_TABLE, set.table)
      .put_text(NFTA_SET_NAME, set.name)
      .put(NFTA_SET_ID, htonl(set.id))
      .put(NFTA_SET_FLAGS, htonl(set.flags))
      .put(NFTA_SET_KEY_TYPE, htonl(set.key_type))
      .put(NFTA_SET_KEY_LEN, htonl(set.key_bytes))
      .put_bytes(NFTA_SET_USERDATA, key_order_of(set));
  steps_.push_back({std::move(request), what});
  for (std::size_t at = 0; at < set.elements.size(); at += kElementsPerMessage) {
    const auto part = std::span(set.elements)
                          .subspan(at, std::min(kElementsPerMessage, set.elements.size() - at));
    Request elements = nf_request(NFT_MSG_NEWSETELEM, NLM_F_CREATE, set.family,
                                  kBesideExpressions + part.size() * kElementRoom);
    elements.put_text(NFTA_SET_ELEM_LIST_TABLE, set.table)
        .put_text(NFTA_SET_ELEM_LIST_SET, set.name)
        .put(NFTA_SET_ELEM_LIST_SET_ID, htonl(set.id));
    elements.nest(NFTA_SET_ELEM_LIST_ELEMENTS, [&](Request& list) {
      for (const NfElement& element : part) put_element(list, element);
    });
    steps_.push_back({std::move(elements), what});
  }
  return *this;
}

NfBatch& NfBatch::add_rule(const NfRule& rule, std::uint64_t behind) {
  // nf_tables_api.c, nf_tables_newrule(): without NLM_F_APPEND a rule goes to the head of its
  // chain, or with a position directly after that rule.
  Request request = nf_request(NFT_MSG_NEWRULE, NLM_F_CREATE | (behind == 0 ? 0 : NLM_F_APPEND),
                               rule.family, kBesideExpressions + rule.expressions.size());
  request.put_text(NFTA_RULE_TABLE, rule.table)
      .put_text(NFTA_RULE_CHAIN, rule.chain)
      .put_bytes(NFTA_RULE_EXPRESSIONS | NLA_F_NESTED, rule.expressions);
  if (behind != 0) request.put(NFTA_RULE_POSITION, htobe64(behind));
  if (!rule.comment.empty()) request.put_bytes(NFTA_RULE_USERDATA, userdata_of(rule.comment));
  steps_.push_back({std::move(request), "adding a " + rule_text(rule)});
  added_.push_back(steps_.size() - 1);
  return *this;
}

NfBatch& NfBatch::delete_rule(const NfRule& rule) {
  Request request = nf_request(NFT_MSG_DELRULE, 0, rule.family);
  request.put_text(NFTA_RULE_TABLE, rule.table)
      .put_text(NFTA_RULE_CHAIN, rule.chain)
      .put(NFTA_RULE_HANDLE, htobe64(rule.handle));
  steps_.push_back({std::move(request), "deleting a " + rule_text(rule)});
  return *this;
}

Result<NfCommitted> NfBatch::commit() {
  NfCommitted committed;
  if (steps_.empty()) {
    committed.generation = generation_;
    return committed;
  }
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_NETFILTER));
  if (added_.size() <= kMostEchoes)
    for (const std::size_t at : added_) steps_[at].request.add_flags(NLM_F_ECHO);
  Request begin = bracket(NFNL_MSG_BATCH_BEGIN, 0);
  if (generation_ != 0) begin.put(NFNL_BATCH_GENID, htonl(generation_));
  const Request end = bracket(NFNL_MSG_BATCH_END, 0);
  std::vector<const Request*> requests{&begin};
  for (const Step& step : steps_) requests.push_back(&step.request);
  requests.push_back(&end);

  std::size_t failed = 0;
  // The end of a batch is acknowledged only since Linux 6.9; a step always is, after the commit.
  const auto sent = session.transaction(
      requests, steps_.size(),
      [&](const Message& message) {
        if (message.type == nf_message_type(NFT_MSG_NEWRULE)) {
          if (auto rule = parse_nf_rule(message.payload))
            committed.rules.push_back(std::move(*rule));
        }
      },
      failed);
  if (sent) {
    // nf_tables_api.c, nf_tables_commit(): the next number, and never 0.
    if (generation_ != 0) committed.generation = std::max(generation_ + 1, 1U);
    return committed;
  }
  const Error& error = sent.error();
  if (error.sys == ENOBUFS || error.sys == ETIMEDOUT) {
    // The result is unknown, unless the generation shows that nothing was written.
    const auto now = nf_generation();
    if (!now || generation_ == 0 || *now != generation_) return NfCommitted{};
  }
  if (error.sys == ERESTART) {
    return fail(Errc::conflict,
                "nf_tables: the rule set was changed since it was read; "
                "nothing was written",
                ERESTART);
  }
  // nfnetlink.c: a failure in the commit itself is answered as a failure of the first step.
  const bool known = failed > 0 && failed <= steps_.size() && (failed > 1 || steps_.size() == 1);
  const std::string what = known ? steps_[failed - 1].what : "changing the rule set";
  return fail_in(cat("nf_tables: ", what, " (nothing was written)"), error);
}

}  // namespace nettune::kernel
