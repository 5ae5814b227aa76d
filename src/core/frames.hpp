// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::inline core {

/// One record of a journal: a header line with type, sequence number, transaction id, length and
/// crc32c, then the payload. It is text, so that a person can read it with a pager.
struct Frame {
  std::string_view type;  ///< INTENT, LATE, APPLIED, COMMIT, UNPLACED, ABORTED
  std::string_view payload;
};

struct Frames {
  std::vector<Frame> frames;
  std::uint64_t size = 0;  ///< bytes of the valid frames; the rest is torn
  bool torn = false;       ///< an incomplete last record was dropped
  /// A bad record precedes a good one: no crash can cause that.
  std::optional<std::string> corrupt;
};

std::string encode_frame(std::string_view type, std::uint64_t sequence,
                         std::string_view transaction, std::string_view payload);
/// The frames point into `bytes`.
Frames decode_frames(std::string_view bytes);

}  // namespace nettune::inline core
