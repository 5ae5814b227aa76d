// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/details.hpp"

#include <charconv>
#include <iterator>
#include <optional>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/voice.hpp"

namespace nettune::tools::nccl::log {

namespace {

/// "Worker exit type: SYSTEM_ERROR" of Ray; "" where the line does not say it whole.
std::string exit_type_in(std::string_view line) {
  constexpr std::string_view kWord = "Worker exit type: ";
  const auto at = line.find(kWord);
  if (at == line.npos) return {};
  const auto end = line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at + kWord.size());
  return end == line.npos || end == at + kWord.size() ? std::string()
                                                      : std::string(line.substr(at, end - at));
}

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

/// A request that no GPU of this size can meet: c10/cuda/CUDACachingAllocator.cpp of PyTorch.
std::string too_much_memory_in(std::string_view line) {
  const auto wanted = gib_behind(line, "Tried to allocate ");
  const auto all = capacity_in(line);
  if (!wanted || !all || *wanted <= *all) return {};
  return "it asked for more than the whole GPU has: a wrong size or shape in the program, or of "
         "what a failed collective left, is likelier than a full GPU";
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

bool holds_it_alone(std::string_view line) {
  const auto use = use_in(line);
  const auto wanted = gib_behind(line, "CUDA out of memory. Tried to allocate ");
  return use && wanted && *wanted > use->free && use->others <= kLeastShareOfGpu * use->all;
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

bool is_usage_error(std::string_view line) {
  constexpr std::size_t kLongestProgram = 128;
  constexpr std::string_view kError = ": error: ";
  constexpr std::string_view kArgument = "argument ";
  const std::string_view text = trim(without_label(line));
  static constexpr std::string_view kOfClick[] = {"Error: No such option", "Error: Missing option ",
                                                  "Error: Missing argument ",
                                                  "Error: Got unexpected extra argument"};
  for (const std::string_view begin : kOfClick)
    if (text.starts_with(begin)) return true;
  const auto error = text.find(kError);
  if (error > kLongestProgram || text.substr(0, error).find_first_of(" \t\"'`") != text.npos)
    return false;  // npos is, too
  const std::string_view rest = text.substr(error + kError.size());
  for (const std::string_view begin :
       {"unrecognized arguments: ", "the following arguments are required: ", "ambiguous option: ",
        "one of the arguments "})
    if (rest.starts_with(begin)) return true;
  if (!rest.starts_with(kArgument)) return false;
  for (const std::string_view part :
       {": invalid ", ": expected ", ": not allowed with ", ": ignored explicit argument "})
    if (rest.find(part) != rest.npos) return true;
  return false;
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

std::string detail_of(std::string_view line) {
  constexpr std::size_t kLongestNode = 100;
  constexpr std::string_view kFailed = " failed on node ";
  constexpr std::string_view kSlurmd = "slurm_receive_msgs: [[";
  const auto srun = line.find("srun: error: ");
  if (srun == line.npos) {
    std::string memory = too_much_memory_in(line);
    return memory.empty() ? exit_type_in(line) : memory;
  }
  const std::string_view text = line.substr(srun + 13);
  if (text.starts_with(kSlurmd)) {
    const std::string_view node = text.substr(kSlurmd.size());
    const auto end = node.find(']');
    return end > kLongestNode ? std::string() : cat("node ", node.substr(0, end));
  }
  if (const auto node = text.find(kFailed); node != text.npos) {
    const std::string_view rest = text.substr(node + kFailed.size());
    const auto end = rest.find(':');
    return end > kLongestNode ? std::string() : cat("node ", rest.substr(0, end));  // npos is, too
  }
  const auto task = text.find(": task");
  if (task == text.npos || task == 0 || text.find(' ') < task) return {};
  Cursor behind(text.substr(task + 6));
  behind.skip("s");
  if (!behind.skip(" ") || !behind.number()) return {};
  const auto end = text.find(':', task + 1);
  return end > kLongestNode ? std::string() : std::string(text.substr(0, end));
}

}  // namespace nettune::tools::nccl::log
