// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/output.hpp"
#include "node/exit_codes.hpp"
#include "tools/measure/program/ab_options.hpp"

namespace nettune::tools::measure::program {

Result<node::Exit> compare(node::Context& context, const AbOptions& options, const Arms& arms,
                           const AbRequest& request, cli::Output& output);
/// A comparison that is about to begin, with this machine, the rule and the seed.
Result<Evidence> evidence_for(node::Context& context, const AbOptions& options, const Arms& arms,
                              const AbRequest& request);
/// Said before anything takes time.
inline constexpr std::string_view kNotSaved =
    "the values of the blocks are not saved; --evidence FILE would keep them\n";
/// In one step, where it is a file: a reader, or a crash, finds the old one or the new one. Nothing
/// is written without --evidence, an empty `path`.
Result<> save_evidence(const std::string& path, const std::string& text);
/// What became of a comparison, and of the nodes that were switched for it.
struct AbRun {
  Result<AbEnd> end;
  Switched home;
};
/// Whatever `work` does, the nodes are as before afterwards, or `home` says that they are not.
AbRun with_nodes(node::Context& context, const AbOptions& options,
                 const std::function<Result<AbEnd>(Nodes&)>& work);
/// --judge: the verdict from the blocks of a file.
Result<node::Exit> judge_file(node::Context& context, const AbOptions& options,
                              cli::Output& output);

}  // namespace nettune::tools::measure::program
