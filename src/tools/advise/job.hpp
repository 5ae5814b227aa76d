// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/advise/time_table.hpp"

namespace nettune::tools::advise {

/// A number and its source.
struct Known {
  double value = 0;
  std::string from;           ///< "all_reduce.log", "--backward-ms", "PyTorch's DDP table"
  bool is_estimated = false;  ///< otherwise it was measured, or given
};

/// One size of a collective in a trace.
struct CollectiveSize {
  std::string name;
  double bytes = 0;  ///< 0: not known, where the trace has only the kernel's name
  std::size_t count = 0;
  double least_s = 0;
  double median_s = 0;
};

/// The compute time of a rank whose trace or DDP log was read.
struct RankCompute {
  int rank = 0;
  double compute_s = 0;  ///< a step
  double forward_s = 0;  ///< 0: the file does not separate forward and backward
};

/// A measured t(m), and what was measured.
struct MeasuredTable {
  std::string backend;  ///< "nccl", "gloo", "mpi"; "" if the file does not name it
  TimeTable table;
  int ranks = 0;  ///< 0: not known
  bool is_one_node = false;
  std::string from;
};

/// One path between two nodes, measured by `nettune test`.
struct Path {
  double bytes_per_s = 0;
  double round_trip_s = 0;
};

/// What is known about a job, in seconds and bytes.
struct Job {
  std::vector<double> parameters;  ///< bytes, in the order of model.parameters()
  std::string parameters_from;
  bool parameters_are_estimated = false;  ///< equal tensors of a known sum
  std::vector<double> buckets;            ///< from DDP's log; empty to compute them
  std::string buckets_from;

  std::optional<Known> forward_s;
  std::optional<Known> backward_s;
  /// Forward and backward were measured during communication, so they include iota and kappa.
  bool measured_in_job = false;
  std::optional<Known> step_s;
  // Of a step, as measured; they count more than what the model says of the same.
  std::optional<Known> compute_s;
  std::optional<Known> communication_s;  ///< hidden or not, of the rank that waits least
  std::optional<Known> exposed_s;        ///< of the rank that waits least
  std::optional<Known> idle_s;           ///< the idle time of the GPU
  TimeTable table;
  std::string table_from;
  bool table_is_estimated = false;  ///< from `path`, as a ring over it
  std::optional<Path> path;         ///< the slowest measured one
  std::string path_from;
  std::string backend;                ///< from DDP's log, otherwise from the table
  std::vector<MeasuredTable> tables;  ///< all that were read; choose_table() selects one
  int table_ranks = 0;                ///< 0: not known
  int table_scaled_from = 0;          ///< the number of ranks in the measurement; 0: table_ranks
  bool table_is_one_node = false;     ///< then it does not show the network between nodes
  std::optional<Known> ranks;
  double bucket_cap = 25 * 1048576.0;
  int accumulate = 1;
  double bytes_per_element = 4;
  bool find_unused = false;
  std::optional<Known> sigma;  ///< relative standard deviation of the ranks' compute
  std::vector<RankCompute> by_rank;
  std::vector<CollectiveSize> collectives;
  /// Seconds of all-reduces by the name of their process group, in traces.
  std::map<std::string, double> all_reduce_groups;

  /// What the files have and the advice does not use, and why.
  std::vector<std::string> notes;

  Known gamma_s = {50e-6, "PyTorch's DDP table", true};
  Known iota = {0.045, "PyTorch's DDP table", true};
  Known kappa = {0.03, "PyTorch's DDP table", true};
};

/// The gradients of a step.
double gradient_bytes(const Job& job);

/// Without a measured table, computes that of a ring of job.ranks over job.path, one rank a node. A
/// ring of n sends 2(n-1) messages of 1/n of the data, one after the other (nccl-tests,
/// doc/PERFORMANCE.md).
void estimate_table(Job& job);

/// "nccl", "gloo", "mpi" or "ucc", from the name in a file; "" for anything else.
std::string backend_named(std::string_view text);

/// Selects the measured table of the job's backend, otherwise the last one. Those of other backends
/// stay in job.tables for comparison.
void choose_table(Job& job);

/// If the compute times of several ranks are known: sets their spread, and forward and backward of
/// the median rank.
void compare_ranks(Job& job);

/// Scales a table to the job's number of ranks, if it has another one; then it is an estimate.
void fit_table(Job& job);

/// What is missing for advice, and the command that provides it.
struct Missing {
  std::string what;
  std::string command;
};
std::optional<Missing> what_is_missing(const Job& job);

}  // namespace nettune::tools::advise
