// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/details.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log {

namespace {

/// The number behind `word`, 184.13 of "Tried to allocate 184.13 GiB"; MiB are converted. Nothing
/// for other units.
std::optional<double> gib_behind(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + word.size());
  const auto end = rest.find(' ');
  double number = 0;
  if (end > 20) return {};  // npos is, too
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + end, number);
  if (error != std::errc() || stop != rest.data() + end) return {};
  if (rest.substr(end).starts_with(" GiB")) return number;
  return rest.substr(end).starts_with(" MiB") ? std::optional(number / 1024) : std::nullopt;
}

std::optional<double> capacity_in(std::string_view line) {
  const auto all = gib_behind(line, "has a total capacity of ");
  return all ? all : gib_behind(line, "has a total capacty of ");  // PyTorch 2.1
}

/// In GiB.
struct MemoryUse {
  double all = 0;
  double free = 0;
  double own = 0;
  double others = 0;
};

constexpr double kLeastShareOfGpu = 0.05;  ///< of a GPU: contexts and rounding are less

std::optional<MemoryUse> use_in(std::string_view line) {
  // Where the driver cannot tell them apart, PyTorch prints 17179869184.00 GiB as its own.
  constexpr double kMost = 1e6;
  const auto all = capacity_in(line);
  const auto free = gib_behind(line, " of which ");
  const auto own = gib_behind(line, "this process has ");
  const auto may_be = [&](const std::optional<double>& gib) {
    return gib && *gib >= 0 && *gib <= *all && *all < kMost;
  };
  if (!all || !may_be(free) || !may_be(own)) return {};
  return MemoryUse{*all, *free, *own, *all - *free - *own};
}

}  // namespace

std::string detail_of(std::string_view line) {
  const auto wanted = gib_behind(line, "Tried to allocate ");
  const auto all = capacity_in(line);
  if (!wanted || !all || *wanted <= *all) return {};
  return "it asked for more than the whole GPU has: a wrong size or shape in the program, or of "
         "what a failed collective left, is likelier than a full GPU";
}

std::string memory_use_in(std::string_view line) {
  const auto use = use_in(line);
  if (!use) return {};
  if (use->others > kLeastShareOfGpu * use->all)
    return cat("about ", decimals(use->others, 1),
               " GiB of this GPU are held by others than this process");
  return use->own > (1 - kLeastShareOfGpu) * use->all
             ? "this process itself holds nearly all of this GPU"
             : "";
}

bool has_more_workers(std::string_view line) {
  const auto number = [&](std::string_view word) {
    const auto at = line.find(word);
    return at == line.npos ? std::nullopt : Cursor(line.substr(at + word.size())).number();
  };
  if (line.find("in store based barrier on rank") == line.npos) return false;
  const auto world = number("(world_size=");
  const auto joined = number(", worker_count=");
  return world && joined && *joined > *world;
}

std::string exit_code_in(std::string_view text) {
  static constexpr std::string_view kWords[] = {
      "xit code: ", "xit code ", "EXIT CODE: ", "exitcode: ", "exitcode  : ", "return code = "};
  static constexpr const char* kSignals[] = {
      "",       "SIGHUP",  "SIGINT",  "SIGQUIT", "SIGILL",  "SIGTRAP", "SIGABRT", "SIGBUS",
      "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM"};
  for (const std::string_view word : kWords) {
    const auto at = text.find(word);
    if (at == text.npos) continue;
    const auto code = Cursor(trim(text.substr(at + word.size()))).number();
    if (code == 124U) return "exit code 124: timeout(1) ends so when the time is up";
    if (code == 126U) return "exit code 126: a shell says so of a program that it may not execute";
    if (code == 127U) return "exit code 127: a shell says so of a program that it did not find";
    if (code && *code > 128 && *code - 128 < std::size(kSignals))
      return cat("exit code ", *code, " is 128 + ", *code - 128,
                 ": a shell says so of a process that ", kSignals[*code - 128], " ended");
  }
  return {};
}

