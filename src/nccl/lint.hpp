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
#include "nccl/assignment.hpp"
#include "nccl/catalog.hpp"
#include "nccl/finding.hpp"

namespace nettune::nccl {

/// The job that variables are judged for.
struct Job {
  const Catalog* catalog = nullptr;
  Version version;
  const facts::Facts* node = nullptr;  ///< null: not judged for a node
  /// Whether a file exists; nothing if that is not known. Empty for another node.
  std::function<std::optional<bool>(const std::string& path)> exists = {};
  /// Assignments elsewhere on this node that may win: they are compared, but not judged.
  std::vector<Assignment> elsewhere = {};
};

/// One judgement of a variable that is set. A good one has a finding with Verdict::ok.
struct Finding {
  Assignment set;
  Judgement judgement;
};

/// Judges every variable of a job (those of the catalogue, and names that may mean one), in the
/// given order.
std::vector<Finding> lint(const Job& job, const std::vector<Assignment>& assignments);

/// Whether a name is judged at all: those of the catalogue, names that begin with NCCL_, and typos
/// of a name in the catalogue.
bool concerns_nccl(const Catalog& catalog, std::string_view name);

/// The other assignments of a variable, and which one wins. Files may have many assignments, so the
/// results are kept by name.
class Rivals {
 public:
  /// Both must stay unchanged.
  Rivals(const std::vector<Assignment>& all, const std::vector<Assignment>& elsewhere);

  /// The assignments of `name` that a program with `set` gets. More than one if the choice is known
  /// only at run time; the first of equal ones, and of very many.
  const std::vector<const Assignment*>& deciding(const Assignment& set, const std::string& name);
  /// The line of the same file that overrides all[index]; null for none.
  const Assignment* in_same_file(std::size_t index) const { return same_file_[index]; }
  /// The assignment that wins over nccl.conf with another value; null for none.
  const Assignment* stronger(const Assignment& set, bool elsewhere) const;
  /// The assignment of the smallest number to a variable in the file of `set` that may meet it;
  /// null for none. Of very many lines, of the first.
  const Assignment* least(const std::string& name, const Assignment& set) const;
  /// The judgement of a conflict, which is the same for several assignments.
  std::optional<Judgement>& judged(std::size_t conflict, const Assignment& set, bool& is_new);

 private:
  /// The first exported one, and the first one with another value.
  struct Two {
    const Assignment* first = nullptr;
    const Assignment* other = nullptr;
  };
  /// What a file, or a command in it, gets from others depends only on these.
  using Place = std::tuple<std::string, int, bool, int>;
  /// A name, and the command that it is assigned for; 0 for its whole file.
  using Named = std::pair<std::string_view, int>;
  static Place place_of(const Assignment& set);
  void find_same_file(const std::vector<Assignment>& all);

  /// The assignments of a name that may reach the same program as `set`.
  std::vector<const Assignment*> beside(const Assignment& set, const std::string& name,
                                        bool elsewhere) const;

  std::array<std::map<Named, std::vector<const Assignment*>>, 2> by_name_;
  std::array<std::map<std::pair<std::string_view, int>, Two>, 2> by_rank_;
  std::map<std::pair<std::string_view, std::string_view>, const Assignment*> least_;
  std::vector<const Assignment*> same_file_;
  std::map<std::pair<std::string, Place>, std::vector<const Assignment*>> deciding_;
  std::map<std::pair<std::size_t, Place>, std::optional<Judgement>> judged_;
};

// The parts of lint(), one for each question; each adds its judgements.
using Judgements = std::vector<Judgement>;
/// Whether it is read before NCCL adds its files to the environment.
bool is_read_before_files(const Variable& variable);
/// Judges whether it is read at all, and by this release.
void judge_name(const Job& job, const Assignment& set, Judgements& out);
/// Compares it with this node's devices and link layer. Only for variables that are read.
void judge_on_node(const Job& job, const Variable& variable, const Assignment& set, Rivals& rivals,
                   Judgements& out);
/// Finds another place, or another variable, that overrides it.
void judge_rivals(const Job& job, const std::vector<Assignment>& all, std::size_t index,
                  Rivals& rivals, Judgements& out);

}  // namespace nettune::nccl
