// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <linux/netlink.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.hpp"

struct nl_msg;
struct nl_sock;

namespace nettune::kernel {

using Bytes = std::span<const std::byte>;

/// The first bytes as a T in host order; nothing if there are too few.
template <class T>
requires std::is_trivially_copyable_v<T> std::optional<T> value_of(Bytes bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// The part after the first `size` bytes and their padding to a multiple of four; empty if they are
/// incomplete. Messages, headers, attributes and nexthops all have this padding.
inline Bytes behind_aligned(Bytes bytes, std::size_t size) {
  const std::size_t padded = (size + 3) & ~std::size_t{3};
  return bytes.subspan(std::min(padded, bytes.size()));
}

/// The bytes as text, up to the first NUL or the end.
std::string_view text_of(Bytes bytes);

/// The part after a fixed header of type T.
template <class T>
Bytes behind(Bytes bytes) {
  return behind_aligned(bytes, sizeof(T));
}

/// An attribute; its type is without the nested and byte-order bits.
struct Attribute {
  std::uint16_t type = 0;
  Bytes payload;
};

/// Passes every attribute in `rest` to `each`, up to the end or to an incomplete attribute; it
/// never reads outside of `rest`, whatever the lengths say. libnl's nla_next() lets the remaining
/// length become negative, so this is a walk of its own; its loop is minimal, for dumps of
/// thousands of links with thirty attributes each.
template <class Each>
void each_attribute(Bytes rest, Each&& each) {
  const std::byte* at = rest.data();
  std::size_t left = rest.size();
  while (left >= sizeof(nlattr)) {
    nlattr header;
    std::memcpy(&header, at, sizeof(header));
    const std::size_t length = header.nla_len;
    if (length < sizeof(nlattr) || length > left) return;
    each(Attribute{static_cast<std::uint16_t>(header.nla_type & NLA_TYPE_MASK),
                   Bytes(at + sizeof(nlattr), length - sizeof(nlattr))});
    const std::size_t padded = NLA_ALIGN(length);
    if (padded >= left) return;
    at += padded;
    left -= padded;
  }
}

struct Message {
  std::uint16_t type = 0;
  std::uint16_t flags = 0;
  std::uint32_t sequence = 0;
  Bytes payload;
};

/// Takes the next message from a datagram, with the same guarantee as next_attribute().
std::optional<Message> next_message(Bytes& rest);

/// The content of an NLMSG_ERROR or NLMSG_DONE message.
struct Answer {
  int sys = 0;       ///< errno; 0 is success
  std::string text;  ///< NLMSGERR_ATTR_MSG, the kernel's explanation, if any
};
/// Nothing if the message is too short.
std::optional<Answer> parse_answer(const Message& message);

/// The Error for an errno of the kernel, with the kernel's text if there is one.
Error kernel_error(const Answer& answer);

/// A request being built. Out of memory is reported when it is sent.
class Request {
 public:
  Request(std::uint16_t type, std::uint16_t flags);
  /// A request of more than a page: `capacity` bytes, headers included.
  Request(std::uint16_t type, std::uint16_t flags, std::size_t capacity);

  template <class Header>
  requires std::is_trivially_copyable_v<Header> Request& header(const Header& fixed) {
    return append(std::as_bytes(std::span(&fixed, 1)));
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> Request& put(int type, const T& value) {
    return put_bytes(type, std::as_bytes(std::span(&value, 1)));
  }
  Request& put_bytes(int type, Bytes payload);
  Request& put_text(int type, const std::string& text);
  /// Puts what `fill` adds into a nested attribute.
  Request& nest(int type, const std::function<void(Request&)>& fill);

  Request& add_flags(std::uint16_t flags);

  nl_msg* message() const { return complete_ ? message_.get() : nullptr; }

 private:
  struct Free {
    void operator()(nl_msg* message) const;
  };
  Request& append(Bytes bytes);
  std::unique_ptr<nl_msg, Free> message_;
  bool complete_ = true;
};

/// A netlink socket, for one thread. It receives into one buffer that is allocated once; the spans
/// in a Message live until its callback returns.
class NetlinkSession {
 public:
  using Each = std::function<void(const Message&)>;

  /// `protocol` is NETLINK_ROUTE, NETLINK_GENERIC or NETLINK_NETFILTER. Enables extended acks and
  /// strict checking of dump requests (Linux 4.20), if the kernel has them.
  static Result<NetlinkSession> open(int protocol);

  /// Sends a dump request and passes every message of the answer to `each`. If the tables change
  /// meanwhile (NLM_F_DUMP_INTR) or answers are lost (ENOBUFS), it starts again, a few times;
  /// `restart` is called before every attempt, to drop the results of the last one.
  Result<> dump(Request request, const std::function<void()>& restart, const Each& each);

  /// Sends a request and waits for the kernel's acknowledgement; other answers go to `each`. The
  /// error has the kernel's errno and its extended-ack text.
  Result<> request(
      Request request, const Each& each = [](const Message&) {});

  /// Sends all of `requests` as one datagram, asks for an acknowledgement only of the one at
  /// `acknowledged`, and waits for that or for the first refusal; other answers go to `each`.
  /// `failed` is the index of the request that an error is about. ENOBUFS: answers were lost,
  /// including the acknowledgement; then, as after ETIMEDOUT, the result is unknown.
  Result<> transaction(std::span<const Request* const> requests, std::size_t acknowledged,
                       const Each& each, std::size_t& failed);

 private:
  struct Free {
    void operator()(nl_sock* socket) const;
  };
  NetlinkSession() = default;
  Result<std::uint32_t> send(const Request& request);
  /// With `or_lost` it does not wait after answers were lost: it fails with ENOBUFS at their end.
  Result<Bytes> receive(bool& lost, bool or_lost = false);
  Result<> exchange(const Request& request, const Each& each, bool& interrupted);

  std::unique_ptr<nl_sock, Free> socket_;
  std::unique_ptr<std::byte[]> buffer_;
};

}  // namespace nettune::kernel
