// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"
#include "cli/program_main.hpp"
#include "tools/advise/advice.hpp"

namespace nettune::tools::advise::program {

/// The command line of `nettune advise`.
struct AdviseOptions : cli::GlobalOptions {
  std::vector<std::string> from;
  std::string parameters_file;
  std::string model_bytes;
  std::string forward_ms;
  std::string backward_ms;
  std::string step_ms;
  std::string ranks;
  std::string bucket_mb;
  std::string accumulate;
  std::string profile;
  bool snippet = false;
  std::vector<std::string> command;
};

/// Parses into `options`, which must outlive it.
cli::Command advise_program(AdviseOptions& options);

/// Reads everything that the command line names. Errors: invalid for a file of the wrong kind, or a
/// malformed number.
Result<advise::Job> read_job(const AdviseOptions& options);

/// Lines of PyTorch code that write what advise reads.
std::string_view advise_snippet();

namespace text {
std::string missing(const advise::Job& job, const Missing& missing, const cli::Style& style);
/// Of a job that the model does not describe; `why` is not_only_ddp().
std::string not_ddp(const advise::Job& job, const std::string& why, const cli::Style& style);
/// `command` starts the job, for the line of nettune ab; none for a placeholder.
std::string advice(const advise::Job& job, const advise::Advice& advice,
                   const std::vector<std::string>& command, const cli::Style& style);
}  // namespace text

namespace json {
/// One of the two is null; both are for a job that the model does not describe. `not_ddp` is why.
std::string advice(const advise::Job& job, const advise::Advice* advice, const Missing* missing,
                   const std::string& not_ddp = {});
}  // namespace json

}  // namespace nettune::tools::advise::program
