// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::tools::slurm {

/// A rule of doctor, and the device that it was about; "" for the whole node.
struct Subject {
  std::string rule;
  std::string device;
  bool operator==(const Subject&) const = default;
};

/// What `nettune doctor --prolog --json` said.
struct Answer {
  bool drain = false;
  Subject fault;     ///< if `drain`
  std::string text;  ///< "gpu-xid: 0000:19:00.0: ..."
  std::vector<std::string> notes;
  std::vector<Subject> good;  ///< what was seen good, or is a known finding of the site
};

/// Errc::corrupt for anything but a whole document; the error of the document if it has one.
Result<Answer> parse_answer(std::string_view text);

}  // namespace nettune::tools::slurm
