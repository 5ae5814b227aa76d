// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::tools::nccl::log::job {

/// Reads what PyTorch prints of a call to NCCL that failed, over several lines:
///
///     ... NCCL error in: ..., unhandled system error, NCCL version 2.20.5
///     ncclSystemError: System call (e.g. socket, malloc) or external library call failed ...
///     Last error:
///     Connect to 10.0.0.2<45763> failed : Connection refused
///
/// Ranks may write between each other where each has something of its own in front.
class ErrorBlocks {
 public:
  struct Found {
    std::string kind;  ///< "ncclSystemError: System call ..."
    std::string text;  ///< NCCL's own last error; "" where none is given
    /// A blank line comes before the text: it is NCCL's only if it is known to be.
    bool doubtful = false;
  };

  static bool begins(std::string_view line);
  /// A line begins a block, or one goes on in it.
  bool concerns(std::string_view line) const;
  /// What `line` completes. One that is cut by its lines is found without a text.
  std::vector<Found> take(std::string_view line);
  /// Some block waits for its next line.
  bool waits() const { return !open_.empty(); }
  /// A blank line, which belongs to no voice.
  void blank();
  std::vector<Found> end();

 private:
  struct Block {
    std::uint64_t voice = 0;
    std::string kind;
    std::string front;    ///< of the line "Last error:"
    bool said = false;    ///< that line was there, the text is next
    unsigned waited = 0;  ///< lines of the same voice since then
    bool blank = false;   ///< a blank line followed "Last error:"
  };
  std::vector<Block> open_;
};

}  // namespace nettune::tools::nccl::log::job
