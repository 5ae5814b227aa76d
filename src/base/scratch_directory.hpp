// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace nettune::inline base {

/// A directory of its owner alone (0700), with a name of its own; it goes, with all that is in it,
/// when this does. What a kill leaves behind is for the next boot, which empties /run and /tmp.
class ScratchDirectory {
 public:
  /// `begin` is the path without what makes it unique: "/run/nettune-boot-".
  static Result<ScratchDirectory> make(std::string_view begin);
  /// The same in TMPDIR, or in /tmp.
  static Result<ScratchDirectory> make_temporary(std::string_view name);
  ScratchDirectory(ScratchDirectory&& other) noexcept : name_(std::exchange(other.name_, {})) {}
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ~ScratchDirectory();

  const std::string& name() const { return name_; }

 private:
  explicit ScratchDirectory(std::string name) : name_(std::move(name)) {}

  std::string name_;
};

}  // namespace nettune::inline base
