// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::inline base {

/// A file that a person names, or standard input for "-": read with the privileges of the caller,
/// by whatever path, and unpacked where it is gzip. Not for files that are trusted (base/walk.hpp).
class Input {
 public:
  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;
  ~Input();

  /// Errors: not_found, denied, io, and invalid for a directory; the text names the file.
  static Result<Input> open(const std::string& path);
  /// Up to `size` bytes; 0 at the end. Errors: io, unsupported for gzip without zlib, invalid for a
  /// gzip file that is damaged or cut.
  Result<std::size_t> read(char* to, std::size_t size);
  const std::string& name() const { return name_; }

 private:
  struct Packed;
  Input();
  Result<std::size_t> read_plain(char* to, std::size_t size);
  Result<std::size_t> read_packed(char* to, std::size_t size);

  UniqueFd fd_;  ///< invalid for standard input, which is not ours to close
  std::string name_;
  bool is_begun_ = false;
  std::unique_ptr<Packed> packed_;
};

/// The whole of such a file; invalid above `limit` bytes.
Result<std::string> read_input(const std::string& path, std::size_t limit);

}  // namespace nettune::inline base
