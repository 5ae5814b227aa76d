// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::kinds::file {

/// The value of a file: "sha256:HEX mode 0644 owner 0:0".
struct FileValue {
  std::string digest;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};
std::string text_of(const FileValue& value);
/// Errc::invalid, with the name of the setting (`whose`), for any other text.
Result<FileValue> parse_file_value(std::string_view whose, std::string_view text);

}  // namespace nettune::kinds::file
