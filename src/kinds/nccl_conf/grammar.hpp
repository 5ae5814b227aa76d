// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::kinds::nccl_conf {

/// An nccl.conf as NCCL reads it (setEnvFile() in src/misc/param.cc, 2.3.5 to 2.30.7): the first
/// line for a name wins, and everything after the first '=' is the value, byte for byte. Untouched
/// lines stay byte for byte, line ends included.
class NcclConf {
 public:
  explicit NcclConf(std::string text);

  /// The value that NCCL would use; nothing if no line sets it.
  std::optional<std::string> get(std::string_view name) const;
  /// The number of that line, from 1; 0 for none.
  int line(std::string_view name) const;
  /// Changes the value of the effective line, or adds a line at the end.
  Result<> set(std::string_view name, std::string_view value);
  /// Removes the effective line.
  void remove(std::string_view name);
  /// True if the last line ends with a newline, or there is none.
  bool ends_with_newline() const;
  void set_final_newline(bool present);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace nettune::kinds::nccl_conf
