// SPDX-License-Identifier: Apache-2.0
#include "tools/render/inputs.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::tools::render {
namespace {

/// PyTorch's default ports: MASTER_PORT and --rdzv-endpoint. The profile base reserves both.
constexpr std::int64_t kMasterPort = 29500;
constexpr std::int64_t kRendezvousPort = 29400;

/// Kubernetes and Slurm accept a DNS label (RFC 1123) as a name. This leaves space for suffixes.
constexpr std::size_t kLongestJob = 40;

bool is_job_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

Result<std::string> checked_job(const std::string& job) {
  if (!job.empty() && job.size() <= kLongestJob && std::ranges::all_of(job, is_job_character) &&
      job.front() != '-' && job.back() != '-' && (job.front() < '0' || job.front() > '9'))
    return job;
  return fail(Errc::invalid, cat("--job: \"", printable(job),
                                 "\" must consist of a-z, 0-9 and -, begin with a letter, not end "
                                 "with a -, and have at most ",
                                 kLongestJob, " characters"));
}

/// "My_Train.py" gives my-train.
std::string job_of(const std::vector<std::string>& program) {
  std::string name = program.empty() ? std::string() : program.front();
  name = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  name = lower(name.substr(0, name.find('.')));
  for (char& c : name)
    if (!is_job_character(c)) c = '-';
  name = name.substr(0, kLongestJob);
  while (!name.empty() && (name.front() == '-' || (name.front() >= '0' && name.front() <= '9')))
    name.erase(0, 1);
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "job" : name;
}

/// "a" of "a.example.org" and of "a"; nothing of an address.
std::string_view first_label(std::string_view name) {
  const bool is_address =
      name.find(':') != name.npos || name.find_first_not_of("0123456789.") == name.npos;
  return is_address ? std::string_view() : name.substr(0, name.find('.'));
}

class Filler {
 public:
  Filler(const Request& request, const FromProfile* profile)
      : request_(request), profile_(profile) {}

  Result<Inputs> fill() {
    text("kind", request_.kind, "the command line");
    TRY(nodes());
    TRY(job());
    if (profile_ != nullptr) variables();
    log_variables();
    TRY(port());
    if (profile_ != nullptr && profile_->lossless) lossless(*profile_->lossless);
    return std::move(out_);
  }

 private:
  void text(std::string name, std::string value, std::string source) {
    out_.values[std::move(name)] = {std::move(value), std::move(source), false};
  }
  void number(std::string name, std::int64_t value, std::string source) {
    out_.values[std::move(name)] = {std::to_string(value), std::move(source), true};
  }
  static Value text_of(std::string value, std::string source) {
    return {std::move(value), std::move(source), false};
  }
  static Value number_of(std::int64_t value, std::string source) {
    return {std::to_string(value), std::move(source), true};
  }

  Result<> nodes() {
    const auto listed = static_cast<std::int64_t>(request_.nodes.size());
    const std::string source = listed > 0 ? "--nodes" : "--count";
    std::optional<std::int64_t> count = request_.count;
    if (listed > 0) {
      count = listed;
      auto& list = out_.lists["nodes"];
      const auto labels = own_labels(request_.nodes);
      for (std::int64_t rank = 0; rank < listed; ++rank) {
        const JobNode& node = request_.nodes[static_cast<std::size_t>(rank)];
        Values member{{"name", text_of(node.name, source)}, {"rank", number_of(rank, source)}};
        if (!node.address.empty()) member["address"] = text_of(node.address, source);
        const std::string& label = labels[static_cast<std::size_t>(rank)];
        if (!label.empty()) member[label == node.name ? "stem" : "short"] = text_of(label, source);
        list.push_back(std::move(member));
      }
      const JobNode& first = request_.nodes.front();
      text("master", first.address.empty() ? first.name : first.address, source);
    }
    if (count) {
      number("count", *count, source);
      number("others", *count - 1, source);
      number("several", *count > 1 ? 1 : 0, source);
    }
    if (!request_.gpus) return {};
    number("gpus", *request_.gpus, "--gpus");
    number("shm_mib", 1024 * *request_.gpus, "1024 for each of --gpus");
    if (count) number("ranks", *count * *request_.gpus, cat(source, " and --gpus"));
    return {};
  }

