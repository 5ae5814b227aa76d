// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/arrival.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sys/utsname.h>

#include "base/text.hpp"
#include "conf/environment.hpp"
#include "kernel/process.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr std::size_t kMostShown = 1000;      ///< shown() of templates/parts/rule.tmpl
constexpr std::size_t kMostRead = 4U << 20U;  ///< of a file in /proc
constexpr std::size_t kMostProcesses = 4096;
constexpr int kDeepestProcess = 64;
constexpr double kFirst_s = 0.001;
constexpr double kRarest_s = 30;
constexpr double kLeast_s = 0.1;  // of CPU time: below, nobody has worked yet

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

/// What launchers write before a line: "[1,0]<stderr>:", "0: ".
bool is_label(std::string_view text) {
  text = trim(text);
  return text.empty() || (text.ends_with(':') &&
                          (text.starts_with('[') || parse_int(text.substr(0, text.size() - 1))));
}

}  // namespace

std::string arm_mark(const std::map<std::string, std::string>& variables,
                     const std::set<std::string>& of_this_node) {
  utsname system{};
  const std::string host = ::uname(&system) == 0 ? system.nodename : "";
  std::string out;
  for (const auto& [name, value] : variables) {
    if (name == conf::kArmMark) continue;
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
      if (name != conf::kArmMark) names.insert(name);
  std::map<std::string, std::set<std::optional<std::string>>> values;
  for (const auto& arm : arms)
    for (const auto& [name, value] : wanted_of(arm, names)) values[name].insert(value);
  std::erase_if(names, [&](const std::string& name) { return values[name].size() < 2; });
  return names;
}

void mark_compared(const std::vector<ArmVariables>& arms, const std::set<std::string>& compared) {
  const std::string key(conf::kArmMark);
  std::map<std::string, std::string> words_of;  // as another arm marks it: everywhere, or on a host
  for (const auto& [arm, is_whole] : arms)
    if (const auto mark = arm->find(key); mark != arm->end())
      for (const std::string_view word : words(mark->second)) {
        std::string& known = words_of[std::string(word.substr(0, word.find('@')))];
        if (known.empty() || known.find('@') != known.npos) known = word;
      }
  for (const auto& [arm, is_whole] : arms)
    for (const std::string& name : compared) {
      const auto word = words_of.find(name);
      if (!is_whole || arm->contains(name) || word == words_of.end()) continue;
      std::string& mark = (*arm)[key];
      mark += cat(mark.empty() ? "" : " ", word->second);
    }
}

Wanted wanted_of(const std::map<std::string, std::string>& arm,
                 const std::set<std::string>& compared) {
  Wanted out;
  for (const std::string& name : compared) {
    const auto found = arm.find(name);
    const char* const inherited = std::getenv(name.c_str());
    if (found != arm.end())
      out[name] = found->second;
    else
      out[name] = inherited == nullptr ? std::nullopt : std::optional<std::string>(inherited);
  }
  return out;
}

Receipts take_receipts(std::string& output, const Wanted& wanted) {
  Receipts out;
  if (output.find(conf::kArmReceipt) == output.npos) return out;
  std::string rest;
  std::set<std::string> lost;
  const auto lines = split(output, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t at = lines[i].find(conf::kArmReceipt);
    if (at == lines[i].npos) {
      rest += lines[i];
      if (i + 1 < lines.size()) rest += '\n';
      continue;
    }
    if (const auto before = lines[i].substr(0, at); !is_label(before)) rest += cat(before, "\n");
    std::string_view line = lines[i].substr(at + conf::kArmReceipt.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto receipt = receipt_in(line);
    if (!receipt) continue;
    const auto found = wanted.find(std::string(receipt->name));
    if (found == wanted.end()) continue;
    const auto& value = found->second;
    if (receipt->is_set == value.has_value() && (!value || receipt->value == as_shown(*value)))
      out.arrived.insert(found->first);
    else
      lost.insert(cat("on ", printable(receipt->host), " ", found->first, " is ",
                      receipt->is_set ? printable(receipt->value) : std::string("unset"), ", not ",
                      value ? as_shown(*value) : std::string("unset")));
  }
  out.lost.assign(lost.begin(), lost.end());
  output = std::move(rest);
  return out;
}

void ProcessWatch::look(pid_t command) {
  if (variables_.empty() || net::seconds_since(begin_) < next_s_) return;
  look_now(command);
  next_s_ = net::seconds_since(begin_) + std::clamp(next_s_, kFirst_s, kRarest_s);
}

void ProcessWatch::look_at(std::int64_t pid, int depth) {
  if (!root_ || depth > kDeepestProcess || seen_.size() > kMostProcesses) return;
  const std::string at = cat("proc/", pid, "/");
  const auto stat = root_->read(at + "stat", kMostRead);
  const auto process = stat ? kernel::parse_process(*stat) : std::nullopt;
  if (!process) return;
  Process& one = seen_[{pid, process->started_s}];
  one.program = process->name;
  one.used_s = process->used_s;
  // Empty while a program begins or has ended: what was read before stands.
  const auto environment = root_->read(at + "environ", kMostRead);
  if (environment && !environment->empty()) {
    one.is_read = true;
    one.has.clear();
    for (const std::string_view entry : split(*environment, '\0')) {
      const std::size_t equals = entry.find('=');
      if (equals == entry.npos) continue;
      const auto found = variables_.find(std::string(entry.substr(0, equals)));
      if (found != variables_.end() && found->second == entry.substr(equals + 1))
        one.has.insert(found->first);
    }
  }
  if (std::ranges::find(kLaunchers, one.program) != kLaunchers.end()) launcher_ = one.program;
  // A child belongs to the thread that started it.
  for (const std::string& thread : root_->list(at + "task")) {
    const auto children = root_->read(cat(at, "task/", thread, "/children"), kMostRead);
    if (!children) continue;
    for (const std::string_view child : words(*children))
      if (const auto number = parse_int(child)) look_at(*number, depth + 1);
  }
}

Arrived ProcessWatch::state_of(const std::string& name) const {
  if (!launcher_.empty())
    return {Arrival::unknown, cat(printable(launcher_),
                                  " starts the job, and the job prints no receipt (a script by "
                                  "nettune render does)")};
  bool is_there = false;
  double with_s = 0;
  double lacking_s = 0;
  double unread_s = 0;
  const Process* unread = nullptr;
  const Process* lacking = nullptr;
  const auto busier = [](const Process* now, const Process& one) {
    return now == nullptr || one.used_s > now->used_s ? &one : now;
  };
  for (const auto& [key, one] : seen_) {
    if (!one.is_read) {
      unread_s += one.used_s;
      unread = busier(unread, one);
    } else if (one.has.contains(name)) {
      is_there = true;
      with_s += one.used_s;
    } else {
      lacking_s += one.used_s;
      lacking = busier(lacking, one);
    }
  }
  constexpr std::string_view kMost = ", which used most of the CPU time, ";
  if (lacking_s >= kLeast_s && lacking_s > with_s + unread_s)
    return {Arrival::lost, cat(printable(lacking->program), kMost, "was started without it")};
  if (unread_s >= kLeast_s && unread_s > with_s)
    return {Arrival::unknown,
            cat("the environment of ", printable(unread->program), kMost, "cannot be read")};
  if (is_there && lacking != nullptr && (with_s < kLeast_s || with_s < lacking_s + unread_s))
    return {Arrival::unknown, cat(printable(lacking->program),
                                  " was started without it, and no CPU time says what measures")};
  if (is_there) return {Arrival::arrived, ""};
  return {Arrival::unknown, "no process of the command was seen with it or used much CPU time"};
}

Arrival Arrivals::Variable::state() const {
  const auto count = [&](Arrival one) {
    const auto found = runs.find(one);
    return found == runs.end() ? 0 : found->second;
  };
  if (has_receipt) return Arrival::arrived;
  if (count(Arrival::lost) > count(Arrival::arrived)) return Arrival::lost;
  return count(Arrival::arrived) > 0 ? Arrival::arrived : Arrival::unknown;
}

void Arrivals::add(const std::string& arm, const std::map<std::string, std::string>& variables,
                   const Receipts& receipts, const ProcessWatch& watch) {
  for (const auto& [name, value] : variables) {
    Variable& one = variables_[{arm, cat(name, "=", as_shown(value))}];
    one.has_receipt = one.has_receipt || receipts.arrived.contains(name);
    const Arrived seen = watch.state_of(name);
    ++one.runs[seen.state];
    one.why[seen.state] = seen.why;
  }
}

std::vector<ArmVariable> Arrivals::all() const {
  std::vector<ArmVariable> out;
  for (const auto& [key, one] : variables_) {
    const Arrival state = one.state();
    ArmVariable& added = out.emplace_back(ArmVariable{key.first, key.second, {}});
    if (state != Arrival::unknown) added.arrived = state == Arrival::arrived;
  }
  return out;
}

std::vector<std::string> Arrivals::notes() const {
  std::vector<std::string> out;
  for (const auto& [key, one] : variables_) {
    const Arrival state = one.state();
    const std::string what = cat(key.second, " of ", key.first);
    if (state == Arrival::lost)
      out.push_back(cat(what, " did not arrive: ", one.why.at(state)));
    else if (state == Arrival::unknown)
      out.push_back(cat("it is not known whether ", what, " arrived: ", one.why.at(state)));
  }
  return out;
}

}  // namespace nettune::tools::measure::program
