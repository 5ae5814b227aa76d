// SPDX-License-Identifier: Apache-2.0
#include "kernel/netlink.hpp"

#include <cerrno>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <system_error>
#include <vector>

#include "base/text.hpp"
#include "base/trace.hpp"

namespace nettune::kernel {
namespace {

// af_netlink.c (6.1) fills at most 32 KiB for a dump, whatever the buffer; the rest is for larger
// single messages.
constexpr std::size_t kBufferSize = std::size_t{64} * 1024;
constexpr int kAttempts = 5;
constexpr time_t kTimeoutSeconds = 10;

std::string errno_text(int sys) { return std::generic_category().message(sys); }

Errc errc_of(int sys) {
  switch (sys) {
    case EPERM:
    case EACCES:
    case EROFS:
      return Errc::denied;
    case ENODEV:
    case ENOENT:
    case ESRCH:
    case ENXIO:
      return Errc::not_found;
    case EOPNOTSUPP:
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
      return Errc::unsupported;
    case EBUSY:
      return Errc::busy;
    case EINVAL:
    case ERANGE:
      return Errc::invalid;
    default:
      return Errc::io;
  }
}

Failure system_failure(std::string_view what, int sys) {
  return fail(errc_of(sys), cat(what, ": ", errno_text(sys)), sys);
}

/// Puts this socket's port and a sequence number into the header of a request.
std::uint32_t number(nl_sock* socket, nlmsghdr* header) {
  header->nlmsg_pid = nl_socket_get_local_port(socket);
  header->nlmsg_seq = nl_socket_use_seq(socket);
  header->nlmsg_flags |= NLM_F_REQUEST;
  return header->nlmsg_seq;
}

/// Sends to the kernel. libnl's own calls return codes that several errnos share.
Result<> send_bytes(nl_sock* socket, Bytes bytes) {
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  ssize_t sent = 0;
  do {
    sent = sendto(nl_socket_get_fd(socket), bytes.data(), bytes.size(), 0,
                  reinterpret_cast<const sockaddr*>(&kernel), sizeof(kernel));
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return system_failure("netlink send", errno);
  return {};
}

}  // namespace

std::string_view text_of(Bytes bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return all.substr(0, all.find('\0'));
}

std::optional<Message> next_message(Bytes& rest) {
  const auto header = value_of<nlmsghdr>(rest);
  if (!header || header->nlmsg_len < sizeof(nlmsghdr) || header->nlmsg_len > rest.size()) {
    return std::nullopt;
  }
  Message message;
  message.type = header->nlmsg_type;
  message.flags = header->nlmsg_flags;
  message.sequence = header->nlmsg_seq;
  message.payload = rest.subspan(sizeof(nlmsghdr), header->nlmsg_len - sizeof(nlmsghdr));
  rest = behind_aligned(rest, header->nlmsg_len);
  return message;
}

std::optional<Answer> parse_answer(const Message& message) {
  const auto code = value_of<int>(message.payload);
  if (!code) return std::nullopt;
  Answer answer;
  answer.sys = *code < 0 && *code > -4096 ? -*code : 0;
  if (*code <= -4096) answer.sys = EIO;
  if ((message.flags & NLM_F_ACK_TLVS) == 0) return answer;
  Bytes rest = behind_aligned(message.payload, sizeof(int));
  if (message.type == NLMSG_ERROR) {
    // Between code and attributes is the request's header, and the whole request unless capped.
    const auto asked = value_of<nlmsghdr>(rest);
    if (!asked) return answer;
    const bool capped = (message.flags & NLM_F_CAPPED) != 0;
    rest = behind_aligned(rest, capped ? sizeof(nlmsghdr) : asked->nlmsg_len);
  }
  each_attribute(rest, [&](const Attribute& attribute) {
    if (attribute.type == NLMSGERR_ATTR_MSG) answer.text = printable(text_of(attribute.payload));
  });
  return answer;
}

Error kernel_error(const Answer& answer) {
  std::string text = errno_text(answer.sys);
  if (!answer.text.empty()) text += cat(" (", answer.text, ")");
  return Error{errc_of(answer.sys), text, answer.sys};
}

void Request::Free::operator()(nl_msg* message) const { nlmsg_free(message); }

Request::Request(std::uint16_t type, std::uint16_t flags)
    : message_(nlmsg_alloc_simple(type, flags)) {
  complete_ = message_ != nullptr;
}

Request::Request(std::uint16_t type, std::uint16_t flags, std::size_t capacity)
    : message_(nlmsg_alloc_size(capacity)) {
  complete_ = message_ != nullptr &&
              nlmsg_put(message_.get(), NL_AUTO_PORT, NL_AUTO_SEQ, type, 0, flags) != nullptr;
}

Request& Request::add_flags(std::uint16_t flags) {
  if (message_) nlmsg_hdr(message_.get())->nlmsg_flags |= flags;
  return *this;
}

Request& Request::append(Bytes bytes) {
  // libnl's parameter lacks a const; the bytes are only copied.
  if (complete_) {
    complete_ = nlmsg_append(message_.get(), const_cast<std::byte*>(bytes.data()), bytes.size(),
                             NLMSG_ALIGNTO) == 0;
  }
  return *this;
}

Request& Request::put_bytes(int type, Bytes payload) {
  if (complete_) {
    complete_ =
        nla_put(message_.get(), type, static_cast<int>(payload.size()), payload.data()) == 0;
  }
  return *this;
}

Request& Request::put_text(int type, const std::string& text) {
  return put_bytes(type, std::as_bytes(std::span(text.c_str(), text.size() + 1)));
}

Request& Request::nest(int type, const std::function<void(Request&)>& fill) {
  if (!complete_) return *this;
  nlattr* start = nla_nest_start(message_.get(), type | NLA_F_NESTED);
  complete_ = start != nullptr;
  if (complete_) fill(*this);
  if (complete_) complete_ = nla_nest_end(message_.get(), start) == 0;
  return *this;
}

void NetlinkSession::Free::operator()(nl_sock* socket) const { nl_socket_free(socket); }

Result<NetlinkSession> NetlinkSession::open(int protocol) {
  NetlinkSession session;
  session.socket_.reset(nl_socket_alloc());
  if (!session.socket_) return fail(Errc::io, "netlink socket: out of memory", ENOMEM);
  nl_socket_disable_auto_ack(session.socket_.get());
  // libnl's code has several errnos; the system's errno is still there.
  errno = 0;
  if (const int code = nl_connect(session.socket_.get(), protocol); code < 0) {
    if (errno != 0) return system_failure("netlink socket", errno);
    return fail(Errc::io, cat("netlink socket: ", nl_geterror(code)));
  }
  const int fd = nl_socket_get_fd(session.socket_.get());
  // All of these improve answers; none is required.
  const int on = 1;
  (void)setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
  (void)setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
  (void)setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
  const timeval timeout{kTimeoutSeconds, 0};
  (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  session.buffer_ = std::make_unique_for_overwrite<std::byte[]>(kBufferSize);
  return session;
}

Result<std::uint32_t> NetlinkSession::send(const Request& request) {
  nl_msg* message = request.message();
  if (message == nullptr) return fail(Errc::io, "netlink request: out of memory", ENOMEM);
  nlmsghdr* const header = nlmsg_hdr(message);
  const std::uint32_t sequence = number(socket_.get(), header);
  TRY(send_bytes(socket_.get(), std::as_bytes(std::span(reinterpret_cast<const char*>(header),
                                                        header->nlmsg_len))));
  return sequence;
}

Result<Bytes> NetlinkSession::receive(bool& lost, bool or_lost) {
  while (true) {
    sockaddr_nl sender{};
    iovec part{buffer_.get(), kBufferSize};
    msghdr header{};
    header.msg_name = &sender;
    header.msg_namelen = sizeof(sender);
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    const bool waits = !(lost && or_lost);
    const ssize_t size =
        recvmsg(nl_socket_get_fd(socket_.get()), &header, waits ? 0 : MSG_DONTWAIT);
    if (size < 0) {
      if (errno == EINTR) continue;
      if (errno == ENOBUFS) {
        lost = true;
        continue;
      }
      if (errno == EAGAIN && !waits)
        return fail(Errc::io, "answers of the kernel were lost", ENOBUFS);
      if (errno == EAGAIN) {
        return fail(Errc::io, cat("the kernel did not answer within ", kTimeoutSeconds, " s"),
                    ETIMEDOUT);
      }
      return fail(Errc::io, cat("netlink receive: ", errno_text(errno)), errno);
    }
    if (sender.nl_pid != 0) continue;  // not from the kernel
    if ((header.msg_flags & MSG_TRUNC) != 0) {
      return fail(Errc::io, cat("netlink receive: a message larger than ", kBufferSize, " bytes"),
                  EMSGSIZE);
    }
    return Bytes(buffer_.get(), static_cast<std::size_t>(size));
  }
}

Result<> NetlinkSession::exchange(const Request& request, const Each& each, bool& interrupted) {
  TRY_ASSIGN(const std::uint32_t sequence, send(request));
  std::size_t came = 0;
  while (true) {
    TRY_ASSIGN(Bytes rest, receive(interrupted));
    while (const auto message = next_message(rest)) {
      if (message->sequence != sequence) continue;  // left from an attempt that was given up
      if ((message->flags & NLM_F_DUMP_INTR) != 0) interrupted = true;
      switch (message->type) {
        case NLMSG_NOOP:
          break;
        case NLMSG_OVERRUN:
          interrupted = true;
          break;
        case NLMSG_DONE:
        case NLMSG_ERROR: {
          const auto answer = parse_answer(*message);
          if (!answer) return fail(Errc::io, "netlink receive: an answer without a code");
          trace::line("netlink: sent message ", sequence, ", ", came, " messages came, ",
                      answer->sys == 0 ? "done" : std::strerror(answer->sys));
          if (answer->sys != 0) return fail(kernel_error(*answer));
          return {};
        }
        default:
          ++came;
          each(*message);
      }
    }
    if (!rest.empty()) return fail(Errc::io, "netlink receive: a message with a wrong length");
  }
}

Result<> NetlinkSession::dump(Request request, const std::function<void()>& restart,
                              const Each& each) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    restart();
    bool interrupted = false;
    TRY(exchange(request, each, interrupted));
    if (!interrupted) return {};
  }
  return fail(Errc::busy,
              cat("the kernel's table changed during each of ", kAttempts,
                  " readings; try again when the network has settled"),
              EINTR);
}

Result<> NetlinkSession::request(Request request, const Each& each) {
  bool interrupted = false;
  return exchange(request, each, interrupted);
}

Result<> NetlinkSession::transaction(std::span<const Request* const> requests,
                                     std::size_t acknowledged, const Each& each,
                                     std::size_t& failed) {
  failed = 0;
  std::vector<std::byte> datagram;
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    nl_msg* message = requests[i]->message();
    if (message == nullptr) return fail(Errc::io, "netlink request: out of memory", ENOMEM);
    nlmsghdr* header = nlmsg_hdr(message);
    const std::uint32_t sequence = number(socket_.get(), header);
    if (i == acknowledged) header->nlmsg_flags |= NLM_F_ACK;
    if (i == 0) first = sequence;
    const auto bytes = std::as_bytes(std::span(reinterpret_cast<char*>(header), header->nlmsg_len));
    datagram.insert(datagram.end(), bytes.begin(), bytes.end());
    datagram.resize(NLMSG_ALIGN(datagram.size()));
  }
  const int fd = nl_socket_get_fd(socket_.get());
  // af_netlink.c refuses what is larger than the send buffer less 32 bytes.
  const int room = static_cast<int>(datagram.size()) + 4096;
  (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
  TRY(send_bytes(socket_.get(), datagram));
  bool lost = false;
  while (true) {
    // The kernel has answered before sendto() comes back: what is not there by now is lost.
    TRY_ASSIGN(Bytes rest, receive(lost, true));
    while (const auto message = next_message(rest)) {
      const std::uint32_t place = message->sequence - first;
      if (place >= requests.size()) continue;
      if (message->type != NLMSG_ERROR) {
        each(*message);
        continue;
      }
      const auto answer = parse_answer(*message);
      if (!answer) return fail(Errc::io, "netlink receive: an answer without a code");
      failed = place;
      if (answer->sys != 0) return fail(kernel_error(*answer));
      if (place == acknowledged) return {};
    }
    if (!rest.empty()) return fail(Errc::io, "netlink receive: a message with a wrong length");
  }
}

}  // namespace nettune::kernel
