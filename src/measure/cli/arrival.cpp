// SPDX-License-Identifier: Apache-2.0
#include "measure/cli/arrival.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "conf/environment.hpp"

namespace nettune::measure {
namespace {

constexpr std::size_t kMostShown = 1000;      ///< shown() of templates/parts/rule.tmpl
constexpr std::size_t kMostRead = 4U << 20U;  ///< of a file in /proc
constexpr std::size_t kMostProcesses = 4096;
constexpr int kDeepestProcess = 64;
constexpr double kFirst_s = 0.1;
constexpr double kRarest_s = 30;
constexpr long kLeastTicks = 10;  // 0.1 s: below, nobody has worked yet

/// Programs that start others with an environment that this node does not see.
constexpr auto kLaunchers = std::to_array<std::string_view>(
    {"sbatch", "srun", "salloc", "ssh", "pdsh", "clush", "mpirun", "mpiexec", "orterun", "prterun",
     "docker", "podman", "nerdctl", "kubectl"});

/// As shown() of templates/parts/rule.tmpl shows it.
std::string as_shown(std::string_view value) {
  std::string out(value.substr(0, kMostShown));
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

std::string read_proc(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string out;
  if (!fd.valid()) return out;
  std::array<char, 16384> buffer{};
  while (out.size() < kMostRead) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return out;
}

/// A receipt: "HOST NAME=VALUE (LENGTH)" or "HOST NAME unset".
struct Receipt {
  std::string_view host;
  std::string_view name;
  std::string_view value;
  bool is_set = false;
};
std::optional<Receipt> receipt_in(std::string_view text) {
  const std::size_t host = text.find(' ');
  if (host == text.npos) return {};
  Receipt out{text.substr(0, host), text.substr(host + 1), {}, false};
  constexpr std::string_view kUnset = " unset";
  const std::size_t equals = out.name.find('=');
  if (equals == out.name.npos) {
    if (!out.name.ends_with(kUnset)) return {};
    out.name.remove_suffix(kUnset.size());
    return out;
  }
  out.is_set = true;
  out.value = out.name.substr(equals + 1);
  out.name = out.name.substr(0, equals);
  const std::size_t length = out.value.rfind(" (");
  if (length == out.value.npos || !out.value.ends_with(')')) return {};
  const std::string_view digits = out.value.substr(length + 2, out.value.size() - length - 3);
  out.value = out.value.substr(0, length);
  if (parse_int(digits) != static_cast<std::int64_t>(out.value.size())) return {};
  return out;
}

}  // namespace

std::string arm_mark(const std::map<std::string, std::string>& variables,
                     const std::set<std::string>& of_this_node) {
  utsname system{};
  const std::string host = ::uname(&system) == 0 ? system.nodename : "";
  std::string out;
  for (const auto& [name, value] : variables) {
    if (name == formats::kArmMark) continue;
    if (of_this_node.contains(name) && host.empty()) continue;
    out += cat(out.empty() ? "" : " ", name);
    if (of_this_node.contains(name)) out += cat("@", host);
  }
  return out;
}

std::set<std::string> differing(const std::vector<std::map<std::string, std::string>>& arms) {
  std::set<std::string> names;
  for (const auto& arm : arms)
    for (const auto& [name, value] : arm)
      if (name != formats::kArmMark) names.insert(name);
  std::set<std::string> out;
  for (const std::string& name : names) {
    std::set<std::optional<std::string>> values;
    const char* const inherited = std::getenv(name.c_str());
    for (const auto& arm : arms) {
      const auto found = arm.find(name);
      if (found != arm.end())
        values.insert(found->second);
      else
        values.insert(inherited == nullptr ? std::nullopt : std::optional<std::string>(inherited));
    }
    if (values.size() > 1) out.insert(name);
  }
  return out;
}

Receipts take_receipts(std::string& output, const std::map<std::string, std::string>& variables) {
  Receipts out;
  if (output.find(formats::kArmReceipt) == output.npos) return out;
  std::string rest;
  std::set<std::string> lost;
  const auto lines = split(output, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // Launchers write "[1,0]<stderr>:" or "0: " before a line.
    const std::size_t at = lines[i].find(formats::kArmReceipt);
    if (at == lines[i].npos) {
      rest += lines[i];
      if (i + 1 < lines.size()) rest += '\n';
      continue;
    }
    std::string_view line = lines[i].substr(at + formats::kArmReceipt.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto receipt = receipt_in(line);
    if (!receipt) continue;
    const auto found = variables.find(std::string(receipt->name));
    if (found == variables.end()) continue;
    const std::string wanted = as_shown(found->second);
    if (receipt->is_set && receipt->value == wanted)
      out.arrived.insert(found->first);
    else
      lost.insert(cat("on ", printable(receipt->host), " ", found->first, " is ",
                      receipt->is_set ? printable(receipt->value) : std::string("unset"), ", not ",
                      wanted));
  }
  out.lost.assign(lost.begin(), lost.end());
  output = std::move(rest);
  return out;
}

void ProcessWatch::look(pid_t root) {
  if (variables_.empty() || seconds_since(begin_) < next_s_) return;
  look_at(root, true, 0);
  next_s_ = seconds_since(begin_) + std::clamp(next_s_, kFirst_s, kRarest_s);
}

void ProcessWatch::look_at(pid_t pid, bool is_root, int depth) {
  if (depth > kDeepestProcess || seen_.size() > kMostProcesses) return;
  const std::string at = cat("/proc/", pid, "/");
  const std::string stat = read_proc(at + "stat");
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == stat.npos || close == stat.npos || close < open) return;
  // Behind the name: state is field 3, utime 14, stime 15, start time 22 (proc(5)).
  const auto fields = words(std::string_view(stat).substr(close + 1));
  constexpr std::size_t kState = 3;
  if (fields.size() <= 22 - kState) return;
  Process& one = seen_[cat(pid, " ", fields[22 - kState])];
  one.program = stat.substr(open + 1, close - open - 1);
  one.is_root = is_root;
  one.ticks = static_cast<long>(parse_int(fields[14 - kState]).value_or(0) +
                                parse_int(fields[15 - kState]).value_or(0));
  one.has.clear();
  const std::string environment = read_proc(at + "environ");
  for (const std::string_view entry : split(environment, '\0')) {
    const std::size_t equals = entry.find('=');
    if (equals == entry.npos) continue;
    const auto found = variables_.find(std::string(entry.substr(0, equals)));
    if (found != variables_.end() && found->second == entry.substr(equals + 1))
      one.has.insert(found->first);
  }
  // What cannot be read is not held against it: another user's process, or one that has ended.
  if (environment.empty())
    for (const auto& [name, value] : variables_) one.has.insert(name);
  if (std::ranges::find(kLaunchers, one.program) != kLaunchers.end()) launcher_ = one.program;
  const std::string children = read_proc(cat(at, "task/", pid, "/children"));
  for (const std::string_view child : words(children))
    if (const auto number = parse_int(child))
      look_at(static_cast<pid_t>(*number), false, depth + 1);
}

std::string ProcessWatch::lacks(const std::string& name) const {
  long with = 0;
  const Process* most = nullptr;
  for (const auto& [key, one] : seen_) {
    if (one.has.contains(name))
      with += one.ticks;
    else if (!one.is_root && (most == nullptr || one.ticks > most->ticks))
      most = &one;
  }
  return most != nullptr && most->ticks >= kLeastTicks && most->ticks > with ? most->program : "";
}

void Arrivals::add(const std::string& arm, const std::map<std::string, std::string>& variables,
                   const Receipts& receipts, const ProcessWatch& watch) {
  for (const auto& [name, value] : variables) {
    Variable& one = variables_[cat(name, "=", as_shown(value), " of ", arm)];
    const std::string lacking = watch.lacks(name);
    if (receipts.arrived.contains(name)) one.arrived = true;
    if (!watch.launcher().empty()) one.launcher = watch.launcher();
    if (!lacking.empty())
      one.lacking = lacking;
    else if (watch.launcher().empty())
      one.arrived = true;
  }
}

std::vector<std::string> Arrivals::notes() const {
  std::vector<std::string> out;
  for (const auto& [what, one] : variables_) {
    if (one.arrived) continue;
    if (!one.launcher.empty())
      out.push_back(cat("it is unknown whether ", what, " arrived: ", one.launcher,
                        " starts the job, and the job prints no receipt (a script by nettune "
                        "render does)"));
    else if (!one.lacking.empty())
      out.push_back(cat(what, " did not arrive: ", one.lacking,
                        ", which used most of the CPU time, was started without it"));
  }
  return out;
}

}  // namespace nettune::measure