std::string number_in(std::string_view line) {
  // include of CUDA 12, driver_types.h, enum cudaError; src/nccl.h.in of NCCL 2.27, ncclResult_t.
  static constexpr std::pair<std::uint32_t, std::string_view> kCuda[] = {
      {1, "cudaErrorInvalidValue"},
      {2, "cudaErrorMemoryAllocation"},
      {3, "cudaErrorInitializationError"},
      {35, "cudaErrorInsufficientDriver"},
      {46, "cudaErrorDevicesUnavailable"},
      {98, "cudaErrorInvalidDeviceFunction"},
      {100, "cudaErrorNoDevice"},
      {101, "cudaErrorInvalidDevice"},
      {205, "cudaErrorMapBufferObjectFailed"},
      {209, "cudaErrorNoKernelImageForDevice"},
      {214, "cudaErrorECCUncorrectable"},
      {217, "cudaErrorPeerAccessUnsupported"},
      {220, "cudaErrorNvlinkUncorrectable"},
      {304, "cudaErrorOperatingSystem"},
      {400, "cudaErrorInvalidResourceHandle"},
      {401, "cudaErrorIllegalState"},
      {700, "cudaErrorIllegalAddress"},
      {701, "cudaErrorLaunchOutOfResources"},
      {702, "cudaErrorLaunchTimeout"},
      {710, "cudaErrorAssert"},
      {711, "cudaErrorTooManyPeers"},
      {714, "cudaErrorHardwareStackError"},
      {715, "cudaErrorIllegalInstruction"},
      {716, "cudaErrorMisalignedAddress"},
      {718, "cudaErrorInvalidPc"},
      {719, "cudaErrorLaunchFailure"},
      {800, "cudaErrorNotPermitted"},
      {801, "cudaErrorNotSupported"},
      {802, "cudaErrorSystemNotReady"},
      {803, "cudaErrorSystemDriverMismatch"},
      {804, "cudaErrorCompatNotSupportedOnDevice"},
      {900, "cudaErrorStreamCaptureUnsupported"},
      {999, "cudaErrorUnknown"}};
  static constexpr std::string_view kResults[] = {"",
                                                  "ncclUnhandledCudaError",
                                                  "ncclSystemError",
                                                  "ncclInternalError",
                                                  "ncclInvalidArgument",
                                                  "ncclInvalidUsage",
                                                  "ncclRemoteError"};
  const auto number_behind = [&](std::string_view word) {
    const auto at = line.find(word);
    Cursor rest(at == line.npos ? std::string_view() : line.substr(at + word.size()));
    const auto number = rest.number();
    return std::pair(number, trim(rest.rest()));
  };
  if (const auto [code, rest] = number_behind("Cuda failure "); code && rest.empty())
    for (const auto& [number, name] : kCuda)
      if (number == *code) return cat("CUDA error ", *code, " is ", name);
  if (const auto [code, rest] = number_behind(" -> ");
      code && *code < std::size(kResults) && *code != 0 && line.find(".c") != line.npos)
    return cat(*code, " is ", kResults[*code]);
  // Of the network alone: other libraries have numbers of their own.
  static constexpr std::string_view kOfNetworks[] = {"ibv_", "socket",  "Socket",   "NET/",
                                                     "OFI",  "Connect", "libfabric"};
  if (std::ranges::none_of(kOfNetworks,
                           [&](std::string_view word) { return line.find(word) != line.npos; }))
    return {};
  // libfabric's numbers below 256 are those of errno (include/rdma/fi_errno.h).
  for (const std::string_view word :
       {"errno ", "errno: ", "errno=", "RC: -", "RC: ", "failed with error "}) {
    const auto [code, rest] = number_behind(word);
    constexpr std::uint32_t kMostErrno = 133;
    if (!code || *code == 0 || *code > kMostErrno) continue;
    const int error = static_cast<int>(*code);
    const char* const name = strerrorname_np(error);
    const char* const text = strerrordesc_np(error);
    if (name == nullptr || text == nullptr || line.find(text) != line.npos) continue;
    return cat("errno ", *code, " is ", name, " (", text, ")");
  }
  return {};
}

}  // namespace nettune::tools::nccl::log