  Result<> job() {
    if (request_.job.empty()) {
      text("job", job_of(request_.program), "the program's name");
    } else {
      TRY_ASSIGN(std::string job, checked_job(request_.job));
      text("job", std::move(job), "--job");
    }
    if (!request_.image.empty()) text("image", request_.image, "--image");
    number("explain", request_.explain ? 1 : 0, request_.explain ? "as a rule" : "--no-explain");
    number("preflight", request_.preflight ? 1 : 0,
           request_.preflight ? "as a rule" : "--no-preflight");
    if (!request_.program.empty()) {
      auto& words = out_.lists["program"];
      if (request_.program.front().ends_with(".py"))
        for (const char* const word : {"python3", "-u"})
          words.push_back({{"word", text_of(word, "the script ends in .py")}});
      for (const std::string& word : request_.program)
        words.push_back({{"word", text_of(word, "behind --")}});
    }
    auto& resources = out_.lists["resources"];
    for (const std::string& resource : request_.resources) {
      const std::size_t equals = resource.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == resource.size())
        return fail(Errc::invalid, cat("--resource: \"", printable(resource),
                                       "\" is not NAME=COUNT, as in rdma/hca=1"));
      resources.push_back({{"name", text_of(resource.substr(0, equals), "--resource")},
                           {"count", text_of(resource.substr(equals + 1), "--resource")}});
    }
    given();
    if (!request_.ports.empty())
      for (const std::string& port : request_.ports)
        out_.lists["ports"].push_back({{"name", text_of(port, "--ports")}});
    return {};
  }

  void given() {
    if (request_.time_s) {
      const std::int64_t s = *request_.time_s;
      const auto two = [](std::int64_t n) { return cat(n < 10 ? "0" : "", n); };
      number("time_s", s, "--time");
      text("time", cat(s / 86400, "-", two(s / 3600 % 24), ":", two(s / 60 % 60), ":", two(s % 60)),
           "--time");
    }
    if (request_.mem_mib) number("mem_mib", *request_.mem_mib, "--mem");
    for (const auto& [name, value] :
         {std::pair{"partition", &request_.partition}, std::pair{"account", &request_.account},
          std::pair{"queue", &request_.queue}})
      if (!value->empty()) text(name, *value, cat("--", name));
    auto& mounts = out_.lists["mounts"];
    for (const Mount& mount : request_.mounts)
      mounts.push_back(
          {{"name", text_of(cat("mount-", mounts.size()), "--mount")},
           {"source", text_of(mount.source, "--mount")},
           {"target", text_of(mount.target, "--mount")},
           {"read_only", number_of(mount.read_only ? 1 : 0, "--mount")},
           {"volume", number_of(mount.is_volume() ? 1 : 0, "--mount")},
           {"text", text_of(cat(mount.source, ":", mount.target, mount.read_only ? ":ro" : ""),
                            "--mount")}});
    auto& options = out_.lists["options"];
    for (const std::string& option : request_.options)
      options.push_back({{"word", text_of(option, "--option")}});
  }

  const JobVariable* variable(std::string_view name) const {
    const auto found = std::ranges::find(profile_->variables, name, &JobVariable::name);
    return found == profile_->variables.end() ? nullptr : &*found;
  }

  /// Whether the profile gives jobs this variable, on all nodes or on each.
  bool names(std::string_view name) const {
    return variable(name) != nullptr ||
           std::ranges::find(profile_->node_variables, name) != profile_->node_variables.end();
  }

  void variables() {
    text("profile", profile_->name, "the command line");
    auto& set = out_.lists["set"];
    for (const auto& [name, value] : profile_->set)
      set.push_back({{"word", text_of(cat(name, '=', value), "--set")}});
    auto& env = out_.lists["env"];
    for (const JobVariable& one : profile_->variables) {
      const std::string source = one.origin.text();
      env.push_back({{"name", text_of(one.name, source)},
                     {"value", text_of(one.value, source)},
                     {"source", text_of(source, source)}});
    }
    auto& own = out_.lists["node_env"];
    for (const std::string& name : profile_->node_variables)
      own.push_back({{"name", text_of(name, profile_->name)}});
    const JobVariable* const off = variable("NCCL_IB_DISABLE");
    const bool is_off = off != nullptr && off->value == "1";
    const bool rdma = names("NCCL_IB_HCA") && !is_off;
    const bool gloo = names("NCCL_SOCKET_IFNAME") && !names("GLOO_SOCKET_IFNAME");
    number("gloo", gloo ? 1 : 0, cat("NCCL_SOCKET_IFNAME of ", profile_->name));
    number("rdma", rdma ? 1 : 0,
           is_off ? off->origin.text() : cat("NCCL_IB_HCA of ", profile_->name));
    if (!request_.expect.empty())
      text("expect", request_.expect, "--expect");
    else if (rdma || is_off)
      text("expect", rdma ? "ib" : "net:Socket", out_.values["rdma"].source);
  }

  /// What nccl explain reads, where the profile has no other wish.
  void log_variables() {
    auto& list = out_.lists["log_env"];
    if (!request_.explain) return;
    for (const auto& [name, value] :
         {std::pair{"NCCL_DEBUG", "INFO"}, std::pair{"NCCL_DEBUG_SUBSYS", "INIT,ENV,NET,GRAPH"}})
      if (profile_ == nullptr || !names(name))
        list.push_back(
            {{"name", text_of(name, "as a rule")}, {"value", text_of(value, "as a rule")}});
  }

  const firewall::rules::PortRange* hole_of(std::int64_t port) const {
    const auto found =
        std::ranges::find_if(profile_->ports, [&](const firewall::rules::PortRange& range) {
          return range.first <= port && port <= range.last;
        });
    return found == profile_->ports.end() ? nullptr : &*found;
  }

