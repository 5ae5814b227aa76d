// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/program/scontrol.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "kernel/command.hpp"

namespace nettune::tools::slurm::program {

namespace {

constexpr int kLongest_ms = 8000;
/// Of 20,000 nodes.
constexpr std::size_t kMostOutput = std::size_t{64} << 20U;

}  // namespace

int Deadline::left_ms(int most_ms) const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      end_ - std::chrono::steady_clock::now());
  return static_cast<int>(
      std::clamp<std::int64_t>(left.count(), 0, static_cast<std::int64_t>(most_ms)));
}

Result<std::string> Scontrol::run(std::vector<std::string> words, int left_ms) const {
  const std::string what = cat("scontrol ", words.front());
  if (left_ms == 0) return fail(Errc::busy, cat(what, " was not tried: no time is left"));
  words.insert(words.begin(), program_);
  kernel::CommandLine command;
  command.words = std::move(words);
  command.timeout_ms = left_ms;
  command.most_output = kMostOutput;
  auto done = kernel::run_and_listen(command);
  if (!done) return fail_in(what, done.error());
  if (done->status != 0)
    return fail(Errc::io, cat(what, " exited with ", done->status, ": ",
                              printable(trim(done->said).substr(0, 200))));
  if (done->said.size() >= kMostOutput)
    return fail(Errc::io, cat(what, " said more than ", kMostOutput, " bytes"));
  return std::move(done->said);
}

Result<Node> Scontrol::show(const std::string& node) const {
  TRY_ASSIGN(const std::string said, run({"show", "node", node}, deadline_.left_ms(kLongest_ms)));
  TRY_ASSIGN(const std::vector<Node> nodes, parse_nodes(said));
  if (nodes.size() != 1 || nodes.front().name != node)
    return fail(Errc::not_found, cat("scontrol show node ", node, " does not show that node, but '",
                                     printable(trim(said).substr(0, 200)), "'"));
  return nodes.front();
}

Result<std::vector<Node>> Scontrol::show_all() const {
  TRY_ASSIGN(const std::string said,
             run({"show", "nodes", "--all"}, deadline_.left_ms(kLongest_ms)));
  return parse_nodes(said);
}

Result<> Scontrol::update(const std::string& node, const std::vector<std::string>& fields) const {
  std::vector<std::string> words = {"update", cat("NodeName=", node)};
  words.insert(words.end(), fields.begin(), fields.end());
  TRY(run(std::move(words), deadline_.left_ms(kLongest_ms)));
  return {};
}

}  // namespace nettune::tools::slurm::program
