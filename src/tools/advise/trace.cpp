// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/advise/plausible.hpp"

namespace nettune::tools::advise {

namespace {

// Limits for any file. A trace of 1 GB has a million kernels.
constexpr std::size_t kLongestName = 256;
constexpr std::size_t kMostScalars = 1000;  ///< of one document
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostNumbers = 1'000'000;
constexpr std::size_t kMostDocuments = 10'000;
constexpr std::size_t kMostSizes = 100'000;
constexpr std::size_t kMostSteps = 10'000;
constexpr std::size_t kMostRecords = 50'000'000;

/// Converts microseconds with up to three decimals to nanoseconds, exactly: a double cannot hold
/// the nanoseconds since 1970. Negative for what is not a number, or one that is too large.
std::int64_t nanoseconds(std::string_view text) {
  constexpr std::int64_t kLatestUs = INT64_MAX / 4000;  // so that the sum of two does not overflow
  std::int64_t whole = 0;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(at, end, whole);
  if (read.ec != std::errc() || whole < 0 || whole > kLatestUs) return -1;
  std::int64_t nanos = whole * 1000;
  at = read.ptr;
  if (at == end) return nanos;
  if (*at != '.') {  // 1.5e3
    const auto value = read_number(text);
    if (!value || !(*value >= 0) || *value > static_cast<double>(kLatestUs)) return -1;
    return static_cast<std::int64_t>(*value * 1000);
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

/// "AllReduce" of a kernel of NCCL: ncclDevKernel_AllReduce_Sum_f32_RING_LL(...) from 2.19 on,
/// before ncclKernel_AllReduce_... and ncclAllReduceRingLLKernel_.... "" for one whose name does
/// not say it.
std::string_view collective_of_kernel(std::string_view kernel) {
  constexpr std::array<std::string_view, 7> kCollectives = {
      "AllReduce", "AllGather", "ReduceScatter", "AlltoAll", "SendRecv", "Broadcast", "Reduce"};
  for (const std::string_view one : kCollectives)
    if (kernel.find(one) != kernel.npos) return one;
  return {};
}

double number_in(std::string_view text) { return read_number(text).value_or(0); }

/// Reads the time of an event. One above 0 that nanoseconds() refuses is noted in `too_long`.
std::int64_t time_in(std::string_view key, std::string_view text, std::string& too_long) {
  const std::int64_t nanos = nanoseconds(text);
  if (nanos < 0 && number_in(text) > 0)
    too_long = cat(key, " is ", significant(number_in(text), 6));
  return nanos;
}

}  // namespace

bool is_all_reduce(std::string_view collective) {
  return collective == "allreduce" || collective == "AllReduce" || collective == "all_reduce" ||
         collective == "allreduce_coalesced";
}

bool TraceReader::too_much(const char* of_what, std::size_t most) {
  stopped_ = cat("holds more than ", most, " ", of_what);
  return false;
}

bool TraceReader::refuse(const Error& error) {
  stopped_ = cat("has a number that no job has: ", error.text);
  return false;
}

void TraceReader::keep(const std::string& name, std::string_view text) {
  if (scalars_.size() >= kMostScalars) return;
  document_bytes_ += name.size() + text.size();
  scalars_[name] = text;
}

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
  if (depth_ == 3 && in_events_ && !take_event()) return false;
  if (depth_ == 2) in_events_ = in_distributed_ = false;
  if (depth_ == 2 && !root_is_list_) in_numbers_ = false;
  --depth_;
  return true;
}

bool TraceReader::key(std::string_view name) {
  (depth_ == 1 ? key_ : sub_key_) = name.substr(0, kLongestName);
  return true;
}

bool TraceReader::scalar(json::Scalar kind, std::string_view text) {
  if (depth_ == 1 && !in_numbers_) {
    keep(key_, text);
  } else if (in_numbers_ && kind == json::Scalar::number) {
    numbers_.push_back(number_in(text));
    if (numbers_.size() > kMostNumbers) return too_much("numbers", kMostNumbers);
  } else if (in_distributed_ && depth_ == 2) {
    const auto number = read_number(text);
    const bool is_rank = sub_key_ == "rank";
    // A negative one is not known.
    if (number && *number >= 0 && (is_rank || sub_key_ == "world_size")) {
      const auto ranks = plausible_ranks(sub_key_, *number);
      if (!ranks) return refuse(ranks.error());
      (is_rank ? rank_ : ranks_) = *ranks;
    }
  } else if (depth_ == 2 && !in_events_) {
    keep(cat(key_, ".", sub_key_), text);
  } else if (in_events_ && depth_ == 3) {
    if (sub_key_ == "ts") event_.begin_ns = time_in(sub_key_, text, event_.too_long);
    if (sub_key_ == "dur") event_.duration_ns = time_in(sub_key_, text, event_.too_long);
    if (sub_key_ == "name") event_.name = text.substr(0, kLongestName);
    if (sub_key_ == "cat") event_.category = text.substr(0, kLongestName);
    if (sub_key_ == "ph") event_.phase = text.substr(0, kLongestName);
  } else if (in_events_ && depth_ == 4) {
    if (sub_key_ == "Collective name") event_.collective = text.substr(0, kLongestName);
    if (sub_key_ == "Process Group Name") event_.group = text.substr(0, kLongestName);
    if (sub_key_ == "dtype") event_.dtype = text.substr(0, kLongestName);
    if (sub_key_ == "In msg nelems") event_.in_elements = number_in(text);
    if (sub_key_ == "Out msg nelems") event_.out_elements = number_in(text);
  }
  return kept_bytes_ + document_bytes_ <= kMostBytes ||
         too_much("bytes of names and values", kMostBytes);
}

bool TraceReader::add_size(const std::string& name, double bytes, double seconds) {
  sizes_[{name, bytes}].push_back(static_cast<float>(seconds));
  ++records_;
  if (records_ > kMostRecords) return too_much("collectives", kMostRecords);
  return sizes_.size() <= kMostSizes || too_much("sizes of collectives", kMostSizes);
}

bool TraceReader::document() {
  const auto bytes = scalars_.find("coll_perf.coll_msg_size_bytes");
  if (bytes != scalars_.end()) {
    is_inspector_ = true;
    const auto size =
        plausible_bytes("coll_msg_size_bytes", std::max(0.0, number_in(bytes->second)));
    if (!size) return refuse(size.error());
    const auto seconds = plausible_time(
        "coll_exec_time_us", std::max(0.0, number_in(scalars_["coll_perf.coll_exec_time_us"])),
        TimeUnit::microseconds);
    if (!seconds) return refuse(seconds.error());
    const std::string name = scalars_["coll_perf.coll"].substr(0, kLongestName);
    if (*size > 0 && *seconds > 0 && !add_size(name, *size, *seconds)) return false;
    if (const auto number = read_number(scalars_["header.n_ranks"])) {
      const auto ranks = plausible_ranks("n_ranks", *number);
      if (!ranks) return refuse(ranks.error());
      ranks_ = *ranks;
    }
    scalars_.clear();
    document_bytes_ = 0;
    return true;
  }
  if (documents_.size() < kMostDocuments) {
    documents_.push_back(std::move(scalars_));
    kept_bytes_ += document_bytes_;
  }
  document_bytes_ = 0;
  scalars_.clear();
  return true;
}

bool TraceReader::take_event() {
  // Up to PyTorch 1.11, the categories begin with a capital letter.
  const bool is_kernel = event_.category == "kernel" || event_.category == "Kernel";
  const bool is_copy = event_.category == "gpu_memcpy" || event_.category == "gpu_memset" ||
                       event_.category == "Memcpy" || event_.category == "Memset";
  const bool is_step = event_.name.starts_with("ProfilerStep#");
  if (event_.phase != "X" || !(is_kernel || is_copy || is_step)) return true;
  if (!event_.too_long.empty())
    return refuse({Errc::invalid,
                   cat("of \"", printable(event_.name), "\", ", event_.too_long,
                       ": in microseconds, its unit here, that is more than 70 years; make the "
                       "trace again"),
                   0,
                   {},
                   0});
  if (event_.begin_ns < 0 || event_.duration_ns < 0) return true;
  const auto took =
      plausible_time("dur", static_cast<double>(event_.duration_ns) * 1e-3, TimeUnit::microseconds);
  if (!took) return refuse(took.error());
  const Span span{event_.begin_ns, event_.begin_ns + event_.duration_ns};
  if (is_kernel) return take_kernel(event_.name.starts_with("nccl"), span);
  if (is_copy) return take_span(Work::copy, span);
  return take_step(event_.category == "gpu_user_annotation", span);
}

bool TraceReader::take_span(Work work, Span span) {
  spans_[static_cast<int>(work)].push_back(span);
  ++records_;
  return records_ <= kMostRecords || too_much("kernels and copies", kMostRecords);
}

bool TraceReader::take_kernel(bool is_communication, Span span) {
  if (!take_span(is_communication ? Work::communication : Work::compute, span)) return false;
  if (!is_communication) return true;
  const double seconds = static_cast<double>(event_.duration_ns) * 1e-9;
  if (event_.collective.empty()) {
    const std::string name(collective_of_kernel(event_.name));
    return name.empty() || add_size(name, 0, seconds);
  }
  const double elements = event_.collective.find("gather") != std::string::npos
                              ? event_.out_elements
                              : std::max(event_.in_elements, event_.out_elements);
  const double bytes = elements * element_bytes(event_.dtype);
  if (!(bytes > 0)) return true;
  if (const auto size = plausible_bytes("the size of a collective", bytes); !size)
    return refuse(size.error());
  if (is_all_reduce(event_.collective)) {
    reduces_.push_back({span.begin_ns, bytes});
    constexpr std::size_t kMostGroups = 10'000;
    group_seconds_[event_.group] += seconds;
    if (group_seconds_.size() > kMostGroups) return too_much("process groups", kMostGroups);
  }
  return add_size(event_.collective, bytes, seconds);
}

bool TraceReader::take_step(bool is_gpu, Span span) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  const auto number = parse_int(std::string_view(event_.name).substr(kPrefix.size()));
  if (!number || span.begin_ns == span.end_ns) return true;
  std::map<std::int64_t, Span>& steps = is_gpu ? gpu_steps_ : cpu_steps_;
  // Each stream has an annotation; together they are the step.
  const auto [found, is_new] = steps.try_emplace(*number, span);
  Span& step = found->second;
  step.begin_ns = std::min(step.begin_ns, span.begin_ns);
  step.end_ns = std::max(step.end_ns, span.end_ns);
  return steps.size() <= kMostSteps || too_much("steps", kMostSteps);
}

TraceStep TraceReader::step_of(const Window& window) const {
  // The spans are already merged, so they do not overlap within one kind.
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
  auto reduce = std::ranges::lower_bound(reduces_, window.span.begin_ns, {}, &Reduce::begin_ns);
  for (; reduce != reduces_.end() && reduce->begin_ns < window.span.end_ns; ++reduce)
    step.all_reduces.push_back(reduce->bytes);
  return step;
}

Result<Trace> TraceReader::finish() {
  Trace trace;
  trace.all_reduce_groups = std::move(group_seconds_);
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
  std::vector<Window> steps;
  for (const auto& [number, span] : gpu_steps_.empty() ? cpu_steps_ : gpu_steps_)
    steps.push_back({number, span});
  if (steps.empty() && trace.kernels > 0) {
    Window all{0, {INT64_MAX, 0}};
    for (const std::vector<Span>& spans : spans_) {
      if (spans.empty()) continue;
      all.span.begin_ns = std::min(all.span.begin_ns, spans.front().begin_ns);
      all.span.end_ns = std::max(all.span.end_ns, spans.back().end_ns);
    }
    steps.push_back(all);
  }
  for (const Window& window : steps) {
    trace.steps.push_back(step_of(window));
    TRY(plausible_time("the time from the first to the last event of a step",
                       trace.steps.back().window_s, TimeUnit::seconds));
  }
  for (auto& [what, durations] : sizes_) {
    std::ranges::sort(durations);
    trace.collectives.push_back({what.first, what.second, durations.size(), durations.front(),
                                 durations[durations.size() / 2]});
  }
  return trace;
}

}  // namespace nettune::tools::advise
