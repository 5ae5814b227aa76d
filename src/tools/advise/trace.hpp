// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "json/read.hpp"
#include "tools/advise/job.hpp"

namespace nettune::tools::advise {

/// The GPU time of one step of one rank, in seconds.
struct TraceStep {
  std::int64_t number = 0;
  double window_s = 0;
  double compute_s = 0;        ///< kernels that are not NCCL's, without counting overlaps twice
  double communication_s = 0;  ///< NCCL's kernels
  double exposed_s = 0;        ///< NCCL's kernels while no other runs
  double idle_s = 0;           ///< neither kernels nor copies
  std::vector<double> all_reduces;  ///< bytes, in the order in which they ran
};

struct Trace {
  int rank = -1;  ///< -1: not in the trace
  int ranks = 0;
  std::size_t kernels = 0;
  std::vector<TraceStep> steps;
  std::vector<CollectiveSize> collectives;
  /// Seconds of all-reduces by the name of their process group; "" where the trace has no name.
  std::map<std::string, double> all_reduce_groups;
};

/// Reads JSON of the PyTorch profiler (Kineto's output_json.cpp), and also other JSON of a job:
/// records of NCCL's Inspector, DDP's logging data, lists of parameter sizes. Memory grows with the
/// kernels on the GPU, 16 bytes each, and not with the text. More than any job has is an error.
class TraceReader : public json::Events {
 public:
  bool begin(json::Container what) override;
  bool end(json::Container what) override;
  bool key(std::string_view name) override;
  bool scalar(json::Scalar kind, std::string_view text) override;
  bool document() override;
  std::string stopped() const override { return stopped_; }

  /// Whether the document had traceEvents.
  bool is_trace() const { return is_trace_; }
  /// Whether there were records of NCCL's Inspector (plugins/profiler/inspector of NCCL), one a
  /// document.
  bool is_inspector() const { return is_inspector_; }
  /// Errors: invalid for a step that is longer than any.
  Result<Trace> finish();
  using Scalars = std::map<std::string, std::string>;
  /// The top-level scalars of the first document; those in an object are "OBJECT.MEMBER".
  const Scalars& scalars() const { return documents_.empty() ? scalars_ : documents_.front(); }
  /// The scalars of all documents, up to 10,000.
  const std::vector<Scalars>& documents() const { return documents_; }
  /// The numbers of a top-level list, or of the members "parameters" and "all_reduce", which may
  /// have nested lists.
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  enum class Work : std::uint8_t { compute, communication, copy };
  struct Span {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };
  struct Window {
    std::int64_t number = 0;
    Span span;
  };
  /// An all-reduce, and its size.
  struct Reduce {
    std::int64_t begin_ns = 0;
    double bytes = 0;
  };
  struct Event {
    std::string name;
    std::string category;
    std::string phase;
    std::string collective;
    std::string dtype;
    std::string group;
    std::string too_long = {};  ///< "ts is 1e+300": a time that no clock has
    std::int64_t begin_ns = -1;
    std::int64_t duration_ns = 0;
    double in_elements = 0;
    double out_elements = 0;
  };
  // False: the file has more events than any job.
  bool take_event();
  bool take_span(Work work, Span span);
  bool take_kernel(bool is_communication, Span span);
  bool take_step(bool is_gpu, Span span);
  bool add_size(const std::string& name, double bytes, double seconds);
  /// Ends the reading with this error.
  bool refuse(const Error& error);
  bool too_much(const char* of_what, std::size_t most);
  void keep(const std::string& name, std::string_view text);
  TraceStep step_of(const Window& window) const;

  bool is_trace_ = false;
  bool is_inspector_ = false;
  int depth_ = 0;
  bool in_events_ = false;  ///< inside root.traceEvents
  bool in_distributed_ = false;
  bool in_numbers_ = false;
  bool root_is_list_ = false;
  std::string key_;      ///< at depth 1
  std::string sub_key_;  ///< deeper
  Event event_;
  std::vector<Span> spans_[3];
  std::vector<Reduce> reduces_;
  std::map<std::string, double> group_seconds_;
  std::map<std::int64_t, Span> gpu_steps_;
  std::map<std::int64_t, Span> cpu_steps_;
  std::map<std::pair<std::string, double>, std::vector<float>> sizes_;
  Scalars scalars_;
  std::vector<Scalars> documents_;
  std::vector<double> numbers_;
  int rank_ = -1;
  int ranks_ = 0;
  std::size_t records_ = 0;         ///< kernels, copies and collectives
  std::size_t kept_bytes_ = 0;      ///< of documents_
  std::size_t document_bytes_ = 0;  ///< of scalars_
  std::string stopped_;
};

/// By the names in PyTorch and NCCL's Inspector.
bool is_all_reduce(std::string_view collective);

/// Adds only the sizes of collectives, with the shortest time of each.
void take_collectives(const std::vector<Trace>& traces, const std::string& from, Job& job);

/// Adds the traces of one or all ranks to `job`.
void take_traces(const std::vector<Trace>& traces, const std::string& from, Job& job);

}  // namespace nettune::tools::advise
