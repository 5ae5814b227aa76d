// SPDX-License-Identifier: Apache-2.0
#include "core/frames.hpp"

#include "base/crc32c.hpp"
#include "base/text.hpp"

namespace nettune::inline core {

namespace {

constexpr std::string_view kMagic = "nettune-record 1 ";

std::string hex32(std::uint32_t value) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out(8, '0');
  for (std::size_t i = 8; i-- > 0; value >>= 4) out[i] = kHex[value & 15];
  return out;
}

struct Header {
  std::string_view type;
  std::string_view transaction;
  std::uint64_t sequence = 0;
  std::size_t payload_at = 0;
  std::size_t payload_size = 0;
};

/// The record at `at`, if it is complete and its checksum matches.
std::optional<Header> whole_record(std::string_view bytes, std::size_t at) {
  if (!bytes.substr(at).starts_with(kMagic)) return {};
  const auto line_end = bytes.find('\n', at);
  if (line_end == std::string_view::npos) return {};
  const std::size_t fields_at = at + kMagic.size();
  const auto fields = split(bytes.substr(fields_at, line_end - fields_at), ' ');
  if (fields.size() != 5) return {};
  const auto sequence = parse_int(fields[1]);
  const auto size = parse_int(fields[3]);
  const std::size_t payload_at = line_end + 1;
  // A newline follows the payload.
  if (!sequence || *sequence < 0 || !size || *size < 0 ||
      static_cast<std::uint64_t>(*size) >= bytes.size() - payload_at)
    return {};
  const auto payload_size = static_cast<std::size_t>(*size);
  if (bytes[payload_at + payload_size] != '\n') return {};
  const std::string_view payload = bytes.substr(payload_at, payload_size);
  const std::string summed = cat(fields[0], " ", fields[1], " ", fields[2], " ", fields[3], "\n");
  if (hex32(crc32c(payload, crc32c(summed))) != fields[4]) return {};
  return Header{fields[0], fields[2], static_cast<std::uint64_t>(*sequence), payload_at,
                payload_size};
}

/// The offset of a complete record of this transaction at or after `from`.
std::optional<std::size_t> later_record(std::string_view bytes, std::size_t from,
                                        std::string_view transaction) {
  for (auto at = bytes.find(kMagic, from); at != std::string_view::npos;
       at = bytes.find(kMagic, at + 1)) {
    const auto header = whole_record(bytes, at);
    if (header && (transaction.empty() || header->transaction == transaction)) return at;
  }
  return {};
}

}  // namespace

std::string encode_frame(std::string_view type, std::uint64_t sequence,
                         std::string_view transaction, std::string_view payload) {
  const std::string fields = cat(type, " ", sequence, " ", transaction, " ", payload.size());
  return cat(kMagic, fields, " ", hex32(crc32c(cat(fields, "\n", payload))), "\n", payload, "\n");
}

Frames decode_frames(std::string_view bytes) {
  Frames decoded;
  std::string_view transaction;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto header = whole_record(bytes, at);
    const bool expected = header && header->sequence == decoded.frames.size() &&
                          (transaction.empty() || header->transaction == transaction);
    if (!expected) {
      if (const auto later = later_record(bytes, at + 1, transaction))
        decoded.corrupt = cat("the record at byte ", at,
                              " is damaged, and an intact one follows at byte ", *later);
      decoded.torn = true;
      break;
    }
    transaction = header->transaction;
    decoded.frames.push_back(
        {header->type, bytes.substr(header->payload_at, header->payload_size)});
    at = header->payload_at + header->payload_size + 1;
  }
  decoded.size = at;
  return decoded;
}

}  // namespace nettune::inline core
