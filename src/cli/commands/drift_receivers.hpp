// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "node/check/checking.hpp"

namespace nettune::cli::commands {

/// Who is told of drift, besides the reader of the output.
struct DriftReceivers {
  std::string textfile;               ///< file for node_exporter's metrics
  std::vector<std::string> on_drift;  ///< a program to call on drift, as words
  std::string on_drift_text;          ///< the input of take_receivers()
};

Options receiver_options(DriftReceivers& into);
Result<> take_receivers(DriftReceivers& into);

/// Reports always to --textfile; to systemd's journal (`unattended`) and the program of --on-drift
/// if there is drift and it is `news`. What could not be reported is a warning.
void report_drift(const DriftReceivers& receivers, bool unattended,
                  const node::check::Checked& checked, bool news, Output& output);

}  // namespace nettune::cli::commands
