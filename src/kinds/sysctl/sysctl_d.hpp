// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::kinds::sysctl {

/// A line of a sysctl.d file, as systemd-sysctl and procps read it.
struct SysctlLine {
  std::string key;    ///< canonical; may be a glob ("net.ipv4.conf.*.rp_filter")
  std::string value;  ///< trimmed; "" with `excludes`
  int line = 0;
  bool ignore_errors = false;  ///< the key was written with a leading '-'
  bool excludes = false;       ///< "-key" without a value: excludes the key from globs
  /// For a file to write: what lines are sorted by. Names of devices change, and the order of lines
  /// must not.
  std::string place = {};
};

/// The assignments in a file's text, in order; comments and invalid lines are skipped.
std::vector<SysctlLine> read_sysctl_d(std::string_view text);

/// A file that both readers read as exactly these lines, with `heading` as comment lines on top.
/// Fails on a value that cannot be on one line.
Result<std::string> write_sysctl_d(std::span<const SysctlLine> lines, std::string_view heading);

}  // namespace nettune::kinds::sysctl
