// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "facts/parts.hpp"
#include "kernel/process.hpp"

namespace nettune::facts {
namespace {

template <std::size_t N>
bool one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// comm has at most 15 characters.
constexpr std::array<std::string_view, 3> kSchedulers = {"slurmd", "slurmstepd", "kubelet"};
// They keep GPUs open on an idle node, which would always count as busy.
constexpr std::array<std::string_view, 4> kTaskKeepers = {"nvidia-persiste", "nv-hostengine",
                                                          "dcgm-exporter", "nv-fabricmanage"};

bool is_gpu_file(std::string_view path) {
  constexpr std::string_view kNvidia = "/dev/nvidia";
  if (path == "/dev/kfd") return true;
  return path.starts_with(kNvidia) && path.size() > kNvidia.size() && path[kNvidia.size()] >= '0' &&
         path[kNvidia.size()] <= '9';
}

constexpr std::string_view kRdmaFiles = "/dev/infiniband/";

bool is_rdma_file(std::string_view path) {
  return path.starts_with(kRdmaFiles) && path.substr(kRdmaFiles.size()).starts_with("uverbs");
}

/// Parses 12345 of "socket:[12345]".
std::optional<std::uint64_t> socket_inode(std::string_view path) {
  constexpr std::string_view kSocket = "socket:[";
  if (!path.starts_with(kSocket) || !path.ends_with(']')) return std::nullopt;
  const auto inode = parse_int(path.substr(kSocket.size(), path.size() - kSocket.size() - 1));
  if (!inode || *inode <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(*inode);
}

struct OpenFiles {
  std::string gpu;
  std::set<std::string> rdma;
};

class Scan {
 public:
  explicit Scan(Processes& result) : result_(result) {}

  void look_at(const kernel::Directory& process, int pid) {
    const std::string name = process.line("comm").value_or("");
    if (one_of(kSchedulers, name)) result_.at_work.push_back({name, pid, "runs"});
    const bool ssh = kernel::is_ssh_server(name);
    const auto directory = process.directory("fd");
    const auto entries = directory ? directory->entries("") : process.entries("fd");
    if (!entries) {
      // A process that has ended meanwhile is not a hidden one.
      if (entries.error().code == Errc::not_found) return;
      ++result_.unreadable;
      result_.ssh_unreadable = result_.ssh_unreadable || ssh;
      return;
    }
    OpenFiles files;
    for (const std::string& entry : *entries) {
      const auto target = directory->link(entry);
      if (target) take(*target, ssh, files);
    }
    if (one_of(kTaskKeepers, name)) return;
    if (!files.gpu.empty()) add("GPU process", pid, name, files.gpu, "");
    for (const std::string& file : files.rdma)
      add("RDMA user", pid, name, file, file.substr(kRdmaFiles.size()));
  }

 private:
  void take(const std::string& target, bool ssh, OpenFiles& files) {
    if (is_gpu_file(target) && files.gpu.empty()) files.gpu = target;
    if (is_rdma_file(target)) files.rdma.insert(target);
    if (!ssh) return;
    if (const auto inode = socket_inode(target)) result_.ssh_sockets.insert(*inode);
  }

  void add(const char* what, int pid, const std::string& name, const std::string& file,
           std::string device) {
    result_.at_work.push_back({what, pid, cat(name, " has ", file, " open"), std::move(device)});
  }

  Processes& result_;
};

}  // namespace

Processes scan_processes(const kernel::Directory& root) {
  constexpr std::int64_t kHighestPid = 1 << 22;  // PID_MAX_LIMIT
  Processes result;
  Scan scan(result);
  for (const std::string& entry : root.list("proc")) {
    const auto pid = parse_int(entry);
    if (!pid || *pid <= 0 || *pid > kHighestPid) continue;
    const auto process = root.directory(cat("proc/", entry));
    if (process) scan.look_at(*process, static_cast<int>(*pid));
  }
  std::stable_sort(result.at_work.begin(), result.at_work.end(),
                   [](const Work& left, const Work& right) { return left.pid < right.pid; });
  return result;
}

}  // namespace nettune::facts
