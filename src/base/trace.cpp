// SPDX-License-Identifier: Apache-2.0
#include "base/trace.hpp"

#include <cstdio>
#include <memory>

#define FMT_HEADER_ONLY
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace nettune::trace {

namespace {

template <class Sink>
std::unique_ptr<spdlog::logger> logger_to(const char* pattern) {
  auto made = std::make_unique<spdlog::logger>("nettune", std::make_shared<Sink>());
  made->set_pattern(pattern);
  return made;
}

/// Made by the first line: a command without -v does not pay for it.
spdlog::logger& logger() {
  static const auto kLogger = logger_to<spdlog::sinks::stderr_sink_st>("%H:%M:%S.%e %v");
  return *kLogger;
}

}  // namespace

namespace detail {

int level = 0;

void write(std::string_view text) { logger().info("{}", printable(text)); }

}  // namespace detail

bool log(std::string_view text) {
  static const auto kLogger = logger_to<spdlog::sinks::stdout_sink_st>("%H:%M:%S  %v");
  kLogger->info("{}", text);
  // The sink flushes each line, and does not report an error.
  return std::ferror(stdout) == 0;
}

void set_level(int level) { detail::level = level; }

void Step::end() const {
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin_;
  logger().info("{:9.3f} ms  {}", took.count(), printable(text_));
}

}  // namespace nettune::trace
