// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace nettune::tools::nccl::log::job {

/// Reads what Horovod lists of tensors that some ranks submitted and others did not, in the words
/// of its versions:
///
///     ... subset of ranks ... Stalled ops: grad_a [ready ranks: 0, 1], grad_b [ready ranks: 2]
///     grad_a [missing ranks: 2]
///     Missing ranks:
///     0: [grad_b, grad_c ...]
///     2: [grad_a]
///
/// Where each of two ranks submitted what the other did not, they wait for each other.
class Stalls {
 public:
  /// What two ranks submitted, the first time that a listing shows it; "" for nothing.
  std::string take(std::string_view line);
  /// The ranks that `line` of a listing says did not submit its tensor: "missing: rank 0"; "" for a
  /// line that lists others.
  static std::string missing_in(std::string_view line);
  /// A listing may go on in lines without a word of its own.
  bool waits() const { return left_ != 0; }
  void clear();

 private:
  using Ranks = std::set<std::uint32_t>;
  using Tensors = std::map<Ranks, std::string>;  ///< the first tensor of each set of ranks
  /// A tensor by who submitted it, or by who did not. These give what take() promises.
  std::string add(const Ranks& ranks, std::string_view tensor);
  std::string take_tensors(std::string_view line);
  bool take_rank(std::string_view line, std::string& crossed);
  /// What was added last, against all others: a listing may be long.
  std::string crossed_with(const Tensors::value_type& added) const;
  std::string crossed_with(std::uint32_t rank) const;

  Tensors tensors_;
  std::set<std::string> names_;  ///< of all tensors
  bool missing_ = false;         ///< the ranks are those that did not
  struct Lacks {
    std::set<std::string> tensors;
    bool cut = false;  ///< "...": more of them
  };
  std::map<std::uint32_t, Lacks> ranks_;  ///< the last form, which is by rank
  unsigned left_ = 0;                     ///< lines that may be of it
  bool said_ = false;
};

}  // namespace nettune::tools::nccl::log::job
