// SPDX-License-Identifier: Apache-2.0
#include "advise/trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace nettune::advise {

namespace {

/// Microseconds with up to three digits behind the point, as nanoseconds. Exact: a double has no
/// room for the nanoseconds of a time since 1970.
std::int64_t nanoseconds(std::string_view text) {
  constexpr std::int64_t kLatestUs = INT64_MAX / 4000;  // so that a sum of two has room
  std::int64_t whole = 0;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(at, end, whole);
  if (read.ec != std::errc() || whole < 0 || whole > kLatestUs) return -1;
  std::int64_t nanos = whole * 1000;
  at = read.ptr;
  if (at == end) return nanos;
  if (*at != '.') {  // 1.5e3
    double value = 0;
    if (std::from_chars(text.data(), end, value).ec != std::errc() || !(value >= 0) ||
        value > static_cast<double>(kLatestUs))
      return -1;
    return static_cast<std::int64_t>(value * 1000);
  }
  std::int64_t unit = 100;
  for (++at; at != end && *at >= '0' && *at <= '9' && unit > 0; ++at, unit /= 10)
    nanos += (*at - '0') * unit;
  return nanos;
}

double element_bytes(std::string_view dtype) {
  constexpr std::array<std::pair<std::string_view, double>, 11> kSizes = {{
      {"Float", 4},
      {"Half", 2},
      {"BFloat16", 2},
      {"Double", 8},
      {"Int", 4},
      {"Long", 8},
      {"Short", 2},
      {"Byte", 1},
      {"Char", 1},
      {"Bool", 1},
      {"ComplexFloat", 8},
  }};
  const auto found = std::ranges::find(kSizes, dtype, [](const auto& one) { return one.first; });
  if (found != kSizes.end()) return found->second;
  return dtype.starts_with("Float8") ? 1 : 0;
}

double number_in(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_all_reduce(std::string_view collective) {
  return collective == "allreduce" || collective == "AllReduce" || collective == "all_reduce" ||
         collective == "allreduce_coalesced";
}

}  // namespace

bool TraceReader::begin(json::Container what) {
  ++depth_;
  if (depth_ == 1) in_numbers_ = root_is_list_ = what == json::Container::array;
  if (depth_ == 2) {
    in_events_ = key_ == "traceEvents" && what == json::Container::array;
    is_trace_ = is_trace_ || in_events_;
    in_distributed_ = key_ == "distributedInfo";
    if (key_ == "parameters" || key_ == "all_reduce") in_numbers_ = true;
  }
  if (depth_ == 3 && in_events_) event_ = Event{};
  return true;
}

bool TraceReader::end(json::Container /*what*/) {
  if (depth_ == 3 && in_events_) take_event();
  if (depth_ == 2) in_events_ = in_distributed_ = false;
  if (depth_ == 2 && !root_is_list_) in_numbers_ = false;
  --depth_;
  return true;
}

bool TraceReader::key(std::string_view name) {
  (depth_ == 1 ? key_ : sub_key_) = name;
  return true;
}

bool TraceReader::scalar(json::Scalar kind, std::string_view text) {
  constexpr std::size_t kMostScalars = 1000;
  if (depth_ == 1 && !in_numbers_) {
    if (scalars_.size() < kMostScalars) scalars_[key_] = text;
  } else if (in_numbers_ && kind == json::Scalar::number) {
    numbers_.push_back(number_in(text));
  } else if (in_distributed_ && depth_ == 2) {
    if (sub_key_ == "rank") rank_ = static_cast<int>(parse_int(text).value_or(-1));
    if (sub_key_ == "world_size") ranks_ = static_cast<int>(parse_int(text).value_or(0));
  } else if (depth_ == 2 && !in_events_) {
    if (scalars_.size() < kMostScalars) scalars_[cat(key_, ".", sub_key_)] = text;
  } else if (in_events_ && depth_ == 3) {
    if (sub_key_ == "ts") event_.begin_ns = nanoseconds(text);
    if (sub_key_ == "dur") event_.duration_ns = nanoseconds(text);
    if (sub_key_ == "name") event_.name = text;
    if (sub_key_ == "cat") event_.category = text;
    if (sub_key_ == "ph") event_.phase = text;
  } else if (in_events_ && depth_ == 4) {
    if (sub_key_ == "Collective name") event_.collective = text;
    if (sub_key_ == "dtype") event_.dtype = text;
    if (sub_key_ == "In msg nelems") event_.in_elements = number_in(text);
    if (sub_key_ == "Out msg nelems") event_.out_elements = number_in(text);
  }
  return true;
}

bool TraceReader::document() {
  const auto bytes = scalars_.find("coll_perf.coll_msg_size_bytes");
  if (bytes != scalars_.end()) {
    is_inspector_ = true;
    const double size = number_in(bytes->second);
    const double seconds = number_in(scalars_["coll_perf.coll_exec_time_us"]) * 1e-6;
    if (size > 0 && seconds > 0)
      sizes_[{scalars_["coll_perf.coll"], size}].push_back(static_cast<float>(seconds));
    if (const auto ranks = parse_int(scalars_["header.n_ranks"]))
      ranks_ = static_cast<int>(std::clamp<std::int64_t>(*ranks, 0, 1'000'000));
    scalars_.clear();
    return true;
  }
  constexpr std::size_t kMostDocuments = 10'000;
  if (documents_.size() < kMostDocuments) documents_.push_back(std::move(scalars_));
  scalars_.clear();
  return true;
}

void TraceReader::take_event() {
  if (event_.phase != "X" || event_.begin_ns < 0 || event_.duration_ns < 0) return;
  const Span span{event_.begin_ns, event_.begin_ns + event_.duration_ns};
  // Up to PyTorch 1.11 the categories begin with a capital.
  if (event_.category == "kernel" || event_.category == "Kernel") {
    take_kernel(event_.name.starts_with("nccl"), span);
  } else if (event_.category == "gpu_memcpy" || event_.category == "gpu_memset" ||
             event_.category == "Memcpy" || event_.category == "Memset") {
    spans_[static_cast<int>(Work::copy)].push_back(span);
  } else if (event_.name.starts_with("ProfilerStep#")) {
    take_step(event_.category == "gpu_user_annotation", span);
  }
}

void TraceReader::take_kernel(bool is_communication, Span span) {
  const Work work = is_communication ? Work::communication : Work::compute;
  spans_[static_cast<int>(work)].push_back(span);
  if (!is_communication || event_.collective.empty()) return;
  const double elements = event_.collective.find("gather") != std::string::npos
                              ? event_.out_elements
                              : std::max(event_.in_elements, event_.out_elements);
  const double bytes = elements * element_bytes(event_.dtype);
  if (bytes <= 0) return;
  sizes_[{event_.collective, bytes}].push_back(static_cast<float>(event_.duration_ns) * 1e-9F);
  if (is_all_reduce(event_.collective)) reduces_.push_back({span.begin_ns, bytes});
}

void TraceReader::take_step(bool is_gpu, Span span) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  const auto number = parse_int(std::string_view(event_.name).substr(kPrefix.size()));
  if (!number) return;
  std::vector<Window>& steps = is_gpu ? gpu_steps_ : cpu_steps_;
  // One annotation a stream: together they are the step.
  for (Window& one : steps)
    if (one.number == *number) {
      one.span.begin_ns = std::min(one.span.begin_ns, span.begin_ns);
      one.span.end_ns = std::max(one.span.end_ns, span.end_ns);
      return;
    }
  steps.push_back({*number, span});
}

