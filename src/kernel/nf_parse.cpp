// SPDX-License-Identifier: Apache-2.0
#include "kernel/nf_parse.hpp"

#include <endian.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

namespace nettune::kernel {
namespace {

// libnftnl's udata.h: userdata is a list of (type, length, bytes), and this type is the comment of
// a rule. The kernel only stores it.
constexpr std::byte kUserdataComment{0};
// nf_tables.h of Linux 6.16: a hook's device by a prefix of its name.
constexpr int kDevicePrefix = 2;

std::uint32_t be32(Bytes bytes) { return be32toh(value_of<std::uint32_t>(bytes).value_or(0)); }
std::uint64_t be64(Bytes bytes) { return be64toh(value_of<std::uint64_t>(bytes).value_or(0)); }

ByteString copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

std::string comment_in(Bytes userdata) {
  while (userdata.size() >= 2) {
    const std::byte type = userdata[0];
    const auto length = std::to_integer<std::size_t>(userdata[1]);
    userdata = userdata.subspan(2);
    if (length > userdata.size()) break;
    if (type == kUserdataComment) return std::string(text_of(userdata.first(length)));
    userdata = userdata.subspan(length);
  }
  return {};
}

NfHook parse_hook(Bytes nested) {
  NfHook hook;
  each_attribute(nested, [&](const Attribute& attribute) {
    switch (attribute.type) {
      case NFTA_HOOK_HOOKNUM:
        hook.number = be32(attribute.payload);
        break;
      case NFTA_HOOK_PRIORITY:
        hook.priority = static_cast<std::int32_t>(be32(attribute.payload));
        break;
      case NFTA_HOOK_DEV:
        hook.devices.emplace_back(text_of(attribute.payload));
        break;
      case NFTA_HOOK_DEVS:
        // A single device is in NFTA_HOOK_DEV as well.
        hook.devices.clear();
        each_attribute(attribute.payload, [&](const Attribute& device) {
          std::string name(text_of(device.payload));
          if (device.type == kDevicePrefix) name += '*';
          hook.devices.push_back(std::move(name));
        });
        break;
      default:
        break;
    }
  });
  return hook;
}

/// The bytes of a NFTA_DATA_VALUE, or the attributes of a NFTA_DATA_VERDICT.
ByteString data_in(Bytes nested) {
  ByteString data;
  each_attribute(nested, [&](const Attribute& attribute) { data = copy_of(attribute.payload); });
  return data;
}

/// Whether an expression of an element does more than count.
bool matters(Bytes expression) {
  std::string_view name;
  each_attribute(expression, [&](const Attribute& attribute) {
    if (attribute.type == NFTA_EXPR_NAME) name = text_of(attribute.payload);
  });
  return name != "counter" && name != "last";
}

NfElement parse_element(Bytes nested) {
  NfElement element;
  each_attribute(nested, [&](const Attribute& attribute) {
    switch (attribute.type) {
      case NFTA_SET_ELEM_KEY:
        element.key = data_in(attribute.payload);
        break;
      case NFTA_SET_ELEM_KEY_END:
        element.key_end = data_in(attribute.payload);
        break;
      case NFTA_SET_ELEM_DATA:
        element.data = data_in(attribute.payload);
        break;
      case NFTA_SET_ELEM_FLAGS:
        element.flags = be32(attribute.payload);
        break;
      case NFTA_SET_ELEM_EXPR:
        if (matters(attribute.payload)) element.has_expressions = true;
        break;
      case NFTA_SET_ELEM_EXPRESSIONS:
        each_attribute(attribute.payload, [&](const Attribute& one) {
          if (matters(one.payload)) element.has_expressions = true;
        });
        break;
      default:
        break;
    }
  });
  return element;
}

}  // namespace

std::optional<NfTable> parse_nf_table(Bytes payload) {
  const auto header = value_of<nfgenmsg>(payload);
  if (!header) return std::nullopt;
  NfTable table;
  table.family = header->nfgen_family;
  each_attribute(behind<nfgenmsg>(payload), [&](const Attribute& attribute) {
    if (attribute.type == NFTA_TABLE_NAME) table.name = text_of(attribute.payload);
    if (attribute.type == NFTA_TABLE_FLAGS) table.flags = be32(attribute.payload);
  });
  if (table.name.empty()) return std::nullopt;
  return table;
}

std::optional<NfChain> parse_nf_chain(Bytes payload) {
  const auto header = value_of<nfgenmsg>(payload);
  if (!header) return std::nullopt;
  NfChain chain;
  chain.family = header->nfgen_family;
  each_attribute(behind<nfgenmsg>(payload), [&](const Attribute& attribute) {
    switch (attribute.type) {
      case NFTA_CHAIN_TABLE:
        chain.table = text_of(attribute.payload);
        break;
      case NFTA_CHAIN_NAME:
        chain.name = text_of(attribute.payload);
        break;
      case NFTA_CHAIN_TYPE:
        chain.type = text_of(attribute.payload);
        break;
      case NFTA_CHAIN_POLICY:
        chain.policy = be32(attribute.payload);
        break;
      case NFTA_CHAIN_HOOK:
        chain.hook = parse_hook(attribute.payload);
        break;
      default:
        break;
    }
  });
  if (chain.table.empty() || chain.name.empty()) return std::nullopt;
  return chain;
}

std::optional<NfRule> parse_nf_rule(Bytes payload) {
  const auto header = value_of<nfgenmsg>(payload);
  if (!header) return std::nullopt;
  NfRule rule;
  rule.family = header->nfgen_family;
  each_attribute(behind<nfgenmsg>(payload), [&](const Attribute& attribute) {
    switch (attribute.type) {
      case NFTA_RULE_TABLE:
        rule.table = text_of(attribute.payload);
        break;
      case NFTA_RULE_CHAIN:
        rule.chain = text_of(attribute.payload);
        break;
      case NFTA_RULE_HANDLE:
        rule.handle = be64(attribute.payload);
        break;
      case NFTA_RULE_EXPRESSIONS:
        rule.expressions = copy_of(attribute.payload);
        break;
      case NFTA_RULE_USERDATA:
        rule.comment = comment_in(attribute.payload);
        break;
      default:
        break;
    }
  });
  if (rule.table.empty() || rule.chain.empty()) return std::nullopt;
  return rule;
}

std::optional<NfSet> parse_nf_set(Bytes payload) {
  const auto header = value_of<nfgenmsg>(payload);
  if (!header) return std::nullopt;
  NfSet set;
  set.family = header->nfgen_family;
  each_attribute(behind<nfgenmsg>(payload), [&](const Attribute& attribute) {
    switch (attribute.type) {
      case NFTA_SET_TABLE:
        set.table = text_of(attribute.payload);
        break;
      case NFTA_SET_NAME:
        set.name = text_of(attribute.payload);
        break;
      case NFTA_SET_FLAGS:
        set.flags = be32(attribute.payload);
        break;
      case NFTA_SET_KEY_TYPE:
        set.key_type = be32(attribute.payload);
        break;
      case NFTA_SET_KEY_LEN:
        set.key_bytes = be32(attribute.payload);
        break;
      case NFTA_SET_DESC:
        set.description = copy_of(attribute.payload);
        break;
      default:
        break;
    }
  });
  if (set.table.empty() || set.name.empty()) return std::nullopt;
  return set;
}

void parse_nf_elements(Bytes payload, std::vector<NfElement>& elements) {
  each_attribute(behind<nfgenmsg>(payload), [&](const Attribute& attribute) {
    if (attribute.type != NFTA_SET_ELEM_LIST_ELEMENTS) return;
    each_attribute(attribute.payload, [&](const Attribute& element) {
      elements.push_back(parse_element(element.payload));
    });
  });
}

std::optional<std::uint32_t> parse_nf_generation(Bytes payload) {
  std::optional<std::uint32_t> generation;
  each_attribute(behind<nfgenmsg>(payload), [&](const Attribute& attribute) {
    if (attribute.type == NFTA_GEN_ID && attribute.payload.size() >= sizeof(std::uint32_t)) {
      generation = be32(attribute.payload);
    }
  });
  return generation;
}

}  // namespace nettune::kernel
