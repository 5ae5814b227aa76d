// SPDX-License-Identifier: Apache-2.0
#include "kernel/ethtool_settings.hpp"

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "kernel/ethtool.hpp"

namespace nettune::kernel {
namespace {

struct Commands {
  std::uint8_t get;
  std::uint8_t set;
};

Commands commands_of(EthtoolGroup group) {
  switch (group) {
    case EthtoolGroup::pause:
      return {ETHTOOL_MSG_PAUSE_GET, ETHTOOL_MSG_PAUSE_SET};
    case EthtoolGroup::rings:
      return {ETHTOOL_MSG_RINGS_GET, ETHTOOL_MSG_RINGS_SET};
    case EthtoolGroup::channels:
      return {ETHTOOL_MSG_CHANNELS_GET, ETHTOOL_MSG_CHANNELS_SET};
    case EthtoolGroup::coalesce:
      return {ETHTOOL_MSG_COALESCE_GET, ETHTOOL_MSG_COALESCE_SET};
    case EthtoolGroup::features:
      return {ETHTOOL_MSG_FEATURES_GET, ETHTOOL_MSG_FEATURES_SET};
    case EthtoolGroup::flags:
      break;
  }
  return {ETHTOOL_MSG_PRIVFLAGS_GET, ETHTOOL_MSG_PRIVFLAGS_SET};
}

/// The header is the first attribute of every message (ETHTOOL_A_*_HEADER).
constexpr int kHeader = 1;
static_assert(kHeader == ETHTOOL_A_PAUSE_HEADER && kHeader == ETHTOOL_A_RINGS_HEADER &&
              kHeader == ETHTOOL_A_CHANNELS_HEADER && kHeader == ETHTOOL_A_COALESCE_HEADER &&
              kHeader == ETHTOOL_A_FEATURES_HEADER && kHeader == ETHTOOL_A_PRIVFLAGS_HEADER);

/// True for attributes that the kernel's policies have as one byte; all others are a u32.
bool is_byte(EthtoolGroup group, int attribute) {
  if (group == EthtoolGroup::pause) return true;
  return group == EthtoolGroup::coalesce && (attribute == ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX ||
                                             attribute == ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX ||
                                             attribute == ETHTOOL_A_COALESCE_USE_CQE_MODE_RX ||
                                             attribute == ETHTOOL_A_COALESCE_USE_CQE_MODE_TX);
}

/// Passes the name of each bit in a verbose bitset to `each`, and whether it is set. In a set
/// without a mask all named bits are set (ETHTOOL_A_BITSET_NOMASK).
template <class Each>
void each_bit(Bytes bitset, Each&& each) {
  bool no_mask = false;
  each_attribute(bitset, [&](const Attribute& member) {
    if (member.type == ETHTOOL_A_BITSET_NOMASK) no_mask = true;
  });
  each_attribute(bitset, [&](const Attribute& member) {
    if (member.type != ETHTOOL_A_BITSET_BITS) return;
    each_attribute(member.payload, [&](const Attribute& bit) {
      std::string_view name;
      bool value = no_mask;
      each_attribute(bit.payload, [&](const Attribute& field) {
        if (field.type == ETHTOOL_A_BITSET_BIT_NAME) name = text_of(field.payload);
        if (field.type == ETHTOOL_A_BITSET_BIT_VALUE) value = true;
      });
      if (!name.empty()) each(std::string(name), value);
    });
  });
}

void parse_features(const Attribute& attribute, EthtoolState& state) {
  switch (attribute.type) {
    case ETHTOOL_A_FEATURES_HW:  // with a mask: it names every feature of this kernel
      each_bit(attribute.payload, [&](const std::string& name, bool value) {
        if (!value)
          state.bits[name].fixed = true;
        else
          state.bits[name];
      });
      break;
    case ETHTOOL_A_FEATURES_WANTED:
      each_bit(attribute.payload,
               [&](const std::string& name, bool value) { state.bits[name].wanted = value; });
      break;
    case ETHTOOL_A_FEATURES_ACTIVE:
      each_bit(attribute.payload,
               [&](const std::string& name, bool value) { state.bits[name].on = value; });
      break;
    case ETHTOOL_A_FEATURES_NOCHANGE:
      each_bit(attribute.payload, [&](const std::string& name, bool value) {
        if (value) state.bits[name].fixed = true;
      });
      break;
    default:
      break;
  }
}

void parse_number(const Attribute& attribute, EthtoolState& state) {
  if (attribute.payload.size() == sizeof(std::uint8_t)) {
    state.numbers[attribute.type] = static_cast<std::uint32_t>(attribute.payload.front());
  } else if (attribute.payload.size() == sizeof(std::uint32_t)) {
    state.numbers[attribute.type] = value_of<std::uint32_t>(attribute.payload).value_or(0);
  }
}

void put_bits(Request& request, int type, const EthtoolChange& change) {
  request.nest(type, [&](Request& set) {
    set.nest(ETHTOOL_A_BITSET_BITS, [&](Request& bits) {
      for (const auto& [name, on] : change.bits) {
        bits.nest(ETHTOOL_A_BITSET_BITS_BIT, [&name = name, on = on](Request& bit) {
          bit.put_text(ETHTOOL_A_BITSET_BIT_NAME, name);
          if (on) bit.put_bytes(ETHTOOL_A_BITSET_BIT_VALUE, {});
        });
      }
    });
  });
}

Request request_for(std::uint16_t family, std::uint8_t command, const std::string& interface) {
  Request request(family, NLM_F_ACK);
  request.header(genlmsghdr{command, ETHTOOL_GENL_VERSION, 0});
  request.nest(kHeader,
               [&](Request& header) { header.put_text(ETHTOOL_A_HEADER_DEV_NAME, interface); });
  return request;
}

}  // namespace

EthtoolState parse_ethtool(EthtoolGroup group, Bytes payload) {
  EthtoolState state;
  each_attribute(behind<genlmsghdr>(payload), [&](const Attribute& attribute) {
    if (attribute.type == kHeader) {
      each_attribute(attribute.payload, [&](const Attribute& field) {
        if (field.type == ETHTOOL_A_HEADER_DEV_NAME) state.interface = text_of(field.payload);
      });
    } else if (group == EthtoolGroup::features) {
      parse_features(attribute, state);
    } else if (group == EthtoolGroup::flags) {
      if (attribute.type != ETHTOOL_A_PRIVFLAGS_FLAGS) return;
      each_bit(attribute.payload, [&](const std::string& name, bool value) {
        state.bits[name] = {value, value, false};
      });
    } else {
      parse_number(attribute, state);
    }
  });
  return state;
}

Result<EthtoolSession> EthtoolSession::open() {
  TRY_ASSIGN(NetlinkSession session, NetlinkSession::open(NETLINK_GENERIC));
  TRY_ASSIGN(const std::uint16_t family, ethtool_family(session));
  return EthtoolSession(std::move(session), family);
}

Result<EthtoolState> EthtoolSession::get(const std::string& interface, EthtoolGroup group) {
  EthtoolState state;
  TRY(session_.request(request_for(family_, commands_of(group).get, interface),
                       [&](const Message& message) {
                         if (message.type == family_) state = parse_ethtool(group, message.payload);
                       }));
  // The kernel also accepts alternative names; here a device has one name.
  if (state.interface != interface) return fail(Errc::not_found, "no such interface");
  return state;
}

Result<> EthtoolSession::set(const std::string& interface, EthtoolGroup group,
                             const EthtoolChange& change) {
  Request request = request_for(family_, commands_of(group).set, interface);
  for (const auto& [attribute, value] : change.numbers) {
    if (is_byte(group, attribute)) {
      request.put(attribute, static_cast<std::uint8_t>(value));
    } else {
      request.put(attribute, value);
    }
  }
  if (!change.bits.empty()) {
    put_bits(request,
             group == EthtoolGroup::features ? static_cast<int>(ETHTOOL_A_FEATURES_WANTED)
                                             : static_cast<int>(ETHTOOL_A_PRIVFLAGS_FLAGS),
             change);
  }
  return session_.request(std::move(request));
}

}  // namespace nettune::kernel