TraceStep TraceReader::step_of(const Window& window) const {
  // Spans are merged by now, and do not overlap within one kind.
  const auto clipped = [&](const std::vector<Span>& spans) {
    std::vector<Span> inside;
    auto at = std::ranges::upper_bound(spans, window.span.begin_ns, {}, &Span::end_ns);
    for (; at != spans.end() && at->begin_ns < window.span.end_ns; ++at)
      inside.push_back(
          {std::max(at->begin_ns, window.span.begin_ns), std::min(at->end_ns, window.span.end_ns)});
    return inside;
  };
  const auto length = [](const std::vector<Span>& spans) {
    std::int64_t sum = 0;
    for (const Span& one : spans) sum += one.end_ns - one.begin_ns;
    return sum;
  };
  const auto covered_by_both = [](const std::vector<Span>& left, const std::vector<Span>& right) {
    std::int64_t sum = 0;
    for (std::size_t i = 0, k = 0; i < left.size() && k < right.size();) {
      const std::int64_t begin = std::max(left[i].begin_ns, right[k].begin_ns);
      const std::int64_t end = std::min(left[i].end_ns, right[k].end_ns);
      if (begin < end) sum += end - begin;
      (left[i].end_ns < right[k].end_ns ? i : k) += 1;
    }
    return sum;
  };
  const auto merged = [](std::vector<Span> left, const std::vector<Span>& right) {
    left.insert(left.end(), right.begin(), right.end());
    std::ranges::sort(left, {}, &Span::begin_ns);
    std::vector<Span> out;
    for (const Span& one : left) {
      if (!out.empty() && one.begin_ns <= out.back().end_ns) {
        out.back().end_ns = std::max(out.back().end_ns, one.end_ns);
      } else {
        out.push_back(one);
      }
    }
    return out;
  };
  constexpr double kNano = 1e-9;
  const auto compute = clipped(spans_[0]);
  const auto communication = clipped(spans_[1]);
  const auto busy = merged(merged(compute, communication), clipped(spans_[2]));
  TraceStep step;
  step.number = window.number;
  const std::int64_t all = window.span.end_ns - window.span.begin_ns;
  step.window_s = static_cast<double>(all) * kNano;
  step.compute_s = static_cast<double>(length(compute)) * kNano;
  step.communication_s = static_cast<double>(length(communication)) * kNano;
  step.exposed_s =
      static_cast<double>(length(communication) - covered_by_both(compute, communication)) * kNano;
  step.idle_s = static_cast<double>(all - length(busy)) * kNano;
  for (const Reduce& one : reduces_)
    if (one.begin_ns >= window.span.begin_ns && one.begin_ns < window.span.end_ns)
      step.all_reduces.push_back(one.bytes);
  return step;
}

