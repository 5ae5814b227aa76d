// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/program/report.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "base/metrics.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace nettune::tools::slurm::program {

namespace {

/// From `systemd-id128 new`. It is an interface, like the names of the fields.
constexpr std::string_view kHealthMessage = "f890763e87f94a918666a99e86a733ba";

constexpr std::array kResults = {HealthResult::pass, HealthResult::fault, HealthResult::undecided,
                                 HealthResult::error};

std::string_view step_word(Step step) {
  switch (step) {
    case Step::drain:
      return "drain";
    case Step::undrain:
      return "undrain";
    default:
      return "none";
  }
}

std::string message(const Health& health) {
  std::string text = cat(health.node, ": ", health.decision.why);
  for (const std::string& warning : health.warnings) text += cat("; ", printable(warning));
  return text;
}

}  // namespace

std::string_view result_word(HealthResult result) {
  switch (result) {
    case HealthResult::pass:
      return "pass";
    case HealthResult::fault:
      return "fault";
    case HealthResult::undecided:
      return "undecided";
    case HealthResult::error:
      break;
  }
  return "error";
}

std::vector<std::string> journal_entry(const Health& health) {
  if (health.result == HealthResult::pass && health.decision.step == Step::none &&
      health.warnings.empty())
    return {};
  const bool is_news = health.decision.step != Step::none && health.warnings.empty();
  return {cat("PRIORITY=", is_news ? 5 : 4),
          "SYSLOG_IDENTIFIER=nettune",
          cat("MESSAGE_ID=", kHealthMessage),
          cat("MESSAGE=", message(health)),
          cat("NETTUNE_NODE=", health.node),
          cat("NETTUNE_RESULT=", result_word(health.result)),
          cat("NETTUNE_STEP=", step_word(health.decision.step)),
          cat("NETTUNE_RULE=", health.fault.rule),
          cat("NETTUNE_DEVICE=", health.fault.device)};
}

std::string health_metrics(const Health& health, std::int64_t time_s) {
  Metrics metrics("slurm-health");
  metrics.add("nettune_slurm_timestamp_seconds", "When nettune-slurm-health ran.", time_s);
  for (const HealthResult result : kResults)
    metrics.add("nettune_slurm_result", "What it found: 1 for one of these.",
                health.result == result ? 1 : 0, {{"result", result_word(result)}});
  metrics.add("nettune_slurm_faults_in_a_row", "Checks in a row that found the same fault.",
              health.decision.memory.seen);
  metrics.add("nettune_slurm_drained", "1 while this node is drained by nettune.",
              health.drained ? 1 : 0);
  return metrics.text();
}

std::string health_text(const Health& health) { return cat(message(health), "\n"); }

std::string health_json(const Health& health) {
  using Json = nlohmann::ordered_json;
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  const Json document = {{"schema", 1},
                         {"kind", "slurm-health"},
                         {"nettune", NETTUNE_VERSION},
                         {"build", build_info()},
                         {"node", health.node},
                         {"result", result_word(health.result)},
                         {"rule", text_or_null(health.fault.rule)},
                         {"device", text_or_null(health.fault.device)},
                         {"seen", health.decision.memory.seen},
                         {"step", step_word(health.decision.step)},
                         {"why", health.decision.why},
                         {"drained", health.drained},
                         {"warnings", health.warnings}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::slurm::program
