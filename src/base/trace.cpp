// SPDX-License-Identifier: Apache-2.0
#include "base/trace.hpp"

#define FMT_HEADER_ONLY
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace nettune::inline base::trace {

namespace {

/// Made by the first line: a command without -v does not pay for it.
spdlog::logger& logger() {
  static const auto kLogger = [] {
    auto made = std::make_shared<spdlog::logger>("nettune",
                                                 std::make_shared<spdlog::sinks::stderr_sink_st>());
    made->set_pattern("%H:%M:%S.%e %v");
    return made;
  }();
  return *kLogger;
}

}  // namespace

namespace detail {

int level = 0;

void write(std::string_view text) { logger().info("{}", printable(text)); }

}  // namespace detail

std::string log_line(std::string_view text) {
  spdlog::pattern_formatter formatter("%H:%M:%S  %v");
  spdlog::memory_buf_t line;
  formatter.format({"nettune", spdlog::level::info, {text.data(), text.size()}}, line);
  return {line.data(), line.size()};
}

void set_level(int level) { detail::level = level; }

void Step::end() const {
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin_;
  logger().info("{:9.3f} ms  {}", took.count(), printable(text_));
}

}  // namespace nettune::inline base::trace