  /// Chooses a port that the profile's firewall section allows, if it has one.
  Result<> port() {
    const bool has_hole = profile_ != nullptr && !profile_->ports.empty();
    const std::string hole = has_hole ? profile_->ports_source : "";
    std::int64_t port = request_.port.value_or(kMasterPort);
    std::int64_t last = port;
    std::string source = request_.port ? "--port" : "PyTorch's MASTER_PORT";
    if (has_hole) {
      const firewall::rules::PortRange* found = hole_of(port);
      if (found == nullptr && request_.port)
        return fail(Errc::invalid, cat("--port ", port, " is not in [firewall] tcp of the profile ",
                                       profile_->name, " (", hole, "), so no rank could connect"));
      if (found == nullptr) {
        found = hole_of(kRendezvousPort);
        port = found != nullptr ? kRendezvousPort : profile_->ports.front().first;
        if (found == nullptr) found = &profile_->ports.front();
        source = "[firewall] tcp";
      }
      last = request_.port ? port : found->last;
      source += cat(", in ", hole);
    }
    number("port", port, source);
    number("port_count", last - port + 1, source);
    return {};
  }

  void lossless(const intents::Lossless& intent) {
    const auto source = [&](std::string_view key) {
      const auto found = profile_->sources.find(key);
      return found == profile_->sources.end() ? std::string() : found->second;
    };
    const auto put = [&](const std::string& name, std::optional<std::int64_t> value,
                         std::string_view key) {
      if (!value) return;
      number(name, *value, source(key));
      text(cat(key == "bandwidth_pct" ? "share" : key, "_source"), source(key), source(key));
    };
    put("dscp", intent.dscp, "dscp");
    put("priority", intent.priority, "priority");
    put("cnp_dscp", intent.cnp_dscp, "cnp_dscp");
    put("cnp_priority", intent.cnp_priority, "cnp_priority");
    put("cable_m", intent.cable_m, "cable_m");
    put("share", intent.bandwidth_pct, "bandwidth_pct");
    put("mtu", profile_->mtu, "mtu");
    if (profile_->mtu) number("switch_mtu", *profile_->mtu + 100, source("mtu"));
    number("class", class_of(intent, intent.priority), source("priority"));
    if (intent.cnp_priority)
      number("cnp_class", class_of(intent, *intent.cnp_priority), source("cnp_priority"));
    if (intent.bandwidth_pct > 0)
      number("rest_share", 100 - intent.bandwidth_pct, source("bandwidth_pct"));
    map(intent, cat(source("dscp"), "; others by their upper three bits (RFC 2474)"));
  }

  static std::int64_t class_of(const intents::Lossless& intent, std::int64_t priority) {
    return intent.bandwidth_pct > 0 ? static_cast<std::int64_t>(intent.class_of(priority))
                                    : priority;
  }

  void map(const intents::Lossless& intent, const std::string& source) {
    auto& rows = out_.lists["map"];
    auto& dscps = out_.lists["dscps"];
    for (std::int64_t priority = 0; priority < 8; ++priority) {
      std::string list;
      for (std::int64_t dscp = 0; dscp < 64; ++dscp)
        if (intent.priority_of(dscp) == priority) list += cat(list.empty() ? "" : ",", dscp);
      Values row{{"priority", number_of(priority, source)},
                 {"class", number_of(class_of(intent, priority), source)}};
      if (!list.empty()) row["dscps"] = text_of(std::move(list), source);
      rows.push_back(std::move(row));
    }
    for (std::int64_t dscp = 0; dscp < 64; ++dscp)
      dscps.push_back({{"dscp", number_of(dscp, source)},
                       {"priority", number_of(intent.priority_of(dscp), source)}});
  }

  const Request& request_;
  const FromProfile* profile_;
  Inputs out_;
};

/// The profile with the variables of --env in the place of its own.
FromProfile with_given(FromProfile profile, const std::vector<GivenVariable>& given) {
  for (const GivenVariable& one : given) {
    std::erase(profile.node_variables, one.name);
    std::erase_if(profile.variables, [&](const JobVariable& own) { return own.name == one.name; });
    profile.variables.push_back({one.name, one.value, false, true, {"--env", 0}});
  }
  return profile;
}

}  // namespace

std::vector<std::string> own_labels(const std::vector<JobNode>& nodes) {
  std::map<std::string_view, int> counts;
  for (const JobNode& node : nodes) ++counts[first_label(node.name)];
  std::vector<std::string> out;
  for (const JobNode& node : nodes) {
    const std::string_view label = first_label(node.name);
    out.emplace_back(counts[label] == 1 ? label : std::string_view());
  }
  return out;
}

Result<Inputs> inputs_of(const Request& request, const FromProfile* profile) {
  if (profile == nullptr) return Filler(request, nullptr).fill();
  const FromProfile all = with_given(*profile, request.env);
  return Filler(request, &all).fill();
}

}  // namespace nettune::tools::render
