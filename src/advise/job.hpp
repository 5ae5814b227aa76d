// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/time_table.hpp"

namespace nettune::advise {

/// A number with where it comes from.
struct Known {
  double value = 0;
  std::string from;           ///< "all_reduce.log", "--backward-ms", "PyTorch's DDP table"
  bool is_estimated = false;  ///< else it was measured, or given
};

/// One all-reduce size in a trace.
struct CollectiveSize {
  std::string name;
  double bytes = 0;
  std::size_t count = 0;
  double least_s = 0;
  double median_s = 0;
};

/// Of the ranks whose traces or DDP logs were read.
struct RankCompute {
  int rank = 0;
  double compute_s = 0;  ///< a step
  double forward_s = 0;  ///< 0: the file does not tell forward from backward
};

/// A measured t(m), and of what.
struct MeasuredTable {
  std::string backend;  ///< "nccl", "gloo", "mpi"; "" where the file does not say
  TimeTable table;
  int ranks = 0;  ///< 0: not known
  bool is_one_node = false;
  std::string from;
};

/// One path between two nodes, by `nettune test`.
struct Path {
  double bytes_per_s = 0;
  double round_trip_s = 0;
};

/// What is known of a job. Seconds and bytes.
struct Job {
  std::vector<double> parameters;  ///< bytes, in the order of model.parameters()
  std::string parameters_from;
  bool parameters_are_estimated = false;  ///< equal tensors of a known sum
  std::vector<double> buckets;            ///< as DDP says that it made them; "" to compute them
  std::string buckets_from;

  std::optional<Known> forward_s;
  std::optional<Known> backward_s;
  /// Forward and backward were measured beside communication, so that iota and kappa are in them.
  bool measured_in_job = false;
  std::optional<Known> step_s;
  std::optional<Known> exposed_s;  ///< as it was measured
  std::optional<Known> idle_s;     ///< the GPU does nothing
  TimeTable table;
  std::string table_from;
  bool table_is_estimated = false;  ///< by path, as a ring over it
  std::optional<Path> path;         ///< the slowest one that was measured
  std::string path_from;
  std::string backend;                ///< of DDP's log, else of the table
  std::vector<MeasuredTable> tables;  ///< all that were read; choose_table() takes one of them
  int table_ranks = 0;                ///< 0: not known
  int table_scaled_from = 0;          ///< it was measured on so many ranks; 0: on table_ranks
  bool table_is_one_node = false;     ///< so that it says nothing of the network between nodes
  std::optional<Known> ranks;
  double bucket_cap = 25 * 1048576.0;
  int accumulate = 1;
  double bytes_per_element = 4;
  bool find_unused = false;
  std::optional<Known> sigma;  ///< relative standard deviation of the ranks' compute
  std::vector<RankCompute> by_rank;
  std::vector<CollectiveSize> collectives;

  Known gamma_s = {50e-6, "PyTorch's DDP table", true};
  Known iota = {0.045, "PyTorch's DDP table", true};
  Known kappa = {0.03, "PyTorch's DDP table", true};
};

/// The gradients of a step.
double gradient_bytes(const Job& job);

/// Without a measured table: that of a ring of job.ranks over job.path, one rank a node. A ring of
/// n sends 2(n-1) messages of a part in n, one behind the other (nccl-tests, doc/PERFORMANCE.md).
void estimate_table(Job& job);

/// "nccl", "gloo", "mpi", "ucc" of what a file calls it; "" for anything else.
std::string backend_named(std::string_view text);

/// Takes the measured table of the job's backend, else the last one; those of other backends stay
/// in job.tables to compare with.
void choose_table(Job& job);

/// Where several ranks said how long they compute: their spread, and forward and backward of the
/// median rank.
void compare_ranks(Job& job);

/// A table of another number of ranks than the job has is scaled to these, and an estimate then.
void fit_table(Job& job);

/// What is missing for advice, and the one command that brings it; "" for nothing.
struct Missing {
  std::string what;
  std::string command;
};
std::optional<Missing> what_is_missing(const Job& job);

}  // namespace nettune::advise
