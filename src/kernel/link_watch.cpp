// SPDX-License-Identifier: Apache-2.0
#include "kernel/link_watch.hpp"

#include <chrono>
#include <system_error>
#include <utility>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenLooks{5};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

std::optional<LinkWatch::Counts> LinkWatch::read_counts(const Directory& directory) {
  const auto down = directory.number("carrier_down_count");
  const auto up = directory.number("carrier_up_count");
  if (!down || !up) return std::nullopt;
  return Counts{*down, *up};
}

LinkWatch::LinkWatch(const std::string& sys, const std::string& interface) {
  auto directory = Directory::open(cat(sys, "/class/net/", interface));
  // This happens before the caller continues: its write may take the link down at once.
  const auto first = directory ? read_counts(*directory) : std::nullopt;
  if (!first) return;
  seen_.emplace();
  try {
    thread_ = std::thread(
        [this, counted = std::move(*directory), first = *first] { watch(counted, first); });
  } catch (const std::system_error&) {
    // Without a thread (EAGAIN) it continues: the caller is between a write and its undo.
    seen_.reset();
  }
}

LinkWatch::~LinkWatch() { stop(); }

std::optional<LinkLoss> LinkWatch::stop() {
  stopped_ = true;
  if (thread_.joinable()) thread_.join();
  return seen_;
}

void LinkWatch::watch(const Directory& directory, const Counts& first) {
  Clock::time_point down_since;
  // Reads once more after the end: the last write may show only now.
  for (bool last = false; !last; std::this_thread::sleep_for(kBetweenLooks)) {
    last = stopped_;
    const auto now = read_counts(directory);
    if (!now || now->down == first.down) continue;
    if (!seen_->lost) {
      seen_->lost = true;
      down_since = Clock::now();
    }
    const bool back = now->up - first.up >= now->down - first.down;
    if (!back || !seen_->back || seen_->seconds == 0) seen_->seconds = seconds_since(down_since);
    seen_->back = back;
  }
}

}  // namespace nettune::kernel
