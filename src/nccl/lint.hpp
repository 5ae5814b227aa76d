// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "nccl/assignments.hpp"
#include "nccl/catalog.hpp"
#include "nccl/finding.hpp"

namespace nettune::nccl {

/// For whom variables are judged.
struct Job {
  const Catalog* catalog = nullptr;
  Version version;
  const facts::Facts* node = nullptr;  ///< null: nothing is said about a node
  /// Whether a file is there; nothing where nobody can say. Empty for a node that is not this one.
  std::function<std::optional<bool>(const std::string& path)> exists = {};
  /// What is set elsewhere on this node and may win: it is compared with, and not judged.
  std::vector<Assignment> elsewhere = {};
};

/// A variable that is set, with one thing there is to say of it. One that is set well has a finding
/// with Verdict::ok.
struct Finding {
  Assignment set;
  Judgement judgement;
};

/// Every variable that belongs to a job (the catalogue's, and names that begin like them), in the
/// order given; all there is to say of each. Pure but for `exists`.
std::vector<Finding> lint(const Job& job, const std::vector<Assignment>& assignments);

/// True where a name belongs to such a job at all.
bool concerns_nccl(const Catalog& catalog, std::string_view name);

// The parts of lint(), one for each question; each adds what it has to say.
using Judgements = std::vector<Judgement>;
/// Is it read at all, and by this release?
void judge_name(const Job& job, const Assignment& set, Judgements& out);
/// What this node has, and on which link layer. Only for variables that are read.
void judge_on_node(const Job& job, const Variable& variable, const Assignment& set,
                   Judgements& out);
/// Another place, or another variable, that has the last word.
void judge_rivals(const Job& job, const std::vector<Assignment>& all, std::size_t index,
                  Judgements& out);

}  // namespace nettune::nccl
