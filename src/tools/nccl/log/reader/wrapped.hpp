// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tools/nccl/log/connection.hpp"
#include "tools/nccl/log/events.hpp"

namespace nettune::tools::nccl::log::reader {

/// Joins a line that a terminal, a document or a launcher broke with what follows it, where both
/// together say what neither says alone. Everything else sees whole lines.
class Wrapped {
 public:
  /// Lines behind an unfinished one that may be of it.
  static constexpr unsigned kMostLines = 3;

  /// `events` outlives this.
  explicit Wrapped(const Events& events) : events_(events) {}

  /// Something must follow the line.
  bool is_unfinished(std::string_view line) const;
  /// `line` with what goes on in `rest`, the lines behind it. How much of `rest` that is; 0: the
  /// line stands alone.
  std::size_t join(std::string_view line, std::string_view rest, std::string& into) const;
  /// The same for a damaged message about a connection; `connection` is then what it says.
  static std::size_t join_connection(std::string_view message, std::string_view rest,
                                     std::string& into, Connection& connection);

 private:
  bool is_of_nobody(std::string_view next, bool of_group) const;

  const Events& events_;
};

}  // namespace nettune::tools::nccl::log::reader
