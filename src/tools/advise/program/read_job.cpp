// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/input.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "json/read.hpp"
#include "tools/advise/buckets.hpp"
#include "tools/advise/plausible.hpp"
#include "tools/advise/program/advise_command.hpp"
#include "tools/advise/readers.hpp"
#include "tools/advise/trace.hpp"

namespace nettune::tools::advise::program {

namespace {

using advise::Job;
using advise::Known;

constexpr std::size_t kMaxLog = std::size_t{256} << 20;

/// A file as a stream, after its beginning was read.
class FileSource : public nettune::json::Source {
 public:
  FileSource(Input& input, std::string beginning)
      : input_(input), beginning_(std::move(beginning)) {}
  Result<std::size_t> read(char* to, std::size_t size) override {
    if (at_ == beginning_.size()) return input_.read(to, size);
    const std::size_t some = beginning_.copy(to, size, at_);
    at_ += some;
    return some;
  }

 private:
  Input& input_;
  std::string beginning_;
  std::size_t at_ = 0;
};

Result<std::string> read_rest(Input& input, std::string text) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  for (;;) {
    const std::size_t have = text.size();
    if (have > kMaxLog) return fail(Errc::invalid, cat("is larger than ", kMaxLog >> 20, " MiB"));
    text.resize(have + kPiece);
    TRY_ASSIGN(const std::size_t got, input.read(text.data() + have, kPiece));
    text.resize(have + got);
    if (got == 0) return text;
  }
}

/// The contents of one file, before they are combined.
struct Read {
  std::vector<Trace> traces;
  std::string traces_from;
};

Result<> take_json(Input& input, std::string beginning, const std::string& file, Job& job,
                   Read& read) {
  TraceReader reader;
  FileSource source(input, std::move(beginning));
  TRY(nettune::json::read_stream(source, reader));
  if (reader.is_trace()) {
    TRY_ASSIGN(Trace trace, reader.finish());
    if (trace.kernels == 0)
      return fail(Errc::invalid,
                  "is a trace without a GPU kernel; profile with ProfilerActivity.CUDA");
    read.traces.push_back(std::move(trace));
    read.traces_from = read.traces.size() == 1 ? file : cat(read.traces.size(), " traces");
    return {};
  }
  if (reader.is_inspector()) {
    TRY_ASSIGN(Trace records, reader.finish());
    advise::take_collectives({std::move(records)}, file, job);
    return {};
  }
  if (advise::is_ddp_log(reader.scalars()))
    return advise::take_ddp_log(reader.scalars(), file, job);
  TRY_ASSIGN(const bool is_table,
             advise::take_all_reduce(reader.scalars(), reader.numbers(), file, job));
  if (is_table) return {};
  TRY_ASSIGN(const bool is_test, advise::take_test_results(reader.documents(), file, job));
  if (is_test) return {};
  return fail(
      Errc::invalid,
      "is JSON, but neither results of nettune test --nccl --json (time_us) or nettune test "
      "--json (gbps), nor a PyTorch trace (traceEvents), nor DDP's logging data "
      "(avg_backward_compute_time), nor a table (all_reduce)");
}

Result<> take_text(std::string_view text, const std::string& file, Job& job) {
  if (advise::is_nccl_tests(text)) {
    TRY_ASSIGN(NcclTests tests, advise::read_nccl_tests(text));
    job.tables.push_back({"nccl", std::move(tests.table), tests.ranks, tests.is_one_node, file});
    return {};
  }
  const DdpLog log = advise::read_ddp_lines(text);
  if (!advise::is_ddp_log(log))
    return fail(Errc::invalid,
                "is neither the output of nettune test --nccl --json, nor an nccl-tests log, nor "
                "one with DDP's logging data; nettune advise --snippet prints how to write them");
  return advise::take_ddp_log(log, file, job);
}

Result<> take_file(const std::string& file, Job& job, Read& read) {
  TRY_ASSIGN(Input input, Input::open(file));
  constexpr std::size_t kBeginning = 4096;
  std::string beginning(kBeginning, '\0');
  std::size_t size = 0;
  for (std::size_t got = 1; got > 0 && size < kBeginning; size += got) {
    TRY_ASSIGN(got, input.read(beginning.data() + size, kBeginning - size));
  }
  beginning.resize(size);
  const std::string_view first = trim(beginning);
  // A bracket is not enough: "[Rank 0]: DDP Initialized ..." is a log.
  const std::string_view inside = first.starts_with('[') ? trim(first.substr(1)) : first;
  const bool is_json = inside.starts_with('{') || inside.starts_with('[');
  Result<> done;
  if (is_json) {
    done = take_json(input, std::move(beginning), file, job, read);
  } else {
    auto text = read_rest(input, std::move(beginning));
    done = text ? take_text(*text, file, job) : Result<>(fail(text.error()));
  }
  if (!done) return fail_in(printable(file), std::move(done).error());
  return {};
}

/// Reads a list of byte counts: JSON, or a number a line.
Result<> take_parameters(const std::string& file, Job& job) {
  TRY_ASSIGN(std::string text, read_input(file, kMaxLog));
  if (const std::string_view first = trim(text); first.starts_with('[') || first.starts_with('{')) {
    TraceReader reader;
    if (auto done = nettune::json::read_in_place(text, reader); !done)
      return fail_in(printable(file), std::move(done).error());
    job.parameters = reader.numbers();
  } else {
    for (const std::string_view word : words(text)) {
      const auto bytes = parse_int(word);
      if (!bytes || *bytes < 0)
        return fail(Errc::invalid,
                    cat(printable(file), ": \"", printable(word), "\" is not a number of bytes"));
      job.parameters.push_back(static_cast<double>(*bytes));
    }
  }
  const double sum = std::accumulate(job.parameters.begin(), job.parameters.end(), 0.0);
  const double least = job.parameters.empty() ? 0 : *std::ranges::min_element(job.parameters);
  for (const auto& [what, bytes] :
       {std::pair("the smallest parameter", least), std::pair("the sum of all parameters", sum)})
    if (auto plausible = advise::plausible_bytes(what, bytes); !plausible)
      return fail_in(printable(file), std::move(plausible).error());
  std::erase(job.parameters, 0);
  if (job.parameters.empty())
    return fail(Errc::invalid, cat(printable(file),
                                   ": contains no sizes; give one byte count per model parameter"));
  job.parameters_from = file;
  return {};
}

/// The positive number of an option; nothing if it was not given.
Result<std::optional<double>> number_option(const std::string& text, const char* name) {
  std::optional<double> none;
  if (text.empty()) return none;
  const auto value = read_number(text);
  constexpr double kLargest = 1e6;
  if (!value || !(*value > 0) || *value > kLargest)
    return cli::usage(
        cat(name, " takes a positive number up to 1,000,000, not \"", printable(text), "\""),
        "advise");
  return value;
}

/// The same of a number without a fraction.
Result<std::optional<int>> count_option(const std::string& text, const char* name) {
  std::optional<int> none;
  TRY_ASSIGN(const auto value, number_option(text, name));
  if (!value) return none;
  if (*value != std::floor(*value))
    return cli::usage(cat(name, " takes a whole number, not \"", printable(text), "\""), "advise");
  return std::optional<int>(static_cast<int>(*value));
}

/// The time of an option in milliseconds, in seconds; nothing if it was not given.
Result<std::optional<double>> time_option(const std::string& text, const char* name) {
  std::optional<double> none;
  if (text.empty()) return none;
  const auto value = read_number(text);
  if (!value || !(*value > 0))
    return cli::usage(cat(name, " takes a positive number, not \"", printable(text), "\""),
                      "advise");
  const auto seconds = advise::plausible_time(name, *value, TimeUnit::milliseconds);
  if (!seconds) return cli::usage(seconds.error().text, "advise");
  return std::optional<double>(*seconds);
}

Result<> take_options(const AdviseOptions& options, Job& job) {
  TRY_ASSIGN(const auto forward, time_option(options.forward_ms, "--forward-ms"));
  TRY_ASSIGN(const auto backward, time_option(options.backward_ms, "--backward-ms"));
  TRY_ASSIGN(const auto step, time_option(options.step_ms, "--step-ms"));
  TRY_ASSIGN(const auto ranks, count_option(options.ranks, "--ranks"));
  TRY_ASSIGN(const auto bucket, number_option(options.bucket_mb, "--bucket-mb"));
  TRY_ASSIGN(const auto accumulate, count_option(options.accumulate, "--accumulate"));
  if (backward || forward) {
    job.measured_in_job = false;
    if (backward) job.backward_s = Known{*backward, "--backward-ms"};
    // Forward takes about half as long as backward.
    if (forward) job.forward_s = Known{*forward, "--forward-ms"};
    if (!forward) job.forward_s = Known{*backward / 2, "--backward-ms", true};
    if (!backward) job.backward_s = Known{*forward * 2, "--forward-ms", true};
  }
  if (step) job.step_s = Known{*step, "--step-ms"};
  if (ranks) job.ranks = Known{static_cast<double>(*ranks), "--ranks"};
  if (bucket) {
    job.bucket_cap = *bucket * kMiB;
    if (!job.parameters.empty()) job.buckets.clear();
  }
  if (accumulate) job.accumulate = *accumulate;
  return {};
}

}  // namespace

Result<Job> read_job(const AdviseOptions& options) {
  Job job;
  Read read;
  if (!options.parameters_file.empty()) {
    TRY(take_parameters(options.parameters_file, job));
  } else if (!options.model_bytes.empty()) {
    const auto bytes = advise::parse_bytes(options.model_bytes);
    if (!bytes) return cli::usage(cat("--model-bytes: ", bytes.error().text), "advise");
    job.parameters = advise::equal_parameters(*bytes);
    job.parameters_from = "--model-bytes";
    job.parameters_are_estimated = true;
  }
  for (const std::string& file : options.from) TRY(take_file(file, job, read));
  advise::choose_table(job);
  advise::take_traces(read.traces, read.traces_from, job);
  advise::compare_ranks(job);
  TRY(take_options(options, job));
  if (job.backward_s && !job.forward_s)
    job.forward_s = Known{job.backward_s->value / 2, job.backward_s->from, true};
  advise::estimate_table(job);
  advise::fit_table(job);
  return job;
}

}  // namespace nettune::tools::advise::program
