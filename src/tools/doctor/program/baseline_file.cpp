// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/baseline_file.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/version.hpp"

namespace nettune::tools::doctor::program {

std::string baseline_text(const Baseline& baseline, const std::string& node) {
  using Document = nlohmann::ordered_json;
  const Document document = {{"schema", 1},
                             {"kind", "doctor-baseline"},
                             {"nettune", NETTUNE_VERSION},
                             {"build", build_info()},
                             {"node", node},
                             {"things", baseline.things},
                             {"identities", baseline.identities},
                             {"counters", baseline.counters}};
  return document.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

Result<Baseline> parse_baseline(std::string_view text, const std::string& file) {
  using Document = nlohmann::json;
  const Document document = Document::parse(text, nullptr, false);
  const bool is_one = document.is_object() &&
                      document.value("kind", Document()) == "doctor-baseline" &&
                      document.value("schema", Document()) == 1;
  if (!is_one)
    return fail(Errc::invalid, cat(printable(file), " is not a baseline of nettune doctor"));
  Baseline baseline;
  const Document things = document.value("things", Document::object());
  for (const auto& [name, value] : things.items())
    if (value.is_string()) baseline.things[name] = value.get<std::string>();
  const Document identities = document.value("identities", Document::object());
  for (const auto& [name, value] : identities.items())
    if (value.is_string()) baseline.identities[name] = value.get<std::string>();
  const Document counters = document.value("counters", Document::object());
  for (const auto& [name, value] : counters.items())
    if (value.is_number_unsigned()) baseline.counters[name] = value.get<std::uint64_t>();
  // Files of the first releases have no identities.
  if (!document.contains("identities")) doctor::split_old_things(baseline);
  return baseline;
}

}  // namespace nettune::tools::doctor::program
