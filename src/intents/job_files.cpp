// SPDX-License-Identifier: Apache-2.0
#include "intents/job_files.hpp"

#include <nlohmann/json.hpp>

#include "base/word_table.hpp"
#include "conf/environment_files.hpp"

namespace nettune::intents {
namespace {

constexpr auto kFormats = word_table<JobFormat>({
    {JobFormat::sh, "sh"},
    {JobFormat::docker, "docker"},
    {JobFormat::nccl_conf, "nccl.conf"},
    {JobFormat::systemd, "systemd"},
    {JobFormat::slurm, "slurm"},
    {JobFormat::k8s, "k8s"},
    {JobFormat::json, "json"},
});

std::vector<conf::Variable> plain(std::span<const JobVariable> variables) {
  std::vector<conf::Variable> out;
  for (const JobVariable& variable : variables) out.push_back({variable.name, variable.value});
  return out;
}

/// Version and line numbers are left out: the file must change only with its content.
std::string json_text(const std::string& profile, std::span<const JobVariable> variables) {
  using Json = nlohmann::ordered_json;
  Json document = {{"schema", 1}, {"kind", "env"}, {"profile", profile}};
  document["variables"] = Json::array();
  for (const JobVariable& variable : variables)
    document["variables"].push_back({{"name", variable.name},
                                     {"value", variable.value},
                                     {"of_this_node", variable.of_this_node},
                                     {"same_on_all_nodes", variable.same_on_all_nodes}});
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::vector<std::string> job_formats() { return kFormats.words(); }

std::optional<JobFormat> parse_job_format(std::string_view name) { return kFormats.value(name); }

std::vector<JobVariable> variables_for(JobFormat format, std::span<const JobVariable> variables) {
  std::vector<JobVariable> out(variables.begin(), variables.end());
  if (format == JobFormat::k8s || format == JobFormat::slurm)
    std::erase_if(out, [](const auto& one) { return one.of_this_node; });
  return out;
}

Result<std::string> job_text(JobFormat format, const std::string& profile,
                             std::span<const JobVariable> variables, std::string_view heading) {
  const std::vector<JobVariable> taken = variables_for(format, variables);
  switch (format) {
    case JobFormat::sh:
      return conf::shell_assignments(plain(taken));
    case JobFormat::docker:
    case JobFormat::nccl_conf:
      return conf::env_file(plain(taken), heading);
    case JobFormat::systemd:
      return conf::service_environment(plain(taken), heading);
    case JobFormat::slurm:
      return conf::task_prolog(plain(taken), heading);
    case JobFormat::k8s:
      return conf::config_map(plain(taken), heading);
    case JobFormat::json:
      return json_text(profile, taken);
  }
  return fail(Errc::invalid, "this format is not supported");
}

}  // namespace nettune::intents