Trace TraceReader::finish() {
  Trace trace;
  trace.rank = rank_;
  trace.ranks = ranks_;
  trace.kernels = spans_[0].size() + spans_[1].size();
  for (std::vector<Span>& spans : spans_) {
    std::ranges::sort(spans, {}, &Span::begin_ns);
    std::size_t last = 0;
    for (std::size_t i = 1; i < spans.size(); ++i) {
      if (spans[i].begin_ns <= spans[last].end_ns) {
        spans[last].end_ns = std::max(spans[last].end_ns, spans[i].end_ns);
      } else {
        spans[++last] = spans[i];
      }
    }
    if (!spans.empty()) spans.resize(last + 1);
  }
  std::ranges::sort(reduces_, {}, &Reduce::begin_ns);
  std::vector<Window> steps = gpu_steps_.empty() ? cpu_steps_ : gpu_steps_;
  std::ranges::sort(steps, {}, &Window::number);
  if (steps.empty() && trace.kernels > 0) {
    Window all{0, {INT64_MAX, 0}};
    for (const std::vector<Span>& spans : spans_) {
      if (spans.empty()) continue;
      all.span.begin_ns = std::min(all.span.begin_ns, spans.front().begin_ns);
      all.span.end_ns = std::max(all.span.end_ns, spans.back().end_ns);
    }
    steps.push_back(all);
  }
  for (const Window& window : steps) trace.steps.push_back(step_of(window));
  for (auto& [what, durations] : sizes_) {
    std::ranges::sort(durations);
    trace.collectives.push_back({what.first, what.second, durations.size(), durations.front(),
                                 durations[durations.size() / 2]});
  }
  return trace;
}

namespace {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Of all steps of one rank.
double median_step(const Trace& trace, double TraceStep::*part) {
  std::vector<double> values;
  for (const TraceStep& step : trace.steps) values.push_back(step.*part);
  return median_of(std::move(values));
}

}  // namespace

void take_collectives(const std::vector<Trace>& traces, const std::string& from, Job& job) {
  std::map<std::pair<std::string, double>, CollectiveSize> all;
  for (const Trace& trace : traces)
    for (const CollectiveSize& one : trace.collectives) {
      const auto [at, is_new] = all.try_emplace({one.name, one.bytes}, one);
      if (is_new) continue;
      CollectiveSize& sum = at->second;
      sum.count += one.count;
      // Of ranks that wait for each other the shortest is nearest to the transfer.
      sum.least_s = std::min(sum.least_s, one.least_s);
      sum.median_s = std::min(sum.median_s, one.median_s);
    }
  std::vector<TimeTable::Point> points;
  for (auto& [what, one] : all) {
    if (is_all_reduce(one.name)) points.push_back({one.bytes, one.least_s});
    job.collectives.push_back(one);
  }
  if (job.table.empty() && !points.empty()) {
    job.table = TimeTable(std::move(points));
    job.table_from = from;
    job.table_ranks = traces.front().ranks;
  }
}

void take_traces(const std::vector<Trace>& traces, const std::string& from, Job& job) {
  if (traces.empty()) return;
  const Trace& first = traces.front();
  std::vector<double> computes;
  std::vector<double> exposed;
  std::vector<double> idle;
  std::vector<double> windows;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const double compute = median_step(traces[i], &TraceStep::compute_s);
    const int rank = traces[i].rank >= 0 ? traces[i].rank : static_cast<int>(i);
    job.by_rank.push_back({rank, compute});
    computes.push_back(compute);
    exposed.push_back(median_step(traces[i], &TraceStep::exposed_s));
    idle.push_back(median_step(traces[i], &TraceStep::idle_s));
    windows.push_back(median_step(traces[i], &TraceStep::window_s));
  }
  // The rank that waits least has what communication costs; the others wait for it as well.
  if (!job.exposed_s) job.exposed_s = Known{*std::ranges::min_element(exposed), from};
  if (!job.idle_s) job.idle_s = Known{median_of(idle), from};
  if (!job.step_s) job.step_s = Known{median_of(windows), from};
  const double compute = median_of(computes);
  if (!job.backward_s && compute > 0) {
    // A trace does not tell forward from backward; backward takes about twice as long.
    job.backward_s = Known{compute * 2 / 3, from, true};
    job.forward_s = Known{compute / 3, from, true};
    job.measured_in_job = true;
  }
  if (traces.size() > 1 && compute > 0) {
    double squares = 0;
    for (const double one : computes) squares += (one - compute) * (one - compute);
    job.sigma =
        Known{std::sqrt(squares / static_cast<double>(computes.size() - 1)) / compute, from};
  }
  if (!job.ranks && first.ranks > 0) job.ranks = Known{static_cast<double>(first.ranks), from};
  if (job.buckets.empty() && job.parameters.empty() && !first.steps.empty()) {
    job.buckets = first.steps.back().all_reduces;
    job.buckets_from = from;
  }
  take_collectives(traces, from, job);
}

}  // namespace nettune::advise
