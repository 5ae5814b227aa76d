// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/failed_calls.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log {

namespace {

/// "misc/socket" of "misc/socket.cc:572 -> 2", and of RCCL's "/build/src/misc/socket.cpp:572 -> 2";
/// "" for what is no call that failed.
std::string_view file_of_call(std::string_view message) {
  constexpr std::size_t kLongestName = 300;
  static constexpr std::string_view kEnds[] = {".cc", ".cu", ".cpp", ".h", ".c"};
  const auto colon = message.find(':');
  if (colon > kLongestName) return {};  // npos is, too
  std::string_view file = message.substr(0, colon);
  if (file.find(' ') != file.npos) return {};
  const auto end =
      std::ranges::find_if(kEnds, [&](std::string_view e) { return file.ends_with(e); });
  if (end == std::end(kEnds)) return {};
  Cursor at(message.substr(colon + 1));
  if (!at.number() || !at.skip(" -> ")) return {};
  const auto code = at.number();
  if (!code || *code == 0 || *code == 7) return {};
  file.remove_suffix(end->size());
  const auto directory = file.rfind("/src/");
  return directory == file.npos ? file : file.substr(directory + 5);
}

/// "misc/nvmlwrap.cc:181 -> 2": who called that may do without the library, without GPUDirect RDMA
/// by the kernel, of which net_ib/gdr.cc asks, or without what include/net.h asked a network for.
bool is_deep(std::string_view file) {
  return file == "transport/net_ib/gdr" || file == "include/net" ||
         (file.starts_with("misc/") && file.ends_with("wrap"));
}

/// Of "transport/net_ib.cc:628", with or without what is in front of it; "" for other files.
std::string_view network_of_file(std::string_view place) {
  place = place.substr(std::min(place.find("transport/net_"), place.size()));
  if (place.starts_with("transport/net_socket")) return "Socket";
  return place.starts_with("transport/net_ib") ? "IB" : std::string_view();
}

}  // namespace

bool FailedCalls::is_one(std::string_view message) { return !file_of_call(message).empty(); }

/// The network that a connection uses gives its errors to transport/net.cc, up to 2.17 by
/// include/net.h. One that is only tried
/// does not. What NCCL announced says it better.
void FailedCalls::take_network(Speaker speaker, std::string_view file) {
  Process& process = log_.processes[speaker.process];
  if (const auto network = network_of_file(file); !network.empty()) {
    in_network_ = speaker;
    network_ = network;
    return;
  }
  const bool is_of_it =
      in_network_.process == speaker.process && in_network_.thread == speaker.thread;
  std::string_view network = is_of_it ? network_ : std::string_view();
  if (is_of_it && file != "include/net") in_network_ = {};
  if (!process.networks.empty()) return;
  if (file != "transport/net" && file != "include/net") return;
  const std::uint32_t last = events_.last_of(speaker.process);
  if (network.empty() && last != kNone && log_.events[last].progress == process.progress)
    network = network_of_file(log_.events[last].place);
  if (!network.empty()) add_once(process.networks, log_.names.id(network));
}

void FailedCalls::take(Speaker speaker, std::string_view message) {
  const std::uint32_t process = speaker.process;
  const std::string_view file = file_of_call(message);
  message.remove_prefix(static_cast<std::size_t>(file.data() - message.data()));
  take_network(speaker, file);
  const std::uint32_t last = events_.last_of(process);
  if (last != kNone && log_.events[last].progress == log_.processes[process].progress) {
    Event& event = log_.events[last];
    event.failed = true;
    event.caller_failed = event.caller_failed || !is_deep(file);
    if (is_one(event.text)) ++event.count;
    return;
  }
  Chain& first = extend_chain(speaker, message);
  // Deep in NCCL a call may fail and be worked around: the caller's files say that it was not. A
  // connection that fails is not, and 2.16 to 2.19 may not warn of it.
  static constexpr std::string_view kOfCaller[] = {"init", "group", "enqueue", "transport/net"};
  const bool of_socket = file == "misc/socket" && message.find(" -> 2") != message.npos;
  if (of_socket || std::ranges::find(kOfCaller, file) != std::end(kOfCaller)) {
    const Chain chain = std::move(first);
    chains_.erase({process, speaker.thread});
    std::uint32_t cause = events_.cause_of(Cause::By::nccl, chain.text);
    if (cause == kNone) cause = events_.cause_of(Cause::By::nccl, message);
    const std::uint32_t event =
        events_.take({.process = process, .message = chain.text, .line = chain.line}, cause);
    if (event != kNone && log_.events[event].count == 1) log_.events[event].count = chain.count;
  }
}

/// NCCL prints one call behind the other; processes may print between each other.
FailedCalls::Chain& FailedCalls::extend_chain(Speaker speaker, std::string_view message) {
  constexpr std::uint64_t kMostBetween = 64;
  constexpr std::size_t kMostChains = 4096;
  const auto result = [](std::string_view text) {
    return text.substr(text.find(" -> ")).substr(4, 1);
  };
  const std::pair key(speaker.process, speaker.thread);
  if (chains_.size() >= kMostChains && !chains_.contains(key)) chains_.erase(chains_.begin());
  Chain& chain = chains_[key];
  const std::uint64_t line = position_.line();
  const std::uint32_t progress = log_.processes[speaker.process].progress;
  const bool goes_on = !chain.text.empty() && chain.file == position_.file() &&
                       line - chain.last_line <= kMostBetween && chain.progress == progress &&
                       result(chain.text) == result(message);
  if (!goes_on) chain = {std::string(trim(message)), position_.file(), line, line, 0, progress};
  chain.last_line = line;
  ++chain.count;
  return chain;
}

bool FailedCalls::take_bare(std::string_view line, std::uint32_t unnamed) {
  line = trim(line);
  if (line.empty()) return true;
  bare_ = is_one(line);
  if (!bare_) return false;
  ++log_.messages;
  ++log_.unnamed;
  take({unnamed, 0}, line);
  return true;
}

}  // namespace nettune::tools::nccl::log
