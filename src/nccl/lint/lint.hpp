// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "facts/facts.hpp"
#include "nccl/lint/assignments.hpp"
#include "nccl/lint/catalog.hpp"
#include "nccl/lint/finding.hpp"

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

/// Every variable that belongs to a job (the catalogue's, and what may be meant as one), in the
/// order given; all there is to say of each. Pure but for `exists`.
std::vector<Finding> lint(const Job& job, const std::vector<Assignment>& assignments);

/// True where a name belongs to such a job at all: the catalogue's, what begins with NCCL_, and
/// what is one of the catalogue's with a typo.
bool concerns_nccl(const Catalog& catalog, std::string_view name);

/// Who else sets a variable, and who has the last word. It is asked for every assignment of files
/// that may have many, so what it finds it keeps by name.
class Rivals {
 public:
  /// Both must stay as they are.
  Rivals(const std::vector<Assignment>& all, const std::vector<Assignment>& elsewhere);

  /// What a program that gets `set` gets for the variable `name`. More than one where which of them
  /// only shows when it runs; of equal ones, and of very many, the first.
  const std::vector<const Assignment*>& deciding(const Assignment& set, const std::string& name);
  /// The line of its file that takes the place of all[index]; null for none.
  const Assignment* in_same_file(std::size_t index) const { return same_file_[index]; }
  /// What wins over nccl.conf and is set to something else; null for none.
  const Assignment* stronger(const Assignment& set, bool elsewhere) const;
  /// The smallest number that a variable has in a file; null for none.
  const Assignment* least(const std::string& name, const std::string& file) const;
  /// A conflict, judged once for all to which the same is said.
  std::optional<Judgement>& judged(std::size_t conflict, const Assignment& set, bool& is_new);

 private:
  /// The first that is exported, and the first with another value than that.
  struct Two {
    const Assignment* first = nullptr;
    const Assignment* other = nullptr;
  };
  /// What a file, or a command in it, gets from others depends on these alone.
  using Place = std::tuple<std::string, int, bool, int>;
  /// The assignments of a name for one command, or (0) for all of its file.
  using Named = std::pair<std::string_view, int>;
  static Place place_of(const Assignment& set);
  void find_same_file(const std::vector<Assignment>& all);

  /// Of those of a name, the ones that may come to the same program as `set`.
  std::vector<const Assignment*> beside(const Assignment& set, const std::string& name,
                                        bool elsewhere) const;

  std::array<std::map<Named, std::vector<const Assignment*>>, 2> by_name_;
  std::array<std::map<std::pair<std::string_view, int>, Two>, 2> by_rank_;
  std::map<std::pair<std::string_view, std::string_view>, const Assignment*> least_;
  std::vector<const Assignment*> same_file_;
  std::map<std::pair<std::string, Place>, std::vector<const Assignment*>> deciding_;
  std::map<std::pair<std::size_t, Place>, std::optional<Judgement>> judged_;
};

// The parts of lint(), one for each question; each adds what it has to say.
using Judgements = std::vector<Judgement>;
/// Whoever reads it does so before NCCL puts what its files say into the environment.
bool is_read_before_files(const Variable& variable);
/// Is it read at all, and by this release?
void judge_name(const Job& job, const Assignment& set, Judgements& out);
/// What this node has, and on which link layer. Only for variables that are read.
void judge_on_node(const Job& job, const Variable& variable, const Assignment& set, Rivals& rivals,
                   Judgements& out);
/// Another place, or another variable, that has the last word.
void judge_rivals(const Job& job, const std::vector<Assignment>& all, std::size_t index,
                  Rivals& rivals, Judgements& out);

}  // namespace nettune::nccl
