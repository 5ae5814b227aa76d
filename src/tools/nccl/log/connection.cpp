// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/connection.hpp"

#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log {

namespace {

/// Where a word may end: at the end, at a blank, or where a log collector's JSON goes on.
bool is_end(const Cursor& at, Connection& into) {
  if (at.at_end()) return true;
  into.behind = at.rest();
  const char next = at.rest().front();
  return next == ' ' || next == '\t' || next == '"' || next == '\\' || next == '\'';
}

/// "IB/0/GDRDMA", "AWS Libfabric/0(3)/Shared". A name may hold blanks and slashes: it ends at the
/// first slash with a whole number behind it.
bool parse_network(Cursor& at, Connection& into) {
  const std::string_view text = at.rest();
  for (std::size_t slash = text.find('/'); slash != std::string_view::npos;
       slash = text.find('/', slash + 1)) {
    Cursor behind(text.substr(slash + 1));
    std::uint32_t device = 0;
    if (!behind.number(device)) continue;
    into.detail = text.substr(0, slash);
    into.device = static_cast<std::int32_t>(device);
    if (behind.skip("(")) {
      std::uint32_t proxy = 0;
      if (!behind.number(proxy) || !behind.skip(")")) return false;
      into.proxy = static_cast<std::int32_t>(proxy);
    }
    into.gdr = behind.skip("/GDRDMA");
    behind.skip("(PCI)");
    behind.skip("/Shared");
    return slash != 0 && is_end(behind, into);
  }
  return false;
}

bool parse_p2p(Cursor& at, Connection& into) {
  const std::string_view text = at.rest();
  if (at.skip("indirect/")) {
    into.detail = "indirect";
    std::uint32_t by = 0;
    return at.number(by) && at.skip_brackets();
  }
  if (!at.skip("IPC") && !at.skip("CUMEM") && !at.skip("MNNVL") && !at.skip("direct pointer"))
    return false;
  into.detail = text.substr(0, text.size() - at.rest().size());
  at.skip("/read");
  into.copy_engine = at.skip("/CE");
  return is_end(at, into);
}

/// "direct/direct", "CE/direct", and from 2.30.7 "direct".
bool parse_shm(Cursor& at, Connection& into) {
  into.detail = "SHM";
  const auto word = [&] {
    if (at.skip("direct")) return true;
    into.copy_engine = true;
    return at.skip("CE");
  };
  if (!word()) return false;
  if (at.skip("/") && !word()) return false;
  return is_end(at, into);
}

bool parse_via(Cursor& at, Connection& into) {
  const bool one_sided = into.side == Side::sender;
  if (at.skip("P2P/")) {
    into.transport = Transport::p2p;
    return one_sided && parse_p2p(at, into);
  }
  if (at.skip("NET/")) {
    into.transport = Transport::net;
    return !one_sided && parse_network(at, into);
  }
  if (at.skip("COLLNET/")) {
    into.transport = Transport::collnet;
    return !one_sided && parse_network(at, into);
  }
  into.transport = Transport::shm;
  if (at.skip("SHM/")) return one_sided && parse_shm(at, into);
  into.detail = "SHM";
  return one_sided && at.skip("direct shared memory") && is_end(at, into);
}

}  // namespace

Parsed parse_connection(std::string_view message, Connection& into) {
  Cursor at(message);
  const bool collnet = !at.skip("Channel ") && at.skip("CollNet ");
  if (at.rest().size() == message.size()) return Parsed::other;
  into = {};
  if (!at.number(into.channel)) return at.at_end() ? Parsed::damaged : Parsed::other;
  bool of_ring = false;  // "/64" is how many channels there are, of two digits at least
  if (at.skip("/")) {
    const std::size_t before = at.rest().size();
    if (!at.number(into.index)) return Parsed::damaged;
    of_ring = before - at.rest().size() > 1;
  }
  if (!at.skip(" : ")) return at.rest().size() < 3 ? Parsed::damaged : Parsed::other;
  if (at.stands_at(' ')) return Parsed::other;  // the order of a ring, "%4d"
  if (!at.number(into.from) || !at.skip_brackets()) return Parsed::damaged;
  into.to = into.from;
  if (!collnet) {
    if (!at.skip(" -> ")) {
      // "0 1 2 3" is the order of a ring in other versions, and "0" that of a communicator of one
      // rank; a bracket is of a connection.
      const bool order = (at.stands_at(' ') || (of_ring && is_end(at, into))) &&
                         at.rest().find("->") == at.rest().npos &&
                         message.find('[') == message.npos;
      return order ? Parsed::other : Parsed::damaged;
    }
    if (!at.number(into.to) || !at.skip_brackets()) return Parsed::damaged;
  }
  if (at.skip(" [send]"))
    into.side = Side::send;
  else if (at.skip(" [receive]"))
    into.side = Side::receive;
  if (!at.skip(" via ")) return Parsed::damaged;
  return parse_via(at, into) ? Parsed::found : Parsed::damaged;
}

}  // namespace nettune::tools::nccl::log
